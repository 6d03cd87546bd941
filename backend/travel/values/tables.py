"""Reads the tables of places: tab-separated files beside this module, whose first line names the columns."""

from collections.abc import Iterator
from importlib.resources import files

_PACKAGE, _, _ = __name__.rpartition(".")


def rows(table: str) -> Iterator[dict[str, str]]:
    """Yield the rows of `<table>.tsv` in order, by column. Raises ValueError for one of other columns."""
    # Read as a resource, since an installed package may lie in an archive and not in a folder.
    text = files(_PACKAGE).joinpath(f"{table}.tsv").read_text("utf-8")
    head, *lines = text.splitlines()
    columns = head.split("\t")
    for line in lines:
        yield dict(zip(columns, line.split("\t"), strict=True))


def listed(cell: str, separator: str = ", ") -> tuple[str, ...]:
    """Return what a cell lists; nothing where it is empty."""
    return tuple(cell.split(separator)) if cell else ()
