"""Servers that are forked by a process which has imported the backend, and what a forked one is like."""
