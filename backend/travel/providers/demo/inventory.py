"""Airports and flights of the demo inventory as a file: built once by the generator, then only read.

Nothing of it is shipped. The file is built at first start, and again when its stamp (generator version, seed,
tables it was made from) is not that of the running code. It is built in memory, written under another name
and renamed, so that a crash leaves either the old file, the new one, or none, never half a one.
"""

import os
import sqlite3
import tempfile
from collections.abc import Iterable
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from ...values.places import CITIES
from .timetable import Pattern, services, timetable
from .world import CARRIERS, Airport, airports_of, distance_km, fingerprint

GENERATOR_VERSION = 2
"""Raised whenever the generator's code yields something else; its tables are in the stamp anyway."""

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE airport (
    code TEXT PRIMARY KEY, country TEXT NOT NULL, latitude REAL NOT NULL, longitude REAL NOT NULL,
    zone TEXT NOT NULL, size REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE pattern (
    origin TEXT NOT NULL, destination TEXT NOT NULL, departure INTEGER NOT NULL, block INTEGER NOT NULL,
    weekdays INTEGER NOT NULL, carrier INTEGER NOT NULL, number INTEGER NOT NULL,
    PRIMARY KEY (origin, destination, departure, carrier, number)
) WITHOUT ROWID;
"""


class Route(NamedTuple):
    """Flights from one airport to another: their distance, and whether a network carrier is among them."""

    km: float
    connects: bool


class Inventory:
    """The open file. Airports and routes are held in memory, flights are read when asked for.

    Synchronous: a look-up takes some ten microseconds. One thread at a time.
    """

    def __init__(self, connection: sqlite3.Connection, *, seed: int) -> None:
        self.seed = seed
        self._connection = connection
        self.airports = {row[0]: Airport(*row) for row in connection.execute("SELECT * FROM airport")}
        network = ",".join(str(index) for index, carrier in enumerate(CARRIERS) if not carrier.low_cost)
        self.routes: dict[str, dict[str, Route]] = {code: {} for code in self.airports}
        for origin, destination, connects in connection.execute(
            f"SELECT origin, destination, max(carrier IN ({network})) FROM pattern GROUP BY 1, 2"
        ):
            km = distance_km(self.airports[origin], self.airports[destination])
            self.routes[origin][destination] = Route(km, bool(connects))

    def flights(self, origin: str, destination: str, *, weekday: int) -> list[Pattern]:
        """Return the flights between two airports on a weekday (Monday is 0), by time of departure."""
        found = self._connection.execute(
            "SELECT * FROM pattern WHERE origin = ? AND destination = ? AND weekdays & ? ORDER BY departure",
            (origin, destination, 1 << weekday),
        )
        return [Pattern(*row) for row in found]

    def close(self) -> None:
        """Close the file; nothing can be read afterwards."""
        self._connection.close()


def open_inventory(path: Path, *, seed: int) -> Inventory:
    """Open the inventory at `path`; builds it first if there is none, or not this one (under a second)."""
    inventory = read_inventory(path, seed=seed)
    if inventory is None:
        build_inventory(path, seed=seed)
        inventory = read_inventory(path, seed=seed)
    if inventory is None:
        raise RuntimeError(f"The demo inventory at {path} cannot be read after it was built.")
    return inventory


def build_inventory(path: Path, *, seed: int) -> None:
    """Build the inventory at `path`, replacing what is there. The same seed gives the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(":memory:")) as content:
        _generate(content, seed=seed)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
        os.close(handle)
        unfinished = Path(name)
        try:
            with closing(sqlite3.connect(unfinished)) as file:
                file.execute("PRAGMA journal_mode = OFF")  # what is renamed only when whole needs none
                content.backup(file)
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)


def read_inventory(path: Path, *, seed: int) -> Inventory | None:
    """Open the inventory at `path`; None if there is none, or not this one."""
    if not path.exists():
        return None
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?immutable=1", uri=True, check_same_thread=False)
    try:
        found = connection.execute("SELECT value FROM meta WHERE key = 'stamp'").fetchone()
        if found == (_stamp(seed=seed),):
            return Inventory(connection, seed=seed)
    except sqlite3.DatabaseError:
        pass  # not a database, or a damaged one: built anew like an old one
    connection.close()
    return None


def _stamp(*, seed: int) -> str:
    tables = fingerprint(CITIES, CARRIERS, version("airportsdata"))
    return f"generator {GENERATOR_VERSION}, seed {seed}, tables {tables}"


def _generate(connection: sqlite3.Connection, *, seed: int) -> None:
    connection.executescript(_SCHEMA)
    airports = airports_of(CITIES)
    rows: dict[str, Iterable[tuple[object, ...]]] = {
        "meta": [("stamp", _stamp(seed=seed))],
        "airport": ((a.code, a.country, a.latitude, a.longitude, a.zone, a.size) for a in airports.values()),
        "pattern": sorted(timetable(services(airports, seed=seed), seed=seed)),
    }
    for table, of_table in rows.items():
        columns = len(connection.execute(f"SELECT * FROM {table}").description)
        connection.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * columns)})", of_table)
    connection.commit()
