"""The verbs of the schema subject: list, grep, trace, show, stats."""
