"""One user's conversation: what becomes of each message, answer and stop."""
