"""How people share several rooms: "a room for 2 and a room for 3", "5 twins and a single".

One room, or several of one kind, are counted with the other facts of a message.
"""

from dataclasses import dataclass

from ..language.numbers import whole_number
from ..language.tables import words_of
from ..language.text import Text

_WORDS = words_of("people")


_WORDS_FOR_WHOM = 9
_AT_MOST = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedRooms:
    """The tokens from `first` up to `after`, the rooms they tell, and how many people if each tells some."""

    first: int
    after: int
    rooms: int
    people: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Room:
    """So many rooms alike, each for so many `people` (0 if nobody says), in the tokens up to `after`."""

    after: int
    count: int
    people: int
    is_of_a_kind: bool
    is_for_some: bool
    is_named: bool
    """Whether it is called a room: "one for me" is not."""


def shared_rooms(text: Text, first: int, after: int) -> SharedRooms | None:
    """Return the rooms that a message tells one by one, None where it does not."""
    if (_WORDS.rooms | _WORDS.kinds).isdisjoint(text.vocabulary):
        return None
    at = first
    while at < after:
        rooms, end = _side_by_side(text, at, after)
        if len(rooms) > 1 and any(room.is_named for room in rooms):
            return _counted(rooms, at, end)
        at += 1
    return None


def _side_by_side(text: Text, at: int, after: int) -> tuple[list[_Room], int]:
    rooms, end = list[_Room](), at
    while end < after:
        start = end
        while rooms and start < after and text.norm(start) in _WORDS.joints:
            start += 1
        room = _room(text, start, after, is_led=bool(rooms))
        if room is None:
            break
        rooms.append(room)
        end = room.after
    return rooms, end


def _counted(rooms: list[_Room], first: int, end: int) -> SharedRooms | None:
    """How many there are in all: those of "3 rooms, one double and two twins" are told twice."""
    head, *others = rooms
    of_others = sum(room.count for room in others)
    is_total = head.count > 1 and not (head.is_of_a_kind or head.is_for_some) and of_others <= head.count
    alike = others if is_total else rooms
    count = head.count if is_total else sum(room.count for room in rooms)
    people = sum(room.count * room.people for room in alike) if all(room.people for room in alike) else None
    return SharedRooms(first=first, after=end, rooms=count, people=people) if count <= _AT_MOST else None


def _room(text: Text, at: int, after: int, *, is_led: bool) -> _Room | None:
    """ "a double room", "2 twins", "one room for 2", "one for my sister" where it `is_led` by a room."""
    is_one = text.norm(at) in _WORDS.ones
    read = whole_number(text, at)
    count, start = read if read and not (is_one and text.norm(at) != "one") else (1, at + 1)
    if read is None and not is_one:
        return None
    start += text.norm(start) in ("x", "one")
    noun = start
    while (
        text.norm(noun) in _WORDS.before_a_room and text.norm(noun + 1) in _WORDS.before_a_room | _WORDS.rooms
    ):
        noun += 1
    is_named = text.norm(noun) in _WORDS.rooms | _WORDS.kinds
    is_bed = text.norm(noun + 1) in ("bed", "beds", "bedroom")
    if is_bed or not 0 < count <= _AT_MOST:
        return None
    end = noun + 1 if is_named else start
    if not is_named and not (is_led and text.norm(end) == "for"):
        return None
    people, is_for_some = 0, text.norm(end) == "for"
    if is_for_some:
        people, end = _for_whom(text, end + 1, after)
    kinds = {text.norm(each) for each in range(start, noun + 1)} & _WORDS.kinds
    return _Room(
        after=end,
        count=count,
        people=people,
        is_of_a_kind=bool(kinds),
        is_for_some=is_for_some,
        is_named=is_named,
    )


def _for_whom(text: Text, at: int, after: int) -> tuple[int, int]:
    """How many a room is for, 0 where no number tells, and the index behind the words for them."""
    read = whole_number(text, at)
    if read:
        end = read[1] + (text.norm(read[1]) in _WORDS.people | _WORDS.children)
        return read[0], end
    end = at
    while end < min(after, at + _WORDS_FOR_WHOM) and text.norm(end) not in _WORDS.ends and text.norm(end):
        behind = end + 1 if text.norm(end) in _WORDS.joints else end
        if end > at and _room(text, behind, after, is_led=True):
            break
        end += 1
    return 0, end
