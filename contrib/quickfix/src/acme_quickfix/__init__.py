"""A renderer for editors; `plugin` is the module that Sourcebook finds."""
