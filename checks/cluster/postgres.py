"""A PostgreSQL server of one's own, for tests and for a cluster on one machine.

It runs in a folder of its own, on a Unix socket alone. PostgreSQL refuses to run as root: then it runs as the
user `postgres`, or `nobody`.
"""

import asyncio
import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import asyncpg

from backend.store.postgres.migrate import grant, migrate
from backend.travel.providers.demo.migrations import BOOKINGS
from backend.travel.providers.migrations import SELLERS

PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin")
"""Where packages put the server's programs, which are in nobody's PATH."""

START_WITHIN_S = 30

OWNER = "detour"
"""The role that owns everything."""

SERVER_ROLE = "server"
"""The role of servers: it may read the tables, and call the functions that change them."""

_TEMPLATE = "migrated"


def as_owner(address: str) -> str:
    """Return the address of the same database for the role that owns it."""
    return address.replace(f"//{SERVER_ROLE}@", f"//{OWNER}@")


@cache
def programs() -> Path | None:
    """Return the folder of the server's programs; None if there are none."""
    found = [Path(named).resolve().parent for named in [shutil.which("initdb")] if named]
    for place in PLACES:
        found += sorted(Path("/").glob(place.lstrip("/")), reverse=True)
    return next((each for each in found if (each / "initdb").exists() and (each / "postgres").exists()), None)


def runner() -> pwd.struct_passwd | None:
    """Return the user as whom the server runs; None for whoever runs the tests."""
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise RuntimeError("PostgreSQL does not run as root, and there is neither a user postgres nor nobody.")


@contextlib.contextmanager
def serving(*, durable: bool = False) -> Iterator["Server"]:
    """Run a server; with `durable` it writes to the disk as it should."""
    bin_folder, user = programs(), runner()
    if bin_folder is None:
        raise RuntimeError("There is no PostgreSQL here.")
    # A short path: a Unix socket's may have 107 characters.
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp/"))
    if user is not None:
        os.chown(folder, user.pw_uid, user.pw_gid)
    server = Server(folder, bin_folder, user, durable)
    try:
        server.create()
        server.start()
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)


class Server:
    """A server, and the addresses of its databases."""

    def __init__(self, folder: Path, bin_folder: Path, user: pwd.struct_passwd | None, durable: bool) -> None:
        self.folder = folder
        self._bin = bin_folder
        self._user = user
        self._durable = durable
        self._process: subprocess.Popen[bytes] | None = None
        self._databases = 0
        self._has_template = False

    @property
    def pid(self) -> int:
        """The id of the process above all of the server's. Raises `LookupError` where it does not run."""
        if self._process is None:
            raise LookupError("PostgreSQL does not run.")
        return self._process.pid

    def _run(self, *command: str) -> None:
        done = subprocess.run(command, capture_output=True, check=False, **self.as_user())
        if done.returncode:
            raise RuntimeError(f"{command[0]}: {done.stderr.decode()}")

    def as_user(self) -> dict[str, object]:
        """Return what starts a process as the server's user, which may use its folder."""
        if self._user is None:
            return {"cwd": self.folder}
        return {"cwd": self.folder, "user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": []}

    def create(self) -> None:
        """Make the files of a new server."""
        self._run(
            str(self._bin / "initdb"), "--pgdata", str(self.folder / "data"), "--username", OWNER,
            "--auth", "trust", "--no-sync", "--encoding", "UTF8", "--locale", "C.UTF-8",
        )  # fmt: skip

    def start(self) -> None:
        """Start the server; returns once it answers."""
        disk = () if self._durable else ("-c", "fsync=off", "-c", "full_page_writes=off")
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    str(self._bin / "postgres"), "-D", str(self.folder / "data"), "-k", str(self.folder),
                    "-c", "listen_addresses=", "-c", "max_connections=200", "-c", "shared_buffers=32MB",
                    *disk,
                ],
                stdout=subprocess.DEVNULL,
                stderr=log,
                **self.as_user(),  # type: ignore[arg-type]
            )  # fmt: skip
        ready = [str(self._bin / "pg_isready"), "-h", str(self.folder), "-t", str(START_WITHIN_S)]
        # `pg_isready -t` waits for an answer, and there is no socket at first.
        for _ in range(START_WITHIN_S * 20):
            if not subprocess.run([*ready, "-q"], check=False).returncode:
                return
            if self._process.poll() is not None:
                break
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.05)
        raise RuntimeError((self.folder / "log").read_text())

    def kill(self) -> None:
        """End the server as a crash does."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait()
            self._process = None

    def address(self, database: str = "postgres", role: str = OWNER) -> str:
        """Return the address of a database."""
        return f"postgresql://{role}@/{database}?host={self.folder}"

    def empty_database(self) -> str:
        """Make a database without tables, and return its address for the owner."""
        return self.address(self._create("template1"))

    def new_database(self) -> str:
        """Make a database with the tables, and return its address for the role of servers."""
        if not self._has_template:
            self.sql(f"CREATE ROLE {SERVER_ROLE} LOGIN")
            self.sql(f"CREATE DATABASE {_TEMPLATE}")
            _run_beside(_prepare(self.address(_TEMPLATE)))
            self._has_template = True
        return self.address(self._create(_TEMPLATE), SERVER_ROLE)

    def _create(self, template: str) -> str:
        self._databases += 1
        name = f"test{self._databases}"
        self.sql(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    def drop(self, address: str) -> None:
        """Drop the database of an address, and end what is connected to it.

        Few of its 300 files have reached the disk by then: the next database is made in half the time.
        """
        self.sql(f"DROP DATABASE {urlsplit(address).path[1:]} WITH (FORCE)")

    def sql(self, statement: str) -> None:
        """Run a statement as the owner."""
        _run_beside(_execute(self.address(), statement))

    def run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs as its user. Raises `RuntimeError` with what it says."""
        self._run(str(self._bin / program), *arguments)


def _run_beside(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine to its end in a thread of its own: the caller may be in an event loop."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


async def _execute(address: str, statement: str) -> None:
    connection = await asyncpg.connect(address)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


async def _prepare(address: str) -> None:
    """Make the tables of a database, and have servers use them."""
    connection = await asyncpg.connect(address)
    try:
        await migrate(connection, apply=True, beside=[BOOKINGS, SELLERS])
        await grant(connection, SERVER_ROLE, [BOOKINGS, SELLERS])
    finally:
        await connection.close()
