"""The HTTP and WebSocket surface: parse, call the runner, shape the answer."""
