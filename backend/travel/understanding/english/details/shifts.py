"""Changes told by how much they change: "two weeks later", "leave a day earlier", "one night more",
"another guest", "the Friday after".

They only mean something after a request whose days or people are known.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ...message import Moved, Shift
from ..dates import words
from ..language.numbers import whole_number
from ..language.text import Text, phrases, word_set
from .people import relative_at

_LATER = word_set("later after forward")
_EARLIER = word_set("earlier sooner before back forwards")
_MORE = word_set("longer more extra additional")
_LESS = word_set("shorter less fewer")
_BY = phrases(
    "later by", "earlier by", "forward by", "back by", "postpone by", "postpone it by", "postpone",
    "delay by", "delay it by", "delay", "push it back", "push back", "push it back by", "push it",
    "push it by", "extend by", "extend it by", "extend", "extend the stay by", "extend my stay by",
    "prolong by", "prolong it by", "shorten by", "shorten it by", "shorten the stay by", "shorten",
    "longer by", "shorter by",
    "move it forward", "move it back", "add", "plus",
)  # fmt: skip
_LENGTHENS = word_set("extend prolong longer add plus")
_SHORTENS = word_set("shorten shorter")
_ANTICIPATES = word_set("earlier")
_LEAVES = word_set("leave leaving leaves depart departing departure fly flying start starting go going set")
_ARRIVES = word_set("arrive arriving arrival check-in checkin")
_ARRIVING = word_set("arrive arrives arriving get gets land lands or")
"""Before "the day after" these ask when a flight arrives."""

_COMES_BACK = word_set("return returning back home checkout inbound stay")
_STAYS = word_set("stay staying")
_JOURNEYS = word_set("land arrive fly leave depart go flight arrival departure")
_LOOK_BACK = 5
_PEOPLE = word_set(
    "person people adult adults guest guests child children kid kids passenger passengers traveller"
)
_ROOMS = word_set("room rooms")
_ADDS = word_set("add include")
_WE_ARE = word_set("were we're are")
_STAYS_BEHIND = phrases(
    "can't come", "cannot come", "can not come", "can't make it", "cannot make it", "isn't coming",
    "is not coming", "won't come", "will not come", "isn't joining", "can't join", "dropped out",
    "drops out", "has dropped out", "is staying home", "aren't coming", "are not coming", "is out",
    "had to cancel", "has to cancel", "won't be coming", "won't make it",
)  # fmt: skip
_SAYS_OF_SOMEBODY = word_set("is are will wants want would might also now joins comes")
_JOINS = word_set("join joins joining coming comes along")
_UNITS = frozenset({*words.DAY_UNITS, *words.NIGHT_UNITS, *words.MONTH_UNITS})
_ANOTHER = word_set("another additional extra")
_AFTER_A_CHANGE = word_set("instead please then actually and too as till until")
_OTHER_WAY_ROUND = phrases(
    "the other way round", "the other way around", "other way round", "other way around", "reverse",
    "swap the cities", "swap them", "vice versa", "the opposite direction", "in the other direction",
)  # fmt: skip
_SAME = word_set("day days date dates")
_BEFORE_A_MONTH = word_set("in of but to for")
_WORDS_TO_A_MONTH = 7
_A_WEEK = 7
_AT_MOST = 60
_SHORT = 6
"""Tokens of a message that says "the day after" of the journey, and not of an arrival."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftMention(Shift):
    """A change in the tokens from `first` up to `after`."""

    first: int
    after: int

    def told(self, text: Text) -> Shift:
        """Return the change in the words of the message."""
        return Shift(
            what=self.what,
            days=self.days,
            months=self.months,
            count=self.count,
            weekday=self.weekday,
            month=self.month,
            is_night=self.is_night,
            said=text.spelled(self.first, self.after),
        )


