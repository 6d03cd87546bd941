"""Values of a graph's channels as pieces, which the steps of a thread share: only what is new is stored.

A value is encoded by LangGraph's msgpack, never pickle: to load one would run code. A list is encoded element
by element, so a conversation of 1,000 messages that grows by one stores one. A piece is named by its content.

Nodes mutate messages in place, so nothing is taken for unchanged since it is the same object. But of a group
of messages a mark is remembered, a hash of all that they hold: to make it takes a sixth of the time that
encoding them takes (0.8 us a message, 4.9), and a group of the same mark is not encoded again. Two marks are
alike by chance once in 2^64; they do not tell `bytes` from another buffer with the same bytes.
"""

import marshal
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple, cast

from pydantic import BaseModel

from ...store.threads import ID_BYTES, ids_in
from ..langgraph_internals import ENCODED, CarefulSerialiser, is_lost

NOTHING = object()
"""The value of a channel that has none."""

RUN_BYTES = 256
"""Elements of a list share a piece until it has so many bytes; a shorter rest is no piece of its own.

As a row of its own, an element of 20 bytes would take three times its size for its keys.
"""

GROUP = 8
"""Elements of a list that may share a piece; below 16, so that a list of them has a header of one byte."""

PAGE_PIECES = 64
"""Pieces of a list that are named by one page: a step would else name each of 1,000 messages, in 16 KB."""

_SCALARS = frozenset({int, float, bool, type(None)})
_SHORT = _SCALARS | {str, dict}
_NO_VALUE, _ONE, _LIST, _BYTEARRAY = range(4)


class Packed(NamedTuple):
    """A value: the ids of its pages and its pieces, and its last bytes if they are too few for a piece."""

    form: int = _NO_VALUE
    pages: bytes = b""
    pieces: bytes = b""
    tail: bytes = b""


Marks = dict[int, list[bytes]]
"""The ids of what groups of messages were encoded as, by their marks."""


def pack(
    value: Any, known: Set[bytes], held: Mapping[bytes, bytes] | None = None, marks: Marks | None = None
) -> tuple[Packed, dict[bytes, bytes]]:
    """Return a value as pieces, and those of them that are not `known`.

    `marks` are those of the channel's last value, whose pieces are among those `held`; they become those of
    this one. Raises `TypeError` and `ValueError` for a value without an encoding.
    """
    if value is NOTHING:
        return Packed(), {}
    if type(value) in _SCALARS:
        return Packed(_ONE, tail=ENCODED.dumps_typed([value])[1]), {}
    elements = _elements_of(value)
    found = _Found(held or {})
    if elements is not None:
        form = _LIST
        _find(elements, found, {} if marks is None else marks)
    else:
        # Only a bytearray by itself is made one again, as LangGraph has it.
        form = _BYTEARRAY if isinstance(value, bytearray) else _ONE
        found.add(ENCODED.dumps_typed([value])[1])
    tail = found.short_end()
    if not found.ids:
        return Packed(form, tail=tail), {}
    ids, pages = found.ids, b""
    new: dict[bytes, bytes] = {}
    paged = len(ids) - len(ids) % PAGE_PIECES
    for at in range(0, paged, PAGE_PIECES):
        page = b"".join(ids[at : at + PAGE_PIECES])
        page_id = _id_of(page)
        pages += page_id
        if page_id not in known:
            new[page_id] = page
            new |= found.not_in(known, ids[at : at + PAGE_PIECES])
    new |= found.not_in(known, ids[paged:])
    return Packed(form, pages, b"".join(ids[paged:]), tail), new


