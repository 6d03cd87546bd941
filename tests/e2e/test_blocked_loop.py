"""A graph that blocks the server for ever blocks it twice at most: then its user is told which node did."""

import pytest

from backend.conversation.recovery import GIVEN_UP_FOR_BLOCKING
from tests.e2e.server_process import ServerProcess
from tests.fakes.waiting import until

NOTED = "a task keeps the event loop blocked"

pytestmark = pytest.mark.requirement("A-BLOCKED-LOOP-IS-TOLD")


async def until_noted(server: ServerProcess, times: int) -> None:
    await until(lambda: server.log.read_text("utf-8").count(NOTED) >= times)


async def test_message_that_blocks_the_server_for_ever_fails_at_the_second_attempt(process):
    server: ServerProcess = process(
        graph="tests.graphs.stuck:graph", blocked_warning_s=0.1, blocked_attempt_s=0.2
    )
    await server.start()
    await server.chat("ann", "for ever")
    for attempt in (1, 2):
        await until_noted(server, attempt)
        await server.kill()
        await server.start()
    assert (await server.chat_to_end("bob", "hi"))["status"] == "completed"
    said = (await server.history("ann"))["messages"][-1]["text"]
    where = said.partition("because ")[2].partition(" waited")[0]
    assert said.endswith(GIVEN_UP_FOR_BLOCKING.format(where, 2))
    assert where.startswith("the node 'think' (")
    assert where.endswith(", in block)")
    assert (await server.chat_to_end("ann", "hi"))["status"] == "completed"
