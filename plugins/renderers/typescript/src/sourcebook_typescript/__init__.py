"""TypeScript declarations of a part of an API; `plugin` is the module that Sourcebook finds."""