def find_shift(text: Text) -> ShiftMention | None:
    """Return the first change that is told by how much, None if there is none."""
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
    before_unit = text.norm(after) if text.norm(after) in _MORE | _LESS else ""
    after += before_unit != ""
    unit, after = text.norm(after), after + 1
    is_time = unit in words.DAY_UNITS or unit in words.NIGHT_UNITS or unit in words.MONTH_UNITS
    if not is_time:
        what: Moved = "people" if unit in _PEOPLE else "rooms"
        is_counted = before_unit in _MORE and (unit in _PEOPLE or unit in _ROOMS)
        return ShiftMention(first=index, after=after, what=what, count=count) if is_counted else None
    direction, what, after = _direction(text, index, length, before_unit, after)
    if not direction:
        return None
    amount = direction * count
    if unit in words.MONTH_UNITS:
        return ShiftMention(first=index, after=after, what=what, months=amount)
    days = amount * (words.DAY_UNITS | words.NIGHT_UNITS)[unit]
    stays = (at for at in range(max(0, index - _LOOK_BACK), index) if text.norm(at) in _STAYS)
    first = next(stays, index) if what == "end" else index
    return ShiftMention(first=first, after=after, what=what, days=days)


def _direction(text: Text, index: int, by: int, before_unit: str, after: int) -> tuple[int, Moved, int]:
    """Whether days are added (1) or taken away (-1), 0 if neither is said; what is moved; the index after."""
    told_by = {text.norm(at) for at in range(index, index + by)}
    behind = text.norm(after)
    if before_unit in _MORE or told_by & _LENGTHENS:
        return 1, "end", after + (behind in _MORE)
    if before_unit in _LESS or told_by & _SHORTENS:
        return -1, "end", after + (behind in _LESS)
    if by:
        return (-1 if told_by & _ANTICIPATES else 1), _moved(text, index), after
    if behind in _MORE:
        return 1, "end", after + 1
    if behind in _LESS:
        return -1, "end", after + 1
    ends_here = not text[after + 1].is_word or text.norm(after + 1) in (
        "than",
        "please",
        "for",
        "instead",
        "and",
    )
    if behind in _LATER and (behind == "later" or ends_here):
        return 1, _moved(text, index), after + 1
    if behind in _EARLIER and (behind in ("earlier", "sooner") or ends_here):
        return -1, _moved(text, index), after + 1
    return 0, "journey", after


def _moved(text: Text, index: int) -> Moved:
    """What the words before a change say is moved: the first day, the last one, or all of it."""
    for at in range(index - 1, max(-1, index - 1 - _LOOK_BACK), -1):
        word = text.norm(at)
        if word in _COMES_BACK or text.norm(at) + text.norm(at + 1) == "checkout":
            return "end"
        if word in _LEAVES or word in _ARRIVES:
            return "start"
    return "journey"


def _another(text: Text, index: int) -> ShiftMention | None:
    """ "another night", "an extra guest", "another room"."""
    if text.norm(index) not in _ANOTHER:
        return None
    unit = text.norm(index + 1)
    if unit in _PEOPLE or unit in _ROOMS:
        return ShiftMention(
            first=index, after=index + 2, what="people" if unit in _PEOPLE else "rooms", count=1
        )
    days = (words.DAY_UNITS | words.NIGHT_UNITS).get(unit)
    return ShiftMention(first=index, after=index + 2, what="end", days=days) if days else None


def _joining(text: Text, index: int) -> ShiftMention | None:
    """ "add my mum", "my two sons are coming too", "my wife will join us"."""
    first = index + (text.norm(index) in _ADDS)
    read = relative_at(text, first)
    if read is None:
        return None
    count, after = read
    if first > index:
        return ShiftMention(first=index, after=after, what="people", count=count)
    if text.norm(after) not in _SAYS_OF_SOMEBODY:
        return None
    at = next((at for at in range(after, after + _LOOK_BACK) if text.norm(at) in _JOINS), -1)
    return ShiftMention(first=index, after=at + 1, what="people", count=count) if at >= 0 else None


def _staying_behind(text: Text, index: int) -> ShiftMention | None:
    """ "one person fewer", "one of us can't come", "we are two less"."""
    read = whole_number(text, index)
    if read is None:
        return None
    count, after = read
    is_of_us = text.norm(after) == "of" and text.norm(after + 1) in ("us", "them")
    at = after + 2 * is_of_us + (text.norm(after) in _PEOPLE)
    if text.norm(at) in _LESS and (at > after or text.norm(index - 1) in _WE_ARE):
        return ShiftMention(first=index, after=at + 1, what="people", count=-count)
    drops_out = text.match(_STAYS_BEHIND, at) if at > after else 0
    return ShiftMention(first=index, after=at + drops_out, what="people", count=-count) if drops_out else None


