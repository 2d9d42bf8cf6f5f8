"""Descriptions that readers of code wrote: kept beside it, applied to it, put into it."""
