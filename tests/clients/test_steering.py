"""The Python client steers: what waits, what becomes of it, and the reply of the task that has it."""

import asyncio
import contextlib
from contextlib import aclosing

import pytest

from backend.client import AsyncClient, Client, Refused, Reply
from tests.api.live import BOUND_S, serving
from tests.clients.test_client import all_of, is_a, received_until
from tests.conventions import ROOT
from tests.fakes.waiting import until
from tests.packages.npm import run

pytestmark = pytest.mark.requirement("CLIENTS-STEER")

CARD = "and use the company card"


@pytest.fixture
async def server(tmp_path):
    """A real server of this process, of a graph that waits until it is told to go on."""
    async with serving(tmp_path, graph="tests.steered_graph:graph") as server:
        yield server


@pytest.fixture
async def detour(server):
    async with AsyncClient(f"http://127.0.0.1:{server.port}", "ada", timeout_s=BOUND_S) as client:
        yield client


async def begin(detour, message="tools") -> dict:
    """Send the first message; return the question at which its task waits."""
    async with aclosing(detour.stream(message)) as frames:
        return (await received_until(frames, is_a("input_request")))[-1]


@contextlib.asynccontextmanager
async def steering(detour, text=CARD, **options):
    """Steer, and yield the stream's frames to come, once the server has the message, and its id."""
    count = len(await waiting(detour)) + 1
    async with asyncio.TaskGroup() as group:
        frames = group.create_task(all_of(detour.stream(text, policy="steer", **options)))
        pending = await until(lambda: waiting(detour, count))
        yield frames, pending[-1]["message_id"]


async def waiting(detour, least=0):
    """Return the messages that wait, if there are so many."""
    pending = (await detour.pending())["pending"]
    return pending if len(pending) >= least else []


def told(frames) -> list[str]:
    """What a stream told: fates of the message, and what was said."""
    fields = {"steer": "steer", "message": "text"}
    return [frame[fields[frame["type"]]] for frame in frames if frame["type"] in fields]


async def test_stream_of_a_taken_in_message_has_the_reply_of_that_run(detour):
    question = await begin(detour)
    async with steering(detour, task_id=question["task_id"]) as (frames, message_id):
        await detour.send("by the way", policy="steer")
        assert [(each["text"], each["revision"]) for each in await waiting(detour)] == [
            (CARD, 0),
            ("by the way", 0),
        ]
        await detour.answer(question["request_id"], {"answer": "on"})
    heard = frames.result()
    assert told(heard)[0] == "taken_in"
    assert told(heard)[-1] == f"Read: tools | {CARD} | by the way"
    assert (heard[-1]["status"], heard[-1]["task_id"]) == ("completed", question["task_id"])
    assert await waiting(detour) == []
    said = (await detour.history())["messages"]
    assert [each["task_id"] for each in said if each["message_id"] == message_id] == [question["task_id"]]


async def test_stream_of_a_message_too_late_to_steer_has_the_reply_of_its_own_task(detour):
    question = await begin(detour, "reply")
    accepted = await detour.send(CARD, policy="steer", client_id="mine")
    assert (accepted["task_id"], accepted["policy"]) == (question["task_id"], "steer")
    assert (accepted["steer"], accepted["status"]) == ("pending", "input_required")
    await detour.answer(question["request_id"], {"answer": "on"})
    frames = await all_of(detour.stream(CARD, policy="steer", client_id="mine"))
    assert told(frames) == ["own_task", f"Read: {CARD}"]
    assert frames[-1]["task_id"] == accepted["message_id"].rpartition(".")[0]


async def test_steering_without_a_running_task_is_an_ordinary_message(detour):
    frames = await all_of(detour.stream(CARD, policy="steer"))
    assert told(frames) == [f"Read: {CARD}"]


async def test_streams_of_merged_messages_have_the_same_reply(detour):
    await begin(detour)
    async with steering(detour) as (frames, _):
        newer = await all_of(detour.stream("no, cancel it"))
    heard = frames.result()
    assert (told(heard)[0], told(heard)[-1]) == ("merged", f"Read: tools | {CARD} | no, cancel it")
    assert heard[-1] == newer[-1]


