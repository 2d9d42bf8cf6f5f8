"""The renderers `openapi` and `openapi-3.0`."""
