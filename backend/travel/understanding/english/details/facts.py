"""How many, how good and how dear: what part of a message says besides places and dates.

Numbers mean what the word behind them says: people, rooms, stars, stops. A number without one is left
alone, except after "for" and at the end of what is said ("a room for two").
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import TypeVar

from ....values.travel import CabinClass
from ...message import Facts
from ...result import Refused
from ..dates.points import NIGHT_UNITS
from ..language.numbers import NUMBERS, is_decimal, noun_told_of, whole_number
from ..language.sentences import negation_before, takes_back
from ..language.tables import lists_of, phrases_of, rows_of, words_of
from ..language.text import FIGURES, Phrases, SlotMention, Text, any_of, refused_at
from .airlines import AirlineMention
from .people import are_adults, are_all, are_at_least, are_grown_up, find_people, is_below_zero
from .prices import find_price, is_per_night

_LANGUAGE_WORDS = words_of("language")
_PEOPLE_SAID = phrases_of("people")
_PEOPLE_WORDS = words_of("people")
_PRICES_SAID = phrases_of("prices")
_PRICES_WORDS = words_of("prices")
_SAID = phrases_of("facts")
_WORDS = words_of("facts")

_Name = TypeVar("_Name", bound=str)


@dataclass(frozen=True, slots=True)
class Cabin:
    """A class to fly in, and the words for it."""

    cabin: CabinClass
    phrases: Phrases


CABINS = rows_of("facts", "cabins", Cabin)
_ANY_CABIN = any_of(*(one.phrases for one in CABINS))
_CABIN_OF: Mapping[str, CabinClass] = {
    "business": "business",
    "first": "first",
    "premium": "premium_economy",
    "economy": "economy",
    "coach": "economy",
}
_BEGIN_A_CLASS = NUMBERS | _WORDS.the_rest
_WORDS_TO_A_CLASS = 6
_AMENITIES = lists_of("amenities")
_ANY_AMENITY = any_of(*_AMENITIES.values())
_WORDS_BETWEEN = 4
_WORDS_TO_A_CHILD = 3
_ROOMS_AT_MOST = 50
_STARS_AT_MOST = 5
_STOPS_AT_MOST = 4
_POSSIBLE = (
    (_PEOPLE_WORDS.people, 99),
    (_WORDS.rooms, _ROOMS_AT_MOST),
    (_WORDS.stars, _STARS_AT_MOST),
    (frozenset(NIGHT_UNITS), 365),
)
"""How many there can be of what the words count."""
_COUNTED = frozenset[str]().union(*(words for words, _ in _POSSIBLE))
_KINDS = (("rooms", _WORDS.rooms), ("stars", _WORDS.stars), ("stops", _WORDS.stops))
_ALL_KINDS_OF_ROOM = _WORDS.room_kinds | _WORDS.rooms_by_kind
_SHARED = _PEOPLE_WORDS.rooms | _PEOPLE_WORDS.kinds
_BEFORE_SHARED = _PEOPLE_WORDS.before_a_room | _PEOPLE_WORDS.rooms

_BEGIN_SCORES = _PRICES_WORDS.ratings | _PRICES_SAID.well.begin | {FIGURES}
_WELL_RATED = 8.0
"""The least score that counts as a good one."""
_BEST = 10.0
_WORDS_TO_A_SCORE = 5


def read_facts(
    text: Text,
    first: int,
    after: int,
    *,
    taken: Collection[int] = (),
    airlines: Sequence[AirlineMention] = (),
    told_of_people: Text | None = None,
) -> Facts:
    """Return the facts in the tokens from `first` up to `after` which dates and places have not `taken`.

    `airlines` are those that the whole message names; `told_of_people` is the text with the ages of children.
    """
    said, left = text.within(first, after), text.within(first, after, taken)
    people_text = told_of_people or text
    people_said = left if people_text is text else people_text.within(first, after, taken)
    shared = _shared_rooms(left)
    people = (shared.people if shared else None) or _people_beside(people_said, shared)
    in_classes = _in_classes(left)
    people = max(people or 0, sum(one.count for one in in_classes)) or None
    counts = _counts(left)
    price = find_price(left)
    is_nonstop = said.has(_SAID.nonstop) and not (said.has(_SAID.stop_is_fine) and counts.get("stops"))
    stops = 0 if is_nonstop else counts.get("stops")
    rooms = shared.rooms if shared else counts.get("rooms") or _one_room(left) or 0
    rooms = (people or 0) if said.has(_SAID.room_each) else rooms
    names = tuple(dict.fromkeys(one.name for one in airlines if first <= one.first < after))
    return Facts(
        people=people,
        are_at_least=people is not None and are_at_least(people_said),
        are_adults=people is not None and are_adults(people_said),
        are_all=people is not None and are_all(people_said),
        is_alone=said.has(_PEOPLE_SAID.just_me),
        rooms=rooms if 0 < rooms <= _ROOMS_AT_MOST else None,
        stars=_stars(left, counts.get("stars")),
        max_stops=stops if stops is None or stops <= _STOPS_AT_MOST else None,
        cabin_class=in_classes[0].cabin if in_classes else _cabin(said),
        max_price=price,
        is_per_night=price is not None and is_per_night(said),
        airline=names[0] if names else None,
        airlines=names,
        amenities=_amenities(said),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _InClass:
    """So many of those who fly (0 for the rest of them) in a class of their own: "two of us in business"."""

    first: int
    after: int
    count: int
    cabin: CabinClass


def _in_classes(text: Text) -> list[_InClass]:
    """Those who fly by the class they are to fly in, if that is not one for all."""
    found: list[_InClass] = []
    for at in text.each_of(_BEGIN_A_CLASS) if text.has_any(_CABIN_OF.keys()) else ():
        count, end = whole_number(text, at) or (0, at + 1)
        named = text.skip(_WORDS.to_a_class, end, _WORDS_TO_A_CLASS)
        if cabin := _CABIN_OF.get(text.norm(named)):
            after = text.skip(_WORDS.behind_a_class, named + 1)
            found.append(_InClass(first=at, after=after, count=count, cabin=cabin))
    return found if len({one.cabin for one in found}) > 1 else []


def classes_beside(text: Text) -> tuple[Refused, ...]:
    """Return those who are to fly in another class than the others: one search is in one class."""
    found = _in_classes(text)
    return tuple(refused_at(text, one, "one_class") for one in found if one.cabin != found[0].cabin)


def impossible_counts(text: Text) -> tuple[Refused, ...]:
    """Return the numbers in the message that count none, or far too many, in the user's words."""
    found: list[Refused] = []
    at = 0 if text.has_any(_COUNTED) else text.length
    while (at := text.next_of(NUMBERS, at)) < text.length:
        read = whole_number(text, at)
        count, after = read or (0, at + 1)
        unit = text.skip({"-"}, after, 1)
        most = next((most for words, most in _POSSIBLE if text.norm(unit) in words), 0) if read else 0
        is_negative = is_below_zero(text, at)
        if most and (is_negative or not 1 <= count <= most) and not is_decimal(text, at, after):
            found.append(Refused(said=text.spelled(at - is_negative, unit + 1), reason="impossible_count"))
        at = after
    return tuple(found)


