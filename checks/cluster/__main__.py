"""A cluster on this machine: PostgreSQL, some replicas, and a balancer that sends each user to one of them.

`make cluster`; Ctrl+C ends all of it. `ARGS="--replicas 5 --port 9000"`. Everything that is stored is in a
folder of its own, which goes with it; with `--database postgresql://...` a database of yours is used.
"""

import argparse
import contextlib
import signal
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import structlog

from checks.cluster.balancer import MOST_REPLICAS, Balancer, on_this_machine
from checks.cluster.postgres import serving
from checks.cluster.replicas import Replica, free_port, is_taken


def main() -> None:
    """Run a cluster until a signal ends it."""
    parser = argparse.ArgumentParser(prog="make cluster", description=__doc__)
    parser.add_argument(
        "--replicas", type=_from(1, MOST_REPLICAS), default=3, help=f"1 to {MOST_REPLICAS}; 3 by default"
    )
    parser.add_argument(
        "--port", type=_from(0, 65_535), default=8000, help="where the balancer listens; 0 takes any"
    )
    parser.add_argument("--database", default="", help="an address; by default a PostgreSQL of its own")
    given = parser.parse_args()
    if is_taken(given.port):
        # Before anything starts: haproxy would find out last.
        raise SystemExit(f'Port {given.port} of 127.0.0.1 is in use. Name another: ARGS="--port 9000".')
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    over = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: over.set())
    with contextlib.ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory()))
        database = given.database or running.enter_context(serving(durable=True)).new_database()
        port = given.port or free_port()
        settings = {
            "DETOUR_POSTGRES": database,
            "DETOUR_DATA_DIR": str(folder / "data"),
            "DETOUR_ALLOWED_HOSTS": f"127.0.0.1:{port},localhost:{port}",
        }
        replicas = [Replica(f"r{number}", folder, settings) for number in range(1, given.replicas + 1)]
        # All are told to end before one is waited for: each serves on for a while.
        ended = running.enter_context(contextlib.ExitStack())
        told = running.enter_context(contextlib.ExitStack())
        for replica in replicas:
            replica.start()
            ended.callback(replica.wait)
            told.callback(replica.end)
        balancer = Balancer(on_this_machine(port, [replica.port for replica in replicas]), folder)
        running.enter_context(balancer.serving())
        sys.stdout.write(f"Detour is at http://127.0.0.1:{port}/, on {len(replicas)} replicas\n")
        for replica in replicas:
            sys.stdout.write(f"  {replica.name} at {replica.address}/\n")
        sys.stdout.flush()
        over.wait()
        sys.stdout.write("Ending\n")


def _from(lowest: int, highest: int) -> Callable[[str], int]:
    """Return what reads a flag that is a number in these bounds."""

    def number(text: str) -> int:
        if not lowest <= int(text) <= highest:
            raise argparse.ArgumentTypeError(f"{text} is not from {lowest} to {highest}")
        return int(text)

    return number


if __name__ == "__main__":
    main()
