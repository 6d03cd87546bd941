"""The tables of places are well formed: each cell is what its column says, and nothing is in them twice."""

import re
from collections import Counter
from importlib.resources import files

import pytest

from backend.travel import values
from backend.travel.values.tables import listed, rows

CODES = r"[A-Z]{3}"
LATITUDE, LONGITUDE = r"-?[0-8]?\d\.\d{2,3}", r"-?(1[0-7]|\d)?\d\.\d{2,3}"
TEXT = r"\S(.*\S)?"
LABEL = r"[^,;]+(, [^,;]+)?, [A-Z]{2}"
NAMES = r"[^,;\s][^,;]*(, [^,;\s][^,;]*)*"
COLUMNS = {
    "cities": {
        "country": r"[A-Z]{2}",
        "name": r"[^,;]+",
        "subdivision": r"[^,;]*",
        "tier": r"[123]",
        "airports": rf"({CODES}( {CODES})*)?",
        "metro": rf"({CODES})?",
        "aliases": rf"({NAMES})?",
        "latitude": LATITUDE,
        "longitude": LONGITUDE,
    },
    "towns": {
        "country": r"[A-Z]{2}",
        "name": r"[^,;]+",
        "subdivision": r"[^,;]*",
        "aliases": rf"({NAMES})?",
        "latitude": LATITUDE,
        "longitude": LONGITUDE,
    },
    "countries": {"code": r"[A-Z]{2}", "names": NAMES},
    "regions": {"names": NAMES, "cities": rf"{LABEL}(; {LABEL}){{0,4}}"},
    "landmarks": {"names": NAMES, "city": LABEL, "district": TEXT},
    "districts": {"city": LABEL, "name": r"[^;]+", "latitude": LATITUDE, "longitude": LONGITUDE},
}
KEYS = {
    "cities": ("country", "name", "subdivision"),
    "towns": ("country", "name", "subdivision"),
    "countries": ("code",),
    "regions": ("names",),
    "landmarks": ("names",),
    "districts": ("city", "name"),
}


def test_there_are_no_other_tables():
    names = {each.name.removesuffix(".tsv") for each in files(values).iterdir() if each.name.endswith(".tsv")}
    assert names == COLUMNS.keys()


@pytest.mark.parametrize("table", COLUMNS)
def test_each_cell_is_what_its_column_says(table):
    for row in rows(table):
        assert row.keys() == COLUMNS[table].keys()
        for column, form in COLUMNS[table].items():
            assert re.fullmatch(form, row[column]), (column, row)
            assert row[column] == row[column].strip(), (column, row)


@pytest.mark.parametrize("table", KEYS)
def test_nothing_is_in_a_table_twice(table):
    counted = Counter(tuple(row[column] for column in KEYS[table]) for row in rows(table))
    assert [key for key, count in counted.items() if count > 1] == []


@pytest.mark.parametrize("table", ["regions", "landmarks", "countries"])
def test_no_name_stands_for_two_rows_of_a_table(table):
    counted = Counter(name for row in rows(table) for name in listed(row["names"]))
    assert [name for name, count in counted.items() if count > 1] == []


def test_districts_of_one_city_stand_together():
    cities = [row["city"] for row in rows("districts")]
    begun = [city for at, city in enumerate(cities) if at == 0 or cities[at - 1] != city]
    assert len(begun) == len(set(begun))


def test_a_row_with_other_columns_than_the_head_is_refused(tmp_path, monkeypatch):
    (tmp_path / "broken.tsv").write_text("code\tnames\nDE\n", "utf-8")
    monkeypatch.setattr("backend.travel.values.tables.files", lambda _package: tmp_path)
    with pytest.raises(ValueError, match="shorter"):
        list(rows("broken"))
