"""Strangers: every route without a token, other hosts and origins, and requests that hide another."""

import asyncio
import contextlib

from checks.attack.target import ATTACKER, Report, Target, attacked

OPEN = {"/", "/docs", "/health", "/ready", "/session", "/ok", "/info"}
TOKEN = "the right token, which is long"

_TO_US = b"Host: %(host)s\r\n"
_HIDING = b"POST /chat HTTP/1.1\r\n" + _TO_US
SMUGGLED = (
    _HIDING + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n%(next)s",
    _HIDING + b"Content-Length: 0\r\nContent-Length: 44\r\n\r\n%(next)s",
    _HIDING + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n%(next)s",
    _HIDING + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n%(next)s",
    b"GET /health HTTP/1.1\r\n" + _TO_US + b"Host: evil.example\r\n\r\n",
    b"GET /status/ada HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"GET http://evil.example/status/ada HTTP/1.1\r\nHost: evil.example\r\n\r\n",
)


async def strangers(_seconds: float) -> Report:
    """Ask everything that the API documents, as nobody."""
    report = Report()
    async with attacked(token=TOKEN) as target, target.client(ATTACKER) as client:
        signed_in = {"Authorization": f"Bearer {TOKEN}"}
        document = (await client.get("/openapi.json", headers=signed_in)).json()
        asked = 0
        for path, methods in document["paths"].items():
            address = (
                path.replace("{user_id}", "ada").replace("{task_id}", "t").replace("{", "").replace("}", "")
            )
            for method in methods:
                if address.removeprefix("/v1") in OPEN:
                    continue
                asked += 1
                answer = await client.request(method.upper(), address, json={} if method == "post" else None)
                report.check(answer.status_code == 401, f"{method} {address} answered {answer.status_code}")
                foreign = {**signed_in, "Origin": "https://evil.example"}
                answer = await client.request(method.upper(), address, headers=foreign)
                report.check(
                    answer.status_code == 403, f"{method} {address} of a foreign page: {answer.status_code}"
                )
                rebound = {**signed_in, "Host": "evil.example"}
                answer = await client.request(method.upper(), address, headers=rebound)
                report.check(
                    answer.status_code == 403, f"{method} {address} of another host: {answer.status_code}"
                )
        report.figures["routes"] = str(asked)
        report.check(asked > 10, "the API documents nothing to ask")
        await _smuggle(target, report)
        report.check(target.lives, "the server has ended")
    return report


async def _smuggle(target: Target, report: Report) -> None:
    loop = asyncio.get_running_loop()
    host = b"127.0.0.1:%d" % target.port
    hidden = b"GET /status/smuggled HTTP/1.1\r\nHost: %b\r\nAuthorization: Bearer %b\r\n\r\n" % (
        host,
        TOKEN.encode(),
    )
    for each in SMUGGLED:
        with contextlib.suppress(ConnectionError, TimeoutError), await target.connection() as made:
            await loop.sock_sendall(made, each % {b"host": host, b"next": hidden})
            received = b""
            async with asyncio.timeout(1):
                while chunk := await loop.sock_recv(made, 1 << 16):
                    received += chunk
                    report.check(
                        b"'smuggled'" not in received, f"a hidden request was answered: {each[:60]!r}"
                    )
                    report.check(not received.startswith(b"HTTP/1.1 2"), f"{each[:60]!r} was answered")
