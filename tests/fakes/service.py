"""What the stand-ins of the services share: routes, an account of what came, and faults.

A `Service` runs on the loop of the test, on real sockets; the server under test may be another process. Its
clock stands still until a test moves it with `advance`. Nothing here or in a stand-in knows the project: what
a service holds to be true is told apart from what the project believes.

A request that writes is carried out even when its client has gone meanwhile, as a real service would.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import cache, partial
from hashlib import sha256
from itertools import pairwise
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote

import airportsdata

from tests.fakes.http_server import Exchange, HttpServer
from tests.fakes.waiting import BOUND_S, Gate

When = Literal["before", "after", "midway"]
"""`before` anything is done, `after` it and before a byte of the answer, or `midway` in the answer."""


@dataclass(frozen=True)
class Refuse:
    """Answers with an error, in the service's own form or as `text`; `after` it has done what was asked.

    `reset_s` is in how many seconds a limit ends, by the headers that the service has for it.
    """

    status: int
    code: Any = None
    when: When = "before"
    reset_s: float | None = None
    message: str = "it did not work"
    headers: Mapping[str, str] = field(default_factory=dict)
    text: str | None = None


@dataclass(frozen=True)
class Drop:
    """Cuts the connection. `after` loses the answer; `midway` comes after `pieces` frames and a half."""

    when: When = "before"
    pieces: int = 0


@dataclass(frozen=True)
class Hold:
    """Does nothing more until the gate is open."""

    gate: Gate
    when: When = "before"
    pieces: int = 0


@dataclass(frozen=True)
class Alter:
    """Sends what `change` makes of the answer's JSON, or of each frame's; bytes are sent as they are."""

    change: Callable[[Any], Any]
    when: When = "after"


Fault = Refuse | Drop | Hold | Alter


@dataclass
class _Planted:
    fault: Fault
    befell: bool = False
    """Whether it has made a difference to a request."""


class _Gone(Exception):
    """Whoever asked gets no more of an answer."""


class Refused(Exception):
    """A request that the service refuses, by status and code."""

    def __init__(self, status: int, code: Any, message: str = "", **more: Any) -> None:
        super().__init__(f"{status} {code} {message}")
        self.status, self.code, self.message, self.more = status, code, message or str(code), more


@dataclass
class Answer:
    """A whole answer; without a value it has no body."""

    status: int
    value: Any = None
    headers: Mapping[str, str] | None = None


@dataclass
class Stream:
    """An answer of frames, each sent once it is there: JSON as `framed`, and bytes as they are."""

    frames: AsyncIterator[Any]
    framed: Callable[[Any], bytes]


class Request:
    """One request as it came. `route` is the pattern of its path, `ids` what stood in place of its braces."""

    def __init__(self, exchange: Exchange, at: datetime) -> None:
        self.exchange = exchange
        self.method, self.headers, self.body, self.at = exchange.method, exchange.headers, exchange.body, at
        path, _, query = exchange.path.partition("?")
        self.path = unquote(path)
        self.pairs = parse_qsl(query, keep_blank_values=True)
        self.query = dict(self.pairs)
        self.route = ""
        self.ids: list[str] = []
        self.faults: Sequence[_Planted] = ()
        self.status: int | None = None
        self.writes = False

    def __repr__(self) -> str:
        return f"<{self.method} {self.path} {self.status}>"

    @property
    def cut_at(self) -> float | None:
        """The loop's time at which the client closed the connection before its answer was complete."""
        return self.exchange.cut_at

    async def ended(self) -> None:
        """Wait until it is answered in full, or the connection is closed by either side."""
        async with asyncio.timeout(BOUND_S):
            await self.exchange.ended.wait()

    async def cut(self) -> float:
        """Wait until the client has closed the connection before the end; return when, by the loop's time."""
        await self.ended()
        assert self.cut_at is not None, f"{self} was answered, and not given up"
        return self.cut_at


