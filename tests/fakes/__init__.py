"""Fakes for tests: gates and logs that order events, and a server of language models."""

from tests.fakes.waiting import Gate, RecordingLog

__all__ = ["Gate", "RecordingLog"]
