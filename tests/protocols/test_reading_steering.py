"""Readers of a thread with messages that steered: whatever is left of the log, each has its place, once."""

import asyncio

import pytest
import pytest_asyncio

from backend.protocols.thread.reading import ThreadReader
from backend.store.event_bus import MemoryEventBus
from backend.store.event_log import EventLog
from backend.store.memory import MemoryStateStore
from tests.api.live import BOUND_S, LocalClient, running
from tests.protocols.looping import LOOPING, looking
from tests.protocols.test_reading import PagedStore, in_short, read

pytestmark = pytest.mark.asyncio(loop_scope="module")


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


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def story(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reading")
    async with running(folder, graph=LOOPING) as client:
        await a_steered_story(client, "ann", folder)
        store = client.detour.store
        assert isinstance(store, MemoryStateStore)
        yield store


def pending(state) -> list[str]:
    return [each["text"] for each in state.pending.values()]


async def test_the_whole_log_tells_each_in_its_place(story):
    _, state = await read(story, "ann")
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
    assert pending(state) == ["waits"]


async def test_a_log_that_lost_any_number_of_its_events_tells_them_in_the_same_places(story):
    _, whole = await read(story, "ann")
    for kept in range(whole.seq - 1, 0, -1):
        _, state = await read(PagedStore(story, kept=kept), "ann")
        assert in_short(state) == in_short(whole), f"with the last {kept} events"
        assert pending(state) == pending(whole), f"with the last {kept} events"


async def shown_at(store: MemoryStateStore) -> dict[int, tuple[list[str], list[str]]]:
    """What the conversation has after each event, and what waits."""
    reader = ThreadReader(store, EventLog(store, MemoryEventBus()), "ann", "epoch")
    found: dict[int, tuple[list[str], list[str]]] = {}
    async for steps in reader.stored():
        for step in steps:
            said = [each["text"] for each in reader.state.messages_in_order() if each["role"] == "user"]
            found[step.seq] = said, pending(reader.state)
    return found


async def test_a_message_waits_up_to_its_event_whatever_is_lost_before_that(story):
    whole = await shown_at(story)
    for kept in range(len(whole) - 1, 0, -1):
        for seq, shown in (await shown_at(PagedStore(story, kept=kept))).items():
            assert shown == whole[seq], f"with the last {kept} events, after {seq}"


async def test_runs_of_kept_events_have_the_same_ids_whatever_is_lost_before_them(story):
    meant, whole = await read(story, "ann")
    for kept in range(whole.seq - 1, 0, -1):
        later, _ = await read(PagedStore(story, kept=kept), "ann")
        same = meant[len(meant) - len(later) :]
        assert [(seq, run) for seq, run, *_ in later] == [(seq, run) for seq, run, *_ in same]
        began = [run for _, run, began, _ in later if began]
        assert began == [*dict.fromkeys(run for _, run, *_ in later if run)], f"{kept}: each begins once"
