"""Spans of a server process that is killed: what another makes of the tasks that were lost."""

import pytest

from tests.api.live import ENDED
from tests.fakes.collector import collecting
from tests.fakes.waiting import until

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
SLOW = 5
TRIP = "Find flights from Berlin to Tokyo on 10 December"


@pytest.fixture
def collector(monkeypatch):
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "10")
        yield collector


async def taken_up(server, lost):
    """Wait until the message of a lost task is answered by another, and return that one's id."""
    ended = await server.until_status(
        "ada", lambda status: status["task_id"] != lost and status["status"] in ENDED
    )
    return ended["task_id"]


@pytest.mark.requirement("INTERRUPTIONS-ARE-LINKED", "A-KILL-LOSES-NOTHING")
async def test_lost_tasks_span_is_sent_by_whoever_takes_it_up_and_both_are_linked(process, collector):
    server = process(demo_pace=SLOW)
    await server.start()
    server.http.headers["traceparent"] = f"00-{TRACE}-{PARENT}-01"
    lost = (await server.chat("ada", TRIP))["task_id"]
    await server.until_found("ada", 1, "flight")
    await server.kill()
    assert collector.spans == []  # none of its spans had ended
    server.settings["demo_pace"] = 0
    await server.start()
    again = await taken_up(server, lost)
    await server.terminate()
    before, after = collector.task(lost), collector.task(again)
    assert (before.trace_id, before.parent_id) == (after.trace_id, after.parent_id) == (TRACE, PARENT)
    assert after.linked("retries") == [before.span_id]
    assert before.linked("retried_by") == [after.span_id]
    assert before.failed
    assert before.attributes["error.type"] == before.attributes["detour.task.reason"] == "lost"
    assert before.began < after.began
    assert (before.attributes["detour.task.attempt"], after.attributes["detour.task.attempt"]) == (1, 2)
    # What worked as the process was lost is told, too.
    assert [each.name for each in collector.within(before, "invoke_agent")] == ["invoke_agent flight"]
    assert [each.name for each in collector.within(after, "invoke_agent")] == ["invoke_agent flight"]


@pytest.mark.requirement("TASKS-ARE-TRACED")
async def test_task_that_waits_over_a_restart_is_one_span(scripted, collector):
    server = scripted()
    await server.start()
    task_id = (await server.chat("ada", "find 1, field Where"))["task_id"]
    (asked,) = (await server.until_asked("ada"))["input_requests"]
    await until(lambda: collector.named("invoke_agent worker"))
    await server.terminate()
    await server.start()
    await server.answer("ada", asked["request_id"], answer="Rome")
    await server.until_ended("ada", task_id)
    await server.terminate()
    task = collector.task(task_id)
    first, second = collector.named("invoke_agent worker")
    assert first.parent_id == second.parent_id == task.span_id
    assert first.span_id != second.span_id
    assert first.ended < second.began
    assert {each.trace_id for each in collector.spans} == {task.trace_id}


@pytest.mark.requirement("TASKS-ARE-TRACED")
async def test_log_lines_of_a_task_tell_its_trace(process, collector, tmp_path):
    (tmp_path / "logging_graph.py").write_text(LOGGING_GRAPH, "utf-8")
    server = process(graph="logging_graph:graph", log_format="json")
    await server.start()
    task_id = (await server.chat_to_end("ada", "hello there"))["task_id"]
    await server.terminate()
    (line,) = [line for line in (tmp_path / "server.log").read_text().splitlines() if "a node says" in line]
    task = collector.task(task_id)
    assert f'"trace_id": "{task.trace_id}"' in line
    assert f'"span_id": "{task.span_id}"' in line


LOGGING_GRAPH = """
import logging
from langgraph.graph import START, MessagesState, StateGraph

def speak(state: MessagesState) -> MessagesState:
    logging.getLogger("mine").warning("a node says")
    return {"messages": [("ai", "Hello.")]}

graph = StateGraph(MessagesState).add_node("speak", speak).add_edge(START, "speak").compile()
"""
