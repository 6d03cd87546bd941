"""Changes told by how much they change: "two weeks later", "leave a day earlier", "one night more",
"another guest", "the Friday after".

They only mean something after a request whose days or people are known.
"""

from collections.abc import Callable
from dataclasses import replace

from ...message import Moved
from ..dates import words
from ..language.numbers import whole_number
from ..language.spans import ShiftMention
from ..language.tables import phrases_of, words_of
from ..language.text import Text, phrases
from .joining import CUES_OF_STAYING_BEHIND, joining, staying_behind
from .moved_days import month_corrected, same_day_of_another_month, week_moved

_DATES_WORDS = words_of("dates")
_JOINING_WORDS = words_of("joining")
_SAID = phrases_of("changes")
_WORDS = words_of("changes")

_MOVED_AS_A_WHOLE = (
    " the trip; the dates; the flight; the flights; the booking; my flight; our flight; my trip; our trip;"
    " the whole thing; the whole trip; our dates; my dates; both dates; all dates; both flights; the stay"
)
_JOURNEYS_MOVED = tuple(_MOVED_AS_A_WHOLE.split(";"))
_BY = phrases(
    "later by", "earlier by", "forward by", "back by", "postpone by", "postpone it by", "postpone",
    "delay by", "delay it by", "delay", "push it back", "push back", "push it back by", "push it",
    "push it by", "extend by", "extend it by", "extend", "extend the stay by", "extend my stay by",
    "prolong by", "prolong it by", "shorten by", "shorten it by", "shorten the stay by", "shorten",
    "longer by", "shorter by", "cut it short by", "cut short by", "cut it by", "reduce it by", "reduce by",
    "move it forward", "move it back", "add", "plus",
    *(
        f"{prepones}{what}{by}"
        for prepones in ("prepone", "advance", "preponed", "prepond")
        for what in (" it", " everything", " all", " both", *_JOURNEYS_MOVED, "")
        for by in ("", " by")
    ),
    *(
        f"{moves}{what}{by}"
        for moves in ("shift", "push", "move", "delay", "postpone")
        for what in (" it", " it all", " everything", " all", " both", *_JOURNEYS_MOVED, "")
        for by in ("", " by", " back", " back by", " forward", " forward by")
        if moves + what != "move" and (moves + what, by) != ("push", "")
    ),
    *(
        f"bring{what} forward{by}"
        for what in (" it", " it all", " everything", " the trip", " the dates", "")
        for by in ("", " by")
    ),
)  # fmt: skip

_ENDS: frozenset[Moved] = frozenset({"start", "end"})
_LOOK_BACK = 5
_UNITS = frozenset({*words.DAY_UNITS, *words.NIGHT_UNITS, *_DATES_WORDS.month_units})
_A_WEEK = 7
_AT_MOST = 60
_SHORT = 6
"""Tokens of a message that says "the day after" of the journey, and not of an arrival."""


def find_shift(text: Text, *, is_of_stay: bool = False) -> ShiftMention | None:
    """Return the first change that is told by how much, None if there is none.

    Where it `is_of_stay`, to leave is to check out.
    """
    found = _of_both_ends(text, _first_shift(text))
    if found is None or not is_of_stay or found.what != "start":
        return found
    before = (text.norm(at) for at in range(max(0, found.first - _LOOK_BACK), found.first))
    return replace(found, what="end") if any(word in _WORDS.leaves_a_hotel for word in before) else found


def _of_both_ends(text: Text, found: ShiftMention | None) -> ShiftMention | None:
    """The change with that of the other end: "leave a day earlier and come back a day later"."""
    if found is None or found.what not in _ENDS:
        return found
    rest = text.without(range(found.after))
    other = _first_shift(rest)
    is_of_other = other is not None and other.what in _ENDS and other.what != found.what
    if other is None or not is_of_other or found.month or found.weekday is not None:
        return found
    return replace(found, after=other.after, also=other.told(rest))


