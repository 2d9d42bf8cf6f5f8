"""The verbs of the code subject."""
