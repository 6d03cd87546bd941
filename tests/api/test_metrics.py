"""`GET /metrics`: what an operator is told of a server that works, and that it names nobody."""

import asyncio
import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.api.live import BOUND_S, running

pytestmark = pytest.mark.requirement("FIGURES-NAME-NOBODY")


async def figures(api):
    """Return every figure by its name and the values of its labels, in the order of their names."""
    answer = await api.call("GET", "/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


async def until(api, name, *labels, value):
    """Wait until a figure has a value."""
    async with asyncio.timeout(BOUND_S):
        while (await figures(api)).get((name, *labels), 0) != value:  # noqa: ASYNC110
            await asyncio.sleep(0)


async def at_rest(api):
    """Wait until no task is at work."""
    async with asyncio.timeout(BOUND_S):
        while api.detour._interruptions.running_tasks():  # noqa: ASYNC110
            await asyncio.sleep(0)


async def test_tasks_are_told_by_how_they_stand_and_how_they_ended(api):
    await api.chat("ann", "find 3, hold")
    await api.until_found("ann", 3)
    waiting = await api.chat("ann", "find 1", policy="enqueue")
    now = await figures(api)
    assert (now["detour_tasks", "running"], now["detour_tasks", "queued"]) == (1, 1)
    await api.stop("ann")
    await api.until_ended("ann", waiting["task_id"])
    await api.chat("ann", "hold")
    failing = await api.chat("ann", "fail")
    await api.until_ended("ann", failing["task_id"])
    await until(api, "detour_tasks", "running", value=0)
    now = await figures(api)
    assert (now["detour_tasks", "running"], now["detour_tasks", "queued"]) == (0, 0)
    assert now["detour_tasks_ended_total", "stopped", "interrupted"] == 1
    assert now["detour_tasks_ended_total", "superseded", "interrupted"] == 1
    assert now["detour_tasks_ended_total", "", "completed"] == 1
    assert now["detour_tasks_ended_total", "", "failed"] == 1
    assert now["detour_interruption_seconds_count", "stopped"] == 1
    assert now["detour_interruption_seconds_bucket", "+Inf", "superseded"] == 1
    assert now["detour_store_commit_seconds_count",] > 0


async def test_questions_are_told_until_they_are_answered_over_a_restart_as_well(tmp_path):
    async with running(tmp_path, store="sqlite") as api:
        await api.chat("ann", "ask Which city?")
        await api.until_asked("ann")
        assert (await figures(api))["detour_input_requests_open", "question"] == 1
        await at_rest(api)
    async with running(tmp_path, store="sqlite") as api:
        await until(api, "detour_input_requests_open", "question", value=1)
        assert (await figures(api))["detour_tasks", "input_required"] == 1
        [request] = (await api.status("ann"))["input_requests"]
        task_id = (await api.answer("ann", request["request_id"], answer="Rome"))["task_id"]
        await until(api, "detour_input_requests_open", "question", value=0)
        now = await figures(api)
        assert now["detour_input_requests_resolved_total", "question", "answered"] == 1
        assert now["detour_tasks", "input_required"] == 0
        await api.until_ended("ann", task_id)


async def test_searches_are_told_while_they_run_and_that_the_next_task_took_one_over(tmp_path):
    async with running(tmp_path, graph="", demo_pace=2) as api:
        await api.chat("ann", "Flights from Berlin to Tokyo and a hotel there, 10 to 20 December")
        await until(api, "detour_tool_calls", "running", value=2)
        await api.chat("ann", "make the hotel two rooms")
        await until(api, "detour_tool_calls_ended_total", "read", "adopted", "search_flights", value=1)
        await until(api, "detour_tool_calls_ended_total", "read", "cancelled", "search_hotels", value=1)
        now = await figures(api)
        assert now["detour_tool_seconds_saved_total", "search_flights"] > 0
        assert now["detour_tool_calls", "held"] == now["detour_tool_calls", "unsettled"] == 0


async def test_open_sockets_are_told_and_are_no_longer_once_they_have_closed(live):
    async with live.socket("ann") as socket:
        await socket.recv()
        assert (await figures(live))["detour_open_streams",] == 1
    await live.until_all_have_left()
    assert (await figures(live))["detour_open_streams",] == 0


async def test_the_process_is_told_of_too(api):
    now = await figures(api)
    assert now["process_resident_memory_bytes",] > 0
    assert now["process_open_fds",] > 0


async def test_no_label_names_a_user_a_task_or_what_was_said(api):
    accepted = await api.chat("belinda", "find 1, ask Wherever to?")
    await api.until_asked("belinda")
    await api.stop("belinda")
    await until(api, "detour_tasks_ended_total", "stopped", "interrupted", value=1)
    text = (await api.call("GET", "/metrics")).text
    assert not re.search(rf"belinda|Wherever|finder|{accepted['task_id']}", text)


async def test_each_server_has_figures_of_its_own(api, tmp_path):
    await api.chat("ann", "hold")
    async with running(tmp_path / "other") as other:
        assert (await figures(api))["detour_tasks", "running"] == 1
        assert (await figures(other))["detour_tasks", "running"] == 0


async def test_with_a_token_set_they_are_told_to_those_who_have_it(tmp_path):
    async with running(tmp_path, token="s3cret-s3cret-s3cret-token") as api:
        refused = await api.call("GET", "/metrics")
        assert (refused.status_code, refused.json()["error"]["code"]) == (401, "unauthorized")
        bearer = {"Authorization": "Bearer s3cret-s3cret-s3cret-token"}
        assert (await api.call("GET", "/metrics", headers=bearer)).status_code == 200


async def test_a_page_of_another_origin_is_refused(api):
    refused = await api.call("GET", "/metrics", headers={"Origin": "http://elsewhere.example"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "origin_not_allowed")
