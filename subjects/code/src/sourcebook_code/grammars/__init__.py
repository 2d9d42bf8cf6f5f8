"""The node tables, one module a language: `GRAMMAR` says what declares, calls and imports."""
