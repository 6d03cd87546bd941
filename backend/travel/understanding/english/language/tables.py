"""The words and phrases of a topic: one TOML file in `tables/`, read once and checked as it is read.

A file has up to three tables, and rows of its own:

    [words]
    few = "one two three"                        # a set of words

    [parts]                                      # what phrases are put together from
    what = ["it", "that (one|booking)"]          # "it", "that one", "that booking"

    [phrases]
    asks = ["book {what}", "(please |)do it"]    # "book it", ..., "please do it", "do it"

    [[picks]]                                    # rows, each checked against a class of the code
    by = "price"
    phrases = ["cheapest", "least expensive"]

`(a|b)` stands for one of several, each of which may be empty; `{name}` for each phrase of the list of that
name or, in words, for each of its words; `~word` and `~{name}` take words out again. `{topic.name}` is a list
of another file. The word END is what `Text.norm` gives outside of a message. A part may be empty, a phrase
never.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

from pydantic import TypeAdapter, ValidationError

from .text import Phrases, phrases

FOLDER = Path(__file__).parent.parent / "tables"
_PART = re.compile(r"\(([^()]*)\)|\{([a-z_0-9.]+)\}")
_LIST = TypeAdapter(list[str])
_Row = TypeVar("_Row")


class PhraseTable:
    """The `[phrases]` of a topic, each list by its name: `SAID.asks`."""

    def __init__(self, topic: str) -> None:
        for name in _read(topic).get("phrases", {}):
            setattr(self, name, _phrases(topic, f"phrases.{name}", spelled(topic, name)))

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Phrases: ...


class WordTable:
    """The `[words]` of a topic, each set by its name: `WORDS.few`."""

    def __init__(self, topic: str) -> None:
        for name, value in _read(topic).get("words", {}).items():
            setattr(self, name, _words(topic, f"words.{name}", value))

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> frozenset[str]: ...


@cache
def phrases_of(topic: str) -> PhraseTable:
    """Return the phrases of a topic. Raises `ValueError` that names the file and the list that is wrong."""
    return PhraseTable(topic)


def lists_of(topic: str) -> Mapping[str, Phrases]:
    """Return the phrases of a topic by the names of their lists. Raises as `phrases_of`."""
    return vars(phrases_of(topic))


@cache
def words_of(topic: str) -> WordTable:
    """Return the words of a topic. Raises `ValueError` that names the file and the set that is wrong."""
    return WordTable(topic)


@cache
def rows_of(topic: str, name: str, row: type[_Row]) -> tuple[_Row, ...]:
    """Return the rows of a name in the order of the file, each as an object of a dataclass.

    A field of type `Phrases` is a list of phrases in the file, one of `frozenset[str]` a string of words; all
    others are checked against their types. Raises `ValueError` that names the file, the row and the field.
    """
    types = get_type_hints(row)
    needed = {field.name for field in fields(row)}  # pyright: ignore[reportArgumentType]
    rows: list[_Row] = []
    for number, told in enumerate(_read(topic).get(name, ()), start=1):
        where = f"{name}[{number}]"
        if unknown := told.keys() - needed:
            raise _wrong(topic, where, f"no field {min(unknown)!r}")
        values = {
            field: _value(topic, f"{where}.{field}", types[field], value) for field, value in told.items()
        }
        try:
            rows.append(row(**values))
        except TypeError as error:
            raise _wrong(topic, where, str(error)) from error
    if not rows:
        raise _wrong(topic, name, "no rows")
    return tuple(rows)


@cache
def spelled(topic: str, name: str) -> tuple[str, ...]:
    """Return the phrases of a list, written out. Raises `ValueError` if there is no such list."""
    for kind in ("phrases", "parts"):
        if (told := _read(topic).get(kind, {}).get(name)) is not None:
            return _written_out(topic, f"{kind}.{name}", told)
    raise _wrong(topic, name, "no such list")


def _value(topic: str, where: str, kind: Any, value: Any) -> Any:
    if kind is Phrases:
        return _phrases(topic, where, _written_out(topic, where, value))
    if kind == frozenset[str]:
        return _words(topic, where, value)
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        raise _wrong(topic, where, error.errors()[0]["msg"]) from error


def _written_out(topic: str, where: str, told: Any) -> tuple[str, ...]:
    """The phrases of a list, with one for each way to fill in its choices and its names."""
    try:
        listed = _LIST.validate_python(told, strict=True)
    except ValidationError as error:
        raise _wrong(topic, where, "not a list of phrases") from error
    return tuple(phrase for one in listed for phrase in _ways(topic, one))


def _ways(topic: str, phrase: str) -> Iterator[str]:
    """Each way to write a phrase: "(no|not) {what}"."""
    literal, *parts = _PART.split(phrase)  # literal, choice, name, literal, choice, name, literal, ...
    several: list[tuple[str, ...]] = [(literal,)]
    for choice, name, behind in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        several += [tuple(choice.split("|")) if name is None else _named(topic, name), (behind,)]
    for way in product(*several):
        yield " ".join("".join(way).split())


def _named(topic: str, name: str) -> tuple[str, ...]:
    """The phrases of a list that another names: "what", or "decisions.what" of another file."""
    other, _, own = name.rpartition(".")
    return spelled(other or topic, own)


def _words(topic: str, where: str, told: Any) -> frozenset[str]:
    if not isinstance(told, str) or not told.split():
        raise _wrong(topic, where, "not a string of words")
    words = set[str]()
    for one in told.split():
        is_out = one.startswith("~") and len(one) > 1
        word = one[is_out:]
        some = {"" if word == "END" else word}
        if word.startswith("{") and word.endswith("}"):
            other, _, name = word[1:-1].rpartition(".")
            some = _words(other or topic, f"words.{name}", _read(other or topic).get("words", {}).get(name))
        words = words - some if is_out else words | some
    return frozenset(words)


def _phrases(topic: str, where: str, written: tuple[str, ...]) -> Phrases:
    if not all(written):
        raise _wrong(topic, where, "an empty phrase")
    return phrases(*dict.fromkeys(written))


@cache
def _read(topic: str) -> dict[str, Any]:
    try:
        return tomllib.loads((FOLDER / f"{topic}.toml").read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{topic}.toml: {error}") from error


def _wrong(topic: str, where: str, why: str) -> ValueError:
    return ValueError(f"{topic}.toml: {where}: {why}")
