"""The tests, and the tools that make them repeatable."""
