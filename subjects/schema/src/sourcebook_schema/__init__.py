"""The schema subject; `plugin` is the module that Sourcebook finds."""
