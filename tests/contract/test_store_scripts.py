"""Short histories of two users: after each, every store tells what the model of a store tells."""

from dataclasses import replace
from datetime import timedelta

import pytest

from backend.domain.errors import NotOpen
from backend.domain.task import AgentProgress, InterruptReason, TaskStatus
from backend.store.records import (
    Acceptance,
    Checkpoint,
    ForgetCheckpoint,
    ForgetPartials,
    MustBeOpen,
    NewUser,
    SavedPartial,
    SavedProgress,
    SavedReceipt,
)
from tests.contract.reading import all_that_is_told
from tests.model_store import ModelStore
from tests.records import (
    ANN,
    AT,
    BOB,
    a_context,
    a_message,
    a_partial,
    a_task,
    a_thread,
    a_thread_step,
    an_event,
    an_input,
)

USERS = ("ann", "bob")
DELETED = "ann is deleted"
UNKNOWN = {"not": "a record"}

TASK = a_task(
    updated_at=AT + timedelta(microseconds=1),
    started_at=AT,
    interrupt_requested_at=AT,
    reason=InterruptReason.STOPPED,
    request={"from": "HAM", "stars": [4, 5], "price": None},
    previous_task_id="ann-0",
    relation="refine",
    policy="enqueue",
    priority=7,
    attempt=2,
)
WORKING = AgentProgress(state="working", detail="…", done=1, total=3, count=2)
DONE = AgentProgress(state="done")
ASKED = an_input()
STEP = a_thread_step(2, b"four", paged=[b"two", b"three"])
OWN_PIECES = {piece_id: piece for piece_id, piece in STEP.held.items() if piece == b"four"}
ALL_OF_ANN = [
    NewUser("e1"), a_task(), a_message(), a_partial(), a_context(), ASKED, Checkpoint(1, b"here"),
    SavedProgress(1, "hotel", DONE), SavedReceipt(1, "ann-1", b"{}"), Acceptance("c1", b"{}"),
    a_thread("ann", metadata={"title": "secret"}), STEP, an_event("ünïcode ✈ \x00 \u2028"),
]  # fmt: skip