class Search:
    """What one search finds, in pieces that are there at once or that the test releases."""

    def __init__(self, query: Any, pieces: Sequence[list[Any]], *, held: bool, at: datetime) -> None:
        self.query, self.pieces, self.at, self.held = query, list(pieces), at, held
        self.released = 0 if held else len(self.pieces)
        self.read = 0
        self.answers_now = False
        self.waiting = 0
        """How many polls or streams wait for more."""
        self._changed = asyncio.Event()

    def release(self, count: int | None = None) -> None:
        """Let the next pieces be read, or all of them."""
        left = len(self.pieces) - self.released
        self.released += left if count is None else min(count, left)
        self.wake()

    def end_polls(self) -> None:
        """Let the poll that waits answer with nothing new."""
        self.answers_now = True
        self.wake()

    def wake(self) -> None:
        self._changed.set()

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until something is so, looking again at each change."""
        self.waiting += 1
        try:
            while not is_so():
                self._changed.clear()
                await self._changed.wait()
        finally:
            self.waiting -= 1


Handler = Callable[[Any, Request], Awaitable[Answer | Stream]]


@dataclass(frozen=True)
class Route:
    """A method and a path, with braces for ids, at one of the addresses of a service."""

    pattern: str
    handler: Handler
    writes: bool
    host: int

    def ids(self, method: str, path: str) -> list[str] | None:
        """Return what stands in place of the braces, None if it is another route."""
        found = re.fullmatch(re.sub(r"\{\w+\}", "([^/]+)", self.pattern) + "/?", f"{method} {path}")
        return list(found.groups()) if found else None


ROUTES: dict[Handler, Route] = {}


def route(pattern: str, *, writes: bool = False, host: int = 0) -> Callable[[Handler], Handler]:
    """Have a method of a service answer a route."""

    def routed(handler: Handler) -> Handler:
        ROUTES[handler] = Route(pattern, handler, writes, host)
        return handler

    return routed


@dataclass
class _Rule:
    route: str
    faults: Sequence[_Planted]
    times: int | None
    matches: Callable[[Request], bool]


class Service:
    """A service that answers on `url` while it is entered, and records what it is asked in `requests`.

    What a search finds is there at once; `held`, it is as the test releases it, or a piece each `pace_s`
    seconds. `now` is where the clock begins. Leaving raises for a route that was asked for and is not known,
    and for a fault that befell no request, whose test would prove nothing.
    """

    prefix = ""
    hosts = 1
    limit: int | None = None
    """How many requests a window of the clock takes; None does not count them."""
    window_s = 60.0

    def __init__(
        self, *, now: datetime | None = None, held: bool = False, pace_s: float | None = None
    ) -> None:
        # The server under test reads the real clock, so what it is told begins there.
        self.now = now or datetime.now(UTC)  # noqa: TID251
        self.held, self.pace_s = held, pace_s
        self.requests: list[Request] = []
        self.searches: list[Search] = []
        self.unasked: list[Request] = []
        self._rules: list[_Rule] = []
        self._works: list[asyncio.Task[None]] = []
        self._changed = asyncio.Event()
        self._ids = 0
        self._counted: list[datetime] = []
        self._https = [HttpServer(partial(self._handle, host)) for host in range(self.hosts)]
        methods = {name: getattr(type(self), name) for name in dir(type(self))}.values()
        self._routes = {each.pattern: each for each in ROUTES.values() if each.handler in methods}

    # What a test uses

    @property
    def url(self) -> str:
        return self._url(0)

    def _url(self, host: int) -> str:
        return f"http://127.0.0.1:{self._https[host].port}{self.prefix}"

    @property
    def open_connections(self) -> int:
        return sum(http.open_connections for http in self._https)

    def advance(self, seconds: float) -> None:
        """Move the clock; a poll whose search has expired by then is answered."""
        self.now += timedelta(seconds=seconds)
        for search in self.searches:
            search.wake()

    def release(self, count: int | None = None) -> None:
        """Let the next pieces of each search be read, or all of them."""
        for search in self.searches:
            search.release(count)

    def fault(
        self,
        route: str,
        *faults: Fault,
        times: int | None = 1,
        when: Callable[[Request], bool] = lambda _: True,
    ) -> None:
        """Have the next requests of a route go wrong, as many as `times`, or all of them for None.

        Faults of one call befall one request together. The call that came first is used up first.
        """
        assert route in self._routes, f"{route} is none of {sorted(self._routes)}"
        self._rules.append(_Rule(route, [_Planted(each) for each in faults], times, when))

    def heal(self) -> None:
        """Forget all faults. Raises for one that befell no request, or fewer than it was to."""
        rules, self._rules = self._rules, []
        idle = [each.fault for rule in rules for each in rule.faults if not each.befell or rule.times]
        assert not idle, f"no request, or too few, met {idle}"

    def asked_for(self, route: str) -> list[Request]:
        """Return the requests of a route up to now."""
        assert route in self._routes, f"{route} is none of {sorted(self._routes)}"
        return [request for request in self.requests if request.route == route]

    async def asked(self, route: str, count: int = 1) -> Request:
        """Wait for the `count`th request of a route, and return it; nothing is done about it yet."""
        await self._until(lambda: len(self.asked_for(route)) >= count)
        return self.asked_for(route)[count - 1]

    async def searched(self, count: int = 1) -> Search:
        """Wait for the `count`th search to have begun, and return it."""
        await self._until(lambda: len(self.searches) >= count)
        return self.searches[count - 1]

    async def _until(self, is_so: Callable[[], bool]) -> None:
        async with asyncio.timeout(BOUND_S):
            while not is_so():
                self._changed.clear()
                await self._changed.wait()

    async def settled(self) -> None:
        """Wait until all that writes is carried out, also for clients that have gone."""
        async with asyncio.timeout(BOUND_S):
            while working := [work for work in self._works if not work.done()]:
                await asyncio.wait(working)

    async def __aenter__(self) -> Any:
        for http in self._https:
            await http.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        """Close all connections, then raise what went wrong in here."""
        for http in self._https:
            await http.__aexit__(*error)
        for work in self._works:
            work.cancel()
        for outcome in await asyncio.gather(*self._works, return_exceptions=True):
            if isinstance(outcome, Exception):
                raise outcome
        assert not self.unasked, f"there is no such route: {self.unasked}"
        if error[0] is None:
            self.heal()

    # What a stand-in says of its service

    def check(self, request: Request) -> None:
        """Raise `Refused` for headers that the service does not take."""
        raise NotImplementedError

    def error(self, refused: Refused) -> Any:
        """Return the body of an error."""
        raise NotImplementedError

    def headers(self, reset_s: float | None) -> dict[str, str]:
        """Return the headers of an answer; `reset_s` is when the limit ends, None unless it is hit."""
        raise NotImplementedError

    def encoded(self, request: Request, body: bytes, headers: dict[str, str]) -> bytes:
        """Return the body as it is sent, with the headers for it."""
        return body

    # For stand-ins

    def new_id(self, prefix: str) -> str:
        self._ids += 1
        return f"{prefix}_{sha256(f'{prefix}{self._ids}'.encode()).hexdigest()[:22]}"

    def begin_search(self, query: Any, pieces: Sequence[list[Any]]) -> Search:
        """Keep a search; its pieces come as the test has said."""
        search = Search(query, pieces, held=self.held or self.pace_s is not None, at=self.now)
        self.searches.append(search)
        self._changed.set()
        if self.pace_s is not None:
            loop = asyncio.get_running_loop()
            for index in range(len(search.pieces)):
                loop.call_later(self.pace_s * (index + 1), search.release, 1)
        return search

    @property
    def remaining(self) -> int | None:
        """How many requests are left of the limit."""
        if self.limit is None:
            return None
        self._counted = [at for at in self._counted if self.now - at < timedelta(seconds=self.window_s)]
        return self.limit - len(self._counted)

    # How a request is answered

    async def _handle(self, host: int, exchange: Exchange) -> None:
        request = Request(exchange, self.now)
        handler = self._routed(request, host)
        self.requests.append(request)
        self._changed.set()
        work = asyncio.get_running_loop().create_task(self._answer(request, handler))
        self._works.append(work)
        try:
            await asyncio.wait([work])
        finally:
            if not request.writes:
                work.cancel()
        if work.exception():
            exchange.drop()

    def _routed(self, request: Request, host: int) -> Handler:
        for each in self._routes.values():
            ids = each.ids(request.method, request.path.removeprefix(self.prefix))
            if ids is not None and each.host == host and request.path.startswith(self.prefix):
                request.route, request.ids, request.writes = each.pattern, ids, each.writes
                request.faults = self._faults_of(request)
                return each.handler
        self.unasked.append(request)
        return _nowhere

    def _faults_of(self, request: Request) -> Sequence[_Planted]:
        for rule in self._rules:
            if rule.route == request.route and rule.times != 0 and rule.matches(request):
                rule.times = None if rule.times is None else rule.times - 1
                return rule.faults
        return ()

    async def _answer(self, request: Request, handler: Handler) -> None:
        try:
            try:
                self._admit(request)
                await self._befall(request, "before")
                answer = await handler(self, request)
                await self._befall(request, "after")
            except Refused as refused:
                answer = self._refusal(refused)
            if isinstance(answer, Stream):
                await self._stream(request, answer)
            else:
                await self._send(request, answer)
        except _Gone:
            pass

    def _refusal(self, refused: Refused) -> Answer:
        more = refused.more
        headers = {**self.headers(more.get("reset_s")), **more.get("headers", {})}
        value = self.error(refused) if more.get("text") is None else more["text"].encode()
        return Answer(refused.status, value, headers)

    def _admit(self, request: Request) -> None:
        if (remaining := self.remaining) is not None:
            if remaining <= 0:
                reset = self._counted[0] + timedelta(seconds=self.window_s) - self.now
                raise Refused(429, None, "too many requests", reset_s=reset.total_seconds())
            self._counted.append(self.now)
        self.check(request)

    async def _befall(self, request: Request, when: When, pieces: int | None = None) -> None:
        """Let the faults of this moment befall a request; raise `_Gone` where its client gets no more."""
        for each in request.faults:
            fault = each.fault
            if fault.when != when or (pieces is not None and getattr(fault, "pieces", None) != pieces):
                continue
            each.befell = each.befell or not isinstance(fault, Alter)
            if isinstance(fault, Hold):
                await fault.gate.wait()
            elif isinstance(fault, Drop):
                await asyncio.sleep(0)  # what was written is sent before
                request.exchange.drop()
                raise _Gone
            elif isinstance(fault, Refuse):
                more = {"reset_s": fault.reset_s, "headers": fault.headers, "text": fault.text}
                raise Refused(fault.status, fault.code, fault.message, **more)
        if when != "before" and request.exchange.ended.is_set():
            raise _Gone

    async def _send(self, request: Request, answer: Answer) -> None:
        exchange, headers, body = request.exchange, {**(answer.headers or self.headers(None))}, b""
        has_body = answer.value is not None and answer.status != 204
        if has_body:
            answer.value = _altered(request, answer.value)
        headers["date"] = format_datetime(self.now, usegmt=True)
        if has_body:
            headers.setdefault("content-type", "application/json; charset=utf-8")
            body = _sent(answer.value)
            body = self.encoded(request, body, headers)
        request.status = answer.status
        exchange.begin(answer.status, body, headers=headers)
        if any(each.fault.when == "midway" for each in request.faults):
            exchange.write(body[: len(body) // 2])
            body = body[len(body) // 2 :]
            await self._befall(request, "midway")
        exchange.finish(body)

    async def _stream(self, request: Request, stream: Stream) -> None:
        request.status, exchange = 200, request.exchange
        exchange.start(content_type="text/event-stream", headers=self.headers(None))
        index = 0
        async for told in stream.frames:
            told = told if isinstance(told, bytes) else _altered(request, told)
            frame = told if isinstance(told, bytes) else stream.framed(told)
            half = len(frame) // 2
            for part in _in_three(frame[:half]):
                exchange.send(part)
                await asyncio.sleep(0)
            await self._befall(request, "midway", index)
            for part in _in_three(frame[half:]):
                exchange.send(part)
                await asyncio.sleep(0)
            index += 1
        exchange.end()


async def _nowhere(_service: Any, _request: Request) -> Answer:
    raise Refused(404, None, "there is no such route")


def _altered(request: Request, value: Any) -> Any:
    """Return what the faults of a request make of what it is told."""
    for each in request.faults:
        if isinstance(each.fault, Alter):
            before = _sent(value)
            value = each.fault.change(value)
            each.befell = each.befell or _sent(value) != before
    return value


def _sent(value: Any) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode()


def _in_three(data: bytes) -> list[bytes]:
    """Split bytes anywhere, also within a letter or between the two newlines of a frame."""
    cuts = [0, len(data) // 3, max(len(data) - 1, 0), len(data)]
    return [data[a:b] for a, b in pairwise(cuts) if a < b]


@cache
def airports() -> dict[str, Any]:
    """Return the world's airports by code, with their cities and zones."""
    return {**airportsdata.load("IATA")}
