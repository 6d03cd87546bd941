"""A process starts at once, whatever the tools of a hosted graph can tell of an earlier process's calls."""

import asyncio

import pytest

from backend.domain.tool_call import ToolCall
from backend.graphs.hosted_graph import HostedGraph
from backend.graphs.hosted_tools import tool
from backend.store.records import NewUser
from tests.graphs.building import State, chain
from tests.interruption.parts import Parts, started
from tests.records import ANN, AT, a_task

pytestmark = pytest.mark.virtual_time


@tool(effect="write")
async def post_letter(to: str) -> str:
    return f"posted to {to}"


async def nothing(_state: State) -> State:
    return {"answer": "done"}


@pytest.mark.requirement("WRITES-ARE-NEVER-SENT-AGAIN")
async def test_a_start_does_not_wait_for_a_write_whose_tool_declares_no_outcome():
    parts = Parts(workflow=lambda ledger, owner: HostedGraph(chain(nothing), ledger=ledger, owner=owner))
    left = ToolCall(
        call_id="c1",
        user_id="ann",
        task_id="ann-1",
        turn=1,
        agent="nothing",
        tool="post_letter",
        effect="write",
        key="post_letter:1",
        state="running",
        requested_at=AT,
        started_at=AT,
    )
    await parts.store.commit(ANN, NewUser("e"), a_task("ann", 1), left)
    before = asyncio.get_running_loop().time()
    async with started(parts):
        assert asyncio.get_running_loop().time() == before
        assert parts.ledger.standing()["unsettled"] == 1
