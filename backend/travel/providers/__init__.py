"""Where flights and hotels come from."""
