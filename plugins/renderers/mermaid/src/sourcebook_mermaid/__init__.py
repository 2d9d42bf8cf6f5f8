"""Mermaid diagrams of a part of a graph; `plugin` is the module that Sourcebook finds."""
