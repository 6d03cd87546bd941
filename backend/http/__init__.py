"""The HTTP and WebSocket server, its settings, logs and metrics."""
