"""The terminal client: what it makes of frames and of what is typed, and the whole in a pseudo-terminal."""
