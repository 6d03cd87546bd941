"""Stores a `status_update` without the results that its log holds already, and reads it with them again.

Each `status_update` shows all results of its task, and each of them is in a `partial_result` event, too. A
stored update leaves them out and names the event from which on they can be collected: the task's first
`partial_result`, or an earlier update that was stored whole. It is left whole itself if the results that this
process has numbered since then are not exactly those that it shows: after a restart, after a failed write,
or for results from elsewhere.

A collection begins at most half of what a log keeps before its update, in events and in bytes. So nobody who
is less than that far behind has to begin again because the events before were trimmed. Whoever is further
behind may have to, though the update itself is still stored: the page is not complete then.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from ..domain.encoding import encode
from ..domain.events import Event, ResultsShown, StoredEvent, batch_in, stored, with_results
from ..domain.partials import PartialBatch, PartialResults
from .base import EVENT_BYTES_KEPT
from .records import Page

PAGE_BYTES = 1024 * 1024
"""The most that one job reads of events, if it is not a single row: other reads and writes wait for it."""

_MARK = b'{"results_since":'
"""How a body without its results begins, and no other: that of an event begins with its type."""

NumberedBody = tuple[int, bytes]
"""An event's number, and its body as stored."""

Earlier = Callable[[int], Iterable[NumberedBody]]
"""Returns the events from a number on, up to the first of the page; fewer if they are no longer stored."""


# --- writing -------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Collection:
    """The results of a task from the event `since` on, with `before` bytes of its user's log before it."""

    since: int
    before: int
    counts: dict[str, int] = field(default_factory=dict[str, int])


@dataclass(slots=True)
class _Log:
    """What was written of a user's log, in bytes, and the collections of that user's tasks."""

    written: int = 0
    tasks: dict[str, _Collection] = field(default_factory=dict[str, _Collection])


class RepeatedResults:
    """Notes which results of a running task are in the log of its user."""

    def __init__(self, *, keep_events: int) -> None:
        self._most_events = keep_events // 2
        self._logs: dict[str, _Log] = {}

    def body_to_store(self, user_id: str, seq: int, event: Event) -> bytes:
        """Return the body to store of an event. To be called once for each, in the order of their numbers."""
        log, body = self._logs.get(user_id), event.body
        if event.results is not None:
            log = log or self._logs.setdefault(user_id, _Log())
            body = self._without_repeats(log, seq, event, event.results)
            if not log.tasks:
                del self._logs[user_id]
        if log is not None:
            log.written += len(body)
        return body

    def forget(self, user_id: str) -> None:
        """Note that the last events of a user were not stored after all, or are deleted."""
        self._logs.pop(user_id, None)

    def _without_repeats(self, log: _Log, seq: int, event: Event, shown: ResultsShown) -> bytes:
        known = log.tasks.get(event.task_id)
        if shown.without is None:
            known = known or log.tasks.setdefault(event.task_id, _Collection(seq, log.written))
            for agent, count in shown.counts.items():
                known.counts[agent] = known.counts.get(agent, 0) + count
            return event.body
        if shown.final:
            log.tasks.pop(event.task_id, None)
        if (
            known is not None
            # As lists: the agents have to be in the same order as well.
            and list(known.counts.items()) == list(shown.counts.items())
            and seq - known.since <= self._most_events
            and log.written - known.before <= EVENT_BYTES_KEPT // 2
        ):
            return b"%b%d,%b" % (_MARK, known.since, shown.without[1:])
        if not shown.final:
            log.tasks[event.task_id] = _Collection(seq, log.written, dict(shown.counts))
        return event.body


# --- reading -------------------------------------------------------------------------------------------


def page_of(
    found: Sequence[NumberedBody], earlier: Earlier, *, complete: bool, more: bool, most_bytes: int
) -> Page:
    """Return the page of consecutive events, their results put back; it ends early if they are large.

    It is not complete if results are needed that are no longer stored, and then ends before them.
    """
    results = _Results(found, earlier)
    events: list[StoredEvent] = []
    size = 0
    for seq, body in found:
        if size >= most_bytes:
            return Page(tuple(events), complete=complete, more=True)
        if body.startswith(_MARK):
            whole = results.put_back(seq, body)
            if whole is None:
                return Page(tuple(events), complete=False, more=True)
            body = whole
        size += len(body)
        events.append(stored(seq, body))
    return Page(tuple(events), complete=complete, more=more)


def since_of(body: bytes) -> int | None:
    """Return from which event on the results of a stored body are collected; None if it lacks none."""
    return int(body[len(_MARK) : body.index(b",")]) if body.startswith(_MARK) else None


class _Results:
    """Collects the results of the tasks of a page, of each once, however many updates it has there."""

    def __init__(self, page: Sequence[NumberedBody], earlier: Earlier) -> None:
        self._page = page
        self._earlier = earlier
        self._tasks: dict[str, tuple[int, int, PartialResults]] = {}

    def put_back(self, seq: int, body: bytes) -> bytes | None:
        """Return the body of an update with its results, None if they are no longer stored."""
        fields: dict[str, Any] = orjson.loads(body)
        since, task_id = fields["results_since"], fields["task_id"]
        known = self._tasks.get(task_id)
        if known is None or known[0] != since:
            known = since, since, PartialResults()
        _, expected, results = known
        found = b'{"type":"partial_result","task_id":%b,' % encode(task_id)
        for number, each in self._between(expected, seq):
            if number != expected:
                return None
            expected += 1
            if each.startswith(found):
                results.add(batch_in(each))
            elif number == since:
                # Decoded to tell the agents apart, in 60 ms for 4 MB: seldom, as after a restart.
                for agent, items in orjson.loads(each)["partial_results"].items():
                    results.add(PartialBatch.of(agent, items))
        self._tasks[task_id] = since, expected, results
        return with_results(b"{" + body.partition(b",")[2], results)

    def _between(self, begin: int, end: int) -> Iterator[NumberedBody]:
        first = self._page[0][0]
        if begin < first:
            yield from self._earlier(begin)
        yield from self._page[max(begin - first, 0) : end - first]