def rooms_not_told(text: Text) -> tuple[Refused, ...]:
    """Return "one room each" where the message does not tell for how many."""
    at = text.find(_SAID.room_each)
    if at < 0 or find_people(text) is not None:
        return ()
    return (Refused(said=text.spelled(at, at + text.match(_SAID.room_each, at)), reason="not_understood"),)


def children_told(text: Text) -> tuple[Refused, ...]:
    """Return the children of whom the message tells how many, in the user's words: "2 small kids".

    No search has a fare of their own.
    """
    found: list[Refused] = []
    for at in range(text.length) if text.has_any(_PEOPLE_WORDS.children) else ():
        if read := (1, at + 1) if text.norm(at) in ("a", "an") else whole_number(text, at):
            noun = text.skip(_PEOPLE_WORDS.between, read[1], at + _WORDS_TO_A_CHILD - read[1])
            if text.norm(noun) in _PEOPLE_WORDS.children and not are_grown_up(text, noun):
                found.append(Refused(said=text.spelled(at, noun + 1), reason="adult_fare"))
    return tuple(found)


def _people_beside(text: Text, shared: "_SharedRooms | None") -> int | None:
    """How many there are, who are counted beside the rooms that they share: "one for mum and one for me"."""
    if shared is None:
        return find_people(text)
    beside = find_people(text.without(range(shared.first, shared.after)))
    return beside if beside is None else find_people(text)


