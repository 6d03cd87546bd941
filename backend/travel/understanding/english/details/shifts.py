"""Changes told by how much they change: "two weeks later", "leave a day earlier", "one night more",
"another guest", "the Friday after"; and earlier requests that are taken up again.

They only mean something after a request whose days or people are known.
"""

from collections.abc import Callable
from dataclasses import replace

from ...message import Moved, Return
from ...places.gazetteer import Gazetteer
from ..dates.points import BESIDE, DAY_UNITS, MONTHS, NIGHT_UNITS, WEEKDAYS
from ..language.numbers import whole_number
from ..language.sentences import sentence_around
from ..language.tables import phrases_of, words_of
from ..language.text import ShiftMention, Text, any_of
from ..places.places import find_places
from .joining import CUES_OF_STAYING_BEHIND, joining, staying_behind

_DATES_WORDS = words_of("dates")
_JOINING_WORDS = words_of("joining")
_SAID = phrases_of("changes")
_WORDS = words_of("changes")

_ENDS: frozenset[Moved] = frozenset({"start", "end"})
_LOOK_BACK = 5
_DAYS = DAY_UNITS | NIGHT_UNITS
_A_WEEK = 7
_MOST = 60
_SHORT = 6
"""Tokens of a message that says "the day after" of the journey, and not of an arrival."""
_LONGEST_CORRECTION = 12
_WORDS_TO_A_MONTH = 7
_BEHIND_A_MONTH = _WORDS.behind_a_month | {""}
_BESIDE = {"after": 1, "following": 1, "before": -1}
_LONGEST_RETURN = 24
_LONGEST_REPEAT = 12
_NEAR_THE_START = 6


def find_shift(text: Text, *, is_of_stay: bool = False) -> ShiftMention | None:
    """Return the first change that is told by how much, None if there is none.

    Where it `is_of_stay`, to leave is to check out.
    """
    found = _of_both_ends(text, _first_shift(text))
    if found is None or not is_of_stay or found.what != "start":
        return found
    leaves = text.has_any(_WORDS.leaves_a_hotel, found.first - _LOOK_BACK, found.first)
    return replace(found, what="end") if leaves else found


def moves_a_day(text: Text) -> bool:
    """Return whether a message has a word for moving a day that is known: "Thursday instead"."""
    return not text.vocabulary.isdisjoint(_WORDS.moves)


def goes_back(text: Text) -> bool:
    """Return whether a message begins with words such as "go back to"."""
    return 0 <= text.find(_SAID.back_to) <= _NEAR_THE_START


def repeats(text: Text) -> bool:
    """Return whether a message only asks for the same again: "try again", "go on"."""
    at = text.find(_SAID.repeats)
    if at < 0 or text.length > _LONGEST_REPEAT or text.norm(at - 1) in _WORDS.negations:
        return False
    return text.vocabulary.isdisjoint(_WORDS.courtesy)


def find_return(text: Text, gazetteer: Gazetteer) -> Return | None:
    """Return which earlier request a message wants again ("back to the Tokyo flights"), None if none."""
    if not (goes_back(text) or text.has(_SAID.once_more)) or text.length > _LONGEST_RETURN:
        return None
    # The words for a request name no place: all of them are read, also those that another reader has taken.
    cities = frozenset(one.place.city for one in find_places(text, gazetteer).mentions if one.place)
    if text.has(_SAID.oldest):
        return Return(cities=cities, which="oldest")
    if text.has(_SAID.second):
        return Return(cities=cities, which="second")
    return Return(cities=cities, which="latest" if text.has(_SAID.latest) else None)


