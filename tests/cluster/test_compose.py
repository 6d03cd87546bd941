"""What the compose file gives to the services of the cluster, given to processes: they answer as one server.

There is no Docker here, so names of services are replaced by where the processes listen. The one thing that
only Docker does, giving a name another address, is done by a name server of the test.
"""

import socket
import struct
import threading
from contextlib import ExitStack
from http.server import ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from checks.cluster.balancer import Balancer
from checks.cluster.replicas import Replica, free_port
from tests.cluster.conftest import Quiet, serving_in_thread
from tests.postgres import Server
from tests.test_container import REPLICAS, environment

pytestmark = pytest.mark.haproxy

TOKEN = "a token of these tests, long enough"
SIGNED = {"Authorization": f"Bearer {TOKEN}"}


@pytest.mark.requirement("COMPOSE-STARTS-ONE-OR-THREE")
def test_compose_settings_make_one_server_of_processes(postgres: Server, tmp_path: Path) -> None:
    port = free_port()
    outside = {"DETOUR_TOKEN": TOKEN, "CLUSTER_PORT": str(port)}
    inside = {"DETOUR_HOST": "0.0.0.0", "DETOUR_DATA_DIR": str(tmp_path / "data")}
    inside["DETOUR_POSTGRES"] = postgres.new_database()
    inside["DETOUR_DRAIN_S"] = "0"  # each ends after the one before
    with ExitStack() as running:
        replicas: list[Replica] = []
        for name in REPLICAS:
            replica = Replica(name, tmp_path, environment(name, outside) | inside)
            replica.start()
            running.callback(replica.wait)
            running.callback(replica.end)
            replicas.append(replica)
        settings = environment("balancer", outside)
        del settings["DETOUR_RESOLVER"]
        settings["DETOUR_LISTEN"] = f"127.0.0.1:{port}"
        for number, replica in enumerate(replicas, 1):
            settings[f"DETOUR_REPLICA_{number}"] = f"127.0.0.1:{replica.port}"
        running.enter_context(Balancer(settings, tmp_path).serving())
        address = f"http://127.0.0.1:{port}"
        with httpx.Client(trust_env=False, timeout=30, headers=SIGNED) as client:
            for user in ("ada", "bo", "cy", "di"):
                body = {"user_id": user, "message": "find flights from Oslo to Rome"}
                assert client.post(f"{address}/chat", json=body).status_code == 202
                for replica in replicas:
                    told = client.get(f"{replica.address}/status/{user}").json()
                    assert told["message"] == body["message"]
            # Of the containers' machine, too, a page has the address that its browser was given.
            page = {"Origin": address, "Host": f"127.0.0.1:{port}"}
            stop = {"user_id": "ada", "message": "stop"}
            assert client.post(f"{address}/chat", json=stop, headers=page).status_code == 202


class _Ready(Quiet):
    """Answers with the address that it was reached at."""

    def body(self) -> bytes:
        return str(self.connection.getsockname()[0]).encode()


class _Names:
    """A name server that says one address for every name."""

    def __init__(self) -> None:
        self.says = ""
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"

    def serve(self) -> None:
        """Answer until an empty datagram comes."""
        with self._socket:
            while True:
                query, sender = self._socket.recvfrom(512)
                if not query:
                    return
                end = query.index(0, 12) + 5
                wants_v4 = query[end - 4 : end - 2] == b"\0\1"
                head = query[:2] + struct.pack("!HHHHH", 0x8180, 1, int(wants_v4), 0, 0)
                record = struct.pack("!HHHIH4s", 0xC00C, 1, 1, 1, 4, socket.inet_aton(self.says))
                self._socket.sendto(head + query[12:end] + (record if wants_v4 else b""), sender)

    def stop(self) -> None:
        """Have `serve` return."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(b"", ("127.0.0.1", int(self.address.rsplit(":", 1)[1])))


def test_balancer_finds_a_replica_at_its_new_address(tmp_path: Path) -> None:
    names, port, replica = _Names(), free_port(), free_port()
    thread = threading.Thread(target=names.serve)
    settings = environment("balancer", {}) | {
        "DETOUR_LISTEN": f"127.0.0.1:{port}",
        "DETOUR_RESOLVER": names.address,
        "DETOUR_REPLICA_1": f"r1.invalid:{replica}",
    }
    del settings["DETOUR_REPLICA_2"], settings["DETOUR_REPLICA_3"]
    names.says = "127.0.0.2"
    with ExitStack() as running:
        thread.start()
        running.callback(thread.join)
        running.callback(names.stop)
        running.enter_context(Balancer(settings, tmp_path).serving())
        for address in ("127.0.0.2", "127.0.0.3"):
            names.says = address
            with serving_in_thread(ThreadingHTTPServer((address, replica), _Ready)):
                assert _until_answered(f"http://127.0.0.1:{port}/status/ada") == address


def _until_answered(url: str) -> str:
    """Return the first answer that is none of the balancer's own."""
    pause = threading.Event()
    with httpx.Client(trust_env=False, timeout=30) as client:
        for _ in range(600):
            answer = client.get(url)
            if answer.status_code == 200:
                return answer.text
            pause.wait(0.05)
    raise AssertionError("The balancer never answered.")
