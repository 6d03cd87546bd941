"""Where messages, tasks, events and partial results are kept."""
