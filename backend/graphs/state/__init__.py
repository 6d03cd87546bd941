"""What a graph keeps from message to message: its threads, checkpoints and stores."""
