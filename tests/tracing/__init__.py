"""Spans without a server."""
