"""`/ws/{user_id}`: frames, resumption after a drop, and close codes."""

import asyncio
import contextlib
from contextlib import aclosing
from datetime import datetime, timedelta

import orjson
import pytest
import websockets

from backend.http.wire import answers
from backend.http.wire.feed import Start, feed
from tests.api.frames import State, check_event, current_agent, ends, receive, receive_until
from tests.api.live import BOUND_S, answer, running, serving

EPOCH = "&epoch={}"
NO_POSITIONS = [
    *("?since=garbage", "?since=", "?since=-1", "?since=1e3", "?since=%D9%A3"),
    "?since=" + "9" * 40,
]

pytestmark = pytest.mark.uvloop


async def closed_with(socket) -> int:
    """Read until the server closes the socket, and return the code."""
    with contextlib.suppress(websockets.ConnectionClosed):
        async with asyncio.timeout(BOUND_S):
            while True:
                await socket.recv()
    return socket.close_code


async def interrupted_once(live, user_id="ada"):
    """Let a task be superseded by one that completes, and return both answers."""
    first = await live.chat(user_id, "find 3, hold")
    await live.until_found(user_id, 3)
    second = await live.chat(user_id, "find 2")
    await live.until_ended(user_id, second["task_id"])
    await live.stop(user_id, task_id=first["task_id"])
    return first, second


async def test_new_user_gets_a_hello_and_an_empty_snapshot(live):
    async with live.socket("ada") as socket:
        hello, snapshot = await receive(socket), await receive(socket)
        assert hello == {
            "type": "hello",
            "user_id": "ada",
            "epoch": hello["epoch"],
            "seq": 0,
            "at": hello["at"],
            "heartbeat_s": 20.0,
        }
        assert datetime.fromisoformat(hello["at"]).utcoffset() == timedelta()
        assert snapshot == {
            "type": "snapshot",
            "seq": 0,
            "epoch": hello["epoch"],
            "status": None,
            "partial_results": None,
            "history": [],
        }
        accepted = await live.chat("ada", "find 1")
        assert accepted["epoch"] == hello["epoch"]
        events = await receive_until(socket, ends(accepted["task_id"]))
        assert [event["seq"] for event in events] == list(range(1, len(events) + 1))


async def test_snapshot_equals_the_lookups(live):
    await interrupted_once(live)
    async with live.socket("ada") as socket:
        hello, snapshot = await receive(socket), await receive(socket)
    assert snapshot["seq"] == hello["seq"]
    assert snapshot["status"] == await live.status("ada")
    assert snapshot["partial_results"] == await live.partial_results("ada")
    assert snapshot["history"] == (await live.history("ada"))["messages"]


@pytest.mark.requirement("EVENTS-TELL-EVERYTHING")
@pytest.mark.parametrize("graph", ["tests.scripted_graph:graph", ""])
async def test_events_of_a_run_fold_into_the_lookups(tmp_path, graph):
    first_message = "Find flights from Berlin to Tokyo on 10 December" if graph == "" else "find 3, hold"
    async with serving(tmp_path, graph=graph, demo_pace=0.5) as live, live.socket("ada") as socket:
        state = State()
        await receive(socket)
        state.take(await receive(socket))
        first = await live.chat("ada", first_message)
        for event in await receive_until(socket, lambda frame: frame["type"] == "partial_result"):
            state.take(event)
        second = await live.chat("ada", "Make it 12 December" if graph == "" else "find 2")
        missing = {first["task_id"], second["task_id"]}
        while missing:
            event = await receive(socket)
            state.take(event)
            missing -= {task_id for task_id in missing if ends(task_id)(event)}
        status, found = await live.status("ada"), await live.partial_results("ada")
        task = state.tasks[state.latest]
        assert state.latest == status["task_id"] == second["task_id"]
        assert state.seq == status["seq"] == found["seq"]
        assert {name: task[name] for name in ("status", "reason", "message", "agents", "updated_at")} == {
            name: status[name] for name in ("status", "reason", "message", "agents", "updated_at")
        }
        assert (task["found"], task["text"]) == (found["partial_results"], found["text"])
        assert current_agent(task) is status["current_agent"] is None
        assert sorted(state.history, key=lambda said: said["message_id"]) == sorted(
            (await live.history("ada"))["messages"], key=lambda said: said["message_id"]
        )
        (left,) = found["interrupted"]
        assert left["task_id"] == first["task_id"]
        assert left["partial_results"] == state.tasks[first["task_id"]]["found"]
        told = answer(await live.call("GET", f"/receipts/ada/{first['task_id']}"), 200, answers.ReceiptAnswer)
        assert state.receipts == {first["task_id"]: told}


