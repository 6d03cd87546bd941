"""Language models: their server, their calls, and the conversations they are told."""
