"""The command line of Acme."""
