"""The HTTP and WebSocket surface, driven from outside."""
