"""The process of a server: its logs, its open files, and the port that it listens on."""

import contextlib
import os
import resource
import socket
import sys
from pathlib import Path

from pydantic import SecretStr

from .logs import configure_logging
from .settings import Settings


def prepare_process(settings: Settings) -> None:
    """Set the logs up, the folder that graphs are imported from, and how many files may be open."""
    secrets = [each.get_secret_value() for _, each in settings if isinstance(each, SecretStr)]
    configure_logging(settings.log_format, settings.log_level, secrets=[each for each in secrets if each])
    sys.path.insert(0, os.fspath(Path.cwd()))  # DETOUR_GRAPH is imported from the working directory
    # Every socket is an open file, and the usual limit is 1,024 unless a process raises it.
    _, most_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):  # some systems state "unlimited" and refuse it
        resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))


def listen(host: str, port: int) -> socket.socket:
    """Open the port before anything else: a server that cannot be reached must not recover any tasks."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        where = f"{host}:{port}"
        raise SystemExit(f"DETOUR_HOST, DETOUR_PORT: cannot listen on {where}: {error.strerror}.") from None
    # Connections inherit it. asyncio's own loop does not set it on a listener that it is given; the body of a
    # response then waits 40 ms for the acknowledgement of its head (measured; uvloop sets it).
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
