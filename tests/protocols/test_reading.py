"""Readers of a thread: whatever is left of the log, in whatever pages, they tell what the store knows."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.domain import events
from backend.domain.partials import PartialResults
from backend.domain.task import InterruptReason, Task, TaskStatus
from backend.protocols.thread.reading import ThreadReader
from backend.protocols.thread.state import ThreadState
from backend.store.event_bus import EventBus, SubscriptionEnded
from backend.store.event_log import EventLog
from backend.store.records import NewUser, Page
from backend.store.sqlite.memory import MemoryStateStore
from tests.api.live import BOUND_S, LocalClient, running
from tests.protocols.looping import LOOPING, looking
from tests.protocols.thread_frames import shown_task
from tests.records import ANN, AT, a_message, a_task
from tests.stored import last_events

pytestmark = pytest.mark.asyncio(loop_scope="module")


class PagedStore(MemoryStateStore):
    """A store in memory that forgets events, and gives them in pages, as a test says."""

    def __init__(
        self, events_of: MemoryStateStore, *, kept: int | None = None, pages: Sequence[int] = ()
    ) -> None:
        super().__init__()
        self.__dict__.update(vars(events_of))
        self._pages = list(pages)
        self._events = events_of
        if kept is not None:
            self._events = last_events(events_of, "ann", kept)

    async def events_after(self, user_id: str, seq: int, *, limit: int) -> Page:
        size = min(limit, self._pages.pop(0)) if self._pages else limit
        return await MemoryStateStore.events_after(self._events, user_id, seq, limit=size)


async def read(store: MemoryStateStore, user_id: str) -> tuple[list[Any], ThreadState]:
    """Return what each event meant, and the state after all of them."""
    reader = ThreadReader(store, EventLog(store, EventBus()), user_id, "epoch")
    meant: list[Any] = []
    async for steps in reader.stored():
        for step in steps:
            run = step.run.run_id if step.run is not None else None
            meant.append((step.seq, run, step.began, step.ended.run_id if step.ended is not None else None))
    return meant, reader.state


def in_short(state: ThreadState) -> dict[str, Any]:
    """Return what clients see of a state; without runs whose beginning and end are both forgotten."""
    task = shown_task(state)
    last = next(reversed(state.runs.values()))
    return {
        "seq": state.seq,
        "messages": [(each["message_id"], each["text"]) for each in state.messages_in_order()],
        "pending": [each["text"] for each in state.pending.values()],
        "requests": [*state.requests],
        "interrupted": [*state.interrupted.values()],
        "found": task and (task.task_id, task.found),
        "tasks": {each.task_id for each in state.runs.values()},
        "last": (last.run_id, last.status, last.ended, last.ended_waiting, last.message),
    }


async def a_long_story(client: LocalClient, user_id: str) -> None:
    """Tasks that complete, fail, are superseded, stopped, answered; at last one that asks."""
    for words in ("find 2", "fail"):
        await client.until_ended(user_id, (await client.chat(user_id, words))["task_id"])
    await client.chat(user_id, "find 3, hold")
    await client.until_found(user_id, 3)
    stopped = await client.chat(user_id, "find 2, hold")
    await client.until_found(user_id, 2)
    await client.stop(user_id, task_id=stopped["task_id"])
    asking = await client.chat(user_id, "find 1, ask Where?")
    question = (await client.until_asked(user_id))["input_requests"][0]
    await client.answer(user_id, question["request_id"], answer="Rome")
    await client.until_ended(user_id, asking["task_id"])
    await client.chat(user_id, "find 2, ask When?")
    await client.until_asked(user_id)
    await until_it_rests(client, user_id)


async def until_it_rests(client: LocalClient, user_id: str) -> None:
    store = client.detour.store
    async with asyncio.timeout(BOUND_S):
        while True:
            _, state = await read(store, user_id)
            last = next(reversed(state.runs.values()))
            if last.ended_waiting:
                return
            await asyncio.sleep(0)


async def a_steered_story(client: LocalClient, user_id: str, folder) -> None:
    """Messages that are taken in, withdrawn, merged, their own task, and at last one that waits."""
    first = await looking(client, user_id, folder / "one")
    for text in ("taken one", "taken two"):
        await client.chat(user_id, text, policy="steer")
    first.goes_on()
    await client.until_ended(user_id, first.task_id)
    second = await looking(client, user_id, folder / "two")
    gone = await client.chat(user_id, "gone", policy="steer")
    await client.call("DELETE", f"/pending/{user_id}/{gone['message_id']}")
    await client.chat(user_id, "merged", policy="steer")
    newer = await client.chat(user_id, "newer")
    assert newer["interrupted_task_id"] == second.task_id
    await client.until_ended(user_id, newer["task_id"])
    third = await looking(client, user_id, folder / "three")
    for text in ("before", "own"):
        await client.chat(user_id, text, policy="steer")
    await client.stop(user_id, task_id=third.task_id)
    async with asyncio.timeout(BOUND_S):
        while (await client.status(user_id))["message"] != "own":  # noqa: ASYNC110
            await asyncio.sleep(0)
    await client.until_ended(user_id, (await client.status(user_id))["task_id"])
    await looking(client, user_id, folder / "four")
    await client.chat(user_id, "waits", policy="steer")


async def told(folder: Path, story: Any, *more: Any, **settings: Any) -> AsyncGenerator[MemoryStateStore]:
    async with running(folder, **settings) as client:
        await story(client, "ann", *more)
        store = client.detour.store
        assert isinstance(store, MemoryStateStore)
        yield store


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def plain(tmp_path_factory):
    """The store after the long story, with its only user."""
    async for store in told(tmp_path_factory.mktemp("reading"), a_long_story):
        yield store


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def steering(tmp_path_factory):
    """The store after the story with messages that steer."""
    folder = tmp_path_factory.mktemp("steering")
    async for store in told(folder, a_steered_story, folder, graph=LOOPING):
        yield store


@pytest.fixture(params=["plain", "steering"])
def story(request) -> MemoryStateStore:
    return request.getfixturevalue(request.param)


async def test_log_that_lost_any_number_of_its_events_tells_what_the_store_knows(story):
    _, whole = await read(story, "ann")
    for kept in range(whole.seq - 1, 0, -1):
        _, state = await read(PagedStore(story, kept=kept), "ann")
        assert in_short(state) == in_short(whole), f"with the last {kept} events"


async def test_runs_of_kept_events_have_the_same_ids_whatever_is_lost_before_them(story):
    meant, whole = await read(story, "ann")
    for kept in range(whole.seq - 1, 0, -1):
        later, _ = await read(PagedStore(story, kept=kept), "ann")
        same = meant[len(meant) - len(later) :]
        assert [(seq, run) for seq, run, *_ in later] == [(seq, run) for seq, run, *_ in same]
        began = [run for _, run, began, _ in later if began]
        assert began == [*dict.fromkeys(run for _, run, *_ in later if run)], "each begins once"
        # An event that repeats results which are gone cannot be read, nor what came before it.
        assert kept - len(later) <= 20


async def test_any_pages_of_the_events_give_the_same_states(plain):
    expected = await read(plain, "ann")
    sizes = st.lists(st.integers(min_value=1, max_value=30), max_size=expected[1].seq)
    loop = asyncio.get_running_loop()
    tried: list[list[int]] = []

    @settings(max_examples=25, deadline=None)
    @given(sizes)
    def collect(pages: list[int]) -> None:
        tried.append(pages)

    await loop.run_in_executor(None, collect)
    for pages in tried:
        assert await read(PagedStore(plain, pages=pages), "ann") == expected


async def test_reader_that_has_read_reads_on_where_it_was(plain):
    reader = ThreadReader(plain, EventLog(plain, EventBus()), "ann", "epoch")
    before = await reader.to_end()
    assert [steps async for steps in reader.stored()] == []
    assert await reader.to_end() is before


async def test_whole_log_tells_each_in_its_place(steering):
    _, state = await read(steering, "ann")
    said = [each["text"].partition(" /")[0] for each in state.messages_in_order() if each["role"] == "user"]
    assert said == [
        "look",
        "taken one",
        "taken two",
        "look",
        "merged",
        "newer",
        "look",
        "before",
        "own",
        "look",
    ]
    assert [each["text"] for each in state.pending.values()] == ["waits"]


async def shown_at(store: MemoryStateStore) -> dict[int, tuple[list[str], list[str]]]:
    """What the conversation has after each event, and what waits."""
    reader = ThreadReader(store, EventLog(store, EventBus()), "ann", "epoch")
    found: dict[int, tuple[list[str], list[str]]] = {}
    async for steps in reader.stored():
        for step in steps:
            said = [each["text"] for each in reader.state.messages_in_order() if each["role"] == "user"]
            found[step.seq] = said, [*reader.state.pending]
    return found


async def test_message_waits_up_to_its_event_whatever_is_lost_before_that(steering):
    whole = await shown_at(steering)
    for kept in range(len(whole) - 1, 0, -1):
        for seq, shown in (await shown_at(PagedStore(steering, kept=kept))).items():
            assert shown == whole[seq], f"with the last {kept} events, after {seq}"


# --- crashes ---------------------------------------------------------------------------------------------


def retry_of(first: Task, turn: int) -> Task:
    return a_task(turn=turn, message=first.message, asked_in=first.task_id, previous_task_id=first.task_id)


async def stored_tries(store: MemoryStateStore, *reasons: InterruptReason | None) -> None:
    """Store a message and its tries, each ended by the process for that reason; None: it completes."""
    first = a_task(message="Rome")
    message = a_message(text="Rome")
    await store.commit(ANN, NewUser("e1"), first, message, events.message(message), _status(first))
    for turn, reason in enumerate(reasons, 1):
        task = first if turn == 1 else retry_of(first, turn)
        if turn > 1:
            await store.commit(ANN, task, _status(task))
        ended = _ended(task, reason)
        following = [] if turn == len(reasons) else [retry_of(first, turn + 1)]
        # The ending and the next try are stored together.
        records = [ended, _status(ended), *following]
        if reason is not None:
            records.append(events.receipt(task.task_id, {"reason": reason}, at=AT))  # pyright: ignore[reportArgumentType]
        await store.commit(ANN, *records)


def _status(task: Task) -> events.Event:
    return events.status_update(task, PartialResults())


def _ended(task: Task, reason: InterruptReason | None) -> Task:
    values: dict[str, Any] = {
        "status": TaskStatus.INTERRUPTED if reason else TaskStatus.COMPLETED,
        "reason": reason,
    }
    return Task(**{name: getattr(task, name) for name in task.__dataclass_fields__} | values)


@pytest.mark.parametrize(
    ("reasons", "status"),
    [
        ((InterruptReason.LOST, None), "success"),
        ((InterruptReason.SHUTDOWN, None), "success"),
        ((InterruptReason.LOST, InterruptReason.SHUTDOWN, InterruptReason.LOST, None), "success"),
        ((InterruptReason.LOST, InterruptReason.LOST, InterruptReason.LOST), "interrupted"),
        ((InterruptReason.LOST, InterruptReason.STOPPED), "interrupted"),
        ((InterruptReason.SHUTDOWN,), "pending"),
        ((InterruptReason.STOPPED,), "interrupted"),
    ],
)
async def test_message_and_all_its_tries_are_one_run(reasons, status):
    store = MemoryStateStore()
    await stored_tries(store, *reasons)
    meant, state = await read(store, "ann")
    assert [(each.run_id, each.status) for each in state.runs.values()] == [("ann-1", status)]
    assert {run for _, run, *_ in meant} == {"ann-1"}
    assert [ended for *_, ended in meant if ended] == ([] if status == "pending" else ["ann-1"])
    for kept in range(1, state.seq):
        _, later = await read(PagedStore(store, kept=kept), "ann")
        assert [(each.run_id, each.status) for each in later.runs.values()] == [("ann-1", status)]


# --- followers -------------------------------------------------------------------------------------------


async def test_follower_of_a_user_who_is_deleted_is_told_so(tmp_path):
    async with running(tmp_path) as client:
        await client.until_ended("bob", (await client.chat("bob", "find 1"))["task_id"])
        store, log = client.detour.store, client.detour._log
        position = await store.position("bob")
        assert position is not None
        reader = ThreadReader(store, log, "bob", position.epoch)
        async with contextlib.aclosing(reader.follow()) as batches:
            async with asyncio.timeout(BOUND_S):
                assert next(step.seq for step in [*await anext(batches)]) == 1
                await client.call("DELETE", "/users/bob")
                with pytest.raises(SubscriptionEnded):
                    await anext(batches)


async def test_user_who_is_not_known_has_an_empty_thread():
    assert await read(MemoryStateStore(), "nobody") == ([], ThreadState("epoch"))