def _of_both_ends(text: Text, found: ShiftMention | None) -> ShiftMention | None:
    """The change with that of the other end: "leave a day earlier and come back a day later"."""
    if found is None or found.what not in _ENDS or found.month or found.weekday is not None:
        return found
    rest = text.without(range(found.after))
    other = _first_shift(rest)
    if other is None or other.what not in _ENDS - {found.what}:
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
    length = text.match(_SAID.by_how_much, index)
    at = index + length
    read = whole_number(text, at) or ((1, at + 1) if text.norm(at) in ("a", "an") else None)
    if read is None or not 0 < read[0] <= _MOST:
        return None
    count, after = read
    before_unit = text.norm(after) if text.norm(after) in _WORDS.more | _WORDS.less else ""
    after += before_unit != ""
    unit, after = text.norm(after), after + 1
    if what := _counted(unit):
        is_more = before_unit in _WORDS.more
        return ShiftMention(first=index, after=after, what=what, count=count) if is_more else None
    if unit not in _DAYS and unit not in _DATES_WORDS.month_units:
        return None
    direction, what, after = _direction(text, index, length, before_unit, after)
    if not direction:
        return None
    what = "start" if what == "journey" and text.norm(after) in _WORDS.outwards else what
    amount = direction * count
    is_counted_on = what == "end" and text.norm(after - 1) in ("later", "after")
    if unit in _DATES_WORDS.month_units:
        return ShiftMention(first=index, after=after, what=what, months=amount, is_counted_on=is_counted_on)
    days = amount * _DAYS[unit]
    stays = (at for at in range(max(0, index - _LOOK_BACK), index) if text.norm(at) in _WORDS.stays)
    first = next(stays, index) if what == "end" else index
    return ShiftMention(first=first, after=after, what=what, days=days, is_counted_on=is_counted_on)


def _counted(unit: str) -> Moved | None:
    if unit in _WORDS.people:
        return "people"
    return "rooms" if unit in _WORDS.rooms else None


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
    if behind in _WORDS.more | _WORDS.less:
        return (1 if behind in _WORDS.more else -1), "end", after + 1
    ends_here = not text[after + 1].is_word or text.norm(after + 1) in _WORDS.behind_an_amount
    for direction, some in ((1, _WORDS.later), (-1, _WORDS.earlier)):
        if behind in some and (behind in ("later", "earlier", "sooner") or ends_here):
            return direction, _moved(text, index), after + 1
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
    before, unit = text.norm(index - 1), text.norm(index + 1)
    # "Is another day cheaper?", "a room for two and another room for three"
    is_compared = unit == "day" and before in ("is", "on", "would")
    is_listed = unit in _WORDS.rooms and index > 1 and before in ("and", ",")
    if is_compared or is_listed:
        return None
    if what := _counted(unit):
        return ShiftMention(first=index, after=index + 2, what=what, count=1)
    return ShiftMention(first=index, after=index + 2, what="end", days=_DAYS[unit]) if unit in _DAYS else None


def _told_in_words(text: Text, index: int) -> ShiftMention | None:
    """ "they need their own room": one room more; "the other way round"."""
    if length := text.match(_SAID.own_room, index):
        return ShiftMention(first=index, after=index + length, what="rooms", count=1)
    length = text.match(_SAID.other_way_round, index)
    return ShiftMention(first=index, after=index + length, what="direction") if length else None


def _weekday(text: Text, index: int) -> ShiftMention | None:
    """ "the Friday after that", "the Tuesday before": of days that are known, not of one that is named."""
    if text.norm(index + 1) not in BESIDE:
        return None
    weekday = WEEKDAYS.get(text.norm(index))
    is_told = text.norm(index) in ("day", "night") and text.norm(index - 1) in ("the", "one")
    after = index + 2 + _told_of_the_journey(text, index + 2)
    is_of_arrival = text.has_any(_WORDS.arriving, index - _LOOK_BACK, index)
    is_clear = after > index + 2 or (_ends_there(text, after) and not is_of_arrival)
    is_day = is_told and (text.length <= _SHORT or is_clear)
    is_time = text[after].is_number  # "Friday after 5pm"
    if not (weekday is not None or is_day) or is_time or not _ends_there(text, after):
        return None
    first = index - (text.norm(index - 1) == "the")
    moved = _moved(text, first)
    days = -1 if BESIDE[text.norm(index + 1)] else 1
    return ShiftMention(
        first=first,
        after=after,
        what=moved if is_day or moved == "end" else "start",
        days=days,
        weekday=weekday,
        is_counted_on=moved == "end" and days > 0,
        is_night=text.norm(index) == "night",
    )


