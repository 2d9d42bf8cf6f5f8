"""A standalone OpenAPI document of a part of an API; `plugin` is the module that Sourcebook finds."""
