"""Other people's clients, unchanged, against the real server: their published packages, pinned."""
