"""Hotels over the service of LiteAPI."""
