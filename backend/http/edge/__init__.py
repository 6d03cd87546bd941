"""Admits or refuses clients: connection bounds, host and origin checks, tokens, rate limits."""
