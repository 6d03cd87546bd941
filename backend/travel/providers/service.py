"""A seller's service over HTTP: one pool of connections, its limits, and its faults in words for travellers.

What a service says of itself is not shown: its messages go to the log with the id of the request, and
travellers get a sentence of ours that names whose fault it is. Answers are bounded, addresses come from
settings, and no redirect is followed.

Cancelling a call closes its connection at once.
"""

import asyncio
import contextlib
import json
from asyncio import sleep
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from email.utils import parsedate_to_datetime
from typing import Any, cast

import httpx2
import structlog

from ...domain.errors import ProviderError
from .base import Notice

MOST_BYTES = 32 * 2**20
"""Of one answer, unpacked. A search of Duffel's with 229 offers was 1.5 MB (notes of a test run, 2026)."""

LONGEST_WAIT_S = 30.0
"""For a service that asks to be left alone. Who asks for more is not asked in this search."""

UNREACHED = "unreached"
"""The fault of a call that was never sent."""

_WITHOUT_A_TIME_S = 1.0
_LONGEST_REST_S = 600.0
"""Whatever a header says: after that the service is asked again whether it still means it."""
_CONNECTIONS = 50
_Params = Mapping[str, str | float] | None

_log = structlog.get_logger(__name__)


class ServiceError(ProviderError):
    """A service refused, failed or could not be reached; `fault` is its own word for that, for programs."""

    def __init__(self, message: str, *, status: int = 0, fault: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.fault = fault


class Busy(ServiceError):
    """A service asks to wait; `turn` knows for how long."""


class Service:
    """One service: `name` is shown to people, `fault_of` reads the service's own word for what went wrong.

    Use from one event loop. `close` ends what runs still.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        headers: Mapping[str, str],
        *,
        fault_of: Callable[[Any], str],
    ) -> None:
        self.name = name
        self._fault_of = fault_of
        self._free_at = 0.0
        # httpx2, whose pool gets its connections back where a caller is cancelled while it waits for one:
        # httpx 0.28 loses them for good (httpx #1461, 10 of 10).
        self._http = httpx2.AsyncClient(
            base_url=base_url,
            headers={**headers, "Accept-Encoding": "gzip"},
            limits=httpx2.Limits(max_connections=_CONNECTIONS, max_keepalive_connections=10),
            trust_env=False,
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    # --- calls ---------------------------------------------------------------------------------------

    async def call(
        self, method: str, path: str, *, within_s: float, params: _Params = None, body: Any = None
    ) -> Any:
        """Return the answer's JSON with decimals for its fractions, None where it has no body.

        Raises `ServiceError`, also where no answer came within `within_s`; for a write it cannot be told
        then whether it was done.
        """
        async with self.stream(method, path, within_s=within_s, params=params, body=body) as response:
            return await self.read(response)

    @contextlib.asynccontextmanager
    async def stream(
        self, method: str, path: str, *, within_s: float, params: _Params = None, body: Any = None
    ) -> AsyncGenerator[httpx2.Response]:
        """Make a call and yield its response, of which nothing has been read. Raises as `call`."""
        try:
            async with (
                asyncio.timeout(within_s),
                self._http.stream(method, path, params=params, json=body, timeout=within_s) as response,
            ):
                self._heed(response)
                if not response.is_success:
                    raise await self._error(response)
                yield response
        except TimeoutError:
            raise ServiceError(f"{self.name} did not answer in time.", fault="timeout") from None
        except httpx2.HTTPError as error:
            _log.warning("a service could not be reached", service=self.name, reason=repr(error))
            is_late = isinstance(error, httpx2.TimeoutException)
            said = "did not answer in time" if is_late else "is out of reach"
            is_unreached = isinstance(error, (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout))
            fault = UNREACHED if is_unreached else "timeout"
            raise ServiceError(f"{self.name} {said}.", fault=fault) from None

    async def lines(self, response: httpx2.Response) -> AsyncGenerator[str]:
        """Yield an answer's lines as they arrive, the last one even if it does not end."""
        held = bytearray()
        async for part in response.aiter_bytes():
            held += part
            *whole, rest = held.split(b"\n")
            held = bytearray(rest)
            for line in whole:
                yield line.decode("utf-8", "replace").rstrip("\r")
            if len(held) > MOST_BYTES:
                raise ServiceError(f"{self.name} answered more than can be read.", fault="too_large")
        if held:
            yield held.decode("utf-8", "replace")

    # --- limits --------------------------------------------------------------------------------------

    @staticmethod
    def within(longest_s: float, by: float) -> float:
        """Return for how many seconds a call may be waited for whose answer is of use until a moment."""
        return max(0.0, min(longest_s, by - asyncio.get_running_loop().time()))

    async def turn(self, by: float) -> AsyncGenerator[Notice]:
        """Wait until the service takes a call; yield what travellers are told meanwhile.

        Raises `ServiceError` at once for a longer wait than `LONGEST_WAIT_S`, or one that ends after `by`, a
        moment of the loop's clock.
        """
        until, now = self._free_at, asyncio.get_running_loop().time()
        wait = until - now
        if wait <= 0:
            return
        if wait > LONGEST_WAIT_S:
            raise ServiceError(f"{self.name} takes no questions for {wait:.0f} s. Please try again then.")
        if until > by:
            raise ServiceError(f"{self.name} asks us to wait again and again. Please try again in a while.")
        yield Notice(f"{self.name} asks us to wait {max(1, round(wait))} s")
        await sleep(wait)
        if self._free_at == until:
            self._free_at = 0.0

    def _heed(self, response: httpx2.Response) -> None:
        """Remember for how long the service wants no further call."""
        if response.status_code == 429:
            self._rest(_told_wait_s(response) or _WITHOUT_A_TIME_S)
        elif response.headers.get("ratelimit-remaining") == "0":
            self._rest(_told_wait_s(response) or 0.0)

    def _rest(self, seconds: float) -> None:
        seconds = min(seconds, _LONGEST_REST_S)
        self._free_at = max(self._free_at, asyncio.get_running_loop().time() + seconds)

    # --- answers -------------------------------------------------------------------------------------

    async def read(self, response: httpx2.Response) -> Any:
        """Return the JSON of a response, None where it has no body. Raises as `call`."""
        content = bytearray()
        async for part in response.aiter_bytes():
            content += part
            if len(content) > MOST_BYTES:
                raise ServiceError(f"{self.name} answered more than can be read.", fault="too_large")
        return self.parsed(bytes(content)) if content.strip() else None

    def parsed(self, content: bytes | str) -> Any:
        """Return the JSON of an answer. Raises `ServiceError`."""
        try:
            return json.loads(content, parse_float=Decimal)
        except (ValueError, RecursionError):
            raise ServiceError(f"{self.name} answered what cannot be read.", fault="unreadable") from None

    async def _error(self, response: httpx2.Response) -> ServiceError:
        status, fault = response.status_code, ""
        with contextlib.suppress(ServiceError, httpx2.HTTPError, *_UNTOLD):
            fault = self._fault_of(await self.read(response))
        request_id = response.headers.get("x-request-id", "")
        _log.warning(
            "a service refused", service=self.name, status=status, fault=fault[:200], request_id=request_id
        )
        return self._refused(status, fault)

    def _refused(self, status: int, fault: str) -> ServiceError:
        """Return what a refusal is for travellers."""
        if status == 429:
            return Busy(f"{self.name} is busy. Please try again in a moment.", status=status, fault=fault)
        if status in (401, 403):
            said = f"{self.name} does not accept this server's key."
        elif status >= 500:
            said = f"{self.name} has a fault of its own."
        else:
            said = f"{self.name} refused the request."
        return ServiceError(said, status=status, fault=fault)


_UNTOLD = (LookupError, TypeError, ValueError, AttributeError)


def _told_wait_s(response: httpx2.Response) -> float | None:
    """Return for how long the headers ask to wait; None where they do not.

    `Retry-After` has seconds or a moment, `ratelimit-reset` a moment. A moment is held against the service's
    own clock: ours may be wrong.
    """
    told = response.headers.get("retry-after") or response.headers.get("ratelimit-reset") or ""
    if told.isdecimal():
        return float(told)
    with contextlib.suppress(*_UNTOLD):
        now = parsedate_to_datetime(response.headers["date"])
        return max(0.0, (parsedate_to_datetime(told) - now) / timedelta(seconds=1))
    return None


# --- what answers hold ---------------------------------------------------------------------------------


def listed(value: Any) -> Sequence[Mapping[str, Any]]:
    """Return the objects of what should be a list of objects."""
    found = cast("Sequence[Any]", value if isinstance(value, list) else ())
    return [mapped(each) for each in found if isinstance(each, dict)]


def mapped(value: Any) -> Mapping[str, Any]:
    """Return what should be an object; an empty one for what is none."""
    return cast("Mapping[str, Any]", value if isinstance(value, dict) else {})
