"""Spans of tasks, as a collector receives them over HTTP."""

import asyncio
import subprocess
import sys
import threading

import pytest

from backend.domain.errors import DetourError
from backend.http.tracing import loading
from backend.main import Detour
from backend.tasks.workflow import CALLER_TRACE
from tests.api.live import BOUND_S, running, settings
from tests.conventions import ROOT
from tests.fakes.collector import collecting

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"
TRIP = "flights from Berlin to Tokyo on 10 December and a hotel in Tokyo for 3 nights"
CANARY = "canary"


@pytest.fixture
def collector(monkeypatch):
    """A collector, and a server that knows of it."""
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        yield collector


async def ended(api, user_id, message, **more):
    """Post a message, wait until it is answered, and return its task's id."""
    return (await api.chat_to_end(user_id, message, **more))["task_id"]


def inside(outer, inner):
    # An agent's times are those of its events, in whole milliseconds: it may end within the one told.
    ended = outer.ended + (1_000_000 if outer.ended % 1_000_000 == 0 else 0)
    return outer.trace_id == inner.trace_id and outer.began <= inner.began and inner.ended <= ended


@pytest.mark.requirement("TASKS-ARE-TRACED")
class TestSpans:
    async def test_task_is_a_span_with_agents_and_calls_inside(self, tmp_path, collector):
        async with running(tmp_path, graph="") as api:
            task_id = await ended(api, "ann", TRIP)
        task = collector.task(task_id)
        assert (task.name, task.parent_id, task.failed) == ("invoke_workflow travel", "", False)
        assert task.attributes["detour.task.status"] == "completed"
        assert task.attributes["detour.task.relation"] == "new"
        agents = {each.name: each for each in collector.within(task, "invoke_agent")}
        assert {"invoke_agent flight", "invoke_agent hotel"} <= set(agents)
        for agent, tool in (("flight", "search_flights"), ("hotel", "search_hotels")):
            of_agent = agents[f"invoke_agent {agent}"]
            (call,) = collector.within(of_agent, "execute_tool")
            assert call.name == f"execute_tool {tool}"
            assert call.attributes["detour.tool.outcome"] == "completed"
            assert of_agent.attributes["detour.agent.results"] == call.attributes["detour.tool.found"]
            assert task.trace_id == of_agent.trace_id == call.trace_id
            assert inside(task, call)

    async def test_nodes_models_and_tools_of_a_graph_are_spans_with_tokens(self, tmp_path, collector):
        async with running(tmp_path, graph="tests.graphs.traced:graph") as api:
            task_id = await ended(api, "ann", "Rome")
        task = collector.task(task_id)
        first, last = collector.named("invoke_agent model")
        assert {first.parent_id, last.parent_id} == {task.span_id}
        (chat,) = collector.within(first, "chat")
        assert inside(first, chat)
        assert chat.name == "chat scripted-1"
        assert chat.kind == 3  # of a client
        assert chat.attributes["gen_ai.usage.input_tokens"] == 7
        assert chat.attributes["gen_ai.usage.output_tokens"] == 2
        (tool,) = collector.within(*collector.named("invoke_agent tools"), "execute_tool")
        assert tool.attributes["gen_ai.tool.name"] == "look_up"
        assert task.attributes["gen_ai.usage.input_tokens"] == 14
        assert task.attributes["detour.model_calls"] == 2

    async def test_spans_of_the_graph_are_inside_its_task(self, tmp_path, collector):
        async with running(tmp_path, graph="tests.graphs.traced:own") as api:
            task_id = await ended(api, "ann", "Rome")
            said = (await api.history("ann"))["messages"][-1]["text"]
        task = collector.task(task_id)
        assert said == f"{task.trace_id} {task.span_id}"

    async def test_failed_task_is_an_error_without_a_reason(self, tmp_path, collector):
        async with running(tmp_path) as api:
            task_id = await ended(api, "ann", "fail")
        task = collector.task(task_id)
        assert task.failed
        assert task.attributes["error.type"] == "_OTHER"
        assert b"as the message said" not in b"".join(collector.bodies)

    async def test_question_and_answer_are_events_of_the_task(self, tmp_path, collector):
        async with running(tmp_path) as api:
            task_id = (await api.chat("ann", "field Where"))["task_id"]
            (asked,) = (await api.until_asked("ann"))["input_requests"]
            await api.answer("ann", asked["request_id"], answer="Rome")
            await api.until_ended("ann", task_id)
        task = collector.task(task_id)
        assert task.event("detour.input_request").attributes["detour.input_request.kind"] == "question"
        resolved = task.event("detour.input_resolved").attributes
        assert resolved["detour.input_request.resolution"] == "answered"
        # Before the question and after it: its user's time is nobody's work.
        stretches = collector.within(task, "invoke_agent")
        assert len(stretches) == 2
        assert len({each.span_id for each in stretches}) == 2


