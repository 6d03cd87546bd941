"""Holds a running server to what it says of interruptions: every phase of a task against every event."""
