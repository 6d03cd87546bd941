"""One place in a message: the name, the code, the region or the misspelt name that begins at a word.

Names are found by the longest match. A name that is an ordinary word as well ("Nice", "Reading") counts
only where a place must stand: after a preposition, or where the message consists of nothing else. Typing
errors are forgiven in the same positions only, and told; what stands there and is no place is told too.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from ....values.travel import City
from ...places.gazetteer import Gazetteer, in_full, name_key, qualifiers
from ...result import Place
from ...tokens import Token, fold
from ..language.numbers import NUMBER_WORDS
from ..language.tables import phrases_of, spelled, words_of
from ..language.text import Text

_SAID = phrases_of("places")
_WORDS = words_of("places")


ORDINARY_WORDS = _WORDS.ordinary
ORDINARY_NAMES = frozenset(spelled("places", "ordinary_names"))
_TRAVELS = {"to": _WORDS.travels_to, "from": _WORDS.travels_from, "in": _WORDS.travels_in}
"""Words that go with a preposition, so that a place must follow even where it is written small."""

INTRODUCTIONS = frozenset(
    phrase[-1]
    for some in (_SAID.from_word, _SAID.to, _SAID.in_word, _SAID.back, _SAID.turns_to)
    for several in some.values()
    for phrase in several
)
"""What stands right before a place."""

PlaceRole = Literal["", "origin", "destination", "stay", "back"]

_ALONE_AT_MOST = 12
_ALTERNATIVES_AT_MOST = 3
_LOWEST_TIER = 3
_SHORTEST_UNKNOWN = 4
_UNKNOWN_WORDS_AT_MOST = 4
_JOINED_IN_A_NAME = frozenset({".", "-", "'"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceMention:
    """A place in a message: the tokens from `first` up to `after`.

    `role` is "" for a bare name; `is_placed` tells whether the words around it say that a place is meant
    here, and not just mentioned. `others` are what else the name could mean, in words. Without a `place`
    the user has still to choose among them (a region), or, if there are none, nobody knows the name.
    `said` are the user's words where they do not spell the place's name. With `is_choice` the message names
    the others as well.
    """

    first: int
    after: int
    place: Place | None
    role: PlaceRole = ""
    is_placed: bool = False
    others: tuple[str, ...] = ()
    said: str = ""
    is_choice: bool = False

    @property
    def is_unknown(self) -> bool:
        """Whether nobody knows what place this is."""
        return self.place is None and not self.others


@dataclass(slots=True)
class Finder:
    """Looks for a place that begins with the token at `index`.

    One serves all tokens of a message, in turn: building one for each took a tenth of the time of places.
    """

    text: Text
    gazetteer: Gazetteer
    taken: Collection[int]
    is_shouted: bool = False
    index: int = 0
    is_placed: bool = False
    _alone: tuple[int, int] = (-1, 0)
    """The last token at which a name can be alone, and the first behind which it must end then."""

    def __post_init__(self) -> None:
        if self.text.length <= _ALONE_AT_MOST:
            told = [
                at
                for at, token in enumerate(self.text.tokens)
                if token.norm not in _WORDS.fillers and token.is_word and at not in self.taken
            ]
            self._alone = (told[0], told[-1] + 1) if told else (self.text.length, 0)

    def exact(self) -> PlaceMention | None:
        """Return the longest name, or an airport code, that is spelt as it should be."""
        if self._is_a_street():
            return None
        token = self.text[self.index]
        longest = self.gazetteer.longest.get(token.norm, 0)
        # No name or region begins with most words; "Berlin's" is known without its ending only.
        ends = self._ends(longest or 1) if longest or not token.raw.isalpha() else ()
        for key, after in reversed(ends):
            places = self.gazetteer.names.get(key)
            if places and key in self.gazetteer.known and self._is_meant(key, after, places):
                return self._mention(places, after)
            region = self._region(key, after)
            if region:
                return region
            if places and self._is_meant(key, after, places):
                return self._mention(places, after)
        code = self.gazetteer.codes.get(token.raw) if len(token.raw) == 3 and token.raw.isupper() else None
        is_code = code and token.raw not in _WORDS.not_a_code
        if code and is_code and (self.is_placed or not self.is_shouted or self.is_alone(self.index + 1)):
            return PlaceMention(first=self.index, after=self.index + 1, place=code)
        return None

    def _is_a_street(self) -> bool:
        behind = self.text[self.index + 1]
        return behind.norm in _WORDS.behind_a_street and behind.is_capitalised

    def may_be_misspelt(self) -> bool:
        """Return whether it is worth while to look for a name like this word of three letters or more."""
        is_meant = self.is_placed or self.is_alone(self.index + 2)
        is_meant = is_meant or (self.text.norm(self.index + 1) == "to" and self._begins_a_route())
        if not is_meant or self._is_a_street():
            return False
        token = self.text[self.index]
        return token.is_word and token.norm not in _WORDS.never_places

    def _begins_a_route(self) -> bool:
        """Whether a message begins with the word, and "to" and a city follow: "amsterdm to Paris"."""
        is_first = self.text.norm(self.index - 1) in _WORDS.before_a_route
        goal = self.text.norm(self.index + 2)
        known = self.gazetteer.known
        is_on = is_first and goal not in _WORDS.never_places
        return is_on and (goal in known or self.gazetteer.closest(goal) in known)

    def is_alone(self, after: int) -> bool:
        """Return whether the message says nothing but this name, and dates or courtesies."""
        return self.index <= self._alone[0] and self._alone[1] <= after

    def is_sentence(self, mention: PlaceMention) -> bool:
        """Return whether a name is all of a sentence or clause: "You know what? Naples.", "no, Naples"."""
        before, after = self.text.norm(mention.first - 1), mention.after
        while self.text.norm(after) in _WORDS.behind_a_sentence:  # "stop. Munich instead"
            after += 1
        behind = self.text.norm(after)
        is_short = self.text.length <= _ALONE_AT_MOST
        bounds = _WORDS.clause_bounds if is_short else _WORDS.sentence_bounds
        is_bounded = before in bounds and behind in bounds
        return is_bounded and self.text[mention.first].is_capitalised

    def misspelt(self) -> PlaceMention | None:
        """Return a place whose name is a typing error away from the next two words, or the next one."""
        for key, after in reversed(self._ends(2)):
            last = self.text.norm(after - 1)
            if (
                len(key) < 5
                or not (self._is_written_as_a_name() or self._ends_here(after))
                or self.text.norm(self.index) in NUMBER_WORDS
                or (after - self.index > 1 and (last in _WORDS.ends_a_place or last in _WORDS.never_places))
            ):
                continue
            closest = self.gazetteer.closest(key)
            is_friend = closest in _WORDS.false_friends
            if closest and not is_friend:
                said = self.text.spelled(self.index, after)
                return self._mention(self.gazetteer.names[closest], after, said=said)
        return None

    def unknown(self) -> PlaceMention | None:
        """Return the name that stands where a place must stand, though it is none that anybody knows."""
        preposition = self._preposition()
        if self.text.norm(preposition) not in _WORDS.only_before_a_place or not self._may_be_a_name(
            self.index
        ):
            return None
        after = self.index + 1
        if self._is_written_as_a_name():
            while after - self.index < _UNKNOWN_WORDS_AT_MOST and self._goes_on(after):
                after += 1
        elif not self._follows_travel(preposition) or not self._ends_here(after):
            return None
        if not _WORDS.houses.isdisjoint(self.text.norm(at) for at in range(self.index, after + 1)):
            return None
        said = self.text.spelled(self.index, after)
        return PlaceMention(first=self.index, after=after, place=None, said=said)

    def _preposition(self) -> int:
        """The index of the last word before a place that is more than an article or the like."""
        at = self.index - 1
        while self.text.norm(at) in _WORDS.between_preposition_and_place:
            at -= 1
        return at

    def _may_be_a_name(self, at: int) -> bool:
        token = self.text[at]
        is_long_enough = len(token.norm) >= (3 if token.is_capitalised else _SHORTEST_UNKNOWN)
        return (
            token.is_word
            and is_long_enough
            and at not in self.taken
            and token.norm not in _WORDS.never_places
            and token.norm not in _WORDS.never_unknown
            and token.norm not in _WORDS.ends_a_place
            and token.norm not in _WORDS.between_preposition_and_place
        )

    def _goes_on(self, at: int) -> bool:
        token = self.text[at]
        return token.is_word and token.is_capitalised and self._may_be_a_name(at)

    def _follows_travel(self, preposition: int) -> bool:
        """Whether it belongs to a flight or a stay: "flights to xanadu", "hotels in xanadu"."""
        travels = _TRAVELS.get(self.text.norm(preposition), ())
        return preposition == self.index - 1 and self.text.norm(preposition - 1) in travels

    def _is_written_as_a_name(self) -> bool:
        return self.text[self.index].is_capitalised and not self.is_shouted

    def _ends(self, words_at_most: int) -> list[tuple[str, int]]:
        """Keys of the next one, two, ... words with the index after each; "L.A." and "Saint-Denis" count."""
        ends: list[tuple[str, int]] = []
        key, at = "", self.index
        while len(ends) < words_at_most:
            token = self.text[at]
            if not (token.is_word or token.is_number):
                break
            word = name_key((_without_possessive(token),))
            key = f"{key} {word}" if ends else word
            at += 1
            ends.append((key, at))
            if self.text.norm(at) in _JOINED_IN_A_NAME and self.text.is_glued(at):
                at += 1
        return ends

    def _region(self, key: str, after: int) -> PlaceMention | None:
        """The region of that name, with its cities to choose from; its only city where it has but one."""
        regions = self.gazetteer.regions.get(key)
        if not regions or not (self.is_placed or self.is_alone(after)):
            return None
        if key in _WORDS.regions_also_words and not self.text[self.index].raw.isupper():
            return None
        first = self.index - (self.text.norm(self.index - 1) == "the")
        said = self.text.spelled(first, after)
        cities = tuple(dict.fromkeys(city for region in regions for city in region.cities))
        if len(cities) == 1:
            return PlaceMention(first=self.index, after=after, place=Place(city=cities[0]), said=said)
        others = tuple(in_full(city) for city in cities)
        return PlaceMention(first=self.index, after=after, place=None, others=others, said=said)

    def _is_meant(self, key: str, after: int, places: tuple[Place, ...]) -> bool:
        """Whether a name that could be found is likely to mean the place."""
        token = self.text[self.index]
        if self.text.norm(self.index - 1) in _WORDS.of_a_street and (
            self.text.norm(self.index - 2) in _WORDS.streets
        ):
            return False  # "Gare de Lyon" is in Paris
        is_name = token.is_capitalised and not self.is_shouted
        if key in ORDINARY_WORDS or key in ORDINARY_NAMES:
            return self._is_told_apart(is_name, after, places)
        if key not in self.gazetteer.known and " " not in key and self.text.norm(self.index - 1) == "the":
            return bool(self._qualified(places, after))  # "the Bellagio" is a house, and Bellagio a town
        if key in self.gazetteer.abbreviations:
            return (token.raw.isupper() and not self.is_shouted) or (
                (self.is_placed or self._begins_a_pair(after)) and self._ends_here(after)
            )
        if key in self.gazetteer.known and key not in _WORDS.false_friends and len(key) > 3:
            return True
        if (
            key in _WORDS.false_friends
            and not is_name
            and self.text.norm(self.index - 1) in _WORDS.before_a_word
        ):
            return False
        is_added = self.text.norm(self.index - 1) in _WORDS.adds_a_place and self._ends_here(after)
        if key in _WORDS.travelled_to and (is_added or self._begins_a_trip(after)):
            return True
        is_placed = self.is_placed or self.is_alone(after) or (is_name and self._stands_apart(after))
        if key not in self.gazetteer.known and self._is_cut_off(after, places):
            return False
        if self.text.norm(after) == "," and self._qualified(places, after):
            return True
        if is_name and (is_placed or self._qualified(places, after) or self._leads_to_a_place(after)):
            return True
        return is_placed and self._ends_here(after)

    def _is_told_apart(self, is_name: bool, after: int, places: tuple[Place, ...]) -> bool:
        """Whether an ordinary word is a town here: it is written as a name, and a preposition precedes it."""
        if self._qualified(places, after):
            return self.text.norm(after) == "," or is_name
        return is_name and self.text.norm(self.index - 1) in _WORDS.places_a_name and self._ends_here(after)

    def _is_cut_off(self, after: int, places: tuple[Place, ...]) -> bool:
        """Whether a name goes on after what is known of it: there is a Milton, but not in "Milton Keynes"."""
        goes_on = self.text[after].is_capitalised and self.text.norm(after) not in _WORDS.ends_a_place
        return goes_on and not self.is_shouted and not self._qualified(places, after)

    def _ends_here(self, after: int) -> bool:
        follower = self.text[after]
        is_end = not follower.norm or follower.is_number or follower.norm in _WORDS.ends_a_place
        return is_end or after in self.taken

    def _begins_a_trip(self, after: int) -> bool:
        """Whether a name that is a word begins a route: "reading to bath on 3 march", "cork oslo 5 may"."""
        norm, known = self.text.norm, self.gazetteer.known
        is_city = norm(after + 1) in _WORDS.travelled_to or norm(after + 1) in known
        is_on = norm(after) in _WORDS.joins_a_pair and is_city and self._ends_here(after + 2)
        is_beside = norm(after) in known and self._ends_here(after + 1)
        is_beside = is_beside and norm(self.index) in _WORDS.never_praise
        return norm(self.index - 1) in _WORDS.before_a_route and (is_on or is_beside)

    def _begins_a_pair(self, after: int) -> bool:
        """Whether a name in short begins a route to a city: "nyc to miami", "sf - la"."""
        goal = after + 1
        whole = name_key((self.text.norm(goal), self.text.norm(goal + 1)))
        is_city = not self.gazetteer.known.isdisjoint((self.text.norm(goal), whole))
        is_first = self.text.norm(self.index - 1) in _WORDS.before_a_route
        return is_first and self.text.norm(after) in _WORDS.joins_a_pair and is_city

    def _stands_apart(self, after: int) -> bool:
        """Whether just a name stands between a comma or a city and a day: "2 adults, Annecy 8-10 May"."""
        before = self.text[self.index - 1]
        is_beside = before.is_capitalised and before.norm in self.gazetteer.known  # "Gdansk Malmo 7 May"
        is_first = is_beside or before.norm in _WORDS.clause_bounds
        day = after + (self.text.norm(after) == ",")
        return is_first and day in self.taken and self.text[day].is_number

    def _leads_to_a_place(self, after: int) -> bool:
        """Whether "to" and a known place follow: "Nice to Paris", "Cork-London"."""
        if self.text.norm(after) not in _WORDS.joins_a_pair:
            return False
        follower = self.text[after + 1]
        return follower.norm in self.gazetteer.known or (
            follower.raw.isupper() and follower.raw in self.gazetteer.codes
        )

    def _qualified(self, places: tuple[Place, ...], after: int) -> tuple[Place, int] | None:
        """The place whose country or state follows the name, and the index after that: "San José, CR"."""
        at = after + 1 if self.text.norm(after) in (",", "in") else after
        if not self.text.norm(at):
            return None
        for place in places:
            for name, in_capitals in qualifiers(place.city):
                end = self._abbreviation(name, at) if in_capitals else self._words(name, at)
                if end:
                    return place, end
            is_code = self.text.norm(after) == "," and self.text[after + 1].raw == place.city.country
            if is_code and self._ends_here(after + 2):
                return place, after + 2
        return None

    def _words(self, name: str, at: int) -> int:
        if not name.startswith(self.text.norm(at)):  # as nearly always
            return 0
        spelt = name.split()
        is_there = all(self.text.norm(at + offset) == word for offset, word in enumerate(spelt))
        return at + len(spelt) if is_there else 0

    def _abbreviation(self, name: str, at: int) -> int:
        """The index after "OR" or "D.C.", which count in capitals only; 0 if it is not there."""
        if self.text[at].raw == name.upper():
            return at + 1
        dotted = "".join(self.text[at + offset].raw for offset in range(2 * len(name) - 1))
        if dotted != ".".join(name.upper()):
            return 0
        end = at + 2 * len(name) - 1
        return end + 1 if self.text.norm(end) == "." else end

    def _mention(self, places: tuple[Place, ...], after: int, *, said: str = "") -> PlaceMention:
        qualified = self._qualified(places, after)
        if qualified:
            return PlaceMention(first=self.index, after=qualified[1], place=qualified[0], said=said)
        others = _other_readings(places, self.gazetteer.cities)
        return PlaceMention(first=self.index, after=after, place=places[0], others=others, said=said)


def _without_possessive(token: Token) -> str:
    is_possessive = token.raw[-1] == "s" and fold(token.raw[-2:-1]) == "'"
    return token.norm[:-1] if is_possessive else token.norm


def _other_readings(places: tuple[Place, ...], known: Collection[City]) -> tuple[str, ...]:
    """The other places of a name. Nobody needs to be told that London is the one in England."""
    best, *others = places
    if best.city.tier == 1:
        return ()
    likely = [place for place in others if best.city.tier >= _LOWEST_TIER or place.city in known]
    return tuple(dict.fromkeys(in_full(place.city) for place in likely))[:_ALTERNATIVES_AT_MOST]


_LETTERS = 3
_LONGEST = 24
"""Tokens of a terse message: in a longer one people write out what they mean."""


_OR = frozenset({"or"})


def codes_in_small_letters(text: Text, gazetteer: Gazetteer) -> Mapping[int, Place]:
    """Return the codes that a terse message has in small letters, by the index of their tokens."""
    if text.length > _LONGEST:
        return {}
    short = [(at, token) for at, token in enumerate(text.tokens) if len(token.norm) == _LETTERS]
    likely = {at: place for at, token in short if (place := _code(token, gazetteer))}
    found: dict[int, Place] = {}
    for first, place in likely.items():
        sign = first + 1 + text.says(first + 1, "-", ">")
        is_signed = text.norm(sign) in _WORDS.joins_a_pair
        second = sign + is_signed
        other = likely.get(second)
        are_words = text.said(first, first + 1) | text.said(second, second + 1) <= (
            _WORDS.also_words - _WORDS.metropoles
        )
        is_pair = other is not None and other.city != place.city and not are_words
        is_joined = is_signed and _is_clear(text, first) and _is_clear(text, second)
        # "Lon to rome", "chi - las vegas", "lon rome"
        goals = {text.norm(second), name_key((text.norm(second), text.norm(second + 1)))}
        is_to_a_city = (is_signed or _is_clear(text, first)) and not goals.isdisjoint(gazetteer.known)
        is_chained = text.norm(first - 1) in _WORDS.joins_a_pair and first - 2 in found
        starts = [first]  # airports of one city: "jfk, lga or ewr"
        signs = _OR
        while text.norm(starts[0] - 1) in signs and _is_beside(likely, starts[0] - 2, place):
            starts.insert(0, starts[0] - 2)
            signs = _OR | {","}
        begins = is_chained or text.norm(starts[0] - 1) in _WORDS.before_a_pair
        if is_pair and (begins or is_joined):
            found |= {at: likely[at] for at in (*starts, second)}
        elif is_to_a_city and begins:
            found |= {at: likely[at] for at in starts}
        elif (_is_clear(text, first) and _is_asked_for(text, first)) or len(starts) > 1:
            found[first] = place
    return found


def _is_beside(likely: Mapping[int, Place], at: int, place: Place) -> bool:
    """Whether another airport of the same city stands there by its code: "JFK or ewr"."""
    return at in likely and likely[at].city == place.city


def _code(token: Token, gazetteer: Gazetteer) -> Place | None:
    if not token.is_word or token.norm in _WORDS.never:
        return None
    place = gazetteer.codes.get(token.norm.upper())
    return place if place and place.city in gazetteer.cities else None


def _is_clear(text: Text, at: int) -> bool:
    return text.norm(at) not in _WORDS.also_words


def _is_asked_for(text: Text, at: int) -> bool:
    """Whether the words beside a code ask for a place: "from ber", "to lis", "hotel ath"."""
    before, behind = text.norm(at - 1), text[at + 1]
    ends = not behind.norm or behind.is_number or behind.norm in _WORDS.ends_a_place
    return ends and (before in ("from", "to") or before in _WORDS.hotels or behind.norm in _WORDS.hotels)
