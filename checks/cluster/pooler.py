"""pgbouncer between replicas and their database: each transaction gets whichever connection is free."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator

from checks.cluster.postgres import SERVER_ROLE, Server

POOL_SIZE = 6
"""Connections to the database, of all replicas together: so few that each goes from one to the next."""

_PORT = 6432

_CONFIGURATION = """
[databases]
* = host={folder} user={role}
[pgbouncer]
unix_socket_dir = {folder}
unix_socket_mode = 0777
listen_addr =
listen_port = {port}
auth_type = any
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 200
server_login_retry = 1
"""


def program() -> str | None:
    """Return pgbouncer's path; None if it is not installed."""
    return shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")


def through(address: str) -> str:
    """Return the address of the same database by way of the pooler."""
    return f"{address}&port={_PORT}"


@contextlib.contextmanager
def pooling(server: Server) -> Iterator[None]:
    """Run a pooler for all databases of a server. Raises `RuntimeError` if it cannot start."""
    path = program()
    if path is None:
        raise RuntimeError("pgbouncer is not installed (Debian's package pgbouncer)")
    configuration = server.folder / "pgbouncer.ini"
    text = _CONFIGURATION.format(folder=server.folder, role=SERVER_ROLE, port=_PORT, size=POOL_SIZE)
    configuration.write_text(text, "utf-8")
    os.chmod(configuration, 0o644)
    with (server.folder / "pgbouncer.log").open("ab") as log:
        process = subprocess.Popen([path, str(configuration)], stdout=log, stderr=log, **server.as_user())  # type: ignore[call-overload]
    try:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.5)
            raise RuntimeError((server.folder / "pgbouncer.log").read_text())
        yield
    finally:
        process.terminate()
        process.wait()
