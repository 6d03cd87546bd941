"""The HTTP calls and the WebSocket: parse, call the conversation, answer."""
