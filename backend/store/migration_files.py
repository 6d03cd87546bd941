"""Numbered files of SQL, each of which changes the tables of a store once: `NNNN_name.sql`."""

import re
from dataclasses import dataclass
from importlib import resources


@dataclass(frozen=True, slots=True)
class Schema:
    """A schema of a database: its name, and the package that holds the files which make its tables."""

    name: str
    package: str


@dataclass(frozen=True, slots=True)
class Migration:
    """One file: its number, its name, and its statements."""

    number: int
    name: str
    text: str


def migration_files(folder: str) -> tuple[Migration, ...]:
    """Return the migrations in a folder of the package, by their numbers."""
    found = [
        Migration(int(named[1]), named[2], text_beside(folder, named[0]))
        for file in resources.files(folder).iterdir()
        if (named := re.fullmatch(r"(\d{4})_(\w+)\.sql", file.name)) is not None
    ]
    return tuple(sorted(found, key=lambda each: each.number))


def text_beside(folder: str, name: str) -> str:
    """Return the text of a file in a folder of the package."""
    return (resources.files(folder) / name).read_text("utf-8")
