"""The travel assistant's HTTP routes, in addition to the server's own."""
