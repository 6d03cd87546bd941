"""One user's conversation: accepts messages, answers and stops, and acts on them."""
