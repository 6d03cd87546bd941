"""Each steered message has exactly one fate, whatever happens and whenever."""