def _counts(text: Text) -> dict[str, int]:
    """Numbers by what they count; the last one holds."""
    counts: dict[str, int] = {}
    of_kinds: dict[frozenset[str], int] = {}
    told_of_rooms = at = 0
    while (at := text.next_of(NUMBERS, at)) < text.length:
        read = whole_number(text, at)
        if read is None:
            at += 1
            continue
        count, end = read
        kind = _counted(text, end) or _kind(noun_told_of(text, at))
        if kind == "stars":
            count = _fewer_stars(text, at, count)
        elif kind == "stops":
            before = at - (text.norm(at - 1) == "with")
            count -= count > 0 and negation_before(text, before) >= 0
        elif kind and (kinds := _kinds_of_room(text, end)):
            # "One double and one twin" are two, and both of "2 rooms, one double one twin".
            of_kinds[kinds] = count
            count = max(told_of_rooms, sum(of_kinds.values()))
        elif kind:
            told_of_rooms = count
        if kind and not is_decimal(text, at, end):
            counts[kind] = count
        at = end
    return counts


def _kind(word: str) -> str:
    return next((kind for kind, words in _KINDS if word in words), "")


def _counted(text: Text, at: int) -> str:
    """What the number that ends before `at` counts, past adjectives: "two double rooms"."""
    stars = None if _kind(text.norm(at)) else whole_number(text, at)
    if stars and _kind(text.norm(stars[1])) == "stars":  # "two 4-star rooms"
        at = stars[1] + 1
    for noun in range(at, at + _WORDS_BETWEEN):
        word = text.norm(noun)
        if kind := _kind(word):
            return kind
        if word in _WORDS.rooms_by_kind and _ends_a_room(text, noun + 1):
            return "rooms"
        if word not in _WORDS.between:
            break
    return ""


def _ends_a_room(text: Text, at: int) -> bool:
    is_over = not text[at].is_word or text.norm(at) in _WORDS.behind_a_room
    return is_over or whole_number(text, at) is not None


def _kinds_of_room(text: Text, at: int) -> frozenset[str]:
    """The kinds that stand between a number and "rooms", or instead of it: "double", "twin"."""
    end = text.skip(_ALL_KINDS_OF_ROOM, at)
    return frozenset(text.norm(each).removesuffix("s") for each in range(at, end))


def _fewer_stars(text: Text, at: int, stars: int) -> int:
    """The fewer of two numbers of stars: "3 to 4 stars", "four and five star hotels"."""
    fewer = whole_number(text, at - 2) if text.norm(at - 1) in _WORDS.joins_stars else None
    return min(stars, fewer[0]) if fewer else stars


def _stars(text: Text, counted: int | None) -> int | None:
    """ "4 stars", "a star of 4", "star rating: 3", "★★★"; a hotel may have none."""
    at = text.find(_SAID.star_rating)
    if counted is None and at >= 0:
        at = text.skip(_WORDS.before_a_rating, at + text.match(_SAID.star_rating, at), text.length)
        is_one = text.norm(at) in ("one", "ones")  # "a better rated one"
        read = None if is_one else whole_number(text, at)
        counted = read[0] if read and not is_decimal(text, at, read[1]) else None
    counted = len(text.where({"★"})) or None if counted is None else counted
    return counted if counted is not None and counted <= _STARS_AT_MOST else None


def _one_room(text: Text) -> int | None:
    """ "a double room", "a room for three": one that is described; "a room" alone is any."""
    for at in text.where(_WORDS.one_room):
        start = at
        while text.norm(start - 1) in _WORDS.between:
            start -= 1
        is_for_some = text.norm(at + 2) in _WORDS.ours or whole_number(text, at + 2) is not None
        is_described = text.norm(at + 1) == "with" or (text.norm(at + 1) == "for" and is_for_some)
        is_described = is_described or text.has_any(_WORDS.room_kinds, start, at)
        if is_described and text.norm(start - 1) in ("a", "an"):
            return 1
    return None


def _amenities(text: Text) -> tuple[str, ...]:
    """What a hotel is to have; of "a pool or breakfast" either."""
    told = _AMENITIES.items() if text.has(_ANY_AMENITY) else ()
    found = _meant(text, ((text.find(names), name) for name, names in told), _ANY_AMENITY)
    if "or" in text.vocabulary:
        return tuple(_with_choices(text, ((at, name) for name, at in found.items())))
    return tuple(name for name, _ in told if name in found)