def _week(text: Text, index: int) -> ShiftMention | None:
    """ "the weekend after", "the week before": of the days that are known."""
    is_week = text.norm(index) in ("week", "weekend") and text.norm(index - 1) == "the"
    if not is_week or text.norm(index + 1) not in words.BESIDE or text.length > _SHORT:
        return None
    after = index + 2 + (text.norm(index + 2) in ("that", "it"))
    if text[after].is_word and text.norm(after) not in _AFTER_A_CHANGE:
        return None
    days = -_A_WEEK if words.BESIDE[text.norm(index + 1)] else _A_WEEK
    return ShiftMention(first=index - 1, after=after, what="journey", days=days)


def _same_day_of_another_month(text: Text, index: int) -> ShiftMention | None:
    """ "in January, same day", "the same dates in March", "same day next month"."""
    if text.norm(index) != "same" or text.norm(index + 1) not in _SAME:
        return None
    for at in range(max(0, index - _WORDS_TO_A_MONTH), min(text.length, index + _WORDS_TO_A_MONTH)):
        month = words.MONTHS.get(text.norm(at))
        is_next = [text.norm(at - 1), text.norm(at)] == ["next", "month"]
        is_named = month is not None and text.norm(at - 1) in _BEFORE_A_MONTH
        if is_next or is_named:
            first, after = min(index, at - 1), max(index + 2, at + 1)
            return ShiftMention(first=first, after=after, what="journey", month=month, months=int(is_next))
    return None


def _direction_turned(text: Text, index: int) -> ShiftMention | None:
    length = text.match(_OTHER_WAY_ROUND, index)
    return ShiftMention(first=index, after=index + length, what="direction") if length else None


def _told_of_the_journey(text: Text, index: int) -> int:
    """How many tokens there say what a day is told from: "that", "we land", "our flight"."""
    if text.norm(index) in ("that", "it"):
        return 1
    is_moving = text.norm(index) in ("we", "i", "my", "our", "the") and text.norm(index + 1) in _JOURNEYS
    return 2 if is_moving else 0


def _weekday(text: Text, index: int) -> ShiftMention | None:
    """ "the Friday after that", "the Tuesday before": of days that are known, not of one that is named."""
    if text.norm(index + 1) not in words.BESIDE:
        return None
    weekday = words.WEEKDAYS.get(text.norm(index))
    is_told = text.norm(index) in ("day", "night") and text.norm(index - 1) in ("the", "one")
    after = index + 2 + _told_of_the_journey(text, index + 2)
    is_of_arrival = any(text.norm(at) in _ARRIVING for at in range(index - _LOOK_BACK, index))
    ends_here = not text[after].is_word or text.norm(after) in _AFTER_A_CHANGE
    is_clear = after > index + 2 or (ends_here and not is_of_arrival)
    is_day = is_told and (text.length <= _SHORT or is_clear)
    if weekday is None and not is_day:
        return None
    if text[after].is_word and text.norm(after) not in _AFTER_A_CHANGE:
        return None
    first = index - (text.norm(index - 1) == "the")
    days = -1 if words.BESIDE[text.norm(index + 1)] else 1
    return ShiftMention(
        first=first,
        after=after,
        what=_moved(text, first) if is_day else "start",
        days=days,
        weekday=weekday,
        is_night=text.norm(index) == "night",
    )


_READERS: tuple[tuple[Callable[[Text, int], ShiftMention | None], frozenset[str]], ...] = (
    (_by_amount, _UNITS | _PEOPLE | _ROOMS),
    (_another, _ANOTHER),
    (_weekday, frozenset(words.BESIDE)),
    (_week, frozenset(words.BESIDE)),
    (_direction_turned, frozenset(_OTHER_WAY_ROUND)),
    (_same_day_of_another_month, frozenset({"same"})),
    (_joining, _ADDS | _JOINS),
    (_staying_behind, _LESS | _STAYS_BEHIND.keys()),
)
"""Who reads which kind of change, and the words without one of which there is none."""
