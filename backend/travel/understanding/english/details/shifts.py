"""Changes told by how much they change: "two weeks later", "one night more", "plus one", "the Friday after".

They only mean something after a request whose days or people are known; so do earlier requests that are
taken up again, and what tells who joins, stays behind, or travels on other days or from elsewhere: "my mum's
coming too", "one of the girls dropped out", "my parents fly on the 17th".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ...message import Moved, Return, Shift
from ...places.districts import districts_by_key
from ...places.gazetteer import Gazetteer, load_gazetteer
from ..dates.grammar import is_period, read_span
from ..dates.points import ALL_WEEKDAYS, BESIDE, DAY_UNITS, MONTHS, NIGHT_UNITS, WEEKDAYS, day_number
from ..language.numbers import whole_number
from ..language.sentences import clauses, is_waived, negation_of, sentence_around
from ..language.tables import phrases_of, words_of
from ..language.text import Phrases, ShiftMention, Text, any_of, phrases
from ..places.finder import PlaceMention
from ..places.places import find_places
from .airlines import NAMES as AIRLINES
from .people import ages_at, is_told_of_somebody, relative_at, year_old

_DATES_WORDS = words_of("dates")
_JOIN_WORDS = words_of("joining")
_SAID = phrases_of("changes")
_WORDS = words_of("changes")

_MOVES_ALL = (_SAID.moved_to, _SAID.all_moved, _SAID.to_a_day)
_PAIRS: tuple[frozenset[Moved], ...] = (frozenset({"start", "end"}), frozenset({"people", "rooms"}))
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
_WHICH: tuple[tuple[Literal["oldest", "second", "latest"], Phrases], ...] = (
    ("oldest", _SAID.oldest),
    ("second", _SAID.second),
    ("latest", _SAID.latest),
)
_HOTELS_SAID = phrases_of("hotels")
_PEOPLE_SAID = phrases_of("people")
_PEOPLE_WORDS = words_of("people")
_JOIN_SAID = phrases_of("joining")

_BY_AGE: dict[str, Literal["", "oldest", "youngest", "middle"]] = {
    **dict.fromkeys(_JOIN_WORDS.oldest, "oldest"),
    **dict.fromkeys(_JOIN_WORDS.youngest, "youngest"),
    "middle": "middle",
}
_LONGEST_PARTY = 18
_LONGEST_OF_PEOPLE = 7
_OTHERS = ("he", "she", "they")
"""Of some who travel they tell where "I" and "we" travel otherwise: "he flies on the 23rd, I on the 22nd"."""
_BY_HOW_MANY = {"more": 1, "extra": 1, "less": -1, "fewer": -1}
_NOBODY = (
    _JOIN_WORDS.no_names | _PEOPLE_WORDS.people | _PEOPLE_WORDS.friends | {*ALL_WEEKDAYS} | MONTHS.keys()
)
_OVER_BEHIND_A_NAME = _JOIN_WORDS.goes_on | {"now", "please", "for"}
_COURTESIES = _PEOPLE_WORDS.courtesies | _PEOPLE_WORDS.of_us

_STAYS = any_of(_JOIN_SAID.stays_behind, _JOIN_SAID.stay_home)
_GONE = any_of(_STAYS, _JOIN_SAID.out)
_CUES_OF_STAYING_BEHIND = (
    _JOIN_WORDS.less | _PEOPLE_WORDS.takes_away | (_JOIN_WORDS.cancelled & (_GONE.cues | {"cancelled"}))
)


def find_shift(text: Text, *, is_of_stay: bool = False) -> ShiftMention | None:
    """Return the first change that is told by how much, None if there is none.

    Where it `is_of_stay`, to leave is to check out.
    """
    found = _at_its_end(text, _of_both_ends(text, _first_shift(text)))
    if found is None:
        return None
    denied = negation_of(text, found.first, _WORDS.beside_a_denial)
    if denied and not is_waived(text, denied.stop):  # "don't leave a day later"; "I don't mind leaving later"
        return find_shift(text.without(range(found.first, found.after)), is_of_stay=is_of_stay)
    if not is_of_stay or found.what != "start":
        return found
    leaves = text.has_any(_WORDS.leaves_a_hotel, found.first - _LOOK_BACK, found.first)
    return replace(found, what="end") if leaves else found


def moves_a_day(text: Text) -> bool:
    """Return whether a message has a word for moving a day that is known: "Thursday instead"."""
    return not text.vocabulary.isdisjoint(_WORDS.moves)


def goes_back(text: Text) -> bool:
    """Return whether a message begins with words such as "go back to"."""
    return 0 <= text.find(_SAID.back_to) <= _NEAR_THE_START and not text.has(_SAID.same_days)


def to_another_city(text: Text) -> frozenset[int]:
    """Return the tokens of "back" of a change of the city alone: "back to Oslo, same dates"."""
    at = text.find(_SAID.back_to)
    is_told = 0 <= at <= _NEAR_THE_START and text.has(_SAID.same_days)
    behind = range(at, at + text.match(_SAID.back_to, at)) if is_told else ()
    return frozenset(at for at in behind if text.norm(at) == "back")


def repeats(text: Text) -> bool:
    """Return whether a message only asks for the same again: "try again", "go on"."""
    at = text.find(_SAID.repeats)
    if at < 0 or text.length > _LONGEST_REPEAT or text.norm(at - 1) in _WORDS.negations:
        return False
    return text.vocabulary.isdisjoint(_WORDS.courtesy)


def find_return(text: Text, gazetteer: Gazetteer) -> Return | None:
    """Return which earlier request a message wants again ("back to the Tokyo flights"), None if none."""
    is_again = goes_back(text) or (text.has(_SAID.once_more) and not text.has(_SAID.same_days))
    if not is_again or text.length > _LONGEST_RETURN:
        return None
    # The words for a request name no place: all of them are read, also those that another reader has taken.
    cities = frozenset(one.place.city for one in find_places(text, gazetteer).mentions if one.place)
    return Return(cities=cities, which=next((which for which, said in _WHICH if text.has(said)), None))


def _of_both_ends(text: Text, found: ShiftMention | None) -> ShiftMention | None:
    """The change with that of the other end: "leave a day earlier and come back a day later".

    The same of people and their rooms: "one more person and one more room".
    """
    pair = next((pair for pair in _PAIRS if found and found.what in pair), None)
    if found is None or pair is None or found.month or found.weekday is not None:
        return found
    rest = text.without(range(found.after))
    other = _first_shift(rest)
    if other is None or other.what not in pair - {found.what}:
        return found
    return replace(found, after=other.after, also=other.told(rest))


def _at_its_end(text: Text, found: ShiftMention | None) -> ShiftMention | None:
    """The change, at the end that is told behind it: "a night more at the start", "less at both ends"."""
    if found and found.days and found.what in ("journey", "start"):  # "a day earlier, same way back"
        stays = text.find(_SAID.end_stays, found.after)
        after = stays + text.match(_SAID.end_stays, stays)
        return replace(found, what="start", after=after) if stays >= 0 else found
    if found is None or found.what != "end" or not found.days or found.weekday is not None:
        return found
    at = found.after
    if length := text.match(_SAID.at_both_ends, at):
        return replace(found, after=at + length, also=Shift(what="start", days=-found.days))
    length = 0 if text[at + 1].is_word else text.match(_SAID.before_it, at)
    if length or text.find(_SAID.at_the_start, at, sentence_around(text, found.first)[1]) >= 0:
        return replace(found, what="start", days=-found.days, after=at + length)
    return found


def _first_shift(text: Text) -> ShiftMention | None:
    told = text.vocabulary & _CUES
    readers = (
        [reader for reader, cues, said in _READERS if not told.isdisjoint(cues) or (said and text.has(said))]
        if told
        else ()
    )
    for index in range(text.length) if readers else ():
        for reader in readers:
            if found := reader(text, index):
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
        is_more = before_unit in _WORDS.more or text.norm(index) == "add"
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
    told_by = text.said(index, index + by)
    behind = text.norm(after)
    for direction, some, verbs in ((1, _WORDS.more, _WORDS.lengthens), (-1, _WORDS.less, _WORDS.shortens)):
        if before_unit in some or told_by & verbs:
            return direction, "end", after + (behind in some)
        if not by and behind in some:
            return direction, "end", after + 1
    if by:
        return (-1 if told_by & _WORDS.anticipates else 1), _moved(text, index), after
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
        if text.says(at, "check", "in") or text.says(at, "be", "there"):
            return "start"
        if (word in _WORDS.leaves or word in _WORDS.arrives) and not text.match(_SAID.repeats, at):
            return "start"
    return "journey"


def _to_a_day(text: Text, index: int) -> ShiftMention | None:
    """ "Move everything to the 15th", "put it all back to Friday", "the whole trip to 3 May"."""
    after = text.behind(index, *_MOVES_ALL) or index + text.match(_SAID.moves_all, index)
    span = read_span(text, after) if after > index else None
    is_told = span and span.start and not (span.end or is_period(span.start))
    return ShiftMention(first=index, after=after, what="journey", is_to_a_day=True) if is_told else None


def _another(text: Text, index: int) -> ShiftMention | None:
    """ "another night", "an extra guest", "another room", "a third adult"."""
    nth = day_number(text, index + 1) if text.norm(index) == "a" else None
    if nth and nth.is_ordinal and (what := _counted(text.norm(nth.after))):
        return ShiftMention(first=index, after=nth.after + 1, what=what, count=1)
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


def _night_left_out(text: Text, index: int) -> ShiftMention | None:
    """ "Drop the first night", "without the last two nights": the journey begins later, or ends earlier."""
    at = index + text.match(_SAID.leaves_out_nights, index)
    count, unit = whole_number(text, at + 1) or (1, at + 1)
    days = count * _DAYS.get(text.norm(unit), 0)
    if at == index or text.norm(at) not in _WORDS.first | _WORDS.last or not 0 < days <= _MOST:
        return None
    what, days = ("start", days) if text.norm(at) in _WORDS.first else ("end", -days)
    return ShiftMention(first=index, after=unit + 1, what=what, days=days)


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
    is_told = text.norm(index) in _DATES_WORDS.parts and text.norm(index - 1) in ("the", "one")
    after = index + 2  # "that", "we land", "our flight"
    if text.norm(after) in ("that", "it"):
        after += 1
    elif text.norm(after) in ("we", "i", "my", "our", "the") and text.norm(after + 1) in _WORDS.journeys:
        after += 2
    is_of_arrival = text.has_any(_WORDS.arriving, index - _LOOK_BACK, index)
    is_day = is_told and (text.length <= _SHORT or after > index + 2 or not is_of_arrival)
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


def _ends_there(text: Text, at: int) -> bool:
    is_part = (
        text.says(at, "in", "the") and text.norm(at + 2) in _DATES_WORDS.parts
    )  # "the day before in the evening"
    return is_part or not text[at].is_word or text.norm(at) in _WORDS.after_a_change


def _week(text: Text, index: int) -> ShiftMention | None:
    """ "the weekend after", "the following week": of the days that are known, where nothing else is said."""
    which = text.norm(index - 1)
    weeks = _BESIDE.get(text.norm(index + 1), 0) if which == "the" else 0
    if text.norm(index) not in _WORDS.weeks:
        return None
    if weeks:
        first, after = index - 1, index + 2 + (text.norm(index + 2) in ("that", "it"))
    elif which == "following" or (which == "next" and text.norm(index - 2) in ("days", "dates")):
        first, after = index - 1 - (text.norm(index - 2) == "the"), index + 1
    else:
        return None
    begin, end = sentence_around(text, index)
    others = (*range(begin, first), *range(after, end))
    is_all = all(text.norm(at) in _WORDS.beside_a_week for at in others)
    is_short = weeks != 0 and text.length <= _SHORT and _ends_there(text, after)
    if not (is_short or is_all):
        return None
    return ShiftMention(first=first, after=after, what="journey", days=(weeks or 1) * _A_WEEK)


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
    is_told = all(_is_denied(text, at) for at in others) and not _is_denied(text, index)
    is_told = is_told and (bool(others) or text.has_any(_WORDS.corrects))
    is_all = text.vocabulary <= _WORDS.corrects | _WORDS.beside_a_month | MONTHS.keys()
    # A name that is a word as well ("may", "march") counts where no such word would stand.
    is_name = name not in _DATES_WORDS.months_also_words or text.norm(index + 1) in _BEHIND_A_MONTH
    return is_told and is_all and is_name


def _is_denied(text: Text, at: int) -> bool:
    return any(text.match(_SAID.not_word, at - length) == length for length in (1, 2))


def _joining(text: Text, index: int) -> ShiftMention | None:
    """ "add my mum", "my two sons are coming too", "my mother she come too", "jake is coming too"."""
    is_brought = text.norm(index) in _JOIN_WORDS.brings and text.norm(index - 1) in _JOIN_WORDS.who_bring
    first = index + (is_brought or text.norm(index) in _JOIN_WORDS.adds)
    read = _relative(text, first)
    if read is None or text.norm(index - 1) in _JOIN_WORDS.if_word:
        return _joins_by_name(text, index) if first == index else None
    count, after = read
    if first > index:
        beside = text.match(_JOIN_SAID.beside_joining, after) if is_brought else 0
        is_all = beside > 0 or not (is_brought and text[after].is_word)
        return _people(index, after + beside, count) if is_all else None
    while text.norm(after) == "and" and (other := _relative(text, after + 1)):
        count, after = count + other[0], other[1]
    is_in_short = text.norm(after) in _JOIN_WORDS.in_short and text.norm(after - 1).endswith("s")
    if not (is_in_short or text.norm(after) in _JOIN_WORDS.says_of_somebody):
        return None
    at = next((at for at in range(after, after + _LOOK_BACK) if text.norm(at) in _JOIN_WORDS.joins), -1)
    if at < 0 or text.has_any(_JOIN_WORDS.denies, after, at):
        return None
    return _people(index, at + 1 + text.match(_JOIN_SAID.beside_joining, at + 1), count)


def _joins_by_name(text: Text, index: int) -> ShiftMention | None:
    """ "jake is coming too", "Priya and Sam will join us", "a friend is coming with us"."""
    count, at = _names_side_by_side(text, index) if _is_begun(text, index) else (0, index)
    verb = text.skip(_JOIN_WORDS.beside_a_verb, at)
    is_told = verb > at or text.norm(verb) in ("joins", "comes", "join") or _is_in_short(text, at - 1)
    end = verb + 1 + text.match(_JOIN_SAID.beside_joining, verb + 1)
    is_told = count > 0 and is_told and end > verb + 1 and text.norm(verb) in _JOIN_WORDS.joins
    is_over = not text[end].is_word or text.norm(end) in _OVER_BEHIND_A_NAME
    return _people(index, end, count) if is_told and is_over else None


def _names_side_by_side(text: Text, at: int) -> tuple[int, int]:
    """How many are called by name there, and the index after: "Priya and Sam", "a friend"; 0 for others."""
    count = 0
    while text[at].is_word:
        if text.norm(at) in ("a", "another") and text.norm(at + 1) in _JOIN_WORDS.known_people:
            at += 1
        elif text.norm(at) in _JOIN_WORDS.called_by_no_name:
            break
        count, at = count + 1, at + 1
        if text.norm(at) not in ("and", "&", ","):
            return count, at
        at += 1
    return 0, at


def _staying_behind(text: Text, index: int) -> ShiftMention | None:
    """ "one person fewer", "one of us can't come", "my sister can't make it", "the kids stay home"."""
    return _left_at_home(text, index) or _known_to_stay(text, index) or _some_stay(text, index)


def _left_at_home(text: Text, index: int) -> ShiftMention | None:
    """ "without grandma", "minus my sister", "without the kids"."""
    if text.norm(index) not in _PEOPLE_WORDS.takes_away or text.norm(index - 1) in _JOIN_WORDS.of_others:
        return None  # "a hotel without children"
    is_led = text.norm(index + 1) in _PEOPLE_WORDS.owners
    if (
        text.norm(index + 1 + is_led) in _JOIN_WORDS.children
        and text.norm(index + 2 + is_led) not in _JOIN_WORDS.things
    ):
        return ShiftMention(
            first=index, after=index + 2 + is_led, what="people", count=0, is_of_children=True
        )
    read = _relative(text, index + 1)
    return _people(index, read[1], -read[0]) if read and not is_told_of_somebody(text, read[1]) else None


def _some_stay(text: Text, index: int) -> ShiftMention | None:
    """ "one of the girls dropped out", "someone can't come", "we are two less"."""
    is_somebody = text.norm(index) in _JOIN_WORDS.somebody
    is_one = text.norm(index) in ("a", "another") and text.norm(index + 1) in _JOIN_WORDS.members
    count, after = (1, index + 1) if is_somebody or is_one else whole_number(text, index) or (0, index)
    if not 0 < count <= _MOST or text.norm(index - 1) in _JOIN_WORDS.if_word:
        return None
    at = after  # "person", "of us", "of the girls", "of my friends", "friend of mine"
    if text.norm(at) == "of":
        is_of_us = text.norm(at + 1) in ("us", "them")
        is_of_group = text.norm(at + 1) in _PEOPLE_WORDS.owners and text.norm(at + 2) in _JOIN_WORDS.members
        at += 2 * (is_of_us or is_of_group)
    if text.norm(at) in _JOIN_WORDS.members:
        at += 3 if text.norm(at + 2) in ("mine", "ours") else 1
    if text.norm(at) in _JOIN_WORDS.less:
        is_all = index <= 1 and text.skip(_JOIN_WORDS.courtesies, at + 1) == text.length
        is_meant = at > after or text.norm(index - 1) in _JOIN_WORDS.we_are or is_all
        return _people(index, at + 1, -count) if is_meant else None
    length = text.match(_JOIN_SAID.stays_behind, at)
    length = length or (text.norm(at) in _JOIN_WORDS.cancelled and _is_over(text, at + 1))
    is_counted = at > after or is_somebody or text.norm(at) in ("dropped", "cancelled", "bailed")
    return _people(index, at + length, -count) if length and is_counted else None


def _known_to_stay(text: Text, index: int) -> ShiftMention | None:
    """ "she isn't coming", "my friend can't make it", "the kids stay home", "Declan's out"."""
    word = text.norm(index)
    if text.norm(index - 1) in _JOIN_WORDS.if_word:
        return None
    if word in _JOIN_WORDS.children and text.norm(index - 1) in _PEOPLE_WORDS.owners:
        length = text.match(_STAYS, index + 1)
        after = index + 1 + length
        found = ShiftMention(first=index - 1, after=after, what="people", count=0, is_of_children=True)
        return found if length else None
    if word in _JOIN_WORDS.pronouns_with_a_verb:
        length = text.match(_JOIN_SAID.out, index + 1)
        after = index + 1 + length
        return _people(index, after, -1) if length and not text[after].is_word else None
    by_age = index + 2 if word in _PEOPLE_WORDS.owners and text.norm(index + 1) in _BY_AGE else 0
    at = text.skip(_JOIN_WORDS.one_by_age, by_age, 1) if by_age else index + 1
    read = (1, at) if by_age or word in _JOIN_WORDS.pronouns else _relative(text, index)
    if read is None:
        after = _stays_by_name(text, index)
        return _people(index, after, -1) if after else None
    at = text.skip(_JOIN_WORDS.pronouns, read[1], 1)
    length = text.match(_STAYS, at)
    if not length or (text.norm(at + length - 1) == "with" and text.norm(at + length) in _JOIN_WORDS.us):
        return None
    child = _BY_AGE.get(text.norm(index + 1), "")
    return ShiftMention(first=index, after=at + length, what="people", count=-read[0], child=child)


def _stays_by_name(text: Text, index: int) -> int:
    """The index after what tells that somebody stays who is called by name, 0 if nothing does.

    Only at the beginning of what is said: "the hotel in Anna is out" names a place, and "Friday's out" a day.
    """
    token = text[index]
    if not (token.is_word and _is_begun(text, index)):
        return 0
    name = token.norm[:-1] if _is_in_short(text, index) else token.norm
    if not _may_be_called(name, is_capitalised=token.is_capitalised):
        return 0
    verb = index + 1 + (name == token.norm and text.norm(index + 1) == "is")
    after = verb + text.match(_JOIN_SAID.out, verb)
    if after > verb and (verb > index + 1 or name != token.norm):
        is_left = text.norm(verb) != "out" or token.is_capitalised
        return after if is_left and _is_over(text, after) else 0
    after = index + 1 + text.match(_JOIN_SAID.stays_behind, index + 1)
    is_told = token.is_capitalised or (
        text.has_any(_JOIN_WORDS.comes, index + 1, after) and _is_over(text, after)
    )
    return after if after > index + 1 and is_told and not text.has(_JOIN_SAID.of_offers) else 0


def _may_be_called(name: str, *, is_capitalised: bool) -> bool:
    known = load_gazetteer()
    if name in _NOBODY or name in known.known or (is_capitalised and name in known.regions):
        return False
    named = (*AIRLINES.get(name, ()), *_HOTELS_SAID.chains.get(name, ()))
    return (name,) not in named and (name,) not in districts_by_key()


def _is_begun(text: Text, index: int) -> bool:
    return index == 0 or text.norm(index - 1) in _JOIN_WORDS.before_a_name


def _is_over(text: Text, at: int) -> bool:
    return not text[at].is_word or text.norm(at) in _JOIN_WORDS.goes_on


def _is_in_short(text: Text, index: int) -> bool:
    """Whether a name holds its verb: "Declan's"."""
    return text[index].raw[-2:].lower() in ("'s", "\u2019s")


def _relative(text: Text, at: int) -> tuple[int, int] | None:
    """How many relatives are named there, and the index after: "my mum", "grandma", "my mum's coming"."""
    is_owned = text.norm(at) in _PEOPLE_WORDS.owners
    name = text.norm(at + is_owned)
    known = _PEOPLE_WORDS.relatives if is_owned else _JOIN_WORDS.names_of_relatives
    if name[-1:] == "s" and name[:-1] in known and text.norm(at + is_owned + 1) in _JOIN_WORDS.in_short:
        return 1, at + is_owned + 1
    is_called = name in _JOIN_WORDS.names_of_relatives and text.norm(at - 1) not in _PEOPLE_WORDS.owners
    return (1, at + 1) if is_called and not is_owned else relative_at(text, at)


def _people(first: int, after: int, count: int) -> ShiftMention:
    return ShiftMention(first=first, after=after, what="people", count=count)


def find_companion(text: Text) -> ShiftMention | None:
    """Return the change of people that is all a message says, "plus one", None if it says anything else.

    In a longer message the same words may tell anything.
    """
    if at := text.skip(_PEOPLE_WORDS.before_more, 0):  # "oops, and our daughter"
        more = find_companion(Text(text.spelled(at, text.length)))
        return _people(0, text.length, more.count) if more else None
    sign, courtesies = 1, _PEOPLE_WORDS.courtesies
    lead = text.match(_PEOPLE_SAID.adds_a_child, 0)
    if lead and (child := _child(text, lead)):  # "add a baby", "there's also a 3 year old"
        read = child
    elif text.norm(0) in _PEOPLE_WORDS.adds | _PEOPLE_WORDS.takes_away:
        sign = 1 if text.norm(0) in _PEOPLE_WORDS.adds else -1
        read = _added(text, 1)
    else:  # "two more", "one more of us is coming", "make it one less"
        first = text.match(_PEOPLE_SAID.leads, 0)
        read = whole_number(text, first)
        sign, courtesies = _BY_HOW_MANY.get(text.norm(read[1]), 0) if read else 0, _COURTESIES
        is_of_people = first > 0 or sign > 0 or text.has_any(_PEOPLE_WORDS.of_us, 2)
        read = (read[0], read[1] + 1) if read and sign and is_of_people else None
    if not read or text.skip(courtesies, read[1], _LONGEST_OF_PEOPLE) < text.length:
        return None
    return _people(0, text.length, sign * read[0])


def _child(text: Text, at: int) -> tuple[int, int] | None:
    """How many children are named there, and the index after: "a baby", "our 3 year old daughter"."""
    is_led = text.norm(at) in _PEOPLE_WORDS.owners or text.norm(at) in ("a", "an", "another")
    if is_led and (after := year_old(text, at + 1)):
        return 1, text.skip(_PEOPLE_WORDS.any_children, after, 1)
    read = _added(text, at)
    return read if read and text.has_any(_PEOPLE_WORDS.any_children, at, read[1]) else None


def _added(text: Text, at: int) -> tuple[int, int] | None:
    """How many are named there, and the index after: "my two sons", "a kid (4)", "one"."""
    read = relative_at(text, at)
    if read is None:
        count = (1, at + 1) if text.norm(at) in ("a", "an", "another") else whole_number(text, at)
        if count is None or (text.norm(0) == "with" and text.norm(count[1]) not in _PEOPLE_WORDS.children):
            return None
        noun = text.skip(_BY_HOW_MANY.keys(), count[1], 1)
        is_all = text.norm(0) == "and" and noun == count[1] and text.norm(noun) in _PEOPLE_WORDS.total
        if is_all:  # "and 4 people" are all of them, unlike "and 2 more people"
            return None
        is_alone = text.norm(0) in ("plus", "minus") and noun == text.length
        if not is_alone and text.norm(noun) not in _PEOPLE_WORDS.people:
            return None
        read = count[0], noun + (not is_alone)
    return read[0], ages_at(text, read[1], read[0])[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartyMention:
    """A clause about some of those who travel, in the tokens from `first` up to `after`.

    A search is for all who travel together, so their days and places are none of the search's.
    """

    first: int
    after: int


def find_party(text: Text) -> PartyMention | None:
    """Return the clause about some of those who travel, None if there is none."""
    if not (text.has_any(_JOIN_WORDS.travels) and text.has_any(_PEOPLE_WORDS.elsewhere)):
        return None
    for first, after in clauses(text):
        start = text.skip({"and", "but", "so", "oh"}, first, 1)
        is_other = text.norm(start) in _OTHERS and text.has_any(_PEOPLE_WORDS.we | {"i"}, after)
        verb = start + 1 if is_other else _behind_them(text, start)
        verb = text.skip(_PEOPLE_WORDS.before_a_verb, verb) if verb else 0
        if not verb or text.norm(verb) not in _JOIN_WORDS.travels or after - first > _LONGEST_PARTY:
            continue
        joins_from = text.norm(verb) in _PEOPLE_WORDS.joins and text.norm(verb + 1) == "from"
        stays_at_home = text.norm(verb) in ("stay", "stays") and text.norm(verb + 1) in ("home", "at")
        is_apart = text.has_any(_PEOPLE_WORDS.elsewhere, verb + 1, after) and not (
            stays_at_home or text.has_any(_PEOPLE_WORDS.not_apart, verb + 1, after)
        )
        if is_apart or (joins_from and text.norm(verb + 2) not in _PEOPLE_WORDS.no_place):
            return PartyMention(first=start, after=after)
    return None


def parties(
    text: Text, places: Sequence[PlaceMention], party: PartyMention | None
) -> tuple[PartyMention, ...]:
    """Return the `party` that was found, or else what tells of those who start elsewhere than the others.

    So "3 from Berlin and 2 from Munich" tells of the latter. A start that is a goal, too, is that of a
    further leg.
    """
    if party is not None:
        return (party,)
    goals = {one.place.city for one in places if one.place and one.role != "origin"}
    starts = [one for one in places if one.place and one.role == "origin" and one.place.city not in goals]
    found: list[PartyMention] = []
    for one in starts:
        is_choice = text.has_any(_PEOPLE_WORDS.or_word, starts[0].after, one.first)
        if one.place != starts[0].place and not is_choice:
            first = one.first  # behind an "and" or a comma
            while text.norm(first - 1) and text.norm(first - 1) not in _JOIN_WORDS.breaks:
                first -= 1
            found.append(PartyMention(first=first, after=one.after))
    return tuple(found)


def _behind_them(text: Text, first: int) -> int:
    """The index after "my parents", "two of the girls", "the others"; 0 if they do not stand there."""
    if relative := relative_at(text, first):
        return relative[1]
    count = whole_number(text, first)
    some = count[1] if count else text.skip(_PEOPLE_WORDS.some, first, 1)
    at = text.skip(_PEOPLE_WORDS.of, some)
    is_led = some > first or text.norm(first) in ("the", "our", "my")
    if is_led and text.norm(at) in _PEOPLE_WORDS.group:
        return at + 1
    return at if text.norm(first) in ("some", "others") else 0


_READERS: tuple[tuple[Callable[[Text, int], ShiftMention | None], frozenset[str], Phrases], ...] = (
    (_to_a_day, frozenset(), any_of(_SAID.moves_all, _SAID.all_moved)),
    (_by_amount, frozenset(_DAYS) | _DATES_WORDS.month_units | _WORDS.people | _WORDS.rooms, phrases()),
    (_another, _WORDS.another | _WORDS.people | _WORDS.rooms, phrases()),
    (_night_left_out, frozenset(), _SAID.leaves_out_nights),
    (_weekday, frozenset(BESIDE), phrases()),
    (_week, _WORDS.weeks, phrases()),
    (_another_month, frozenset({"same", *MONTHS}), phrases()),
    (_staying_behind, _CUES_OF_STAYING_BEHIND, _GONE),
    (_joining, _JOIN_WORDS.cues_of_joining, phrases()),
    (_told_in_words, frozenset(), any_of(_SAID.own_room, _SAID.other_way_round)),
)
"""Who reads which kind of change, and the words and phrases without one of which there is none."""
_CUES = frozenset[str]().union(*(cues | said.cues for _, cues, said in _READERS))
