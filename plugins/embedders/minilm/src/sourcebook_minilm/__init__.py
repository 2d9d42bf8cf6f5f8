"""all-MiniLM-L6-v2, quantised, from a package: no key, no network."""
