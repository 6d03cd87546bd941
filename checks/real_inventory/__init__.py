"""Tries real sellers in their test modes: `make real-inventory`."""
