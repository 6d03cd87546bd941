"""A real server process, started as a person starts it."""
