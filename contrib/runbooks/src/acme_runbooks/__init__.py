"""A subject for runbooks; `plugin` is the module that Sourcebook finds."""
