"""Prometheus metrics, derived from the records that are written: an observer of the log sees everything once.

Gauges are read from their owners at each scrape. No label names a user, a task or a message.
"""

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

import prometheus_client as prometheus
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from ..domain.encoding import Clock
from ..domain.questions import InputRequest
from ..domain.task import TERMINAL, InterruptReason, Task, TaskStatus
from ..domain.tool_call import ToolCall
from ..store.records import Record

CONTENT_TYPE = prometheus.CONTENT_TYPE_PLAIN_0_0_4

INTERRUPTION_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""From one write on a fast disk to beyond the longest wait for a tool's write."""

COMMIT_BUCKETS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""From a commit in memory to what makes a client give up."""

MOST_REMEMBERED = 10_000
"""How many ended tool calls keep their outcome, so that a call reported twice is counted once."""

UNFINISHED = tuple(status for status in TaskStatus if not status.terminal)

T = TypeVar("T")

Figures = Mapping[str, float]
"""A gauge's values by the value of its label; by "" if it has no label."""


class Metrics:
    """The metrics of one server; observes every record that its log writes."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._tasks: defaultdict[str, dict[str, tuple[datetime, TaskStatus]]] = defaultdict(dict)
        self._open_inputs: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._calls: set[tuple[str, str]] = set()
        self._outcomes: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._registry = registry = prometheus.CollectorRegistry()
        prometheus.ProcessCollector(registry=registry)
        prometheus.PlatformCollector(registry=registry)
        prometheus.GCCollector(registry=registry)
        self._ended = self.counter(
            "detour_tasks_ended",
            "Tasks that have ended. `reason` tells why one was interrupted.",
            "status",
            "reason",
        )
        self._interruption = prometheus.Histogram(
            "detour_interruption_seconds",
            "From the wish to end a task until its ending was durable.",
            ("reason",),
            buckets=INTERRUPTION_BUCKETS_S,
            registry=registry,
        )
        self._resolved = self.counter(
            "detour_input_requests_resolved",
            "Questions and permissions that are no longer open, by what became of them.",
            "kind",
            "resolution",
        )
        self._calls_ended = self.counter(
            "detour_tool_calls_ended",
            "Tool calls that have ended. An unknown outcome that is found out counts again, as what it was.",
            "tool",
            "effect",
            "outcome",
        )
        self._reused = self.counter(
            "detour_tool_calls_reused",
            "Calls that were not made because the same had just found what they would.",
            "tool",
        )
        self._saved = self.counter(
            "detour_tool_seconds_saved",
            "How long calls had run, or taken, that were adopted or reused instead of made again.",
            "tool",
        )
        about = "Until what somebody waited for was durable."
        self._commit = self.histogram("detour_store_commit_seconds", about, COMMIT_BUCKETS_S)
        about = "Times that code kept the event loop blocked, and nobody was served."
        self._blocked = self.counter("detour_event_loop_blocked", about)
        about = "How long these lasted, once they were over."
        self._blocked_s = self.counter("detour_event_loop_blocked_seconds", about)
        self.gauge("detour_tasks", "Unfinished tasks.", self._unfinished, label="status")
        about = "Questions and permissions that can be answered."
        self.gauge("detour_input_requests_open", about, self._asked, label="kind")
        for status in TERMINAL:  # shown as 0 before the first: a rate needs a start
            for reason in InterruptReason if status is TaskStatus.INTERRUPTED else ("",):
                self._ended.labels(status, reason)

    def gauge(self, name: str, about: str, read: Callable[[], Figures], *, label: str = "") -> None:
        """Add a gauge; `read` is called at each scrape."""
        self._registry.register(_ReadAtScrape(name, about, read, label))

    def counter(self, name: str, about: str, *labels: str, values: Sequence[str] = ()) -> prometheus.Counter:
        """Add a counter; with one label, it is shown as 0 for these of its values before the first."""
        counter = prometheus.Counter(name, about, labels, registry=self._registry)
        for value in values:
            counter.labels(value)
        return counter

    def histogram(self, name: str, about: str, buckets: Sequence[float]) -> prometheus.Histogram:
        """Add a histogram."""
        return prometheus.Histogram(name, about, buckets=buckets, registry=self._registry)

    def as_text(self) -> bytes:
        """Return all metrics in Prometheus' text format, of `CONTENT_TYPE`."""
        return prometheus.generate_latest(self._registry)

    def written(self, records: Iterable[Record], *, seconds: float | None = None) -> None:
        """Count records that are or soon will be durable; `seconds` is how long a caller waited for that."""
        if seconds is not None:
            self._commit.observe(seconds)
        for record in records:
            match record:
                case Task():
                    self._see_task(record)
                case InputRequest():
                    self._see_input(record)
                case ToolCall():
                    self._see_call(record)
                case _:
                    pass

    def blocked(self, seconds: float) -> None:
        """Count a time in which the event loop was blocked. For any thread."""
        self._blocked.inc()
        self._blocked_s.inc(seconds)

    @property
    def users(self) -> Sequence[str]:
        """The users with something unfinished here."""
        return [*{**self._tasks, **self._open_inputs}]

    def let_go(self, user_id: str) -> None:
        """Forget what a user has unfinished: another process continues and counts it."""
        self._tasks.pop(user_id, None)
        self._open_inputs.pop(user_id, None)

    def _see_task(self, task: Task) -> None:
        if not task.status.terminal:
            known = self._tasks[task.user_id].get(task.task_id)
            # An awaited commit is observed once durable, others at once: an earlier state may come later.
            if known is None or known[0] <= task.updated_at:
                self._tasks[task.user_id][task.task_id] = task.updated_at, task.status
        elif _taken(self._tasks, task.user_id, task.task_id) is not None:
            self._ended.labels(task.status, task.reason or "").inc()
            asked_at = task.interrupt_requested_at
            if asked_at is not None and task.reason not in (None, InterruptReason.LOST):
                took = self._clock() - asked_at
                self._interruption.labels(task.reason).observe(max(took.total_seconds(), 0))

    def _see_input(self, request: InputRequest) -> None:
        if request.resolution is None:
            self._open_inputs[request.user_id][request.request_id] = request.kind
        elif _taken(self._open_inputs, request.user_id, request.request_id) is not None:
            self._resolved.labels(request.kind, request.resolution).inc()

    def _see_call(self, call: ToolCall) -> None:
        key = call.task_id, call.call_id
        if call.outcome is None:
            self._calls.add(key)
            return
        earlier = self._outcomes.pop(key, None)
        self._outcomes[key] = call.outcome
        if len(self._outcomes) > MOST_REMEMBERED:
            self._outcomes.popitem(last=False)
        # A call that ran for this task was seen unfinished first; a reused one is stored already ended.
        reused = key not in self._calls and earlier is None and call.effect != "write" and call.done
        self._calls.discard(key)
        if reused:
            self._reused.labels(call.tool).inc()
        elif call.outcome != earlier:
            self._calls_ended.labels(call.tool, call.effect, call.outcome).inc()
        if (reused or call.outcome == "adopted") and earlier is None and call.started_at and call.ended_at:
            self._saved.labels(call.tool).inc((call.ended_at - call.started_at).total_seconds())

    def _unfinished(self) -> Figures:
        now = Counter(status for tasks in self._tasks.values() for _, status in tasks.values())
        return {status: now[status] for status in UNFINISHED}

    def _asked(self) -> Figures:
        now = Counter(kind for asked in self._open_inputs.values() for kind in asked.values())
        return {kind: now[kind] for kind in ("question", "permission")}


