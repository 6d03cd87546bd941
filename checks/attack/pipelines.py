"""Thousands of requests on one connection, none of whose answers is awaited."""

import asyncio
import contextlib

from checks.attack.target import Report, attacked, beside


async def pipelines(seconds: float) -> Report:
    """Pipelined requests from a few connections that read nothing."""
    report = Report()
    sent = 0
    async with attacked() as target, beside(target, report):
        request = b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % target.port
        loop = asyncio.get_running_loop()

        async def one() -> None:
            nonlocal sent
            with contextlib.suppress(ConnectionError):
                made = await target.connection()
                with made:
                    while True:
                        await loop.sock_sendall(made, request * 1000)
                        sent += 1000

        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
                for _ in range(20):
                    group.create_task(one())
    report.figures["requests sent"] = str(sent)
    return report
