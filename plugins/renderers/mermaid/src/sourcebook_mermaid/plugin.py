"""The renderers `mermaid` and `mermaid-flowchart`."""