def _taken(of_users: dict[str, dict[str, T]], user_id: str, name: str) -> T | None:
    """Take out what a user has under a name, and the user with the last of it."""
    of_user = of_users.get(user_id, {})
    value = of_user.pop(name, None)
    if not of_user:
        of_users.pop(user_id, None)
    return value


class _ReadAtScrape:
    """A gauge whose values are read at each scrape."""

    def __init__(self, name: str, about: str, read: Callable[[], Figures], label: str) -> None:
        self._name = name
        self._about = about
        self._read = read
        self._labels = [label] if label else []

    def collect(self) -> Iterable[Metric]:
        """Yield the gauge with its current values."""
        gauge = GaugeMetricFamily(self._name, self._about, labels=self._labels)
        for value, figure in self._read().items():
            gauge.add_metric([value] if self._labels else [], figure)
        return [gauge]


def aged_counter(metrics: Metrics) -> Callable[[int, int], None]:
    """Return a function that counts the turns and the users that were dropped for their age."""
    of_turns = metrics.counter("detour_aged_turns", "Turns that were dropped for their age.")
    of_users = metrics.counter("detour_aged_users", "Users who were deleted for their age.")

    def count(turns: int, users: int) -> None:
        of_turns.inc(turns)
        of_users.inc(users)

    return count
