"""A report that keeps what it is told."""

from backend.tasks.ledger.base import Report
from tests.fakes import RecordingLog


class RecordingReport:
    """Implements `Report`: `found` items as (source, item), `told` progress as (detail, done, total)."""

    def __init__(self, call_id="call", user_id="ann"):
        self.call_id = call_id
        self.user_id = user_id
        self.items = RecordingLog()
        self.told = []

    def found(self, items, *, source):
        for item in items:
            self.items((source, item))

    def progress(self, detail, *, done, total):
        self.told.append((detail, done, total))


is_a_report: type[Report] = RecordingReport