@pytest.mark.requirement("REPLAY-WITHOUT-HOLES")
class TestReplay:
    async def test_events_after_any_number_come_once_in_order(self, live):
        await interrupted_once(live)
        epoch, last = (await live.status("ada"))["epoch"], (await live.status("ada"))["seq"]
        whole: list = []
        for since in range(last + 1):
            async with live.socket("ada", f"?since={since}" + EPOCH.format(epoch)) as socket:
                assert (await receive(socket))["seq"] == last
                events = [await receive(socket) for _ in range(last - since)]
            for event in events:
                check_event(event)
            whole = whole or events
            assert events == whole[since:]
        assert [event["seq"] for event in whole] == list(range(1, last + 1))

    async def test_dropping_client_misses_and_repeats_nothing(self, live):
        seen: list = []
        epoch = ""
        for turn in range(12):
            query = f"?since={len(seen)}&epoch={epoch}" if seen else "?since=0"
            async with live.socket("ada", query) as socket:
                epoch = (await receive(socket))["epoch"]
                await live.chat("ada", "find 4, hold")
                for _ in range(3 + turn % 4):
                    seen.append(await receive(socket))
        assert [event["seq"] for event in seen] == list(range(1, len(seen) + 1))

    async def test_live_events_follow_replayed_ones_without_a_gap(self, tmp_path):
        """Caught the log without its filter for what was replayed already, where the store takes its time."""
        async with serving(tmp_path, store="sqlite") as live, contextlib.AsyncExitStack() as stack:
            accepted = await live.chat("ada", "find 200")  # fewer than a subscriber may have waiting
            positions = [n % (accepted["seq"] + 1) for n in range(10)]
            sockets = [
                await stack.enter_async_context(live.socket("ada", f"?since={since}")) for since in positions
            ]
            for since, socket in zip(positions, sockets, strict=True):
                _hello, *events = await receive_until(socket, ends(accepted["task_id"]))
                numbers = [event["seq"] for event in events if "seq" in event]
                assert numbers == list(range(since + 1, since + 1 + len(numbers)))

    async def test_invalid_position_is_reset(self, live):
        _, second = await interrupted_once(live)
        queries = dict.fromkeys(NO_POSITIONS, "that is no number") | {
            "?since=100000": "there is no such number yet",
            "?since=3&epoch=other": "the event log began anew",
        }
        for query, reason in queries.items():
            async with live.socket("ada", query) as socket:
                hello, reset, snapshot = [await receive(socket) for _ in range(3)]
                assert (hello["type"], reset) == ("hello", {"type": "reset", "reason": reason})
                assert snapshot["status"]["task_id"] == second["task_id"]
                second = await live.chat("ada", "hold")
                assert (await receive(socket))["seq"] == snapshot["seq"] + 1

    async def test_position_one_ahead_of_the_log_is_reset(self, live):
        await interrupted_once(live)
        last = (await live.status("ada"))["seq"]
        async with live.socket("ada", f"?since={last + 1}") as socket:
            assert (await receive(socket))["type"] == "hello"
            await live.chat("ada", "hold")  # so that there is a next event where no reset comes
            assert await receive(socket) == {"type": "reset", "reason": "there is no such number yet"}
            snapshot = await receive(socket)
            await live.chat("ada", "hold")
            assert (await receive(socket))["seq"] == snapshot["seq"] + 1 > last

    async def test_trimmed_events_are_reset(self, tmp_path):
        async with serving(tmp_path, events_kept=100) as live:
            for message in ("find 1",) * 20 + ("find 250",):  # results that come together are one event
                status = await live.chat_to_end("ada", message)
            assert status["seq"] > 150, "all of them are kept"
            async with live.socket("ada", "?since=5") as socket:
                hello, reset, snapshot = [await receive(socket) for _ in range(3)]
                assert reset == {"type": "reset", "reason": "the events since then are no longer kept"}
                assert snapshot["seq"] == hello["seq"]
                assert len(snapshot["partial_results"]["partial_results"]["finder"]) == 250

    async def test_deletion_resets_open_sockets(self, live):
        await live.chat("ada", "hold")
        async with live.socket("ada") as socket:
            before = await receive(socket)
            await receive(socket)
            await live.call("DELETE", "/users/ada")
            *_, snapshot = await receive_until(socket, lambda frame: frame["type"] == "snapshot")
            assert (snapshot["seq"], snapshot["status"], snapshot["history"]) == (0, None, [])
            assert snapshot["epoch"] != before["epoch"]
            accepted = await live.chat("ada", "hold")
            assert (accepted["epoch"], (await receive(socket))["seq"]) == (snapshot["epoch"], 1)


