"""A renderer for Graphviz; `plugin` is the module that Sourcebook finds."""
