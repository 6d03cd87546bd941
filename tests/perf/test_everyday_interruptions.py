"""How soon a stop or a newer message closes the stream of a served agent with a provider's default client."""

import statistics

import pytest

from checks.interruptions.scripted import CLIENTS, measure

TIMES = 10
PACE = 100
BOUND_MS = 50.0


@pytest.mark.requirement("MODEL-STREAMS-ARE-CLOSED")
@pytest.mark.parametrize("client", CLIENTS)
async def test_interruptions_of_a_default_client_close_its_stream_within_50_ms_at_the_median(client: str):
    found = await measure([client], [PACE], times=TIMES, at_once=1, seed=1)
    closings = [each for several in found.values() for each in several]
    taken = [each * 1000 for each in closings if each is not None]
    assert len(taken) == len(closings), "a stream ran to its end"
    print(f"{client}: {statistics.median(taken):.1f} ms")
    assert statistics.median(taken) < BOUND_MS
