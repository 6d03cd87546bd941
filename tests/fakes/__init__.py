"""What stands in for the world in tests: gates and logs that order it, and a server of language models."""

from tests.fakes.waiting import Gate, RecordingLog

__all__ = ["Gate", "RecordingLog"]
