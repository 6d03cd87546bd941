"""A user's conversation as other protocols see it: a thread of messages, and runs that work on it."""
