"""What another thread stores while the event loop stands still, and what the loop stores after it."""

import threading
from dataclasses import replace

import pytest

from backend.domain.errors import NotOpen
from backend.domain.task import TaskStatus
from backend.store.records import MustBeOpen
from tests.records import ANN, a_task, an_event

pytestmark = pytest.mark.requirement("A-BLOCKED-LOOP-IS-TOLD")


def while_the_loop_stands_still(store, *records):
    """Store from another thread and wait for it on the event loop, which does nothing else meanwhile."""
    raised = []

    def commit():
        try:
            store.commit_from_thread(ANN, *records)
        except Exception as error:  # noqa: BLE001 - what the test asks for
            raised.append(error)

    thread = threading.Thread(target=commit)
    thread.start()
    thread.join()
    return raised


async def test_records_are_durable_when_it_returns_and_the_loop_writes_on(store):
    await store.commit(ANN, a_task(), an_event())
    assert while_the_loop_stands_still(store, replace(a_task(), blocked="the node 'think'")) == []
    stored = await store.get_task_metadata("ann", "ann-1")
    assert stored.blocked == "the node 'think'"
    assert await store.commit(ANN, a_task(), an_event()) == 2
    assert (await store.get_task_metadata("ann", "ann-1")).blocked is None


async def test_task_that_has_ended_is_left_as_it_is(store):
    await store.commit(ANN, a_task(status=TaskStatus.COMPLETED), an_event())
    assert while_the_loop_stands_still(store, replace(a_task(), blocked="the node 'think'")) == []
    stored = await store.get_task_metadata("ann", "ann-1")
    assert (stored.status, stored.blocked) == (TaskStatus.COMPLETED, None)


async def test_what_the_store_refuses_is_raised_in_the_thread(store):
    await store.commit(ANN, a_task(), an_event())
    raised = while_the_loop_stands_still(store, MustBeOpen("none"))
    assert [type(each) for each in raised] == [NotOpen]
    assert await store.commit(ANN, a_task(), an_event()) == 2
