"""Lexical candidates from Tantivy."""