def _first_shift(text: Text) -> ShiftMention | None:
    readers = [reader for reader, cues in _READERS if not text.vocabulary.isdisjoint(cues)]
    for index in range(text.length) if readers else ():
        for reader in readers:
            found = reader(text, index)
            if found:
                return found
    return None


def _by_amount(text: Text, index: int) -> ShiftMention | None:
    """ "two weeks later", "one more night", "extend by a week", "3 days earlier"."""
    length = text.match(_BY, index)
    at = index + length
    read = whole_number(text, at) or ((1, at + 1) if text.norm(at) in ("a", "an") else None)
    if read is None or not 0 < read[0] <= _AT_MOST:
        return None
    count, after = read
    before_unit = text.norm(after) if text.norm(after) in _WORDS.more | _WORDS.less else ""
    after += before_unit != ""
    unit, after = text.norm(after), after + 1
    is_time = unit in words.DAY_UNITS or unit in words.NIGHT_UNITS or unit in _DATES_WORDS.month_units
    if not is_time:
        what: Moved = "people" if unit in _WORDS.people else "rooms"
        is_counted = before_unit in _WORDS.more and (unit in _WORDS.people or unit in _WORDS.rooms)
        return ShiftMention(first=index, after=after, what=what, count=count) if is_counted else None
    direction, what, after = _direction(text, index, length, before_unit, after)
    if not direction:
        return None
    what = "start" if what == "journey" and text.norm(after) in _WORDS.outwards else what
    amount = direction * count
    is_counted_on = what == "end" and text.norm(after - 1) in ("later", "after")
    if unit in _DATES_WORDS.month_units:
        return ShiftMention(first=index, after=after, what=what, months=amount, is_counted_on=is_counted_on)
    days = amount * (words.DAY_UNITS | words.NIGHT_UNITS)[unit]
    stays = (at for at in range(max(0, index - _LOOK_BACK), index) if text.norm(at) in _WORDS.stays)
    first = next(stays, index) if what == "end" else index
    return ShiftMention(first=first, after=after, what=what, days=days, is_counted_on=is_counted_on)


def _direction(text: Text, index: int, by: int, before_unit: str, after: int) -> tuple[int, Moved, int]:
    """Whether days are added (1) or taken away (-1), 0 if neither is said; what is moved; the index after."""
    told_by = {text.norm(at) for at in range(index, index + by)}
    behind = text.norm(after)
    if before_unit in _WORDS.more or told_by & _WORDS.lengthens:
        return 1, "end", after + (behind in _WORDS.more)
    if before_unit in _WORDS.less or told_by & _WORDS.shortens:
        return -1, "end", after + (behind in _WORDS.less)
    if by:
        return (-1 if told_by & _WORDS.anticipates else 1), _moved(text, index), after
    if behind in _WORDS.more:
        return 1, "end", after + 1
    if behind in _WORDS.less:
        return -1, "end", after + 1
    ends_here = not text[after + 1].is_word or text.norm(after + 1) in (
        "than",
        "please",
        "for",
        "instead",
        "and",
    )
    if behind in _WORDS.later and (behind == "later" or ends_here):
        return 1, _moved(text, index), after + 1
    if behind in _WORDS.earlier and (behind in ("earlier", "sooner") or ends_here):
        return -1, _moved(text, index), after + 1
    return 0, "journey", after


def _moved(text: Text, index: int) -> Moved:
    """What the words before a change say is moved: the first day, the last one, or all of it."""
    for at in range(index - 1, max(-1, index - 1 - _LOOK_BACK), -1):
        word = text.norm(at)
        if word in _WORDS.comes_back or text.norm(at) + text.norm(at + 1) == "checkout":
            return "end"
        if word in _WORDS.leaves or word in _WORDS.arrives:
            return "start"
    return "journey"


