"""Scripted providers as a process: they stream at the pace that a message names.

`python -m checks.interruptions.providers` prints its port, then a JSON line for each stream that began or
ended, the latter when its client closed it. Times are those of the system's monotonic clock, the same in all
processes. The wire formats, and what is refused with 400 as by the services, are those of
`tests.fakes.model_dialects`.
"""

import asyncio
import re
import sys
from typing import Any

import orjson

from tests.fakes.http_server import Exchange, HttpServer
from tests.fakes.model_dialects import Dialect
from tests.fakes.model_script import Text
from tests.fakes.model_server import DIALECTS

ASKED = re.compile(r"Speak at (\d+) tokens a second for (\d+) s: ([\w-]+)\.")


def message(pace: int, seconds: int, name: str) -> str:
    """Return a message that has a provider stream at `pace` tokens a second for so long, under a name."""
    return f"Speak at {pace} tokens a second for {seconds} s: {name}."


def tell(**fields: Any) -> None:
    """Print one JSON line."""
    sys.stdout.write(orjson.dumps(fields).decode() + "\n")
    sys.stdout.flush()


async def answer(exchange: Exchange) -> None:
    """Stream what the last message of a request asks for."""
    dialect = DIALECTS[exchange.path]
    body: Any = exchange.body
    asked = ASKED.search(str(body["messages"][-1]))
    faults = dialect.faults(exchange.headers, body) or ([] if asked else ["the last message is not a user's"])
    if faults or asked is None:
        tell(refused=faults)
        exchange.answer(400, dialect.error(400, "; ".join(faults)))
        return
    pace, seconds, name = int(asked[1]), int(asked[2]), asked[3]
    loop = asyncio.get_running_loop()
    tell(began=name, at=loop.time())
    speaking = loop.create_task(speak(exchange, dialect, pace=pace, count=pace * seconds))
    try:
        await exchange.ended.wait()
    finally:
        speaking.cancel()
        tell(ended=name, at=exchange.cut_at or loop.time(), whole=exchange.complete)


async def speak(exchange: Exchange, dialect: Dialect, *, pace: int, count: int) -> None:
    """Send `count` tokens at an even pace."""
    loop = asyncio.get_running_loop()
    stream, usage = dialect.stream(exchange.body), (10, count)
    exchange.start(content_type=dialect.content_type)
    began = loop.time()
    for chunk in stream.begin(usage):
        exchange.send(chunk)
    for number in range(count):
        for chunk in stream.pieces(Text(f" {number}")):
            exchange.send(chunk)
        await asyncio.sleep(began + (number + 1) / pace - loop.time())
    for chunk in stream.end(usage):
        exchange.send(chunk)
    exchange.end()


async def serve() -> None:
    """Serve until the process is ended."""
    async with HttpServer(answer) as server:
        tell(port=server.port)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve())
