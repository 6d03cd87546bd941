"""The HTTP calls of the travel assistant, beside those of the server."""
