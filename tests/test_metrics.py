"""Figures derived from records: each thing counts once, whatever is repeated, in any order."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from backend.domain.errors import StoreUnavailable
from backend.domain.task import InterruptReason, TaskStatus
from backend.http.metrics import MOST_REMEMBERED, Metrics
from backend.store.event_bus import EventBus
from backend.store.event_log import EventLog
from tests.figures import figures
from tests.interruption.disk import DiskStore, Health
from tests.records import ANN, AT, a_task, a_tool_call, an_input

NOW = AT + timedelta(seconds=2)


@pytest.fixture
def metrics():
    return Metrics(clock=lambda: NOW)


def figure(metrics, name):
    return sum(figures(metrics, name).values())


def ended(call, outcome, *, after_s=1.0):
    return call.ended(outcome, AT + timedelta(seconds=after_s))


@pytest.mark.requirement("FIGURES-NAME-NOBODY")
class TestTasks:
    def test_repeated_record_counts_once(self, metrics):
        task = a_task()
        over = replace(task, status=TaskStatus.COMPLETED)
        metrics.written([task])
        assert figures(metrics, "detour_tasks") == {("running",): 1}
        metrics.written([over])
        metrics.written([over])
        assert figures(metrics, "detour_tasks") == {}
        assert figures(metrics, "detour_tasks_ended_total") == {("", "completed"): 1}

    def test_older_record_changes_nothing(self, metrics):
        task = a_task()
        asks = replace(task, status=TaskStatus.INPUT_REQUIRED, updated_at=AT + timedelta(seconds=1))
        metrics.written([asks])
        metrics.written([task])
        assert figures(metrics, "detour_tasks") == {("input_required",): 1}

    def test_interruption_lasts_until_it_is_durable(self, metrics):
        task = a_task()
        stopped = replace(
            task,
            status=TaskStatus.INTERRUPTED,
            reason=InterruptReason.STOPPED,
            interrupt_requested_at=NOW - timedelta(milliseconds=40),
        )
        metrics.written([task])
        metrics.written([stopped])
        assert figures(metrics, "detour_interruption_seconds_sum") == {("stopped",): 0.04}
        assert figures(metrics, "detour_interruption_seconds_count") == {("stopped",): 1}

    def test_lost_task_has_no_interruption_time(self, metrics):
        lost = a_task(status=TaskStatus.INTERRUPTED, reason=InterruptReason.LOST, interrupt_requested_at=AT)
        metrics.written([a_task(), lost])
        assert figures(metrics, "detour_tasks_ended_total") == {("lost", "interrupted"): 1}
        assert b"detour_interruption_seconds_count" not in metrics.as_text()

    def test_counters_begin_at_zero(self, metrics):
        lines = metrics.as_text().decode().splitlines()
        assert 'detour_tasks_ended_total{reason="superseded",status="interrupted"} 0.0' in lines


class TestInputRequests:
    def test_repeated_record_counts_once(self, metrics):
        request = an_input()
        answered = request.resolved("answered", {"city": "Rome"})
        metrics.written([request, request])
        assert figures(metrics, "detour_input_requests_open") == {("question",): 1}
        metrics.written([answered, answered])
        assert figures(metrics, "detour_input_requests_open") == {}
        assert figures(metrics, "detour_input_requests_resolved_total") == {("question", "answered"): 1}


class TestToolCalls:
    CALL = a_tool_call()

    def made(self, metrics, outcome, call=CALL):
        metrics.written([call])
        running = call.started(AT)
        metrics.written([running])
        over = ended(running, outcome)
        metrics.written([over])
        return over

    def test_calls_count_by_tool_effect_and_outcome(self, metrics):
        self.made(metrics, "completed")
        self.made(metrics, "cancelled", a_tool_call(number=2))
        self.made(metrics, "failed", a_tool_call(number=3, tool="book", effect="write"))
        assert figures(metrics, "detour_tool_calls_ended_total") == {
            ("read", "completed", "search_flights"): 1,
            ("read", "cancelled", "search_flights"): 1,
            ("write", "failed", "book"): 1,
        }
        assert figures(metrics, "detour_tool_calls_reused_total") == {}

    def test_repeated_record_counts_once(self, metrics):
        over = self.made(metrics, "cancelled")
        metrics.written([replace(over, summary="it came to something after all")])
        assert figure(metrics, "detour_tool_calls_ended_total") == 1

    def test_unknown_outcome_counts_again_when_known(self, metrics):
        unknown = self.made(metrics, "unknown", a_tool_call(tool="book", effect="write"))
        settled = ended(unknown, "completed_after_interrupt")
        metrics.written([settled, settled])
        assert figures(metrics, "detour_tool_calls_ended_total") == {
            ("write", "unknown", "book"): 1,
            ("write", "completed_after_interrupt", "book"): 1,
        }

    def test_adopted_call_saves_its_time(self, metrics):
        running = self.CALL.started(AT)
        taken = replace(running, task_id="ann-2", turn=2)
        metrics.written([running, ended(running, "adopted", after_s=1.5), taken])
        metrics.written([ended(taken, "completed", after_s=4)])
        assert figures(metrics, "detour_tool_calls_ended_total") == {
            ("read", "adopted", "search_flights"): 1,
            ("read", "completed", "search_flights"): 1,
        }
        assert figures(metrics, "detour_tool_seconds_saved_total") == {("search_flights",): 1.5}
        assert figures(metrics, "detour_tool_calls_reused_total") == {}

    def test_reused_call_saves_its_time(self, metrics):
        over = self.made(metrics, "completed")
        again = replace(over, task_id="ann-2", turn=2)
        metrics.written([again, again])
        assert figures(metrics, "detour_tool_calls_reused_total") == {("search_flights",): 1}
        assert figures(metrics, "detour_tool_seconds_saved_total") == {("search_flights",): 1}
        assert figure(metrics, "detour_tool_calls_ended_total") == 1

    def test_inherited_write_is_not_reused(self, metrics):
        call = a_tool_call(tool="book", effect="write").started(AT)
        metrics.written([ended(replace(call, task_id="ann-2"), "completed")])
        assert figures(metrics, "detour_tool_calls_reused_total") == {}

    def test_remembered_calls_are_bounded(self, metrics):
        for number in range(MOST_REMEMBERED + 5):
            metrics.written([ended(a_tool_call(number=number), "not_started")])
        assert len(metrics._outcomes) == MOST_REMEMBERED


@pytest.mark.virtual_time
class TestLog:
    @pytest.fixture
    async def disk(self):
        return DiskStore()

    @pytest.fixture
    async def log(self, disk, metrics):
        log = EventLog(disk, EventBus(), observer=metrics)
        await log.open()
        return log

    async def test_awaited_commit_counts_once_durable_and_is_timed(self, log, metrics):
        durable = log.commit(ANN, a_task())
        assert figures(metrics, "detour_tasks") == {}
        await durable
        assert figures(metrics, "detour_tasks") == {("running",): 1}
        assert figure(metrics, "detour_store_commit_seconds_count") == 1
        assert figure(metrics, "detour_store_commit_seconds_sum") > 0

    async def test_commit_after_its_lease_does_not_count(self, log, metrics):
        durable = log.commit(ANN, a_task())
        log.end(ANN)
        await durable
        assert figures(metrics, "detour_tasks") == {}

    async def test_failed_commit_does_not_count(self, log, disk, metrics):
        disk.health = Health.BREAKS
        with pytest.raises(StoreUnavailable):
            await log.commit(ANN, a_task())
        disk.health = Health.REFUSES
        with pytest.raises(StoreUnavailable):
            log.record(ANN, an_input())
        await asyncio.sleep(1)
        assert figures(metrics, "detour_tasks") == {}
        assert figures(metrics, "detour_input_requests_open") == {}
        assert figure(metrics, "detour_store_commit_seconds_count") == 0

    async def test_retried_commit_counts_once(self, log, disk, metrics):
        await log.commit(ANN, a_task())
        disk.fail_next()
        await log.commit_until_durable(ANN, a_task(status=TaskStatus.COMPLETED))
        assert figures(metrics, "detour_tasks_ended_total") == {("", "completed"): 1}

    async def test_recorded_event_counts_at_once_untimed(self, log, metrics):
        log.record(ANN, an_input())
        assert figures(metrics, "detour_input_requests_open") == {("question",): 1}
        await asyncio.sleep(1)
        assert figure(metrics, "detour_store_commit_seconds_count") == 0
