"""How soon a model's stream is closed once its task is cancelled, measured against the bound of 50 ms."""

import asyncio
import statistics

import pytest
from pydantic import SecretStr

from backend.domain.model_usage import UsageMeter
from backend.tasks.task_owner import TaskOwner
from backend.travel.models.langchain_model import load_model
from tests.fakes import Gate, RecordingLog
from tests.fakes.model_script import Text, Wait
from tests.fakes.model_server import ModelServer
from tests.models.asking import PROVIDERS, hello

TIMES = 15
BOUND_MS = 50.0


@pytest.mark.requirement("MODEL-STREAMS-ARE-CLOSED")
@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("streams", [True, False])
async def test_a_stream_is_closed_within_50_ms_at_the_median(provider: str, streams: bool) -> None:
    owner, taken = TaskOwner(), []
    async with ModelServer() as server:
        url = f"{server.url}/v1" if provider == "openai" else server.url
        model = load_model(f"{provider}:m", base_url=url, key=SecretStr("k"), streams=streams)
        for number in range(TIMES):
            said, gate = RecordingLog(), Gate()
            server.script(*([Text("One")] if streams else []), Wait(gate))
            asking = owner.spawn(model.answer(hello(), meter=UsageMeter(), say=said), name="asking")
            await gate.arrived()
            if streams:
                await said.until(bool)
            cancelled_at = asyncio.get_running_loop().time()
            asking.cancel()
            request = server.requests[number]
            await request.ended()
            taken.append((request.cut_at - cancelled_at) * 1000)
            await asyncio.wait([asking])
        await model.close()
    print(f"{provider}, {'streamed' if streams else 'whole'}: {statistics.median(taken):.2f} ms")
    assert statistics.median(taken) < BOUND_MS
