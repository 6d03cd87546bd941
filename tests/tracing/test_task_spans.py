"""The fold of records into spans, record by record."""

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes, user_attributes
from opentelemetry.semconv.attributes import error_attributes

from backend.domain.model_usage import Usage, UsageMeter
from backend.domain.task import InterruptReason, TaskStatus
from backend.http.tracing import spans as task_spans
from backend.http.tracing.spans import DerivedIds, TaskSpans, caller_of, task_context
from tests.records import AT, a_task, a_tool_call

LATER = AT + timedelta(seconds=2)


@pytest.fixture
def exported():
    return InMemorySpanExporter()


@pytest.fixture
def spans(exported):
    provider = TracerProvider(id_generator=DerivedIds(), shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exported))
    tracer = provider.get_tracer("test")
    return TaskSpans(tracer, clock=lambda: LATER, workflow="travel", users="hashed", words=False)


def ended(task, status=TaskStatus.COMPLETED, **changes):
    return replace(task, status=status, updated_at=LATER, **changes)


def named(exported, name):
    (span,) = [each for each in exported.get_finished_spans() if each.name == name]
    return span


class TestTasks:
    def test_task_written_again_is_one_span(self, spans, exported):
        task = a_task()
        for told in (task, task, ended(task), ended(task), task):
            spans.written([told])
        span = named(exported, "invoke_workflow travel")
        assert span.end_time - span.start_time == 2_000_000_000

    @pytest.mark.parametrize(
        ("reason", "error"),
        [
            (InterruptReason.SUPERSEDED, None),
            (InterruptReason.STOPPED, None),
            (InterruptReason.SHUTDOWN, None),
            (InterruptReason.TIMED_OUT, "timed_out"),
            (InterruptReason.LOST, "lost"),
        ],
    )
    def test_only_unwished_endings_are_errors(self, spans, exported, reason, error):
        spans.written([a_task()])
        spans.written([ended(a_task(), TaskStatus.INTERRUPTED, reason=reason)])
        span = named(exported, "invoke_workflow travel")
        assert span.attributes["detour.task.reason"] == reason
        assert span.attributes.get("error.type") == error

    def test_open_parts_end_with_their_task(self, spans, exported):
        spans.written([a_task()])
        spans.written([a_tool_call().started(AT)])
        spans.written([ended(a_task())])
        call = named(exported, "execute_tool search_flights")
        assert call.end_time == named(exported, "invoke_workflow travel").end_time

    def test_live_tasks_are_bounded(self, spans, exported, monkeypatch):
        monkeypatch.setattr(task_spans, "MOST_LIVE", 2)
        for number in range(5):
            spans.written([a_task(task_id=f"t{number}")])
        assert [number for number in range(5) if spans.live(f"t{number}")] == [3, 4]

    def test_faulty_record_is_logged_and_harms_nothing(self, spans, exported, capsys):
        spans.written([a_task()])
        spans.written([replace(a_tool_call().started(AT), started_at="no time")])
        assert "a span could not be made" in capsys.readouterr().out
        spans.written([ended(a_task())])
        assert named(exported, "invoke_workflow travel")


class TestCalls:
    def test_call_of_a_lost_process_is_a_span(self, spans, exported):
        spans.written([a_task()])
        spans.written([a_tool_call().started(AT).ended("unknown", LATER)])
        call = named(exported, "execute_tool search_flights")
        assert (call.attributes["detour.tool.outcome"], call.attributes["error.type"]) == (
            "unknown",
            "_OTHER",
        )

    def test_call_that_never_began_is_an_event(self, spans, exported):
        spans.written([a_task()])
        spans.written([a_tool_call().ended("denied", LATER)])
        spans.written([ended(a_task())])
        (event,) = named(exported, "invoke_workflow travel").events
        assert event.name == "detour.tool_call"
        assert event.attributes["detour.tool.outcome"] == "denied"


class TestModels:
    def test_call_that_is_cut_with_its_task_has_the_tokens_that_the_task_has(self, spans, exported):
        spans.written([a_task()])
        meter = UsageMeter()
        spans.follow_models(spans.live("ann-1"), meter)
        meter.begin(lambda: 400, model="gpt-1").received = 40
        spans.written([ended(a_task(), TaskStatus.INTERRUPTED, reason=InterruptReason.STOPPED)])
        chat, task = (named(exported, name).attributes for name in ("chat gpt-1", "invoke_workflow travel"))
        for told in (chat, task):
            assert told["gen_ai.usage.input_tokens"] == 100
            assert told["gen_ai.usage.output_tokens"] == 10
            assert told["detour.usage.estimated"]

    def test_call_tells_its_cached_and_reasoning_tokens(self, spans, exported):
        spans.written([a_task()])
        meter = UsageMeter()
        spans.follow_models(spans.live("ann-1"), meter)
        meter.begin(400, model="gpt-1").end(Usage(100, 50, 1, cache_read=80, cache_creation=5, reasoning=40))
        told = named(exported, "chat gpt-1").attributes
        assert told["gen_ai.usage.cache_read.input_tokens"] == 80
        assert told["gen_ai.usage.cache_creation.input_tokens"] == 5
        assert told["gen_ai.usage.reasoning.output_tokens"] == 40


class TestIds:
    def test_ids_are_the_same_in_every_process(self):
        assert task_context("t1", None) == task_context("t1", None)
        assert task_context("t1", None).span_id != task_context("t2", None).span_id
        assert task_context("t1", None).is_valid

    @pytest.mark.parametrize("stored", [None, "", "00-1", "00-x-y-z", "00-0-0-01"])
    def test_invalid_caller_is_none(self, stored):
        assert caller_of(stored) is None


def test_names_are_those_of_the_installed_conventions():
    known = {
        value
        for module in (gen_ai_attributes, user_attributes, error_attributes)
        for value in vars(module).values()
        if isinstance(value, str)
    }
    source = Path(task_spans.__file__).read_text("utf-8")
    named = set(re.findall(r'"((?:gen_ai|user|error)\.[\w.]+)"', source))
    assert len(named) > 15
    assert named <= known
    operations = {each.value for each in gen_ai_attributes.GenAiOperationNameValues}
    assert {"invoke_workflow", "invoke_agent", "execute_tool", "chat"} <= operations
