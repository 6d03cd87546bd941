"""How many, how good and how dear: what part of a message says besides places and dates.

Numbers mean what the word behind them says: people, rooms, stars, stops. A number without one is left
alone, except after "for" and at the end of what is said ("a room for two").
"""

from collections.abc import Collection
from dataclasses import dataclass

from backend.domain.travel import CabinClass, Money
from backend.understanding import fact_words as words
from backend.understanding.numbers import whole_number
from backend.understanding.prices import find_price, is_per_night
from backend.understanding.text import Phrases, Text

_PEOPLE_AT_MOST = 99
_ROOMS_AT_MOST = 50
_STARS_AT_MOST = 5
_STOPS_AT_MOST = 4
_WORDS_BETWEEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is said of numbers, comfort and price; None where nothing is."""

    people: int | None = None
    rooms: int | None = None
    stars: int | None = None
    max_stops: int | None = None
    cabin_class: CabinClass | None = None
    max_price: Money | None = None
    is_per_night: bool = False
    airline: str | None = None
    amenities: tuple[str, ...] = ()


def read_facts(text: Text, first: int, after: int, *, taken: Collection[int] = ()) -> Facts:
    """Return the facts in the tokens from `first` up to `after` which dates and places have not `taken`."""
    said = _Said(text, first, after, taken)
    counts = said.counts()
    price = find_price(text, first, after, taken=taken)
    stops = 0 if said.has(words.NONSTOP) else counts.get("stops")
    return Facts(
        people=_up_to(_PEOPLE_AT_MOST, said.people(counts.get("people"))),
        rooms=_up_to(_ROOMS_AT_MOST, counts.get("rooms")),
        stars=_up_to(_STARS_AT_MOST, counts.get("stars") or said.signs("★")),
        max_stops=stops if stops is None or stops <= _STOPS_AT_MOST else None,
        cabin_class=said.cabin(),
        max_price=price,
        is_per_night=price is not None and is_per_night(text, first, after),
        airline=said.airline(),
        amenities=tuple(name for name, phrases in words.AMENITIES.items() if said.has(phrases)),
    )


def _up_to(at_most: int, count: int | None) -> int | None:
    return count if count is not None and 1 <= count <= at_most else None


def _kind(word: str) -> str:
    if word in words.PEOPLE:
        return "people"
    if word in words.ROOMS:
        return "rooms"
    if word in words.STARS:
        return "stars"
    return "stops" if word in words.STOPS else ""


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
        return sum(self.text.norm(at) == sign for at in range(self.first, self.after)) or None

    def counts(self) -> dict[str, int]:
        """Numbers by what they count. People add up ("2 adults and 1 child"), else the last one counts."""
        counts: dict[str, int] = {}
        at = self.first
        while at < self.after:
            read = None if at in self.taken else whole_number(self.text, at)
            if read is None:
                at += 1
                continue
            count, end = read
            kind = self._counted(end)
            if kind == "people":
                counts[kind] = counts.get(kind, 0) + count
            elif kind:
                counts[kind] = count
            at = end
        return counts

    def _counted(self, at: int) -> str:
        """What the number that ends before `at` counts, past adjectives: "two double rooms"."""
        for offset in range(_WORDS_BETWEEN):
            kind = _kind(self.text.norm(at + offset))
            if kind:
                return kind
            if self.text.norm(at + offset) not in words.BETWEEN:
                return ""
        return ""

    def people(self, counted: int | None) -> int | None:
        """The travellers: counted, in a group ("party of 6", "the two of us"), or by who they are."""
        for at in range(self.first, self.after):
            read = None if at in self.taken else whole_number(self.text, at)
            if read and self._is_group(at, read[1]):
                return read[0]
        if counted:
            return counted
        if self.has(words.TWO_OF_US):
            return 2
        return 1 if self.has(words.JUST_ME) else None

    def _is_group(self, at: int, end: int) -> bool:
        before, follower = self.text.norm(at - 1), self.text.norm(end)
        if before == "of" and self.text.norm(at - 2) in words.GROUPS:
            return True
        if follower in ("of", "in") and self.text.norm(end + 1) in ("us", "my", "our"):
            return True
        return before == "for" and end not in self.taken and (not follower or follower in words.AFTER_FOR_TWO)

    def cabin(self) -> CabinClass | None:
        return next((cabin for cabin, phrases in words.CABINS if self.has(phrases)), None)

    def airline(self) -> str | None:
        """The airline that is named; names that are words as well only where an airline must stand."""
        for airline, names in words.AIRLINE_NAMES.items():
            at = self.text.find(names, self.first)
            if not 0 <= at < self.after or at in self.taken:
                continue
            is_word = self.text.norm(at) in words.AIRLINE_ALSO_WORD and self.text.match(names, at) == 1
            if not is_word or (self.text[at].is_capitalised and self.text.norm(at - 1) in words.CARRIED_BY):
                return airline
        return None
