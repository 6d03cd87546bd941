"""Carries stored events to whoever follows a user."""
