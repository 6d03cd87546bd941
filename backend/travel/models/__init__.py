"""Language models: how one is called, and what it is told of the conversation."""