def _meant(text: Text, found: Iterable[tuple[int, _Name]], names: Phrases) -> dict[_Name, int]:
    """Each that was found, by where, without those that are put right: "a pool, no, a gym"."""
    told = sorted((one for one in found if one[0] >= 0), key=itemgetter(0))
    if not told[1:]:  # as nearly always
        return {name: at for at, name in told}
    articles = _LANGUAGE_WORDS.articles | {"in"}
    put_right = [
        name
        for (first, name), (at, _) in pairwise(told)
        if takes_back(text, first + text.match(names, first), at - (text.norm(at - 1) in articles))
    ]
    return {name: at for at, name in told if name not in put_right}


def _with_choices(text: Text, found: Iterable[tuple[int, str]]) -> list[str]:
    """The names that were found, each at its index; those between which the user leaves a choice are one."""
    several: list[tuple[str, bool]] = []  # each with whether a mere comma stands before it
    after = 0
    for at, name in found:
        between = text.said(after, at) if several else frozenset[str]()
        is_listed = "," in between and between <= _WORDS.between_choices
        if "or" in between and between <= _WORDS.between_choices:
            choice, goes_on = name, True
            while several and goes_on:
                before, goes_on = several.pop()
                choice = f"{before} or {choice}"
            name, is_listed = choice, False
        several.append((name, is_listed))
        after = at + text.match(_ANY_AMENITY, at)
    return [name for name, _ in several]


def _cabin(text: Text) -> CabinClass | None:
    found = ((text.find(one.phrases), one.cabin) for one in CABINS) if text.has(_ANY_CABIN) else ()
    meant = _meant(text, found, _ANY_CABIN)
    for one in CABINS if meant else ():
        at = meant.get(one.cabin, -1)
        if at >= 0 and not (text.norm(at) == "in" and text.norm(at - 1) in _WORDS.arrives):
            return one.cabin  # not "which one gets in first"
    for at in text.where({"business"}):
        if {text.norm(at - 1), text.norm(at + 1)} - {""} <= _WORDS.around_a_class:
            return "business"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _SharedRooms:
    """The tokens from `first` up to `after`, the rooms they tell, and how many people if each tells some."""

    first: int
    after: int
    rooms: int
    people: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Room:
    """So many rooms alike, each for so many `people` (0 if nobody says), in the tokens up to `after`."""

    after: int
    count: int
    people: int
    is_of_a_kind: bool
    shares: bool = False
    """Whether it tells who shares it: "five in one room"."""


def _shared_rooms(text: Text) -> _SharedRooms | None:
    """The rooms that are told one by one: "a room for 2 and a room for 3", "5 twins and a single".

    One room, or several of one kind, are counted with the other facts of a message.
    """
    for at in range(text.length) if text.has_any(_SHARED) else ():
        rooms, end = list[_Room](), at
        while room := _room(text, text.skip(_PEOPLE_WORDS.joints, end) if rooms else at, is_led=bool(rooms)):
            rooms.append(room)
            end = room.after
        if len(rooms) > 1 or (rooms and rooms[0].shares):
            return _summed(rooms, at, end)
    return None


def _summed(rooms: list[_Room], first: int, end: int) -> _SharedRooms | None:
    """How many there are in all: those of "3 rooms, one double and two twins" are told twice."""
    head, *others = rooms
    is_total = head.count > 1 and not head.is_of_a_kind and not head.people
    alike = others if is_total else rooms
    count = head.count if is_total else sum(room.count for room in rooms)
    people = sum(room.count * room.people for room in alike) if all(room.people for room in alike) else None
    return _SharedRooms(first=first, after=end, rooms=count, people=people)


def _room(text: Text, at: int, *, is_led: bool) -> _Room | None:
    """ "a double room", "2 twins", "one room for 2", "one for my sister" where it `is_led` by a room."""
    read = (1, at + 1) if text.norm(at) in _PEOPLE_WORDS.ones else whole_number(text, at)
    if read is None or not 0 < read[0] <= _ROOMS_AT_MOST:
        return None
    if length := text.match(_PEOPLE_SAID.in_another_room if is_led else _PEOPLE_SAID.in_one_room, read[1]):
        return _Room(after=read[1] + length, count=1, people=read[0], is_of_a_kind=False, shares=True)
    noun = start = text.skip({"x", "one"}, read[1], 1)
    while text.norm(noun) in _PEOPLE_WORDS.before_a_room and text.norm(noun + 1) in _BEFORE_SHARED:
        noun += 1
    is_named = text.norm(noun) in _SHARED and text.norm(noun + 1) not in ("bed", "beds", "bedroom")
    end = noun + 1 if is_named else start
    if not (is_named or (is_led and text.norm(end) == "for")):
        return None
    people, end = _for_whom(text, end + 1) if text.norm(end) == "for" else (0, end)
    is_of_a_kind = text.has_any(_PEOPLE_WORDS.kinds, start, noun + 1)
    return _Room(after=end, count=read[0], people=people, is_of_a_kind=is_of_a_kind)