async def test_stale_edit_of_a_pending_message_returns_its_present_text(detour):
    question = await begin(detour)
    message_id = (await detour.send(CARD, policy="steer"))["message_id"]
    edited = await detour.edit(message_id, "my own card", revision=0)
    assert (edited["steer"], edited["text"], edited["revision"]) == ("pending", "my own card", 1)
    with pytest.raises(Refused) as stale:
        await detour.edit(message_id, "no card", revision=0)
    assert (stale.value.code, stale.value.details["text"]) == ("stale_revision", "my own card")
    await detour.answer(question["request_id"], {"answer": "on"})
    frames = await all_of(detour.stream("thanks", policy="enqueue"))
    assert frames[-1]["status"] == "completed"
    with pytest.raises(Refused) as late:
        await detour.withdraw(message_id)
    assert (late.value.code, late.value.details["steer"]) == ("not_pending", "taken_in")


async def test_stream_of_a_withdrawn_message_ends(detour):
    await begin(detour)
    async with steering(detour, client_id="mine") as (frames, message_id):
        assert (await detour.withdraw(message_id))["steer"] == "withdrawn"
    assert told(frames.result()) == ["withdrawn"]
    again = await all_of(detour.stream(CARD, policy="steer", client_id="mine"))
    assert told(again) == ["withdrawn"]


async def test_stop_starts_or_withdraws_pending_messages(detour):
    await begin(detour)
    async with steering(detour) as (frames, _):
        await detour.stop()
    assert told(frames.result()) == ["own_task", f"Read: tools | {CARD}"]
    await begin(detour)
    async with steering(detour) as (frames, _):
        await detour.stop(pending="withdraw")
    assert told(frames.result()) == ["withdrawn"]


async def test_steering_another_task_is_refused(detour):
    await begin(detour)
    with pytest.raises(Refused) as refused:
        await detour.send(CARD, policy="steer", task_id="another")
    assert refused.value.code == "other_task"
    assert (await detour.pending())["pending"] == []


async def test_reply_continues_from_a_snapshot(detour):
    """As where the server does not keep the events since the message any more."""
    question = await begin(detour)
    reply = Reply(await detour.send(CARD, policy="steer"))
    assert reply.hear(await snapshot(detour))
    assert not reply.has_ended
    async with steering(detour, "by the way") as (frames, _):
        await detour.answer(question["request_id"], {"answer": "on"})
    assert frames.result()
    assert reply.hear(await snapshot(detour))
    assert reply.has_ended


async def snapshot(detour):
    async with aclosing(detour.events()) as events:
        return (await received_until(events, is_a("snapshot")))[-1]


def play(url: str) -> list[str]:
    """Steer with the blocking client; return what became of each message."""
    with Client(url, "bob", timeout_s=BOUND_S) as detour:
        for frame in detour.stream("tools"):
            if frame["type"] == "input_request":
                break
        sent = [detour.send(text, policy="steer") for text in ("one", "two", "three", "four")]
        edited, withdrawn, later, now = [each["message_id"] for each in sent]
        happened = [detour.edit(edited, "five", revision=0)["text"]]
        happened.append(detour.withdraw(withdrawn)["steer"])
        happened += [each["text"] for each in detour.pending()["pending"]]
        happened.append(detour.later(later)["steer"])
        happened.append(detour.now(now)["steer"])
        happened += [
            frame["text"] for frame in detour.stream("six", policy="enqueue") if is_a("message")(frame)
        ]
    return happened


async def test_blocking_client_steers_too(server):
    happened = await asyncio.to_thread(play, f"http://127.0.0.1:{server.port}")
    assert happened == ["five", "withdrawn", "five", "three", "four", "own_task", "own_task", "Read: six"]


async def test_example_of_the_steering_page_prints_the_reply(server, detour, tmp_path):
    page = (ROOT / "docs/steering.md").read_text("utf-8")
    code = page.partition("## From our clients")[2].partition("```python\n")[2].partition("```")[0]
    (tmp_path / "example.py").write_text(code.replace("127.0.0.1:8000", f"127.0.0.1:{server.port}"))
    program = f"import runpy, sys; sys.path.insert(0, {str(ROOT)!r}); runpy.run_path('example.py')"
    question = await begin(detour)
    async with asyncio.TaskGroup() as group:
        said = group.create_task(run(("-c", program), folder=tmp_path))
        await until(lambda: waiting(detour))
        await detour.answer(question["request_id"], {"answer": "on"})
    assert said.result() == f"taken_in\nRead: tools | {CARD}\n"
