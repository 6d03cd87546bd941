"""Messages whose process was lost between their acceptance and their answer: their runs go on to an end."""

from pathlib import Path
from typing import Any

import pytest

from backend.conversation.accepted import Accepted
from backend.domain import events
from backend.domain.partials import PartialResults
from backend.store.ownership import Lease
from backend.store.records import NewUser
from backend.store.sqlite.store import SqliteStateStore
from tests.api.live import running
from tests.protocols.langgraph_calls import RUNS, THREAD, frames, human, state_of
from tests.records import a_message, a_task

LOST = "01jzzzzzzzzzzzzzzzzzzzzzzz"


async def leave_small_talk(folder: Path, **fields: Any) -> None:
    """Store what a process leaves that is killed between the acceptance of small talk and its answer."""
    store = SqliteStateStore(folder / "detour.sqlite")
    await store.open(lambda _user_id, _events: None)
    task = a_task(THREAD, task_id=LOST, message="thanks", aside=True, **fields)
    said = a_message(THREAD, task_id=LOST, text="thanks", client_id="m1")
    await store.commit(
        Lease(THREAD),
        NewUser("e1"),
        task,
        said,
        events.message(said),
        events.status_update(task, PartialResults()),
        Accepted.of(task, superseded=None, epoch="e1").kept_for("m1", "thanks"),
    )
    await store.close()


@pytest.mark.parametrize("begun", [False, True])
async def test_run_of_small_talk_that_a_crash_cut_off_ends_with_its_retry(tmp_path, begun) -> None:
    await leave_small_talk(tmp_path, begun=begun)
    async with running(tmp_path, store="sqlite", graph="") as api:
        values = (await api.call("GET", f"{RUNS}/{LOST}/join")).json()
        assert [each["content"] for each in values["messages"]][::2] == ["thanks", "You are welcome."]
        assert (await state_of(api))["values"] == values
        run = (await api.call("GET", f"{RUNS}/{LOST}")).json()
        assert (run["status"], run["cancel_reason"]) == ("success", None)
        told = await api.call("GET", f"{RUNS}/{LOST}/stream", headers={"last-event-id": "-1"})
        assert [event for event, _ in frames(told.content)].count("metadata") == 1
        assert frames(told.content)[-1] == ("end", {"run_id": LOST, "status": "success"})
        again = human("thanks")
        again["input"]["messages"][0]["id"] = "m1"
        assert (await api.call("POST", f"{RUNS}/wait", json=again)).json() == values
        assert len((await api.call("GET", RUNS)).json()) == 1


async def test_run_of_small_talk_that_is_given_up_ends_as_interrupted(tmp_path) -> None:
    await leave_small_talk(tmp_path, begun=True, attempt=3)
    async with running(tmp_path, store="sqlite", graph="") as api:
        values = (await api.call("GET", f"{RUNS}/{LOST}/join")).json()
        assert "please send the message again" in values["messages"][-1]["content"]
        run = (await api.call("GET", f"{RUNS}/{LOST}")).json()
        assert (run["status"], run["cancel_reason"]) == ("interrupted", "lost")
