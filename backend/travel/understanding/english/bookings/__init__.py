"""Messages that hold, book, cancel or list."""
