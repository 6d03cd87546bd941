"""Languages that no reader reads: which one a message is in, whether it stops, and the reply."""