def _for_whom(text: Text, at: int) -> tuple[int, int]:
    """How many a room is for, 0 where no number tells, and the index behind the words for them."""
    if read := whole_number(text, at):
        return read[0], text.skip(_PEOPLE_WORDS.people, read[1], 1)
    end = at
    while text.norm(end) and text.norm(end) not in _PEOPLE_WORDS.ends:
        if _room(text, text.skip(_PEOPLE_WORDS.joints, end, 1), is_led=True):
            break
        end += 1
    return 0, end


def find_scores(text: Text) -> Iterator[SlotMention]:
    """Yield the least scores of hotels, of ten: "rated 8 or better", "a score above 8.5", "9+ rating".

    Five at most with a word for ratings are stars, which are read with the other facts.
    """
    at = 0 if text.has_any(_PRICES_WORDS.cues) else text.length
    while (at := text.next_of(_BEGIN_SCORES, at)) < text.length:
        found = _told_before(text, at) or _told_after(text, at)
        length = text.match(_PRICES_SAID.well, at)  # "well rated", "with good reviews"
        if length and text.norm(at - 1) not in _PRICES_WORDS.denials:
            found = found or (_WELL_RATED, at + length)
        if found:
            yield SlotMention(first=at, after=found[1], slots={"hotel.min_score": found[0]})
        at = found[1] if found else at + 1


def _told_before(text: Text, first: int) -> tuple[float, int] | None:
    """ "rated 8 or better", "a score of at least 8.5", "not rated below 8"."""
    if text.norm(first) not in _PRICES_WORDS.ratings:
        return None
    is_denied = negation_before(text, first) >= 0 or text.has(_PRICES_SAID.not_wanted)
    less = _PRICES_WORDS.less if is_denied else frozenset[str]()
    at = text.skip(_PRICES_WORDS.between_a_score | less, first + 1, _WORDS_TO_A_SCORE)
    is_below = text.norm(at - 1) in _PRICES_WORDS.less and not is_denied
    read = _score(text, at, is_score=text.has_any(_PRICES_WORDS.scores, first, at))
    return (read[0], read[1] + text.match(_PRICES_SAID.and_up, read[1])) if read and not is_below else None


def _told_after(text: Text, at: int) -> tuple[float, int] | None:
    """ "8+ rating", "8.5 or better guest score", "at least 8 out of 10"; "8/10" alone is a day."""
    read = _score(text, at, is_score=True)
    if read is None or text.norm(at - 1) in _PRICES_WORDS.less:
        return None
    up = text.match(_PRICES_SAID.and_up, read[1])
    after = text.skip({"guest", "review", "user"}, read[1] + up, 1)
    if text.norm(after) in _PRICES_WORDS.ratings:
        is_stars = text.norm(after) not in _PRICES_WORDS.scores and read[0] <= _STARS_AT_MOST
        return None if is_stars else (read[0], after + 1)
    is_of_ten = any(text.match(_PRICES_SAID.of_ten, each) for each in range(at + 1, read[1]))
    is_least = text.norm(at - 1) in _PRICES_WORDS.leasts or up > 0 or "out" in text.vocabulary
    return (read[0], read[1] + up) if is_of_ten and is_least else None


def _score(text: Text, at: int, *, is_score: bool) -> tuple[float, int] | None:
    """A number up to 10 that counts no stars."""
    if not text[at].is_number or len(text[at].raw) > 2 or text.norm(at - 1) == ".":
        return None
    score, after = float(text[at].raw), at + 1
    if is_decimal(text, at, after):
        score, after = float(f"{text[at].raw}.{text[after + 1].raw}"), after + 2
    of_ten = text.match(_PRICES_SAID.of_ten, after)
    after += of_ten
    is_stars = not (is_score or of_ten) and score <= _STARS_AT_MOST
    return None if is_stars or text.norm(after) in _WORDS.stars or not 0 < score <= _BEST else (score, after)
