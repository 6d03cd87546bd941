"""Many tasks alive at once, and how to tell that a server has nothing more to do."""

import asyncio
import time

from checks.bench.load import HttpClient, chat_request
from checks.bench.servers import Server

CONNECTIONS = 8
QUIET_SHARE = 0.03
QUIET_WINDOW_S = 0.5
QUIET_TIMEOUT_S = 15.0


async def start_tasks(server: Server, *, count: int, prefix: str) -> None:
    """Post one message for each of `count` users, and wait until the server is quiet."""

    async def post(numbers: range) -> None:
        client = await HttpClient.connect(server.port)
        for nth in numbers:
            request = chat_request(port=server.port, user_id=f"{prefix}{nth}", message=f"trip {prefix}{nth}")
            answer = await client.send(request)
            assert answer.task_id
        client.close()

    await asyncio.gather(*(post(range(first, count, CONNECTIONS)) for first in range(CONNECTIONS)))
    await quiet(server)


async def quiet(server: Server) -> None:
    """Wait until the server uses next to no CPU for half a second; at most 15 seconds."""
    deadline = time.perf_counter() + QUIET_TIMEOUT_S
    share = 1.0
    while share > QUIET_SHARE and time.perf_counter() < deadline:
        cpu = server.cpu_seconds()
        await asyncio.sleep(QUIET_WINDOW_S)
        share = (server.cpu_seconds() - cpu) / QUIET_WINDOW_S
