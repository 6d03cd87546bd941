"""Whether a message wants the offers in another order: "cheapest first", "sort by duration"."""

from ....values.offers import By
from ...found import FoundQuestion
from ..language.tables import phrases_of, words_of
from ..language.text import Phrases, Text
from . import words
from .coverage import Coverage

_SAID = phrases_of("found")
_WORDS = words_of("found")

_Table = tuple[tuple[By, bool, Phrases], ...]


def find_sorting(coverage: Coverage) -> FoundQuestion | None:
    """Return the order that is wanted, None if none is."""
    order = _sorted_by(coverage) or _bare_order(coverage) or _first_of_all(coverage)
    if order is None:
        return None
    by, descending = order
    if by == "distance":
        coverage.take_all(_SAID.centre)
    if coverage.take(_SAID.downwards):
        descending = True
    elif coverage.take(_SAID.upwards):
        descending = False
    text = coverage.text
    coverage.used |= {at for at in range(text.length) if text.norm(at) in _WORDS.sort_words | {"by"}}
    return FoundQuestion(topic="sort", by=by, descending=descending)


def find_order_beside(text: Text) -> tuple[FoundQuestion, frozenset[str]] | None:
    """Return the order that a message wants beside what it changes, and the words that tell so; None without.

    "Drop the limit and sort by departure time": the rest of the message is read by others.
    """
    if not (text.has(_SAID.sorts) or text.has(_SAID.first)):
        return None
    coverage = Coverage(text, ())
    order = _sorted_by(coverage) or _named_first(coverage)
    if order is None:
        return None
    by, descending = order
    descending = (descending or coverage.take(_SAID.downwards)) and not coverage.take(_SAID.upwards)
    said = frozenset(text.norm(at) for at in coverage.used) | _WORDS.sort_words
    return FoundQuestion(topic="sort", by=by, descending=descending), said


def _sorted_by(coverage: Coverage) -> tuple[By, bool] | None:
    """ "sort them by price"."""
    text = coverage.text
    at = text.find(_SAID.sorts)
    if at < 0:
        return None
    after = at + text.match(_SAID.sorts, at)
    coverage.use(at, after)
    return _key_at(coverage, words.SORT_KEYS, after) or _key_at(coverage, words.PICKS, after)


def _bare_order(coverage: Coverage) -> tuple[By, bool] | None:
    """ "by price please", "order: departure"."""
    text = coverage.text
    if text.norm(0) not in ("by", "sort", "order", "rank"):
        return None
    found = (_key_at(coverage, words.SORT_KEYS, at) for at in range(1, text.length))
    return next((key for key in found if key), None)


def _first_of_all(coverage: Coverage) -> tuple[By, bool] | None:
    """ "cheapest first", "put the fastest on top", "from cheapest to most expensive"."""
    order = _named_first(coverage)
    text = coverage.text
    if order is None and (text.match(_SAID.upwards, 0) or text.match(_SAID.downwards, 0)):
        return "duration" if text.norm(0) in ("shortest", "longest") else "price", False
    return order


def _named_first(coverage: Coverage) -> tuple[By, bool] | None:
    text = coverage.text
    for at in range(text.length):
        for by, descending, names in words.PICKS if text.norm(at) in words.ALL_PICKS.begin else ():
            after = at + text.match(names, at)
            noun = text.norm(after) in ("one", "ones", "flights", "hotels", "flight", "hotel", "offers")
            first = text.match(_SAID.first, after + noun) if after > at else 0
            if first:
                coverage.use(at, after + noun + first)
                return by, descending
    return None


def _key_at(coverage: Coverage, table: _Table, at: int) -> tuple[By, bool] | None:
    at += coverage.text.norm(at) in ("the", "their", "its")
    read = max(table, key=lambda row: coverage.text.match(row[2], at))
    length = coverage.text.match(read[2], at)
    if not length:
        return None
    coverage.use(at, at + length)
    return read[:2]
