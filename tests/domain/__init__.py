"""Tests of the pure values: tasks, ids, partial results, events and their JSON, places."""
