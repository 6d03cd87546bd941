"""The balancer and a server that drains: it gets no more calls, and what it has goes on."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from checks.cluster.balancer import Balancer, on_this_machine
from checks.cluster.replicas import free_port

pytestmark = [pytest.mark.haproxy, pytest.mark.requirement("A-ROLLING-RESTART-REFUSES-NOTHING")]

BOUND_S = 60


class _Stub(ThreadingHTTPServer):
    """Answers each call with its port, and `/events` with a second piece once it is let go on."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.ready = b'{"status":"ok"}'
        self.goes_on = threading.Event()

    @property
    def name(self) -> str:
        return str(self.server_address[1])


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Stub

    def do_GET(self) -> None:
        drains = b"draining" in self.server.ready
        body = self.server.ready if self.path == "/ready" else self.server.name.encode()
        self.send_response(503 if drains and self.path == "/ready" else 200)
        if self.path.startswith("/events"):
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self._chunk(body)
            self.server.goes_on.wait(BOUND_S)
            self._chunk(b"more")
            self._chunk(b"")
        else:
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def _chunk(self, piece: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing."""


@contextmanager
def _stub() -> Iterator[_Stub]:
    with _Stub() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.goes_on.set()
            server.shutdown()
            thread.join()


def test_a_server_that_drains_gets_no_calls_and_keeps_its_streams(tmp_path: Path) -> None:
    with ExitStack() as running:
        stubs = {each.name: each for each in (running.enter_context(_stub()) for _ in range(2))}
        port = free_port()
        settings = on_this_machine(port, [int(name) for name in stubs])
        running.enter_context(Balancer(settings, tmp_path).serving())
        client = running.enter_context(
            httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=BOUND_S)
        )
        stream = running.enter_context(client.stream("GET", "/events/ada"))
        pieces = stream.iter_bytes()
        name = next(pieces).decode()
        assert client.get("/status/ada").text == name
        stubs[name].ready = b'{"status":"draining"}'
        pause = threading.Event()
        for _ in range(BOUND_S * 20):
            answer = client.get("/status/ada")
            assert answer.status_code == 200
            if answer.text != name:
                break
            pause.wait(0.05)
        assert answer.text != name
        stubs[name].goes_on.set()
        assert b"".join(pieces) == b"more"
