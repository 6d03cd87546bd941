"""Who gets in, and how fast: connections, host and origin, tokens, rate limits."""