class _Found:
    """The runs of a value in their order, by their ids: encoded just now, or `held` since an earlier step."""

    __slots__ = ("_encoded", "_last", "held", "ids")

    def __init__(self, held: Mapping[bytes, bytes]) -> None:
        self.held = held
        self.ids: list[bytes] = []
        self._encoded: dict[bytes, bytes] = {}
        self._last = b""

    def add(self, run: bytes) -> None:
        """Add an encoded run. A short one gets its id once something follows."""
        self.end_group()
        self._last = run
        if len(run) >= RUN_BYTES:
            self._name()

    def add_held(self, ids: Sequence[bytes]) -> None:
        """Add runs that are held."""
        self.end_group()
        self.ids += ids

    def _name(self) -> None:
        run, self._last = self._last, b""
        run_id = _id_of(run)
        self.ids.append(run_id)
        self._encoded[run_id] = run

    def end_group(self) -> None:
        """Name the last run, though it is short: something follows."""
        if self._last:
            self._name()

    def short_end(self) -> bytes:
        """Return the last run if it is too short for a piece."""
        return self._last

    def not_in(self, known: Set[bytes], ids: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the runs of these ids that are not known."""
        missing = [each for each in ids if each not in known]
        return {each: self._encoded.get(each) or self.held[each] for each in missing}


def _id_of(run: bytes) -> bytes:
    return blake2b(run, digest_size=ID_BYTES).digest()


def _elements_of(value: Any) -> list[Any] | None:
    """Return the elements of a list that are worth pieces of their own, else None."""
    elements = cast("list[Any]", value) if type(value) is list else list[Any]()
    # A vector of numbers is one piece: encoded by itself, each would take 1 us and ten times its bytes.
    return None if _SCALARS.issuperset(map(type, elements)) else elements


def _find(elements: list[Any], found: _Found, marks: Marks) -> None:
    """Add the elements of a list, several together where they are short; each run is a list of msgpack's.

    Runs end where groups do, so those of a list that has grown are those that it had, but for the last few.
    """
    before = {**marks}
    marks.clear()
    for at in range(0, len(elements), GROUP):
        group = elements[at : at + GROUP]
        if _SHORT.issuperset(map(type, group)):
            # One call for the group, which is quicker, unless it shows that the elements are long after all.
            encoded = ENCODED.dumps_typed(group)[1]
            if len(encoded) < GROUP * RUN_BYTES:
                found.add(encoded)
                continue
        # The last group grows, and may end in a run that is too short to be held.
        mark = _mark_of(group) if at + GROUP < len(elements) else None
        ids = None if mark is None else before.get(mark)
        if mark is not None and ids is not None and all(map(found.held.__contains__, ids)):
            found.add_held(ids)
            marks[mark] = ids
            continue
        found.end_group()
        first = len(found.ids)
        for run in _runs_of_one_group(group):
            found.add(run)
        if mark is not None:
            found.end_group()
            marks[mark] = found.ids[first:]


def _mark_of(group: Sequence[Any]) -> int | None:
    """Return a hash of all that messages and plain values hold; None if one of them holds anything else."""
    held = [
        (type(each).__module__, type(each).__name__, each.__dict__, each.__pydantic_extra__)
        if isinstance(each, BaseModel)
        else each
        for each in group
    ]
    try:
        # In version 2, which does not depend on how often an object is referred to.
        return hash(marshal.dumps(held, 2))
    except ValueError:
        return None


def _runs_of_one_group(elements: list[Any]) -> list[bytes]:
    runs: list[bytes] = []
    run: list[bytes] = []
    size = 0
    for each in elements:
        # In a list, since a value alone is not always msgpack; its first byte says that it has one element.
        encoded = ENCODED.dumps_typed([each])[1][1:]
        run.append(encoded)
        size += len(encoded)
        if size >= RUN_BYTES:
            runs.append(_list_of(run))
            run, size = [], 0
    return [*runs, _list_of(run)] if run else runs


def _list_of(encoded: Sequence[bytes]) -> bytes:
    """Return msgpack's encoding of a list of at most 15 elements, of those of the elements."""
    return bytes((0x90 | len(encoded),)) + b"".join(encoded)


@dataclass(slots=True)
class Pieces:
    """Reads values out of pieces; `held` are those that are stored.

    With `shared`, equal pieces are one object: for readers that change nothing.
    """

    held: Mapping[bytes, bytes]
    shared: bool = False
    _decoder: CarefulSerialiser = field(default_factory=CarefulSerialiser)
    _read: dict[bytes, tuple[list[Any], list[str]]] = field(
        default_factory=dict[bytes, tuple[list[Any], list[str]]]
    )

    def value(self, packed: Packed) -> tuple[Any, list[str]]:
        """Return a value, and why parts of it are missing; `NOTHING` if nothing of it can be read."""
        if packed.form == _NO_VALUE:
            return NOTHING, []
        if not (packed.pages or packed.pieces or packed.form == _LIST):
            # Short, as most channels are.
            found, faults = self._elements(packed.tail)
            return self._only(packed, found), faults
        found = list[Any]()
        faults = list[str]()
        for page_id in ids_in(packed.pages):
            page = self.held.get(page_id)
            for each in [page_id] if page is None else ids_in(page):
                self._add(each, found, faults)
        for each in ids_in(packed.pieces):
            self._add(each, found, faults)
        if packed.tail:
            elements, wrong = self._elements(packed.tail)
            found += elements
            faults += wrong
        return (found if packed.form == _LIST else self._only(packed, found)), faults

    def _only(self, packed: Packed, found: list[Any]) -> Any:
        """Return the value of a channel that is no list."""
        if not found:
            return NOTHING
        return bytearray(found[0]) if packed.form == _BYTEARRAY else found[0]

    def _add(self, piece_id: bytes, found: list[Any], faults: list[str]) -> None:
        read = self._read.get(piece_id)
        if read is None:
            run = self.held.get(piece_id)
            read = self._elements(run) if run is not None else (list[Any](), ["it is not stored"])
            if self.shared:
                self._read[piece_id] = read
        found += read[0]
        faults += read[1]

    def _elements(self, run: bytes) -> tuple[list[Any], list[str]]:
        """Return the elements of a piece that can be decoded, and why the others cannot."""
        decoder = self._decoder
        decoder.faults = []
        try:
            found: list[Any] = decoder.loads_typed(("msgpack", run))
        except ValueError as error:
            return [], [str(error)]
        if not decoder.faults:
            return found, []
        return [each for each in found if not is_lost(each)], decoder.faults
