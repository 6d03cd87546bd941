"""Fakes for tests: gates and logs that order events, language models, and two services of travel."""

from tests.fakes.waiting import Gate, RecordingLog

__all__ = ["Gate", "RecordingLog"]
