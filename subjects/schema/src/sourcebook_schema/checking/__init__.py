"""Whether a request or a response fits the description of its operation, by openapi-core."""
