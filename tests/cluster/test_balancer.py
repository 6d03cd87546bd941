"""The whole of it: haproxy, three replicas and their database, by one address, as `make cluster` runs it."""

import signal
import socket
import subprocess
import sys
from collections import Counter

import httpx
import pytest

from checks.cluster.balancer import CONFIGURATION, MOST_REPLICAS, program

pytestmark = [pytest.mark.postgres, pytest.mark.haproxy]

USERS = [f"user{number}" for number in range(9)]


def test_balancer_sends_all_calls_of_a_user_to_one_replica() -> None:
    assert program() is not None
    command = [sys.executable, "-m", "checks.cluster", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as cluster:
        try:
            assert cluster.stdout is not None
            address = cluster.stdout.readline().split()[3].rstrip("/,")
            replicas = [cluster.stdout.readline().split()[2] for _ in range(3)]
            with httpx.Client(trust_env=False, timeout=30) as client:
                for user in USERS:
                    for path, message in (("/chat", "find flights from Oslo to Rome"), ("/v1/chat", "stop")):
                        body = {"user_id": user, "message": message}
                        assert client.post(f"{address}{path}", json=body).status_code == 202
                    assert client.get(f"{address}/status/{user}").json()["message"]
                accepted = Counter({each: _messages(client, each) for each in replicas})
        finally:
            cluster.send_signal(signal.SIGTERM)
            cluster.communicate()
    assert cluster.returncode == 0
    # All of a user's messages came to one replica, and no replica got everybody.
    assert sum(accepted.values()) == 2 * len(USERS)
    assert all(count % 2 == 0 for count in accepted.values())
    assert max(accepted.values()) < 2 * len(USERS)


def refused(*flags: str) -> str:
    """Return what `make cluster` says before it starts anything."""
    command = [sys.executable, "-m", "checks.cluster", *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode
    assert done.stdout == ""
    return done.stderr


def test_used_port_is_reported_in_one_line_before_anything_starts() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        told = refused("--port", str(port))
    assert told == f'Port {port} of 127.0.0.1 is in use. Name another: ARGS="--port 9000".\n'


@pytest.mark.parametrize("number", ["0", "9", "-1"])
def test_too_many_replicas_are_refused(number: str) -> None:
    told = refused("--port", "0", f"--replicas={number}").splitlines()[-1]
    assert told.endswith(f"argument --replicas: {number} is not from 1 to {MOST_REPLICAS}")
    configuration = CONFIGURATION.read_text("utf-8")
    assert f"DETOUR_REPLICA_{MOST_REPLICAS})" in configuration
    assert f"DETOUR_REPLICA_{MOST_REPLICAS + 1}" not in configuration


def _messages(client: httpx.Client, replica: str) -> int:
    """Return how many tasks a replica has ended, each of one message."""
    text = client.get(f"{replica}metrics").text
    ended = [line for line in text.splitlines() if line.startswith("detour_tasks_ended_total")]
    unfinished = [line for line in text.splitlines() if line.startswith("detour_tasks{")]
    return int(sum(float(line.rsplit(" ", 1)[1]) for line in (*ended, *unfinished)))
