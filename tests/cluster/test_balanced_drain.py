"""The balancer and a server that drains: it gets no more calls, and what it has goes on."""

import threading
from contextlib import ExitStack
from http.server import ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from checks.cluster.balancer import Balancer, on_this_machine
from checks.cluster.replicas import free_port
from tests.cluster.conftest import Quiet, serving_in_thread

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


class _Answers(Quiet):
    protocol_version = "HTTP/1.1"
    server: _Stub

    def get(self) -> None:
        body = self.server.ready if self.path == "/ready" else self.server.name.encode()
        if not self.path.startswith("/events"):
            self.answer(body, 503 if b"draining" in body else 200)
            return
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self._chunk(body)
        self.server.goes_on.wait(BOUND_S)
        self._chunk(b"more")
        self._chunk(b"")

    def _chunk(self, piece: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))


def test_draining_server_gets_no_calls_and_keeps_its_streams(tmp_path: Path) -> None:
    with ExitStack() as running:
        both = [running.enter_context(serving_in_thread(_Stub())) for _ in range(2)]
        stubs = {each.name: each for each in both}
        for each in both:
            running.callback(each.goes_on.set)
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
