"""Markdown and plain text as quotable passages."""
