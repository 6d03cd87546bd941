"""What a node writes without an await in between is bounded: everybody else waits meanwhile."""

import asyncio

import pytest
from langgraph.config import get_stream_writer

from backend.domain.task import TaskStatus
from backend.graphs.graph_output import MOST_IN_ONE_STEP
from tests.contract.serving import hosting
from tests.graphs.building import State, chain
from tests.interruption.parts import Parts, started

pytestmark = pytest.mark.requirement("FAULTS-STAY-ALONE")

HONEST = 20_000


async def rows(state: State) -> State:
    """Write as many rows as the message says first, with a pause after as many as it says then."""
    count, pause_after = map(int, state["message"].split())
    write = get_stream_writer()
    for number in range(1, count + 1):
        write({"row": number})
        if number % pause_after == 0:
            await asyncio.sleep(0)
    return {"answer": "written"}


@pytest.mark.parametrize(
    ("message", "status", "kept"),
    [
        (f"{HONEST} {HONEST + 1}", TaskStatus.COMPLETED, HONEST),
        (f"{MOST_IN_ONE_STEP + 1} 5000", TaskStatus.COMPLETED, MOST_IN_ONE_STEP + 1),
        (f"{MOST_IN_ONE_STEP + 1} {MOST_IN_ONE_STEP + 2}", TaskStatus.FAILED, MOST_IN_ONE_STEP),
    ],
)
async def test_node_that_writes_too_often_in_one_step_fails_its_task_alone(message, status, kept):
    async with started(Parts(workflow=hosting(chain(rows)))) as parts:
        flood = await parts.post(message)
        quick = await parts.post("3 1", user="bob")
        await parts.settled(flood)
        await parts.settled(quick)
        assert (await parts.task(flood)).status is status
        assert (await parts.task(quick)).status is TaskStatus.COMPLETED
        found = await parts.store.get_partials("ann", 1)
        assert sum(each.found.count for each in found if each.found is not None) == kept
        said = (await parts.history())[-1][1]
        assert ("The node 'rows' wrote more than 25,000 times" in said) == (status is TaskStatus.FAILED)
