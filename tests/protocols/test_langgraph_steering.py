"""LangGraph's Python SDK steers a running agent of `create_agent`: as its users would, unchanged."""

import asyncio
from pathlib import Path
from typing import Any

import orjson
import pytest
import pytest_asyncio
from langgraph_sdk import get_client
from langgraph_sdk.errors import ConflictError, UnprocessableEntityError

from backend.protocols import threads as leaving
from tests.api.live import BOUND_S, serving
from tests.protocols.looping import LOOPING, Looking, looking, until_called, until_pending
from tests.protocols.sdk_streams import MODES, Heard, human, said

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.requirement("STEERED-ONCE")]

CARD = "and use the company card"
STEER = {"detour_policy": "steer"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live(tmp_path_factory):
    folder = tmp_path_factory.mktemp("steering")
    async with serving(folder, graph=LOOPING, messages_per_minute=100_000) as server:
        yield server


@pytest_asyncio.fixture(loop_scope="module")
async def sdk(live):
    async with get_client(url=f"http://127.0.0.1:{live.port}", api_key=None) as client:
        yield client


async def begun(sdk: Any, live: Any, thread: str, until: Path, **options: Any) -> tuple[Looking, Heard]:
    """Begin a run whose tool waits; return it and its stream."""
    runs: list[str] = []
    stream = sdk.runs.stream(
        thread,
        "agent",
        input=human(f"look {until}", "first"),
        stream_mode=MODES,
        if_not_exists="create",
        on_run_created=lambda run: runs.append(run["run_id"]),
        **options,
    )
    heard = Heard(stream)
    await heard.until(lambda heard: runs)
    await until_called(live, thread, runs[0])
    return Looking(runs[0], until), heard


def steered(
    sdk: Any, thread: str, text: str = CARD, message_id: str | None = "mine", **options: Any
) -> Heard:
    """Send a message that steers, and read its stream."""
    options = {"metadata": STEER, "stream_mode": MODES, **options}
    return Heard(sdk.runs.stream(thread, "agent", input=human(text, message_id), **options))


def read(until: Path, *texts: str) -> tuple[str, str]:
    return "ai", f"Read: {' | '.join((f'look {until}', *texts))}".replace(f"look {until}", until.name)


def fates(heard: Heard) -> list[str]:
    return [data["steer"] for data in heard.of("custom") if data["type"] == "steer"]


async def test_created_run_is_the_running_one_and_says_what_became_of_the_message(live, sdk, ann, tmp_path):
    run, first = await begun(sdk, live, ann, tmp_path / "go", metadata={"own": 1})
    told = await sdk.runs.create(ann, "agent", input=human(CARD, "mine"), metadata=STEER)
    (pending,) = await until_pending(live, ann)
    assert (told["run_id"], told["status"]) == (run.task_id, "running")
    about = {"detour_policy": "steer", "detour_steer": "pending", "message_id": pending["message_id"]}
    assert told["metadata"] == {"own": 1, **about}
    assert [each["run_id"] for each in await sdk.runs.list(ann)] == [run.task_id]
    assert (await sdk.runs.get(ann, run.task_id))["metadata"] == {"own": 1}
    run.goes_on()
    await first.end()
    values = first.of("values")[-1]
    assert said(values)[1:] == [("human", CARD), read(run.until, CARD)]
    assert [each["id"] for each in values["messages"] if each["type"] == "human"] == ["first", "mine"]
    assert fates(first) == ["pending", "taken_in"]
    again = await sdk.runs.create(ann, "agent", input=human(CARD, "mine"), metadata=STEER)
    assert (again["run_id"], again["metadata"]["detour_steer"]) == (run.task_id, "taken_in")
    state = await sdk.threads.get_state(ann)
    assert (state["values"], state["next"]) == (values, [])
    only, _begun, _root = await sdk.threads.get_history(ann)
    assert only["values"]["messages"] == values["messages"]
    assert (await sdk.threads.get(ann))["status"] == "idle"
    assert await sdk.runs.join(ann, run.task_id) == values


@pytest.mark.parametrize("by", ["metadata", "configurable"])
async def test_stream_of_a_message_that_is_taken_in_shows_the_answer_to_it(live, sdk, ann, tmp_path, by):
    run, first = await begun(sdk, live, ann, tmp_path / "go")
    how = {"metadata": STEER} if by == "metadata" else {"metadata": None, "config": {"configurable": STEER}}
    heard = steered(sdk, ann, **how)
    await until_pending(live, ann)
    await heard.until(lambda heard: heard.of("values"))
    shown = heard.of("values")[0]["messages"][-1]
    assert (shown["id"], shown["content"]) == ("mine", CARD)
    assert shown["additional_kwargs"] == {"detour": {"steer": "pending"}}
    run.goes_on()
    await heard.end()
    assert heard[0].data["run_id"] == run.task_id
    assert heard[-1].data == {"run_id": run.task_id, "status": "success"}
    values = heard.of("values")[-1]
    assert said(values)[1:] == [("human", CARD), read(run.until, CARD)]
    (taken_in,) = [each for each in values["messages"] if each["id"] == "mine"]
    assert taken_in["additional_kwargs"] == {"detour": {"steer": "taken_in"}}
    assert values == (await first.end()).of("values")[-1]
    again = await steered(sdk, ann, **how).end()
    assert [(each.id, each.event, each.data) for each in again] == [
        (each.id, each.event, each.data) for each in heard
    ]


async def test_message_with_a_task_of_its_own_is_followed_into_its_run(live, sdk, ann, tmp_path):
    run, first = await begun(sdk, live, ann, tmp_path / "go")
    heard = steered(sdk, ann)
    waiting = asyncio.get_running_loop().create_task(
        sdk.runs.wait(ann, "agent", input=human(CARD, "mine"), metadata=STEER)
    )
    await until_pending(live, ann)
    await sdk.runs.cancel(ann, run.task_id)
    await asyncio.gather(first.end(), heard.end())
    newest, oldest = await sdk.runs.list(ann)
    assert (oldest["run_id"], oldest["status"]) == (run.task_id, "interrupted")
    assert [data["run_id"] for data in heard.of("metadata")] == [run.task_id, newest["run_id"]]
    assert [data["run_id"] for data in heard.of("end")] == [newest["run_id"]]
    assert heard[-1].data["status"] == "success"
    assert not heard.of("error")
    values = heard.of("values")[-1]
    assert said(values)[-2:] == [("human", CARD), read(run.until, CARD)]
    assert [each["id"] for each in values["messages"] if each["content"] == CARD] == ["mine"]
    assert first[-1].data == {"run_id": run.task_id, "status": "interrupted", "reason": "stopped"}
    async with asyncio.timeout(BOUND_S):
        assert await waiting == values
    again = await sdk.runs.create(ann, "agent", input=human(CARD, "mine"), metadata=STEER)
    assert (again["run_id"], again["metadata"]["detour_steer"]) == (newest["run_id"], "own_task")


async def test_message_before_a_newer_one_is_followed_into_its_run(live, sdk, ann, tmp_path):
    run, first = await begun(sdk, live, ann, tmp_path / "go")
    heard = steered(sdk, ann)
    await until_pending(live, ann)
    newer = await sdk.runs.create(ann, "agent", input=human("no, a train", "newer"))
    await asyncio.gather(first.end(), heard.end())
    assert heard[-1].data["run_id"] == newer["run_id"]
    values = heard.of("values")[-1]
    assert said(values)[-3:] == [
        ("human", CARD),
        ("human", "no, a train"),
        read(run.until, CARD, "no, a train"),
    ]
    assert (await sdk.threads.get_state(ann))["values"] == values


async def test_withdrawn_message_ends_with_the_run_and_is_in_no_state(live, sdk, ann, tmp_path):
    run, first = await begun(sdk, live, ann, tmp_path / "go")
    heard = steered(sdk, ann)
    (pending,) = await until_pending(live, ann)
    await live.call("DELETE", f"/pending/{ann}/{pending['message_id']}")
    await heard.until(lambda heard: fates(heard)[-1:] == ["withdrawn"])
    assert [text for _, text in said(heard.of("values")[-1])] == [f"look {run.until}"]
    run.goes_on()
    await asyncio.gather(first.end(), heard.end())
    assert said(heard.of("values")[-1]) == [("human", f"look {run.until}"), read(run.until)]
    again = await steered(sdk, ann).end()
    assert again[-1].data == heard[-1].data
    told = await sdk.runs.create(ann, "agent", input=human(CARD, "mine"), metadata=STEER)
    assert (told["run_id"], told["metadata"]["detour_steer"]) == (run.task_id, "withdrawn")
    for unknown in ("nothing", pending["message_id"]):
        query = {"detour_message": unknown}
        joined = await live.call("GET", f"/threads/{ann}/runs/{run.task_id}/join", params=query)
        assert said(joined.json()) == said(heard.of("values")[-1])


async def test_question_comes_first_and_the_run_of_the_answer_takes_the_message_in(live, sdk, ann, tmp_path):
    run = await looking(live, ann, tmp_path / "go", "ask")
    heard = steered(sdk, ann)
    await until_pending(live, ann)
    run.goes_on()
    await heard.end()
    values = heard.of("values")[-1]
    assert values["__interrupt__"][0]["value"]["agent"]
    assert (heard[-1].event, values["messages"][-1]["content"]) == ("end", CARD)
    assert values["messages"][-1]["additional_kwargs"] == {"detour": {"steer": "pending"}}
    resumed = await Heard(
        sdk.runs.stream(ann, "agent", command={"resume": "the blue one"}, stream_mode=MODES)
    ).end()
    assert fates(resumed) == ["taken_in"]
    human = [text for kind, text in said(resumed.of("values")[-1]) if kind == "human"]
    assert human == [f"ask {run.until}", "the blue one", CARD]
    assert said(resumed.of("values")[-1])[-1] == read(run.until, CARD)
    assert (await sdk.threads.get_state(ann))["values"] == resumed.of("values")[-1]


async def test_steering_without_a_run_begins_one_and_says_so(live, sdk, ann):
    told = await sdk.runs.create(ann, "agent", input=human("hello"), metadata=STEER, if_not_exists="create")
    assert (told["metadata"]["detour_policy"], told["metadata"]["detour_steer"]) == ("steer", "own_task")
    assert said(await sdk.runs.join(ann, told["run_id"])) == [("human", "hello"), ("ai", "Read: hello")]
    heard = await steered(sdk, ann, "and more").end()
    assert said(heard.of("values")[-1])[-1] == ("ai", "Read: hello | and more")


async def test_stream_that_is_left_for_a_message_that_steers_does_not_stop_the_run(
    live, sdk, ann, tmp_path, monkeypatch
):
    """A page closes the line of its run, whose end is to stop it, and sends the message at once."""
    monkeypatch.setattr(leaving, "LEAVE_S", 0)
    run, first = await begun(sdk, live, ann, tmp_path / "go", on_disconnect="cancel")
    heard = steered(sdk, ann, on_disconnect="cancel")
    await heard.until(lambda heard: heard.of("values"))
    first.done.cancel()
    await until_streams(live, ann, 1)
    for _ in range(20):
        assert (await live.status(ann))["status"] == "running"
    heard.done.cancel()
    async with asyncio.timeout(BOUND_S):
        while (await sdk.runs.get(ann, run.task_id))["status"] != "interrupted":  # noqa: ASYNC110
            await asyncio.sleep(0)


async def until_streams(live: Any, thread: str, count: int) -> None:
    """Wait until so many streams of a thread are open."""
    async with asyncio.timeout(BOUND_S):
        while live.detour._services.open_streams[thread] != count:  # noqa: ASYNC110
            await asyncio.sleep(0)


async def test_line_that_is_cut_is_repaired_up_to_the_answer(live, sdk, ann, tmp_path):
    run, first = await begun(sdk, live, ann, tmp_path / "go")
    body = {"assistant_id": "agent", "input": human(CARD, "mine"), "metadata": STEER, "stream_mode": MODES}
    stream = live.http.stream("POST", f"/threads/{ann}/runs/stream", json=body)
    async with stream as response:
        location = response.headers["location"]
    await sdk.runs.cancel(ann, run.task_id)
    await first.end()
    repaired = await live.call("GET", location)
    assert "event: end" in repaired.text
    assert "Read:" in repaired.text
    newest = (await sdk.runs.list(ann))[0]["run_id"]
    assert newest != run.task_id
    assert newest in repaired.text


async def test_message_that_cannot_steer_is_refused_by_the_name_of_its_field(live, sdk, ann, tmp_path):
    run, first = await begun(sdk, live, ann, tmp_path / "go")
    for options, field in (
        ({"metadata": STEER, "config": {"recursion_limit": 7}}, "config.recursion_limit"),
        ({"metadata": {"detour_policy": "steer!"}}, "metadata.detour_policy"),
        ({"config": {"configurable": {"detour_policy": 5}}}, "config.configurable.detour_policy"),
    ):
        with pytest.raises(UnprocessableEntityError, match=field):
            await sdk.runs.create(ann, "agent", input=human("more"), **options)
    for number in range(10):
        await sdk.runs.create(ann, "agent", input=human(f"more {number}"), metadata=STEER)
    with pytest.raises(ConflictError):
        await sdk.runs.create(ann, "agent", input=human("more"), metadata=STEER)
    run.goes_on()
    await first.end()
    assert said(first.of("values")[-1])[-1] == read(run.until, *(f"more {number}" for number in range(10)))


async def test_thread_protocol_steers_by_its_command(live, sdk, ann, tmp_path):
    run = await looking(live, ann, tmp_path / "go")
    events = asyncio.get_running_loop().create_task(_events(live, ann))
    params = {"assistant_id": "agent", "input": human(CARD, "mine"), "metadata": STEER}
    command = {"id": 1, "method": "run.start", "params": params}
    told = (await live.call("POST", f"/threads/{ann}/commands", json=command)).json()
    assert told["type"] == "success"
    assert (told["result"]["run_id"], told["result"]["detour_steer"]) == (run.task_id, "pending")
    run.goes_on()
    shown = await events
    assert [each["params"]["data"]["event"] for each in shown if each["method"] == "lifecycle"] == [
        "running",
        "completed",
    ]
    steers = [each["params"]["data"] for each in shown if each["method"] == "custom"]
    assert [each["payload"]["steer"] for each in steers if each["name"] == "steer"] == ["pending", "taken_in"]
    last = [each["params"]["data"] for each in shown if each["method"] == "values"][-1]
    assert said(last)[1:] == [("human", CARD), read(run.until, CARD)]


async def _events(live: Any, thread: str) -> list[Any]:
    """Return the events of a thread up to the end of its run."""
    body = {"channels": ["values", "lifecycle", "custom"]}
    found: list[Any] = []
    async with (
        asyncio.timeout(BOUND_S),
        live.http.stream("POST", f"/threads/{thread}/stream/events", json=body) as response,
    ):
        async for line in response.aiter_lines():
            if line.startswith("data: "):
                found.append(orjson.loads(line.removeprefix("data: ")))
                if found[-1]["params"]["data"].get("event") == "completed":
                    return found
    return found
