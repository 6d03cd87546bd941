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
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import asyncpg

from backend.store.postgres.migrate import grant, migrate
from backend.travel.providers.demo.migrations import BOOKINGS
from backend.travel.providers.migrations import SELLERS

T = TypeVar("T")

PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin")
"""Where packages put the server's programs, which are in nobody's PATH."""

START_WITHIN_S = 30

OWNER = "detour"
"""The role that owns everything."""

SERVER_ROLE = "server"
"""The role of servers: it may read the tables, and call the functions that change them."""

_TEMPLATE = "migrated"

_OWN = "relnamespace::regnamespace::text LIKE 'detour%'"

_SHAPE = f"""
SELECT md5(string_agg(row, chr(10) ORDER BY row)) FROM (
    SELECT concat_ws(' ', oid, relname, relkind, relacl, reloptions, relhastriggers, relpages) AS row
        FROM pg_class WHERE {_OWN}
    UNION ALL SELECT a::text FROM pg_attribute a JOIN pg_class ON attrelid = pg_class.oid WHERE {_OWN}
    UNION ALL SELECT p::text FROM pg_proc p WHERE pronamespace::regnamespace::text LIKE 'detour%'
    UNION ALL SELECT c::text FROM pg_constraint c WHERE oid >= 16384
    UNION ALL SELECT t::text FROM pg_trigger t WHERE oid >= 16384
    UNION ALL SELECT n::text FROM pg_namespace n WHERE nspname !~ '^pg_.*temp'
    UNION ALL SELECT concat(setrole, setconfig) FROM pg_db_role_setting
    UNION ALL SELECT i::text FROM detour.identity i
    UNION ALL SELECT m::text FROM detour.migrations m
    UNION ALL SELECT m::text FROM detour_demo.migrations m
    UNION ALL SELECT m::text FROM detour_sellers.migrations m
    UNION ALL SELECT 'grown' FROM pg_class WHERE {_OWN} AND relkind = 'r' AND pg_relation_size(oid) > 81920
) AS rows
"""
"""What a database is but for its rows. One with a table of over 10 pages counts as another: queries are
planned for 10 until a table has more, or has been looked at by a vacuum."""

_EMPTY = f"""
DO $$
DECLARE
    filled regclass;
BEGIN
    SET LOCAL session_replication_role = replica;  -- no trigger, and in any order
    FOR filled IN SELECT oid FROM pg_class WHERE {_OWN} AND relkind = 'r' AND pg_relation_size(oid) > 0
        AND relname NOT IN ('identity', 'migrations')
    LOOP
        EXECUTE format('DELETE FROM %s', filled);
    END LOOP;
    PERFORM setval(oid::regclass, 1, false) FROM pg_class WHERE {_OWN} AND relkind = 'S';
END $$
"""


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
        self._shape = ""
        self._free: list[str] = []

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
        self._have_template()
        return self.address(self._create("template1"))

    def new_database(self) -> str:
        """Return the address, for the role of servers, of a database with the tables and without rows."""
        self._have_template()
        return self._free.pop() if self._free else self.address(self._create(_TEMPLATE), SERVER_ROLE)

    def _have_template(self) -> None:
        """Make the role of servers, and the database that others are copies of."""
        if not self._shape:
            self.sql(f"CREATE ROLE {SERVER_ROLE} LOGIN")
            self.sql(f"CREATE DATABASE {_TEMPLATE}")
            self._shape = _run_beside(_prepare(self.address(_TEMPLATE)))

    def _create(self, template: str) -> str:
        self._databases += 1
        name = f"test{self._databases}"
        self.sql(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    def give_back(self, address: str) -> None:
        """End what is connected to a database, and keep it for the next who asks for one, without its rows.

        One that is more than its rows away from a new one is dropped. To make one takes ten times as long.
        """
        if _run_beside(_emptied(as_owner(address), self._shape)):
            self._free.append(address)
        else:
            self.sql(f"DROP DATABASE {urlsplit(address).path[1:]} WITH (FORCE)")

    def sql(self, statement: str) -> None:
        """Run a statement as the owner."""
        _run_beside(_execute(self.address(), statement))

    def run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs as its user. Raises `RuntimeError` with what it says."""
        self._run(str(self._bin / program), *arguments)


def _run_beside(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end in a thread of its own: the caller may be in an event loop."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


@contextlib.asynccontextmanager
async def _connected(address: str) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(address)
    try:
        yield connection
    finally:
        await connection.close()


async def _execute(address: str, statement: str) -> None:
    async with _connected(address) as connection:
        await connection.execute(statement)


async def _prepare(address: str) -> str:
    """Make the tables of a database, and have servers use them; return its shape."""
    async with _connected(address) as connection:
        await migrate(connection, apply=True, beside=[BOOKINGS, SELLERS])
        await grant(connection, SERVER_ROLE, [BOOKINGS, SELLERS])
        return await connection.fetchval(_SHAPE)


async def _emptied(address: str, shape: str) -> bool:
    """Empty a database whose shape is still this one, and return whether it is."""
    async with _connected(address) as connection:
        await connection.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        if await connection.fetchval(_SHAPE) != shape:
            return False
        await connection.execute(_EMPTY)
        return True
