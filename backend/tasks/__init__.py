"""A task while it runs: what its agents may do, its tool calls, what it asks, and how it ends."""
