"""What every store shares (rows, exact scan, files) and the one that comes with the core."""