def _another(text: Text, index: int) -> ShiftMention | None:
    """ "another night", "an extra guest", "another room"."""
    if text.norm(index) not in _WORDS.another:
        return None
    unit = text.norm(index + 1)
    if text.norm(index - 1) in ("is", "on", "would") and unit == "day":
        return None  # "is another day cheaper?"
    if unit in _WORDS.rooms and index > 1 and text.norm(index - 1) in ("and", ","):
        return None  # "a room for two and another room for three"
    if unit in _WORDS.people or unit in _WORDS.rooms:
        return ShiftMention(
            first=index, after=index + 2, what="people" if unit in _WORDS.people else "rooms", count=1
        )
    days = (words.DAY_UNITS | words.NIGHT_UNITS).get(unit)
    return ShiftMention(first=index, after=index + 2, what="end", days=days) if days else None


def _own_room(text: Text, index: int) -> ShiftMention | None:
    """ "they need their own room", "separate rooms": one room more."""
    length = text.match(_SAID.own_room, index)
    return ShiftMention(first=index, after=index + length, what="rooms", count=1) if length else None


def _week(text: Text, index: int) -> ShiftMention | None:
    """ "the weekend after", "the following week": of the days that are known."""
    moved = week_moved(text, index)
    if moved is None:
        return None
    weeks, (first, after) = moved
    return ShiftMention(first=first, after=after, what="journey", days=weeks * _A_WEEK)


def _another_month(text: Text, index: int) -> ShiftMention | None:
    corrected = month_corrected(text, index)
    found = corrected or same_day_of_another_month(text, index)
    if found is None:
        return None
    month, first, after = found
    return ShiftMention(first=first, after=after, what="journey", month=month or None, months=int(not month))


def _direction_turned(text: Text, index: int) -> ShiftMention | None:
    length = text.match(_SAID.other_way_round, index)
    return ShiftMention(first=index, after=index + length, what="direction") if length else None


def _told_of_the_journey(text: Text, index: int) -> int:
    """How many tokens there say what a day is told from: "that", "we land", "our flight"."""
    if text.norm(index) in ("that", "it"):
        return 1
    is_moving = (
        text.norm(index) in ("we", "i", "my", "our", "the") and text.norm(index + 1) in _WORDS.journeys
    )
    return 2 if is_moving else 0


def _weekday(text: Text, index: int) -> ShiftMention | None:
    """ "the Friday after that", "the Tuesday before": of days that are known, not of one that is named."""
    if text.norm(index + 1) not in words.BESIDE:
        return None
    weekday = words.WEEKDAYS.get(text.norm(index))
    is_told = text.norm(index) in ("day", "night") and text.norm(index - 1) in ("the", "one")
    after = index + 2 + _told_of_the_journey(text, index + 2)
    is_of_arrival = any(text.norm(at) in _WORDS.arriving for at in range(index - _LOOK_BACK, index))
    ends_here = not text[after].is_word or text.norm(after) in _WORDS.after_a_change
    is_clear = after > index + 2 or (ends_here and not is_of_arrival)
    is_day = is_told and (text.length <= _SHORT or is_clear)
    if weekday is None and not is_day:
        return None
    is_time = text[after].is_number  # "Friday after 5pm"
    if is_time or (text[after].is_word and text.norm(after) not in _WORDS.after_a_change):
        return None
    first = index - (text.norm(index - 1) == "the")
    moved = _moved(text, first)
    days = -1 if words.BESIDE[text.norm(index + 1)] else 1
    return ShiftMention(
        first=first,
        after=after,
        what=moved if is_day or moved == "end" else "start",
        days=days,
        weekday=weekday,
        is_counted_on=moved == "end" and days > 0,
        is_night=text.norm(index) == "night",
    )


_READERS: tuple[tuple[Callable[[Text, int], ShiftMention | None], frozenset[str]], ...] = (
    (_by_amount, _UNITS | _WORDS.people | _WORDS.rooms),
    (_another, _WORDS.another),
    (_weekday, frozenset(words.BESIDE)),
    (_week, _WORDS.weeks),
    (_direction_turned, frozenset(_SAID.other_way_round)),
    (_another_month, frozenset({"same", *words.MONTHS})),
    (staying_behind, CUES_OF_STAYING_BEHIND),
    (joining, _JOINING_WORDS.cues_of_joining),
    (_own_room, frozenset(_SAID.own_room)),
)
"""Who reads which kind of change, and the words without one of which there is none."""
