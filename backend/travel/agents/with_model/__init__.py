"""What a language model does for a run: it reads the message, searches further, and words the reply."""