@pytest.mark.requirement("INTERRUPTIONS-ARE-LINKED")
class TestLinks:
    async def test_interrupted_task_and_successor_are_linked(self, tmp_path, collector):
        async with running(tmp_path) as api:
            first = (await api.chat("ann", "find 3, hold"))["task_id"]
            await api.until_found("ann", 3)
            second = await ended(api, "ann", "find 1")
        before, after = collector.task(first), collector.task(second)
        assert before.trace_id != after.trace_id
        assert after.linked("interrupts") == [before.span_id]
        assert before.linked("interrupted_by") == [after.span_id]
        assert after.linked("takes_over") == [before.span_id]
        interruption = before.event("detour.interruption")
        assert interruption.attributes == {"detour.task.reason": "superseded"}
        assert before.began < interruption.at <= before.ended
        assert interruption.at // 1_000_000 == after.began // 1_000_000
        assert before.attributes["detour.task.reason"] == "superseded"
        assert not before.failed

    async def test_adopted_search_is_linked_to_its_beginning(self, tmp_path, collector):
        async with running(tmp_path, graph="", demo_pace=0.05) as api:
            first = (await api.chat("ann", TRIP))["task_id"]
            await api.until_found("ann", 1, "flight")
            second = await ended(api, "ann", "make the hotel five nights")
        before, after = collector.task(first), collector.task(second)
        began, adopted = sorted(collector.named("execute_tool search_flights"), key=lambda each: each.began)
        assert began.attributes["detour.tool.outcome"] == "adopted"
        assert began.trace_id == before.trace_id
        assert adopted.trace_id == after.trace_id
        assert adopted.linked("adopts") == [began.span_id]
        transfer = after.event("detour.context_transfer").attributes
        assert transfer["detour.adopted_calls"] == [began.attributes["gen_ai.tool.call.id"]]

    async def test_reused_result_is_linked_to_its_call(self, tmp_path, collector):
        async with running(tmp_path, graph="") as api:
            await ended(api, "ann", TRIP)
            second = await ended(api, "ann", "make the hotel five nights")
        (made,) = collector.named("execute_tool search_flights")
        assert collector.task(second).linked("reuses") == [made.span_id]


@pytest.mark.requirement("TASKS-ARE-TRACED")
class TestCallers:
    async def test_task_belongs_to_the_trace_of_its_caller(self, tmp_path, collector):
        async with running(tmp_path) as api:
            api.http.headers["traceparent"] = TRACEPARENT
            task_id = await ended(api, "ann", "find 1")
        task = collector.task(task_id)
        assert (task.trace_id, task.parent_id) == (TRACE, PARENT)
        assert {each.trace_id for each in collector.spans} == {TRACE}

    async def test_run_of_another_protocol_belongs_to_its_callers_trace(self, tmp_path, collector):
        async with running(tmp_path) as api:
            thread = (await api.call("POST", "/threads", json={})).json()["thread_id"]
            body = {"assistant_id": "agent", "input": {"messages": [{"role": "user", "content": "find 1"}]}}
            headers = {"traceparent": TRACEPARENT}
            await api.call("POST", f"/threads/{thread}/runs/wait", json=body, headers=headers)
        (task,) = [each for each in collector.spans if each.operation == "invoke_workflow"]
        assert (task.trace_id, task.parent_id) == (TRACE, PARENT)

    @pytest.mark.parametrize(
        "traceparent",
        [
            f"ff-{TRACE}-{PARENT}-01",
            f"00-{TRACE}-{'0' * 16}-01",
            f"00-{TRACE}-{PARENT}-01-more",
        ],
    )
    async def test_invalid_traceparent_is_ignored(self, tmp_path, collector, traceparent):
        async with running(tmp_path) as api:
            api.http.headers["traceparent"] = traceparent
            task_id = await ended(api, "ann", "find 1")
        task = collector.task(task_id)
        assert task.parent_id == ""
        assert task.trace_id != TRACE

    async def test_unsampled_caller_makes_no_spans(self, tmp_path, collector):
        async with running(tmp_path) as api:
            api.http.headers["traceparent"] = f"00-{TRACE}-{PARENT}-00"
            await ended(api, "ann", "find 1")
        assert collector.spans == []

    async def test_next_request_has_no_trace_of_the_one_before(self, tmp_path, collector):
        async with running(tmp_path) as api:
            await api.call("GET", "/health", headers={"traceparent": TRACEPARENT})
            task_id = await ended(api, "ann", "find 1")
            assert CALLER_TRACE.get() is None
        assert collector.task(task_id).parent_id == ""


