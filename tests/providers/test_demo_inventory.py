"""The inventory: a network that could be, in a file with the same bytes each time, never half."""

from pathlib import Path

import pytest

from backend.travel.providers.demo import inventory as files
from backend.travel.providers.demo.inventory import (
    block_minutes,
    build_inventory,
    open_inventory,
    services,
    timetable,
)
from backend.travel.providers.demo.world import CARRIERS, airports_of, distance_km
from backend.travel.values.places import CITIES
from tests.providers.markets import SEED

AIRPORTS = airports_of(CITIES)


REAL_AIRLINES = (
    "lufthansa", "british", "emirates", "delta", "united", "american", "ryanair", "easyjet", "qatar",
    "qantas", "singapore", "cathay", "swiss", "iberia", "vueling", "wizz", "turkish", "aeroflot", "aurora",
    "avianca", "latam", "azul", "gol", "jetblue", "southwest", "spirit", "frontier", "alaska", "hawaiian",
    "westjet", "porter", "indigo", "vistara", "scoot", "jetstar", "virgin", "condor", "eurowings",
    "transavia", "volotea", "norwegian",
)  # fmt: skip


@pytest.fixture(scope="module")
def all_services():
    return list(services(AIRPORTS, seed=7))


@pytest.fixture(scope="module")
def patterns(all_services):
    return list(timetable(all_services, seed=7))


def test_carrier_cannot_be_taken_for_a_real_airline():
    for carrier in CARRIERS:
        assert carrier.id.startswith("demo-")  # no designator of two characters, nor one of three
        assert "Demo" in carrier.name
        assert not any(real in carrier.name.casefold() for real in REAL_AIRLINES), carrier.name
    assert len({carrier.id for carrier in CARRIERS}) == len(CARRIERS)


def test_network_reaches_every_airport_and_goes_both_ways(all_services, patterns):
    network = [each for each in all_services if not CARRIERS[each.carrier].low_cost]
    assert {code for each in network for code in (each.base.code, each.other.code)} == set(AIRPORTS)
    there = {(p.origin, p.destination, p.carrier) for p in patterns}
    assert all(origin != destination for origin, destination, _ in there)
    assert there == {(destination, origin, carrier) for origin, destination, carrier in there}
    assert len({(pattern.carrier, pattern.number) for pattern in patterns}) == len(patterns)


def test_block_times_are_those_of_known_flights():
    there, back = AIRPORTS["JFK"], AIRPORTS["LHR"]
    km = distance_km(there, back)
    assert km == pytest.approx(5_540, abs=20)
    assert block_minutes(there, back, km=km) == 420
    assert block_minutes(back, there, km=km) == 460


def test_network_depends_on_its_seed_alone(patterns):
    assert list(timetable(services(AIRPORTS, seed=7), seed=7)) == patterns
    assert list(timetable(services(AIRPORTS, seed=8), seed=8)) != patterns


def identity(path):
    found = path.stat()
    return found.st_ino, found.st_mtime_ns


def test_file_has_the_same_bytes_each_time(inventory, inventory_path, tmp_path):
    again = tmp_path / "again.sqlite"
    build_inventory(again, seed=SEED)
    assert again.read_bytes() == inventory_path.read_bytes()


def test_file_is_not_built_again_when_opened(inventory, inventory_path):
    before = identity(inventory_path)
    open_inventory(inventory_path, seed=SEED).close()
    assert identity(inventory_path) == before


def test_file_of_another_generator_version_is_built_anew(inventory, inventory_path, tmp_path, monkeypatch):
    path = tmp_path / "inventory.sqlite"
    path.write_bytes(inventory_path.read_bytes())
    monkeypatch.setattr(files, "GENERATOR_VERSION", files.GENERATOR_VERSION + 1)
    before = identity(path)
    open_inventory(path, seed=SEED).close()
    assert identity(path) != before
    before = identity(path)
    open_inventory(path, seed=SEED).close()
    assert identity(path) == before


def test_file_of_another_seed_is_built_anew(inventory, inventory_path, tmp_path):
    path = tmp_path / "inventory.sqlite"
    path.write_bytes(inventory_path.read_bytes())
    other = open_inventory(path, seed=SEED + 1)
    assert other.flights("LHR", "JFK", weekday=0) != inventory.flights("LHR", "JFK", weekday=0)
    other.close()


@pytest.mark.parametrize(
    "damage", [lambda content: b"not a database" * 100, lambda content: content[: len(content) // 4]]
)
def test_damaged_file_is_built_anew(damage, inventory, inventory_path, tmp_path):
    (tmp_path / ".inventory.sqlite-abc").write_bytes(b"half")
    path = tmp_path / "inventory.sqlite"
    path.write_bytes(damage(inventory_path.read_bytes()))
    open_inventory(path, seed=SEED).close()
    assert path.read_bytes() == inventory_path.read_bytes()


def test_crash_while_generating_leaves_nothing(tmp_path, monkeypatch):
    def fail(*arguments, **options):
        yield from ()
        raise MemoryError

    monkeypatch.setattr(files, "timetable", fail)
    with pytest.raises(MemoryError):
        build_inventory(tmp_path / "inventory.sqlite", seed=SEED)
    assert list(tmp_path.iterdir()) == []


def test_crash_before_the_rename_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "inventory.sqlite"
    path.write_bytes(b"the old one")

    def full_disk(self, target):
        assert self.stat().st_size > 1_000_000, "what is renamed is whole by then"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full_disk)
    with pytest.raises(OSError, match="No space left"):
        build_inventory(path, seed=SEED)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == b"the old one"
