"""The inventory's file: the same bytes each time, built when needed, never half."""

import sqlite3
from pathlib import Path

import pytest

from backend.travel.providers.demo import store
from backend.travel.providers.demo.store import build_inventory, open_inventory
from tests.providers.markets import SEED


def identity(path):
    found = path.stat()
    return found.st_ino, found.st_mtime_ns


def test_building_again_gives_the_same_bytes(inventory, inventory_path, tmp_path):
    again = tmp_path / "again.sqlite"
    build_inventory(again, seed=SEED)
    assert again.read_bytes() == inventory_path.read_bytes()


def test_opening_again_does_not_build_again(inventory, inventory_path):
    before = identity(inventory_path)
    open_inventory(inventory_path, seed=SEED).close()
    assert identity(inventory_path) == before


def test_another_generator_version_builds_anew(inventory, inventory_path, tmp_path, monkeypatch):
    path = tmp_path / "inventory.sqlite"
    path.write_bytes(inventory_path.read_bytes())
    monkeypatch.setattr(store, "GENERATOR_VERSION", store.GENERATOR_VERSION + 1)
    before = identity(path)
    open_inventory(path, seed=SEED).close()
    assert identity(path) != before
    before = identity(path)
    open_inventory(path, seed=SEED).close()
    assert identity(path) == before


def test_another_seed_builds_anew_and_differently(inventory, inventory_path, tmp_path):
    path = tmp_path / "inventory.sqlite"
    path.write_bytes(inventory_path.read_bytes())
    other = open_inventory(path, seed=SEED + 1)
    assert other.hotels("Tokyo, JP", chain=False) != inventory.hotels("Tokyo, JP", chain=False)
    other.close()


@pytest.mark.parametrize(
    "damage", [lambda content: b"not a database" * 100, lambda content: content[: len(content) // 4]]
)
def test_a_damaged_file_is_built_anew_whatever_a_killed_build_left(
    damage, inventory, inventory_path, tmp_path
):
    (tmp_path / ".inventory.sqlite-abc").write_bytes(b"half")
    path = tmp_path / "inventory.sqlite"
    path.write_bytes(damage(inventory_path.read_bytes()))
    open_inventory(path, seed=SEED).close()
    assert path.read_bytes() == inventory_path.read_bytes()


def test_a_crash_while_generating_leaves_nothing(tmp_path, monkeypatch):
    def fail(*arguments, **options):
        yield from ()
        raise MemoryError

    monkeypatch.setattr(store, "hotels", fail)
    with pytest.raises(MemoryError):
        build_inventory(tmp_path / "inventory.sqlite", seed=SEED)
    assert list(tmp_path.iterdir()) == []


def test_a_crash_before_the_rename_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
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


def test_the_file_is_read_only_once_open(inventory):
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        inventory._connection.execute("DELETE FROM hotel")
