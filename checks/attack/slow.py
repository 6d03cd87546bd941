"""Clients that take their time: with a head, with a body, or with reading."""

import asyncio
import contextlib
import socket

from checks.attack.target import Report, Target, attacked, beside

COUNT = 500


async def _drip(target: Target, begins: bytes, drop: bytes, seconds: float) -> int:
    """Open connections that begin a request and go on drop by drop; return how many were let go."""
    loop = asyncio.get_running_loop()
    opened: list[socket.socket] = []
    let_go = 0
    try:
        for _ in range(COUNT):
            made = await target.connection()
            opened.append(made)
            await loop.sock_sendall(made, begins)
        until = loop.time() + seconds
        while loop.time() < until and opened:
            await asyncio.sleep(1)
            for each in list(opened):
                try:
                    each.send(drop)
                except OSError:
                    each.close()
                    opened.remove(each)
                    let_go += 1
    finally:
        for each in opened:
            each.close()
    return let_go


async def heads(seconds: float) -> Report:
    """Heads that never end."""
    report = Report()
    async with attacked() as target, beside(target, report):
        # They are given 10 s.
        gone = await _drip(target, b"GET / HTTP/1.1\r\n", b"a", max(seconds, 13))
    report.figures["let go"] = f"{gone} of {COUNT}"
    report.check(gone == COUNT, f"{COUNT - gone} slow heads are still there")
    return report


async def bodies(seconds: float) -> Report:
    """Bodies that never end."""
    report = Report()
    async with attacked() as target, beside(target, report):
        head = b"POST /chat HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 100000\r\n\r\n{" % target.port
        # They are given 20 s.
        gone = await _drip(target, head, b" ", max(seconds, 33))
    report.figures["let go"] = f"{gone} of {COUNT}"
    report.check(gone == COUNT, f"{COUNT - gone} slow bodies are still there")
    return report


async def readers(seconds: float) -> Report:
    """Long answers that nobody reads, of what many users were told."""
    report = Report()
    async with attacked(address_messages_per_minute=0) as target:
        async with target.client("127.0.0.2") as client:
            for number in range(10):
                answer = await client.post("/chat", json={"user_id": f"u{number}", "message": "long 3500000"})
                answer.raise_for_status()
            await asyncio.sleep(3)
        async with beside(target, report):
            loop = asyncio.get_running_loop()
            opened: list[socket.socket] = []
            until = loop.time() + seconds
            while loop.time() < until and len(opened) < 2500:
                made = await target.connection()
                opened.append(made)
                path = b"GET /history/u%d HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n"
                with contextlib.suppress(OSError):
                    await loop.sock_sendall(made, path % (len(opened) % 10, target.port))
            await asyncio.sleep(max(0, until - loop.time()))
            for each in opened:
                each.close()
    report.figures["answers asked for"] = str(len(opened))
    return report
