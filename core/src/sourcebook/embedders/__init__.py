"""Embedders that come with the core."""
