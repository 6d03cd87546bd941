"""How a stored event reaches whoever follows a user."""
