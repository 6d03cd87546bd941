"""A stop, and the read of the state that LangChain's `useStream` sends with it."""

import asyncio

import pytest

from tests.api.live import BOUND_S, running
from tests.protocols.conftest import TALKING

THREAD = "0b2e2f0e-9f0c-4d7e-8a55-0c1f6b6f0002"


@pytest.mark.requirement("FOREIGN-STOP-STOPS")
async def test_a_state_that_is_read_right_after_a_stop_shows_what_the_stop_has_left(tmp_path) -> None:
    thread = f"/threads/{THREAD}"
    body = {"assistant_id": "agent", "input": {"messages": ["slow"]}, "if_not_exists": "create"}
    async with running(tmp_path, graph=TALKING) as api:

        async def state() -> dict:
            return (await api.call("GET", f"{thread}/state")).json()

        run = (await api.call("POST", f"{thread}/runs", json=body)).json()
        async with asyncio.timeout(BOUND_S):
            while len((await state())["values"]["messages"]) < 2:  # noqa: ASYNC110
                await asyncio.sleep(0)
        stop = api.call("POST", f"{thread}/runs/{run['run_id']}/cancel")
        stopped, read = await asyncio.gather(stop, state())
        assert stopped.status_code == 202
        assert (read["next"], read["tasks"]) == ([], [])
        [left] = read["values"]["interrupted"]
        assert left["reason"] == "stopped"
        marker = read["values"]["messages"][-1]
        assert marker["additional_kwargs"]["detour"] == {"kind": "interruption", "receipt": left["receipt"]}
        assert (await state())["values"] == read["values"]
