"""Strategies, one file each. A new file here is in the registry without being listed anywhere."""