@pytest.mark.requirement("SPANS-TELL-NO-WORDS")
class TestWords:
    async def test_no_word_is_in_a_span(self, tmp_path, collector):
        async with running(tmp_path, graph="tests.graphs.traced:graph") as api:
            await ended(api, "ann-secret", f"Rome {CANARY}")
        async with running(tmp_path) as api:
            api.http.headers["tracestate"] = f"vendor={CANARY}"
            await ended(api, "ann-secret", f"find 1, {CANARY}, fail")
            asked = (await api.chat("ann-secret", f"field {CANARY}"))["task_id"]
            (request,) = (await api.until_asked("ann-secret"))["input_requests"]
            await api.answer("ann-secret", request["request_id"], answer=CANARY)
            await api.until_ended("ann-secret", asked)
        said = b"".join(collector.bodies)
        assert len(collector.spans) >= 8
        assert CANARY.encode() not in said
        assert b"ann-secret" not in said

    async def test_words_are_in_spans_when_switched_on(self, tmp_path, collector):
        async with running(tmp_path, graph="tests.graphs.traced:graph", tracing_words=True) as api:
            task_id = await ended(api, "ann", f"Rome {CANARY}")
        task = collector.task(task_id)
        assert CANARY in task.attributes["gen_ai.input.messages"]
        assert '"role":"assistant"' in task.attributes["gen_ai.output.messages"]
        (tool,) = [each for each in collector.spans if each.operation == "execute_tool"]
        assert CANARY in tool.attributes["gen_ai.tool.call.arguments"]

    @pytest.mark.parametrize(
        ("users", "names"),
        [("plain", {"user.id": "ann", "gen_ai.conversation.id": "ann"}), ("none", {})],
    )
    async def test_users_are_named_as_set(self, tmp_path, collector, users, names):
        async with running(tmp_path, tracing_users=users) as api:
            task_id = await ended(api, "ann", "find 1")
        said = collector.task(task_id).attributes
        told = {
            name: said[name] for name in ("user.id", "user.hash", "gen_ai.conversation.id") if name in said
        }
        assert told == names


@pytest.mark.requirement("TRACING-COSTS-NO-TASK")
class TestFailingCollector:
    async def test_collector_that_is_down_is_logged_once_and_costs_spans_alone(
        self, tmp_path, collector, capsys, caplog, monkeypatch
    ):
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.1")
        collector.answers = 400
        async with running(tmp_path) as api:
            for _ in range(3):
                collector.was_asked.clear()
                await ended(api, "ann", "find 1")
                await in_thread(collector.was_asked.wait)
            collector.answers = 200
            last = await ended(api, "ann", "find 1")
        assert collector.task(last)
        said = capsys.readouterr().out
        assert said.count("spans are lost") == 1
        assert said.count("takes spans again") == 1
        assert not [record for record in caplog.records if record.name.startswith("opentelemetry")]

    async def test_collector_that_does_not_answer_holds_up_nothing(self, tmp_path, collector):
        collector.may_answer.clear()
        async with asyncio.timeout(BOUND_S):
            async with running(tmp_path, shutdown_grace_s=0.2) as api:
                for _ in range(5):
                    await ended(api, "ann", "find 1")
        assert collector.spans == []


@pytest.mark.requirement("TRACING-COSTS-NO-TASK")
class TestSwitch:
    def test_server_without_the_extra_starts(self, tmp_path):
        program = (
            "import sys\n"
            "sys.modules['opentelemetry.sdk'] = sys.modules['opentelemetry.exporter'] = None\n"
            "from pathlib import Path\n"
            "from tests.api.live import settings\n"
            "from backend.main import Detour\n"
            "Detour(settings(Path(sys.argv[1])))\n"
        )
        subprocess.run([sys.executable, "-c", program, tmp_path], cwd=ROOT, check=True)

    @pytest.mark.parametrize(
        ("setting", "environment", "is_on"),
        [
            (None, {}, False),
            (None, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}, True),
            (None, {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:1"}, True),
            (False, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}, False),
            (True, {}, True),
            (True, {"OTEL_SDK_DISABLED": "true"}, False),
        ],
    )
    async def test_setting_or_variables_switch_tracing(self, tmp_path, setting, environment, is_on):
        made = settings(tmp_path, tracing=setting)
        tracing = loading.load_tracing(made, environment, clock=lambda: None)
        assert tracing.is_on is is_on
        await tracing.close(within_s=BOUND_S)

    def test_missing_extra_says_what_to_install(self, tmp_path, monkeypatch):
        monkeypatch.setattr(loading, "_NEEDED", ("opentelemetry.no_such_package",))
        with pytest.raises(DetourError, match=r"install opentelemetry-sdk \S+ Or set DETOUR_TRACING"):
            Detour(settings(tmp_path, tracing=True))


async def test_resource_is_named_by_opentelemetrys_variables(tmp_path, collector, monkeypatch):
    async with running(tmp_path) as api:
        await ended(api, "ann", "find 1")
    assert collector.resources[-1]["service.name"] == "detour"
    monkeypatch.setenv("OTEL_SERVICE_NAME", "trips")
    async with running(tmp_path, replica="r-1") as api:
        await ended(api, "ann", "find 1")
    assert collector.resources[-1]["service.name"] == "trips"
    assert collector.resources[-1]["service.instance.id"] == "r-1"


async def in_thread(wait):
    """Wait in a thread for what a thread says."""
    loop, done = asyncio.get_running_loop(), asyncio.Event()

    def waiting():
        wait(BOUND_S)
        loop.call_soon_threadsafe(done.set)

    threading.Thread(target=waiting, daemon=True).start()
    await done.wait()
