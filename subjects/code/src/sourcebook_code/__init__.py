"""The code subject: declarations with exact lines, their graph, and evidence."""