def _told_of_the_journey(text: Text, index: int) -> int:
    """How many tokens there say what a day is told from: "that", "we land", "our flight"."""
    if text.norm(index) in ("that", "it"):
        return 1
    is_ours = text.norm(index) in ("we", "i", "my", "our", "the")
    return 2 if is_ours and text.norm(index + 1) in _WORDS.journeys else 0


def _ends_there(text: Text, at: int) -> bool:
    return not text[at].is_word or text.norm(at) in _WORDS.after_a_change


def _week(text: Text, index: int) -> ShiftMention | None:
    """ "the weekend after", "the following week": of the days that are known, where nothing else is said."""
    if text.norm(index) not in _WORDS.weeks:
        return None
    which, behind = text.norm(index - 1), text.norm(index + 1)
    is_behind = behind in _BESIDE and which == "the"
    if is_behind:
        first, after = index - 1, index + 2 + (text.norm(index + 2) in ("that", "it"))
    elif which == "following" or (which == "next" and text.norm(index - 2) in ("days", "dates")):
        first, after = index - 1 - (text.norm(index - 2) == "the"), index + 1
    else:
        return None
    begin, end = sentence_around(text, index)
    is_all = all(text.norm(at) in _WORDS.beside_a_week for at in (*range(begin, first), *range(after, end)))
    is_short = behind in _BESIDE and text.length <= _SHORT and _ends_there(text, after)
    if not (is_short or is_all):
        return None
    weeks = _BESIDE[behind] if is_behind else 1
    return ShiftMention(first=first, after=after, what="journey", days=weeks * _A_WEEK)


def _another_month(text: Text, index: int) -> ShiftMention | None:
    """ "I meant March", "March not February"; "in January, same day", "same day next month".

    Only what corrects a month leaves its days as they were: "in March instead" may be any of its days.
    """
    if _corrects_a_month(text, index):
        month = MONTHS[text.norm(index)]
        return ShiftMention(first=0, after=text.length, what="journey", month=month)
    if text.norm(index) != "same" or text.norm(index + 1) not in _WORDS.moved_days_days:
        return None
    for at in range(max(0, index - _WORDS_TO_A_MONTH), min(text.length, index + _WORDS_TO_A_MONTH)):
        month, before = MONTHS.get(text.norm(at)), text.norm(at - 1)
        is_next = before == "next" and text.norm(at) == "month"
        if is_next or (month is not None and before in _WORDS.before_a_month):
            first, after = min(index, at - 1), max(index + 2, at + 1)
            return ShiftMention(first=first, after=after, what="journey", month=month, months=int(is_next))
    return None


def _corrects_a_month(text: Text, index: int) -> bool:
    """Whether the month there corrects another, and nothing else is said."""
    name = text.norm(index)
    if name not in MONTHS or text.length > _LONGEST_CORRECTION or text.has_figures:
        return False
    others = [at for at in range(text.length) if text.norm(at) in MONTHS and at != index]
    if _is_denied(text, index) or not all(_is_denied(text, at) for at in others):
        return False
    is_told = bool(others) or not _WORDS.corrects.isdisjoint(text.vocabulary)
    beside = _WORDS.corrects | _WORDS.beside_a_month | MONTHS.keys()
    is_all = all(text.norm(at) in beside for at in range(text.length))
    # A name that is a word as well ("may", "march") counts where no such word would stand.
    is_name = name not in _DATES_WORDS.months_also_words or text.norm(index + 1) in _BEHIND_A_MONTH
    return is_told and is_all and is_name


def _is_denied(text: Text, at: int) -> bool:
    return any(text.match(_SAID.not_word, at - length) == length for length in (1, 2))


_READERS: tuple[tuple[Callable[[Text, int], ShiftMention | None], frozenset[str]], ...] = (
    (_by_amount, frozenset(_DAYS) | _DATES_WORDS.month_units | _WORDS.people | _WORDS.rooms),
    (_another, _WORDS.another),
    (_weekday, frozenset(BESIDE)),
    (_week, _WORDS.weeks),
    (_another_month, frozenset({"same", *MONTHS})),
    (staying_behind, CUES_OF_STAYING_BEHIND),
    (joining, _JOINING_WORDS.cues_of_joining),
    (_told_in_words, any_of(_SAID.own_room, _SAID.other_way_round).cues),
)
"""Who reads which kind of change, and the words without one of which there is none."""
