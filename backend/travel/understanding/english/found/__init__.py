"""Questions about what was found, read from words."""
