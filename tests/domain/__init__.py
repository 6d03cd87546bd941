"""The pure values: tasks, ids, partial results, events and their JSON."""
