"""Vectors: an exact scan while that is fast, FAISS beyond."""
