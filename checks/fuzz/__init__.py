"""Sends a server what no client of ours would: bodies and frames made by chance, within a time."""
