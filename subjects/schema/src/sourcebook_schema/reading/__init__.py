"""YAML and JSON text to values that know their lines."""
