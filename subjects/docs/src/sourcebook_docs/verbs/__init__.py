"""The verbs of the docs subject that know its outline: list, grep, show."""
