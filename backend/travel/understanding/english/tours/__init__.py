"""Messages about a journey through several cities."""