class TestClosing:
    @pytest.mark.requirement("A-SOCKET-IS-NEVER-A-STOP")
    async def test_closed_socket_stops_no_task(self, live):
        accepted = await live.chat("ada", "find 2, hold")
        async with live.socket("ada") as socket:
            await receive(socket)
        broken = await live.socket("ada")
        await receive(broken)
        broken.transport.abort()
        await broken.wait_closed()
        async with live.socket("ada") as socket:
            await receive(socket)
            assert (await receive(socket))["status"]["status"] == "running"
        assert (await live.status("ada"))["task_id"] == accepted["task_id"]

    async def test_invalid_user_id_is_closed_with_4404(self, live):
        for user_id in ("-ada", "a" * 65, "a%20b", "%C3%A9da", "a%00", "ada%0A"):
            async with live.socket(user_id) as socket:
                assert await closed_with(socket) == 4404

    async def test_socket_beyond_the_most_is_closed_with_4409(self, tmp_path):
        async with serving(tmp_path, sockets_per_user=2) as live:
            async with live.socket("ada") as one, live.socket("ada") as two:
                await receive(one)
                await receive(two)
                async with live.socket("ada") as three:
                    assert await closed_with(three) == 4409
                async with live.socket("bob") as other:
                    assert (await receive(other))["type"] == "hello"
            await live.until_all_have_left()
            async with live.socket("ada") as again:
                assert (await receive(again))["type"] == "hello"

    async def test_ending_server_reports_tasks_then_closes_with_1012(self, live):
        accepted = await live.chat("ada", "find 1, hold")
        async with live.socket("ada") as socket:
            await receive(socket)
            await receive(socket)
            await live.detour.end_tasks()
            events = await receive_until(socket, ends(accepted["task_id"]))
            assert events[-1]["receipt"]["reason"] == "shutdown"
            assert await closed_with(socket) == 1012

    async def test_store_that_is_down_closes_with_1013(self, tmp_path):
        async with serving(tmp_path, store="sqlite") as live:
            await live.detour.store.close()
            async with live.socket("ada") as socket:
                assert await closed_with(socket) == 1013

    async def test_fault_closes_with_1011(self, live, monkeypatch):
        monkeypatch.setattr(live.detour.store, "position", None)
        async with live.socket("ada") as socket:
            assert await closed_with(socket) == 1011


async def test_many_sockets_get_their_own_events_whole(live):
    users = [f"user-{n}" for n in range(10)]
    async with contextlib.AsyncExitStack() as stack:
        sockets = {
            (user, n): await stack.enter_async_context(live.socket(user, "?since=0"))
            for user in users
            for n in range(3)
        }
        accepted = {user: await live.chat(user, "find 5") for user in users}
        for (user, _), socket in sockets.items():
            hello, *events = await receive_until(socket, ends(accepted[user]["task_id"]))
            assert hello["user_id"] == user
            assert {event["task_id"] for event in events} == {accepted[user]["task_id"]}
            assert [event["seq"] for event in events] == list(range(1, len(events) + 1))


class WritesInBetween:
    """A store to which a new user's first message comes right after it was asked for a snapshot."""

    def __init__(self, store, write):
        self._store = store
        self._write = write

    def __getattr__(self, name):
        return getattr(self._store, name)

    async def snapshot(self, user_id, *, history):
        found = await self._store.snapshot(user_id, history=history)
        await self._write()
        return found


@pytest.mark.requirement("REPLAY-WITHOUT-HOLES")
async def test_first_message_between_snapshot_and_position_is_not_skipped(tmp_path):
    async with running(tmp_path) as api:
        services = api.detour._services

        async def write():
            await services.conversations.handle_user_message("ada", "find 1")

        services.store = WritesInBetween(services.store, write)
        numbers = []
        async with aclosing(feed(services, "ada", Start())) as batches:
            async for batch in batches:
                frames = [orjson.loads(event.frame) for event in batch]
                numbers += [frame["seq"] for frame in frames if frame["type"] not in ("hello", "snapshot")]
                if numbers:
                    break
        assert numbers[0] == 1
