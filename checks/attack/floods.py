"""Floods: many requests, many names, many guesses, many connections, all from one address."""

import asyncio
import contextlib
import socket
from collections import Counter
from collections.abc import Awaitable, Callable

import httpx

from checks.attack.target import ATTACKER, Report, Target, attacked, beside

AT_ONCE = 50
KNOWN = 21
"""Users who are known; odd, so that each is read of in both ways."""


async def _flood(
    target: Target, seconds: float, call: Callable[[httpx.AsyncClient, int], Awaitable[httpx.Response]]
) -> Counter[int]:
    """Call as often as can be; return how often each status came."""
    answers: Counter[int] = Counter()
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds

    async def one(client: httpx.AsyncClient, number: int) -> None:
        while loop.time() < until:
            with contextlib.suppress(httpx.HTTPError):
                answers[(await call(client, number)).status_code] += 1
            number += AT_ONCE

    async with target.client(ATTACKER) as client, asyncio.TaskGroup() as group:
        for number in range(AT_ONCE):
            group.create_task(one(client, number))
    return answers


def _told(answers: Counter[int]) -> str:
    return ", ".join(f"{count} x {status}" for status, count in sorted(answers.items()))


async def messages(seconds: float) -> Report:
    """Messages under ever new names."""
    report = Report()
    async with attacked(address_messages_per_minute=600) as target, beside(target, report):
        answers = await _flood(
            target, seconds, lambda client, n: client.post("/chat", json={"user_id": f"u{n}", "message": "x"})
        )
    report.figures["answers"] = _told(answers)
    most = 600 * (1 + seconds / 60) + AT_ONCE
    report.check(answers[202] <= most, f"{answers[202]} messages were accepted, of {most:.0f} that may be")
    report.check(answers[429] > 0, "nothing was refused")
    report.check(set(answers) <= {202, 429}, f"there were other answers: {_told(answers)}")
    return report


def _read(client: httpx.AsyncClient, number: int) -> Awaitable[httpx.Response]:
    """Read by turns of a known user and of an unknown one."""
    user_id = f"u{number // 2 % KNOWN}" if number % 2 else f"unknown{number}"
    return client.get(f"/{('history', 'partial-results')[number // 2 % 2]}/{user_id}")


async def reads(seconds: float) -> Report:
    """Reads of what is expensive, and of what is not there."""
    report = Report()
    async with attacked(address_requests_per_minute=3000) as target:
        async with target.client() as client:
            for number in range(KNOWN):
                body = {"user_id": f"u{number}", "message": "long 100000"}
                (await client.post("/chat", json=body)).raise_for_status()
        async with beside(target, report):
            answers = await _flood(target, seconds, _read)
    report.figures["answers"] = _told(answers)
    answered = answers[200] + answers[404]
    report.check(answered <= 3000 * (1 + seconds / 60) + AT_ONCE, f"{answered} reads were answered")
    report.check(answers[200] > 0, "nothing that is there was read")
    report.check(answers[429] > 0, "nothing was refused")
    return report


async def guesses(seconds: float) -> Report:
    """Wrong tokens, while somebody else uses the right one."""
    report = Report()
    token = "the right token, which is long"
    async with attacked(token=token) as target:
        answers = await _flood(
            target,
            seconds,
            lambda client, n: client.get("/status/u", headers={"Authorization": f"Bearer guess {n}"}),
        )
        async with target.client() as client:
            right = await client.get("/status/u", headers={"Authorization": f"Bearer {token}"})
    report.figures["answers"] = _told(answers)
    report.check(answers[401] <= 20 * (1 + seconds / 60) + AT_ONCE, f"{answers[401]} guesses were looked at")
    report.check(right.status_code == 404, f"the right token was refused: {right.status_code}")
    return report


async def connections(seconds: float) -> Report:
    """Many connections from one address, with half a body or an event stream on each."""
    report = Report()
    # Only so many files may be open: of the attacker, and of the server.
    count = 3000
    async with attacked() as target, beside(target, report):
        opened: list[socket.socket] = []
        half = b"POST /chat HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 99\r\n\r\n{" % target.port
        stream = b"GET /events/u%d HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n"
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        try:
            for number in range(count):
                made = await target.connection()
                opened.append(made)
                await loop.sock_sendall(made, half if number % 2 else stream % (number, target.port))
                if loop.time() > until:
                    break
            await asyncio.sleep(max(0.0, until - loop.time()))
        finally:
            for each in opened:
                each.close()
    report.figures["connections"] = str(len(opened))
    return report
