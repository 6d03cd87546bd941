"""How soon after the request to stop the stream of a model is closed, with a whole server process between."""

import asyncio
import contextlib
import statistics
from pathlib import Path

import pytest

from tests.e2e.server_process import ServerProcess
from tests.fakes import Gate
from tests.fakes.model_script import Text, Wait
from tests.fakes.model_server import ModelServer
from tests.models.travelling import FLIGHTS, reads, replies, understands

TIMES = 9
BOUND_MS = 50.0


@pytest.mark.requirement("MODEL-STREAMS-ARE-CLOSED")
async def test_a_stop_closes_the_stream_of_the_reply_within_50_ms_at_the_median(tmp_path: Path) -> None:
    taken: list[float] = []
    async with ModelServer() as models, contextlib.AsyncExitStack() as stack:
        understands(models, "flight", always=True)
        url = f"{models.url}/v1"
        server = ServerProcess(tmp_path, model="openai:m", model_base_url=url, model_reading_s=20)
        stack.push_async_callback(server.close)
        await server.start()
        for number in range(TIMES):
            gate = Gate()
            models.script(Text("Here you are. One"), Wait(gate), when=replies)
            await server.chat("ada", FLIGHTS)
            await gate.arrived()
            asked_at = asyncio.get_running_loop().time()
            await server.stop("ada")
            request = await models.asked(number + 1, when=replies)
            await request.ended()
            taken.append((request.cut_at - asked_at) * 1000)
        assert len([each for each in models.requests if reads(each)]) == TIMES
    print(f"from the request to stop to the closed stream: {statistics.median(taken):.1f} ms")
    assert statistics.median(taken) < BOUND_MS
