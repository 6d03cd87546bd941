"""What a message does in talk, whatever it is about: agrees, asks, praises, stops, takes its leave."""
