"""Days and spans of days that a message tells."""
