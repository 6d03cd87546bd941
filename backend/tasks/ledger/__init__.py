"""The ledger: every tool call of a task, and what truly became of it."""
