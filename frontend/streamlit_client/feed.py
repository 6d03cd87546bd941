"""Hearing the server: one plain thread per browser tab, which reads events and puts them into a queue.

The thread touches nothing but its queue, so there is no script context to hand to it, and nothing of it can
end up in another user's page. Whoever draws the page takes out of the queue what has come. It reads
server-sent events, comes back after a lost connection to the event it saw last, and ends by itself when
nobody has taken anything out for a while: that is how a closed tab looks from here.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

import httpx2
import orjson

from backend.clients.cli.api import Server, sentence_of
from backend.clients.cli.link import wait_before

ABANDONED_S = 120.0
"""Seconds without anybody taking anything out, after which the tab is gone."""
_CONNECT_S = 10.0
_HEARTBEAT_S = 20.0
"""Seconds between two comments of a server at rest, until it says otherwise."""
_SILENT_HEARTBEATS = 2.5
"""So many without a byte, and the connection is dead."""
_REFUSALS = {
    401: "The server asks for a token: set DETOUR_TOKEN where Streamlit is started.",
    403: "The server does not let this client in.",
}

Frame = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Link:
    """Whether the server is heard; where not, why, if that is known."""

    connected: bool
    sentence: str = ""


class Feed:
    """Follows a user's events from `position`, a pair of number and epoch, or from a snapshot without one."""

    def __init__(
        self,
        server: Server,
        position: tuple[int, str] | None,
        *,
        now: Callable[[], float] = time.monotonic,
        abandoned_s: float = ABANDONED_S,
    ) -> None:
        self._server = server
        self._seq, self._epoch = position or (None, "")
        self._heartbeat_s = _HEARTBEAT_S
        self._now = now
        self._abandoned_s = abandoned_s
        self._taken_at = now()
        self._heard: SimpleQueue[Frame | Link] = SimpleQueue()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._follow, name=f"feed of {server.user_id}", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether it still listens; it does not after `close`, or when nobody took anything for too long."""
        return self._thread.is_alive() and not self._closed.is_set()

    def take(self) -> Iterator[Frame | Link]:
        """Yield all that has come since the last time. Never waits."""
        self._taken_at = self._now()
        while True:
            try:
                yield self._heard.get_nowait()
            except Empty:
                return

    def close(self) -> None:
        """Let the thread end: at once between two connections, else with the next line."""
        self._closed.set()

    def _is_over(self) -> bool:
        return self._closed.is_set() or self._now() - self._taken_at > self._abandoned_s

    def _follow(self) -> None:
        attempt = 0
        with httpx2.Client(trust_env=not self._server.is_this_machine) as http:
            while not self._is_over():
                heard, sentence = self._listen(http)
                if self._is_over():
                    break
                self._heard.put(Link(connected=False, sentence=sentence))
                attempt = 0 if heard else attempt + 1
                self._closed.wait(wait_before(attempt))
        self._closed.set()

    def _listen(self, http: httpx2.Client) -> tuple[bool, str]:
        """Hear one connection to its end. Return whether anything was heard; if not, what the server said."""
        heard = False
        try:
            with http.stream("GET", self._server.path("events"), **self._request()) as response:
                if response.status_code != 200:
                    response.read()
                    return False, _REFUSALS.get(response.status_code) or sentence_of(response)
                for frame in frames_of(lines_of(response.iter_bytes())):
                    if self._is_over():
                        break
                    if frame is not None:
                        if not heard:
                            self._heard.put(Link(connected=True))
                        heard = True
                        self._hear(frame)
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, orjson.JSONDecodeError):
            pass
        return heard, ""

    def _request(self) -> dict[str, Any]:
        headers = {**self._server.headers, "Accept": "text/event-stream"}
        params = {"epoch": self._epoch} if self._epoch and self._seq is not None else {}
        if self._seq is not None:
            headers["Last-Event-ID"] = str(self._seq)
        silence_s = _SILENT_HEARTBEATS * self._heartbeat_s
        return {"headers": headers, "params": params, "timeout": httpx2.Timeout(_CONNECT_S, read=silence_s)}

    def _hear(self, frame: Frame) -> None:
        self._epoch = frame.get("epoch") or self._epoch
        self._heartbeat_s = max(self._heartbeat_s, frame.get("heartbeat_s") or 0.0)
        if frame["type"] != "hello" and "seq" in frame:
            self._seq = frame["seq"]
        self._heard.put(frame)


def lines_of(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Part what comes into lines, at line feeds alone: other separators may be anybody's text."""
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines


def frames_of(lines: Iterable[bytes]) -> Iterator[Frame | None]:
    """Read server-sent events: yield each event's data, and None for any other line."""
    data: list[bytes] = []
    for line in lines:
        if line.startswith(b"data:"):
            data.append(line.removeprefix(b"data:"))
        elif not line and data:
            yield orjson.loads(b"\n".join(data))
            data = []
        else:
            yield None
