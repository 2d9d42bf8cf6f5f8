"""Sourcebook as Acme uses it; `plugin` is the module that Sourcebook finds."""
