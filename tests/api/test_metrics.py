"""`GET /metrics` of a server that works."""

import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.api.live import running
from tests.fakes.waiting import until

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


async def until_counted(api, name, *labels, value):
    """Wait until a figure has a value."""

    async def is_counted():
        return (await figures(api)).get((name, *labels), 0) == value

    await until(is_counted)


async def test_open_questions_are_counted_across_a_restart(tmp_path):
    async with running(tmp_path, store="sqlite") as api:
        await api.chat("ann", "ask Which city?")
        await api.until_asked("ann")
        assert (await figures(api))["detour_input_requests_open", "question"] == 1
        await until(lambda: not api.detour._interruptions.running_tasks())
    async with running(tmp_path, store="sqlite") as api:
        await until_counted(api, "detour_input_requests_open", "question", value=1)
        assert (await figures(api))["detour_tasks", "input_required"] == 1
        [request] = (await api.status("ann"))["input_requests"]
        task_id = (await api.answer("ann", request["request_id"], answer="Rome"))["task_id"]
        await until_counted(api, "detour_input_requests_open", "question", value=0)
        now = await figures(api)
        assert now["detour_input_requests_resolved_total", "question", "answered"] == 1
        assert now["detour_tasks", "input_required"] == 0
        await api.until_ended("ann", task_id)


async def test_open_sockets_are_counted(live):
    async with live.socket("ann") as socket:
        await socket.recv()
        assert (await figures(live))["detour_open_streams",] == 1
    await live.until_all_have_left()
    assert (await figures(live))["detour_open_streams",] == 0


async def test_no_label_names_a_user_task_or_word(api):
    accepted = await api.chat("belinda", "find 1, ask Wherever to?")
    await api.until_asked("belinda")
    await api.stop("belinda")
    await until_counted(api, "detour_tasks_ended_total", "stopped", "interrupted", value=1)
    text = (await api.call("GET", "/metrics")).text
    assert not re.search(rf"belinda|Wherever|finder|{accepted['task_id']}", text)
