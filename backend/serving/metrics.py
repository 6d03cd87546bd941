"""What an operator is told in figures, for Prometheus: how much there is, how it ended, how long it took.

Nothing is counted where it happens. All that matters is written, so whoever sees what is written has seen it;
and how much there is at the moment is asked of those who know, when it is asked for. No label holds a user, a
task or anything that was said. Every server has figures of its own.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime

import prometheus_client as prometheus
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from ..domain.clock import Clock
from ..domain.inputs import InputRequest
from ..domain.task import TERMINAL, InterruptReason, Task, TaskStatus
from ..domain.tool_call import ToolCall
from ..log.state_store.base import Record, StateStore

CONTENT_TYPE = prometheus.CONTENT_TYPE_PLAIN_0_0_4

INTERRUPTION_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""From a fast disk's single write to longer than the slowest write of a tool is waited for."""

COMMIT_BUCKETS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""From what memory takes to what makes a client give up."""

MOST_REMEMBERED = 10_000
"""Tool calls whose outcome is remembered after they have ended, lest one that is told again counts twice."""

UNFINISHED = tuple(status for status in TaskStatus if not status.terminal)

_END_OF_TIME = datetime.max.replace(tzinfo=UTC)

Figures = Mapping[str, float]
"""How much there is, by the value of the metric's label; by "" where it has none."""


class Metrics:
    """The figures of one server; sees everything that its log writes."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._tasks: dict[str, tuple[datetime, TaskStatus]] = {}
        self._open_inputs: dict[str, str] = {}
        self._calls: set[tuple[str, str]] = set()
        self._outcomes: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._registry = registry = prometheus.CollectorRegistry()
        prometheus.ProcessCollector(registry=registry)
        prometheus.PlatformCollector(registry=registry)
        prometheus.GCCollector(registry=registry)
        self._ended = prometheus.Counter(
            "detour_tasks_ended",
            "Tasks that have ended. `reason` tells why one was interrupted.",
            ("status", "reason"),
            registry=registry,
        )
        self._interruption = prometheus.Histogram(
            "detour_interruption_seconds",
            "From the wish to end a task until its ending was durable.",
            ("reason",),
            buckets=INTERRUPTION_BUCKETS_S,
            registry=registry,
        )
        self._resolved = prometheus.Counter(
            "detour_input_requests_resolved",
            "Questions and permissions that are no longer open, by what became of them.",
            ("kind", "resolution"),
            registry=registry,
        )
        self._calls_ended = prometheus.Counter(
            "detour_tool_calls_ended",
            "Tool calls that have ended. An unknown outcome that is found out counts again, as what it was.",
            ("tool", "effect", "outcome"),
            registry=registry,
        )
        self._reused = prometheus.Counter(
            "detour_tool_calls_reused",
            "Calls that were not made because the same had just found what they would.",
            ("tool",),
            registry=registry,
        )
        self._saved = prometheus.Counter(
            "detour_tool_seconds_saved",
            "How long calls had run, or taken, that were adopted or reused instead of made again.",
            ("tool",),
            registry=registry,
        )
        self._commit = prometheus.Histogram(
            "detour_store_commit_seconds",
            "Until what somebody waited for was durable.",
            buckets=COMMIT_BUCKETS_S,
            registry=registry,
        )
        self.gauge("detour_tasks", "Unfinished tasks.", self._unfinished, label="status")
        about = "Questions and permissions that can be answered."
        self.gauge("detour_input_requests_open", about, self._asked, label="kind")
        for status in TERMINAL:  # what has not happened yet is told as 0
            for reason in InterruptReason if status is TaskStatus.INTERRUPTED else ("",):
                self._ended.labels(status, reason)

    def gauge(self, name: str, about: str, read: Callable[[], Figures], *, label: str = "") -> None:
        """Tell how much there is of something: `read` is called whenever the figures are asked for."""
        self._registry.register(_Standing(name, about, read, label))

    def as_text(self) -> bytes:
        """Return all figures in Prometheus' text format, of `CONTENT_TYPE`."""
        return prometheus.generate_latest(self._registry)

    async def begin(self, store: StateStore) -> None:
        """Read what the process before left unfinished. Raises `StoreUnavailable`."""
        self.written([task for task in await store.resumable() if not task.status.terminal])
        for request in await store.inputs_due(_END_OF_TIME):
            self._see_input(request)
            self._tasks.setdefault(request.task_id, (request.asked_at, TaskStatus.INPUT_REQUIRED))

    def written(self, records: Iterable[Record], *, seconds: float | None = None) -> None:
        """See records that are durable, or will be soon; `seconds` is how long somebody waited for that."""
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

    def _see_task(self, task: Task) -> None:
        if not task.status.terminal:
            told = self._tasks.get(task.task_id)
            if told is None or told[0] <= task.updated_at:  # one that is waited for is seen after later ones
                self._tasks[task.task_id] = task.updated_at, task.status
        elif self._tasks.pop(task.task_id, None) is not None:
            self._ended.labels(task.status, task.reason or "").inc()
            asked_at = task.interrupt_requested_at
            if asked_at is not None and task.reason not in (None, InterruptReason.LOST):
                took = self._clock() - asked_at
                self._interruption.labels(task.reason).observe(max(took.total_seconds(), 0))

    def _see_input(self, request: InputRequest) -> None:
        if request.resolution is None:
            self._open_inputs[request.request_id] = request.kind
        elif self._open_inputs.pop(request.request_id, None) is not None:
            self._resolved.labels(request.kind, request.resolution).inc()

    def _see_call(self, call: ToolCall) -> None:
        key = call.task_id, call.call_id
        if call.outcome is None:
            self._calls.add(key)
            return
        told = self._outcomes.pop(key, None)
        self._outcomes[key] = call.outcome
        if len(self._outcomes) > MOST_REMEMBERED:
            self._outcomes.popitem(last=False)
        # One that has been made for this task was seen before it ended.
        reused = key not in self._calls and told is None and call.effect != "write" and call.done
        self._calls.discard(key)
        if reused:
            self._reused.labels(call.tool).inc()
        elif call.outcome != told:
            self._calls_ended.labels(call.tool, call.effect, call.outcome).inc()
        if (reused or call.outcome == "adopted") and told is None and call.started_at and call.ended_at:
            self._saved.labels(call.tool).inc((call.ended_at - call.started_at).total_seconds())

    def _unfinished(self) -> Figures:
        now = Counter(status for _, status in self._tasks.values())
        return {status: now[status] for status in UNFINISHED}

    def _asked(self) -> Figures:
        now = Counter(self._open_inputs.values())
        return {kind: now[kind] for kind in ("question", "permission")}


class _Standing:
    """A gauge that is read when it is asked for."""

    def __init__(self, name: str, about: str, read: Callable[[], Figures], label: str) -> None:
        self._name = name
        self._about = about
        self._read = read
        self._labels = [label] if label else []

    def collect(self) -> Iterable[Metric]:
        """Return the gauge as it is now."""
        gauge = GaugeMetricFamily(self._name, self._about, labels=self._labels)
        for value, figure in self._read().items():
            gauge.add_metric([value] if self._labels else [], figure)
        return [gauge]
