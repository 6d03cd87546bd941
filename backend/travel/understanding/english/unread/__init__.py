"""Which words of a message no reader has made anything of."""
