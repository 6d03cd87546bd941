"""How many, how good and how dear: what part of a message says besides places and dates.

Numbers mean what the word behind them says: people, rooms, stars, stops. A number without one is left
alone, except after "for" and at the end of what is said ("a room for two").
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ....values.travel import CabinClass
from ...message import Facts
from ..language.numbers import NUMBERS, has_numbers, noun_told_of, whole_number
from ..language.sentences import negation_before
from ..language.tables import lists_of, phrases_of, words_of
from ..language.text import Phrases, Text, any_of
from . import fact_words as words
from .airlines import AirlineMention
from .people import are_at_least, find_people
from .prices import find_price, is_per_night
from .shared_rooms import SharedRooms, shared_rooms

_PEOPLE_SAID = phrases_of("people")
_SAID = phrases_of("facts")
_WORDS = words_of("facts")

_ROOMS_AT_MOST = 50
_STARS_AT_MOST = 5
_STOPS_AT_MOST = 4
_WORDS_BETWEEN = 4
_AMENITIES = lists_of("amenities")
_BEGIN_AN_AMENITY = any_of(*_AMENITIES.values()).begin

_CABINS = any_of(*(names for _, names in words.CABINS))


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
    said = _Said(text, first, after, taken)
    shared = shared_rooms(text, first, after)
    told_of_people = told_of_people or text
    people = shared.people if shared else None
    if people is None:
        people = _people(told_of_people, first, after, taken, shared)
    counts = said.counts()
    price = find_price(text, first, after, taken=taken)
    stops = 0 if said.has(_SAID.nonstop) else counts.get("stops")
    return Facts(
        people=people,
        are_at_least=people is not None and are_at_least(told_of_people, first, after, taken=taken),
        is_alone=said.has(_PEOPLE_SAID.just_me),
        rooms=shared.rooms if shared else _up_to(_ROOMS_AT_MOST, counts.get("rooms") or said.one_room()),
        stars=said.stars(counts.get("stars")),
        max_stops=stops if stops is None or stops <= _STOPS_AT_MOST else None,
        cabin_class=said.cabin(),
        max_price=price,
        is_per_night=price is not None and is_per_night(text, first, after),
        airline=next((one.name for one in airlines if first <= one.first < after), None),
        airlines=tuple(dict.fromkeys(one.name for one in airlines if first <= one.first < after)),
        amenities=said.amenities(),
    )


def _people(
    text: Text, first: int, after: int, taken: Collection[int], shared: SharedRooms | None
) -> int | None:
    """How many there are, who are counted beside the rooms that they share: "one for mum and one for me"."""
    if shared is None:
        return find_people(text, first, after, taken=taken)
    beside = text.without(range(shared.first, shared.after))
    people = find_people(beside, first, after, taken=taken)
    # "My wife and I need a room and another for our daughter" names who shares, and no total of them.
    is_total = people is None or has_numbers(beside)
    return people if is_total else find_people(text, first, after, taken=taken)


def _up_to(at_most: int, count: int | None) -> int | None:
    return count if count is not None and 1 <= count <= at_most else None


def _kind(word: str) -> str:
    if word in _WORDS.rooms:
        return "rooms"
    if word in _WORDS.stars:
        return "stars"
    return "stops" if word in _WORDS.stops else ""


@dataclass(frozen=True, slots=True)
class _Said:
    """The part of a message that is read."""

    text: Text
    first: int
    after: int
    taken: Collection[int]

    def has(self, sought: Phrases) -> bool:
        return 0 <= self.text.find(sought, self.first) < self.after

    def signs(self, sign: str) -> int | None:
        if sign not in self.text.vocabulary:
            return None
        return sum(self.text.norm(at) == sign for at in range(self.first, self.after)) or None

    def counts(self) -> dict[str, int]:
        """Numbers by what they count; the last one holds."""
        counts: dict[str, int] = {}
        of_kinds: dict[frozenset[str], int] = {}
        told_of_rooms = 0
        at = self.first if has_numbers(self.text) else self.after
        while (at := self.text.next_of(NUMBERS, at)) < self.after:
            read = None if at in self.taken else whole_number(self.text, at)
            if read is None:
                at += 1
                continue
            count, end = read
            kind = self._counted(end) or _kind(noun_told_of(self.text, at))
            if kind and not self._is_decimal(at, end):
                is_denied = (
                    kind == "stops"
                    and self.text.norm(at - 1) == "with"
                    and negation_before(self.text, at - 1) >= 0
                )
                counts[kind] = self._at_least(at, count) if kind == "stars" else count - is_denied
                kinds = self._kinds_of_room(end) if kind == "rooms" else frozenset[str]()
                if kinds:  # "one double and one twin" are two, and both of "2 rooms, one double one twin"
                    of_kinds[kinds] = count
                    counts[kind] = max(told_of_rooms, sum(of_kinds.values()))
                elif kind == "rooms":
                    told_of_rooms = count
            at = end
        return counts

    def _at_least(self, at: int, stars: int) -> int:
        """The fewer of two numbers of stars: "3 to 4 stars", "four and five star hotels"."""
        is_second = self.text.norm(at - 1) in _WORDS.joins_stars
        fewer = whole_number(self.text, at - 2) if is_second else None
        return min(stars, fewer[0]) if fewer and fewer[1] == at - 1 else stars

    def _is_decimal(self, at: int, end: int) -> bool:
        """Whether a number is part of one such as 4.3, by which guests rate a hotel."""
        has_more = self.text.norm(end) == "." and self.text[end + 1].is_number and self.text.is_glued(end + 1)
        is_rest = self.text.norm(at - 1) == "." and self.text[at - 2].is_number and self.text.is_glued(at)
        return has_more or is_rest

    def _counted(self, at: int) -> str:
        """What the number that ends before `at` counts, past adjectives: "two double rooms"."""
        kind = _kind(self.text.norm(at))
        stars = None if kind else whole_number(self.text, at)
        if stars and _kind(self.text.norm(stars[1])) == "stars":
            at = stars[1] + 1
        for offset in range(_WORDS_BETWEEN):
            kind = _kind(self.text.norm(at + offset))
            if kind:
                return kind
            if self.text.norm(at + offset) in _WORDS.rooms_by_kind and self._ends(at + offset + 1):
                return "rooms"
            if self.text.norm(at + offset) not in _WORDS.between:
                return ""
        return ""

    def _kinds_of_room(self, at: int) -> frozenset[str]:
        """The kinds that stand between a number and "rooms", or instead of it: "double", "twin"."""
        end = at
        while self.text.norm(end) in _WORDS.room_kinds | _WORDS.rooms_by_kind and end < at + _WORDS_BETWEEN:
            end += 1
        return frozenset(self.text.norm(each).removesuffix("s") for each in range(at, end))

    def _ends(self, at: int) -> bool:
        is_counted_on = whole_number(self.text, at) is not None
        return is_counted_on or not self.text[at].is_word or self.text.norm(at) in _WORDS.behind_a_room

    def stars(self, counted: int | None) -> int | None:
        """ "4 stars", "a star of 4", "star rating: 3", "★★★"; a hotel may have none."""
        at = self.text.find(_SAID.star_rating, self.first)
        if counted is None and 0 <= at < self.after:
            at += self.text.match(_SAID.star_rating, at)
            while self.text.norm(at) in _WORDS.before_a_rating:
                at += 1
            read = whole_number(self.text, at)
            is_count = read and at not in self.taken and not self._is_decimal(at, read[1])
            is_count = is_count and self.text.norm(at) not in ("one", "ones")  # "a better rated one"
            counted = read[0] if read and is_count else None
        counted = self.signs("★") if counted is None else counted
        return counted if counted is not None and counted <= _STARS_AT_MOST else None

    def one_room(self) -> int | None:
        """ "a double room", "a room for three": one that is described; "a room" alone is any."""
        for at in (
            () if self.text.vocabulary.isdisjoint(_WORDS.one_room) else range(self.first + 1, self.after)
        ):
            if self.text.norm(at) not in _WORDS.one_room:
                continue
            start = at
            while start > self.first and self.text.norm(start - 1) in _WORDS.between:
                start -= 1
            is_one = self.text.norm(start - 1) in ("a", "an")
            is_for_some = self.text.norm(at + 1) == "for" and (
                self.text.norm(at + 2) in _WORDS.ours or whole_number(self.text, at + 2) is not None
            )
            is_for_some = is_for_some or self.text.norm(at + 1) == "with"
            is_kind = any(self.text.norm(kind) in _WORDS.room_kinds for kind in range(start, at))
            if is_one and (is_kind or (is_for_some and at + 2 not in self.taken)):
                return 1
        return None

    def amenities(self) -> tuple[str, ...]:
        """What a hotel is to have."""
        if self.text.vocabulary.isdisjoint(_BEGIN_AN_AMENITY):
            return ()
        return tuple(name for name, phrases in _AMENITIES.items() if self.has(phrases))

    def cabin(self) -> CabinClass | None:
        for cabin, names in words.CABINS if self.has(_CABINS) else ():
            if self.has(names):
                return cabin
        is_alone = "business" in self.text.vocabulary and any(
            self.text.norm(at) == "business"
            and self.text.norm(at - 1) in words.AROUND_A_CLASS
            and self.text.norm(at + 1) in words.AROUND_A_CLASS
            for at in range(self.first, self.after)
        )
        return "business" if is_alone else None
