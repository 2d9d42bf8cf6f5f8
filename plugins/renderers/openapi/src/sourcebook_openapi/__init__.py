"""Standalone OpenAPI documents of parts of APIs; `plugin` is the module that Sourcebook finds."""