# Each script is a list of writes, each write the records of one commit; bob's are in a tuple.
SCRIPTS = {
    "nothing": [[], DELETED],
    "a user without a task": [[NewUser("e1"), an_event()]],
    "a user whose first write fails": [[NewUser("e1"), a_task(), UNKNOWN]],
    "all of a user": [ALL_OF_ANN, (NewUser("e2"), a_task("bob"), an_event())],
    "a deleted user": [ALL_OF_ANN, (NewUser("e2"), a_task("bob"), an_event()), DELETED],
    "a user who begins anew": [ALL_OF_ANN, DELETED, [NewUser("e3"), an_event(), ASKED]],
    "a task with every field": [[NewUser("e1"), TASK]],
    **{
        f"a task that is {status}, and what would change it": [
            [NewUser("e1"), a_task(status=TaskStatus.QUEUED), a_task(), a_task(status=status)],
            *([a_task(status=each, message="changed")] for each in TaskStatus),
        ]
        for status in TaskStatus
    },
    "tasks in any order": [
        [NewUser("e1"), a_task(turn=2, status=TaskStatus.QUEUED)],
        (NewUser("e2"), a_task("bob", status=TaskStatus.QUEUED)),
        [a_task(status=TaskStatus.QUEUED)],
    ],
    "messages in any order": [[a_message(turn=turn, position=at)] for turn in (10, 2, 1) for at in (1, 0)],
    "a message in a turn that no task has": [[NewUser("e"), a_task(), a_message(), a_message(turn=2)]],
    "partial results": [
        [a_partial(1, 0), SavedPartial(1, 2, text="I found"), a_partial(2, 0)],
        [a_partial(1, 10, agent="hotel"), a_partial(1, 11)],
    ],
    "partial results that are forgotten": [
        [a_partial(turn) for turn in (1, 2, 3)], (a_partial(1),), [ForgetPartials(before_turn=3)],
    ],
    "progress of which the last counts": [
        [SavedProgress(1, "hotel", DONE), SavedProgress(1, "flight", WORKING)],
        [SavedProgress(2, "flight", WORKING), SavedProgress(1, "hotel", WORKING)],
        (SavedProgress(1, "hotel", DONE),),
    ],
    "progress that is forgotten": [
        [SavedProgress(1, "hotel", DONE), SavedProgress(2, "flight", WORKING)],
        (SavedProgress(1, "hotel", DONE),),
        [ForgetPartials(before_turn=2)],
    ],
    "more contexts than are kept": [
        *([a_context(turn=turn)] for turn in (1, 3, 2, 4, 6, 5, 7)), (a_context("bob", 1, request=None),),
    ],
    "a context that is amended": [[a_context(text="first")], [a_context(text="amended")]],
    "a context that is no JSON": [
        [NewUser("e1"), a_task(status=TaskStatus.INTERRUPTED)],
        [a_context(partial_results=b"no JSON,\nand more than a line")],
    ],
    "answers to client ids of which the first counts": [
        [an_event(), Acceptance("c1", b'{"task_id":"1"}'), an_event()],
        [Acceptance("c1", b'{"task_id":"2"}'), Acceptance("c2", b"{}")],
        (Acceptance("c1", b'{"task_id":"3"}'),),
    ],
    "a receipt that is amended": [
        [SavedReceipt(1, "ann-1", b'{"outcome":"unknown"}')],
        [SavedReceipt(1, "ann-1", b'{"outcome":"completed"}')],
    ],
    "questions in any order": [
        [an_input(number=2), ASKED, an_input(number=3).resolved("answered"), an_input(turn=2)],
        (an_input("bob"), an_input("bob", number=4)),
    ],
    "an answer that stays": [[ASKED], [ASKED.resolved("answered", {"city": "Rome"})], [ASKED]],
    "an answer to no question": [[an_event(), a_task(), MustBeOpen(ASKED.request_id)]],
    **{
        f"a question that is {resolution}, and what would change it": [
            [ASKED.resolved(resolution)], [ASKED.resolved("withdrawn")], [ASKED],
            [an_event(), a_task(), MustBeOpen(ASKED.request_id)],
        ]
        for resolution in ("answered", "withdrawn", "expired")
    },
    "checkpoints of which the last counts": [
        [Checkpoint(1, b"first"), Checkpoint(2, b"other")], [Checkpoint(1, b"\x00second", resting=True)],
    ],
    "a checkpoint that is forgotten": [
        [Checkpoint(1, b"first"), Checkpoint(2, b"other")], [ForgetCheckpoint(1)],
    ],
    "a thread before its user": [
        [a_thread("ann", metadata={"a": {"b": [1, "ü"]}}, runs={"r1": {"modes": ["values"]}})],
        [NewUser("e1"), an_event()],
    ],
    "a thread that is noted again": [
        [a_thread("ann", metadata={"a": 1})], [a_thread("ann", changed=1, metadata={"a": 1, "n": 2})],
    ],
    "steps that share pieces": [
        [NewUser("e1"), a_thread_step(1, b"one", paged=[b"two", b"three"])],
        [replace(STEP, held=OWN_PIECES)],
    ],
    "threads of two graphs": [
        [NewUser("e1"), a_thread_step(1, b"one"), a_thread_step(1, b"two", graph="other")],
    ],
}  # fmt: skip


@pytest.mark.requirement("TERMINAL-IS-FINAL", "ANSWERED-ONCE", "DELETE-FORGETS")
@pytest.mark.parametrize("reads_between", [False, True])
@pytest.mark.parametrize("script", SCRIPTS)
async def test_store_tells_what_the_model_tells(
    new_store, listener, script: str, reads_between: bool
) -> None:
    """A read in between has the store put what it took into its tables."""
    store, model = new_store(), ModelStore()
    await store.open(listener)
    for write in SCRIPTS[script]:
        assert await outcome_of(store, write) == await outcome_of(model, write)
        if reads_between:
            await all_that_is_told(store, USERS)
    await store.close()
    await store.open(listener)
    assert await all_that_is_told(store, USERS) == await all_that_is_told(model, USERS)
    assert await outcome_of(store, [an_event()]) == await outcome_of(model, [an_event()])
    await store.close()


async def outcome_of(store, write):
    """Return the number of the last event, or the type of the error."""
    if write == DELETED:
        return await store.delete_user(ANN)
    try:
        return await store.commit(BOB if isinstance(write, tuple) else ANN, *write)
    except (TypeError, NotOpen) as error:
        return type(error)
