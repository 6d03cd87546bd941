"""Attacks on a real server: what must hold whatever is done to it from outside."""
