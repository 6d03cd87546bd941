"""Hotels that a message names, what it wishes of a house that no search takes, and where it wants none.

A name is a chain that everybody knows, or stands before a word such as "inn", or behind one such as
"called". Written in small letters it counts only where nothing but a name can stand.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from ....values.places import districts_of
from ....values.travel import City
from ...places.districts import is_a_city, key_of
from ...places.gazetteer import Gazetteer, load_gazetteer, name_key
from ...result import Refused
from ..language.numbers import NUMBER_WORDS
from ..language.sentences import negation_of, sentence_around
from ..language.tables import phrases_of, words_of
from ..language.text import SENTENCE_ENDS, SlotMention, Text, any_of
from ..places.districts import DistrictMention, district_at
from ..places.places import named_places

_LANGUAGE_SAID = phrases_of("language")
_LANGUAGE_WORDS = words_of("language")
_PLACES_SAID = phrases_of("places")
_PLACES_WORDS = words_of("places")
_SAID = phrases_of("hotels")
_WORDS = words_of("hotels")

_WORDS_AT_MOST = 4
_LOOK_BACK = 5
_NEVER_IN_A_NAME = _WORDS.never_in_a_name | NUMBER_WORDS.keys()
_NAMING = any_of(_SAID.chains, _SAID.houses, _SAID.called, _SAID.stays_at, _SAID.turns_to)
"""Without one of these at a token only the first of a message can begin a name."""
AGAINST = any_of(_SAID.none, _SAID.excepts, _SAID.not_word, _SAID.all_but)
"""Behind one of these a part of a city is not wanted."""
BEGIN_AGAINST = AGAINST.begin | _LANGUAGE_SAID.no_option.begin
_LONGEST_DISTRICTS = 8
_WORDS_BACK = 4
_ENDS = frozenset({"", ".", ",", ";", "!", "?", "and", "but", "or", "please", "with"})
_DAY_AT_MOST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class HotelMention:
    """A hotel named in a message, the tokens from `first` up to `after`.

    `is_rejected` tells whether it is named as one that is not wanted.
    """

    first: int
    after: int
    name: str
    is_rejected: bool = False


def find_hotel_names(
    text: Text, gazetteer: Gazetteer, *, is_named_before: bool = False, is_looked_for: bool = False
) -> tuple[HotelMention, ...]:
    """Return the hotels that a message names, in its order.

    If one `is_named_before`, "how about Shadyside" names another. While one `is_looked_for`, "the Ritz"
    names one.
    """
    found: list[HotelMention] = []
    finder = _Finder(text, gazetteer, is_named_before, is_looked_for)
    index = 0
    after_last = min(1, text.length) if text.vocabulary.isdisjoint(_NAMING.cues) else text.length
    while index < after_last:
        span = finder.at(index, found[-1].after if found else 0)
        if span:
            first, after = span
            others = first - 1 - (text.norm(first - 1) == "the")
            # "Not only the Hilton" wants others as well.
            if not (text.norm(others) in ("only", "just") and negation_of(text, others)):
                is_rejected = _is_rejected(text, first, after)
                name = text.spelled(first, after)
                named = HotelMention(first=first, after=after, name=name, is_rejected=is_rejected)
                found[-1:] = _chosen(text, found[-1:], named)
        index = text.next_of(_NAMING.begin, span[1] if span else index + 1)
    return tuple(found)


def _chosen(text: Text, before: list[HotelMention], named: HotelMention) -> list[HotelMention]:
    """A name beside the one before it; one of both where either will do: "Marriott or Hilton"."""
    joint = text.skip(_WORDS.between_names, before[-1].after) if before else 0
    if not before or joint != named.first or "or" not in text.said(before[-1].after, joint):
        return [*before, named]
    if before[-1].is_rejected or named.is_rejected:
        return [*before, named]
    return [replace(named, first=before[-1].first, name=f"{before[-1].name} or {named.name}")]


def same_hotels(names: Iterable[str]) -> tuple[frozenset[str], ...]:
    """Return which of the names mean one hotel: "Hilton" and "the Hilton Hotel"."""
    alike: dict[tuple[str, ...], set[str]] = {}
    several = {*names}
    for name in several if len(several) > 1 else ():
        spoken = tuple(token.norm for token in Text(name).tokens)
        compared = tuple(word for word in spoken if word not in _WORDS.not_compared)
        alike.setdefault(compared or spoken, set()).add(name)
    return tuple(frozenset(some) for some in alike.values() if len(some) > 1)


def _is_rejected(text: Text, first: int, after: int) -> bool:
    if text.match(_LANGUAGE_SAID.no_option, after) or negation_of(text, first, _WORDS.stays):
        return True
    for before in range(first - 1, max(0, first - _LOOK_BACK) - 1, -1):
        if text.norm(before) in SENTENCE_ENDS or text.norm(before) in (",", "but"):
            return False
        if text.match(_SAID.rejected, before):
            return text.norm(before - 1) != "why"  # "why not the Hilton" proposes it
    return False


@dataclass(frozen=True, slots=True)
class _Finder:
    text: Text
    gazetteer: Gazetteer
    is_named_before: bool
    is_looked_for: bool

    def at(self, index: int, fence: int) -> tuple[int, int] | None:
        """Return the name that the token there begins, ends or introduces, behind `fence`."""
        text = self.text
        if index and text.norm(index) not in _NAMING:
            return None
        if length := text.match(_SAID.chains, index):
            return index, index + length + text.match(_SAID.houses, index + length)
        if length := text.match(_SAID.houses, index):
            return self._before_house(index, index + length, fence) or self._behind_hotel(index)
        return self._introduced(index) or self._asked_for(index)

    def _before_house(self, house: int, after: int, fence: int) -> tuple[int, int] | None:
        """A name that ends with what the house is: "Old Town Inn", "the acorn guest house"."""
        first = self._run_back(house, fence, in_capitals=True)
        if first == house:
            first = self._run_back(house, fence, in_capitals=False)
            is_name = self.text.norm(first - 1) in _WORDS.before_a_name
            is_plain = self.text.norm(house) in _WORDS.plain_houses
            if not is_name and (is_plain or house - first < 2):
                return None
        return None if first == house or self._is_only_where(first, house) else (first, after)

    def _run_back(self, house: int, fence: int, *, in_capitals: bool) -> int:
        first = house
        while first > max(fence, house - _WORDS_AT_MOST) and self._may_be_named(first - 1, in_capitals):
            first -= 1
        return first

    def _may_be_named(self, index: int, in_capitals: bool) -> bool:
        token = self.text[index]
        if not token.is_word or (in_capitals and not token.is_capitalised):
            is_between = self.text[index - 1].is_capitalised and self.text[index + 1].is_capitalised
            return token.norm in _WORDS.joins and is_between
        is_form = not in_capitals and token.norm.endswith(("est", "ing", "ed"))
        return token.norm in _WORDS.where_in_town or not (token.norm in _NEVER_IN_A_NAME or is_form)

    def _is_only_where(self, first: int, house: int) -> bool:
        """Whether the words before "hotel" only tell where it is: "Paris hotel", "city hotel"."""
        is_town = house - first == 1 and self.text.norm(first) in _WORDS.where_in_town
        is_plain = self.text.norm(house) in _WORDS.plain_houses and self.text.norm(house) != "house"
        return is_town or self._key(first, house) in (
            self.gazetteer.names if is_plain else self.gazetteer.known
        )

    def _key(self, first: int, after: int) -> str:
        return name_key(self.text.norm(at) for at in range(first, after))

    def _is_place(self, first: int, after: int) -> bool:
        return self._key(first, after) in self.gazetteer.names

    def _behind_hotel(self, index: int) -> tuple[int, int] | None:
        """A name behind the word: "the Hotel Adlon", "1 Hotel Brooklyn Bridge"."""
        is_name = self.text[index].is_capitalised and self.text.norm(index) == "hotel" and index > 0
        if not is_name or self.text.norm(index - 1) in SENTENCE_ENDS:
            return None
        after = self._run_on(index + 1, in_capitals=True)
        first = index - (self.text.norm(index - 1) == "1")
        return (first, after) if after > index + 1 and not self._is_place(index + 1, after) else None

    def _introduced(self, index: int) -> tuple[int, int] | None:
        """ "A hotel called acorn", "stay at the acorn"; after one was named "how about Shadyside"."""
        text = self.text
        if length := text.match(_SAID.called, index):
            first = index + length + (text.norm(index + length) == "the")
            return self._named(first, in_capitals=False) if self._is_of_a_hotel(index) else None
        if length := text.match(_SAID.stays_at, index):
            is_definite = text.norm(index + length) == "the"
            return self._named(index + length + is_definite, in_capitals=not is_definite)
        length = text.match(_SAID.turns_to, index) if self.is_named_before else 0
        named = self._named(index + length, in_capitals=True) if length else None
        return named if named and self._key(*named) not in self.gazetteer.known else None

    def _asked_for(self, index: int) -> tuple[int, int] | None:
        """A name that is all a message says: "the Excelsior, please", "not the Excelsior"."""
        first = 1 + (self.text.norm(0) == "not")
        if not self.is_looked_for or index > 0 or self.text.norm(first - 1) != "the":
            return None
        after = self._run_on(first, in_capitals=True)
        rest = (self.text.norm(at) for at in range(after, self.text.length) if self.text[at].is_word)
        is_all = after > first and all(word in _WORDS.courtesies for word in rest)
        return (first, after) if is_all and not self._is_place(first, after) else None

    def _named(self, first: int, *, in_capitals: bool) -> tuple[int, int] | None:
        is_capitalised = self.text[first].is_capitalised
        after = self._run_on(first, in_capitals=in_capitals or is_capitalised)
        spoken = [self.text.norm(at) for at in range(first, after)]
        is_kind = all(word in _NEVER_IN_A_NAME - _WORDS.where_in_town for word in spoken[:2])
        is_where = len(spoken) == 1 and spoken[0] in _WORDS.where_in_town
        is_small = not is_capitalised and spoken[:1] and spoken[0] in _NEVER_IN_A_NAME
        return None if is_kind or is_where or is_small else (first, after)

    def _run_on(self, first: int, *, in_capitals: bool) -> int:
        after = first
        while after < first + _WORDS_AT_MOST:
            token = self.text[after]
            is_end = not token.is_word or token.norm in _WORDS.ends_a_name
            if is_end or not (token.is_capitalised or not in_capitals):
                break
            house = self.text.match(_SAID.houses, after)
            if house and after > first:
                return after + house
            after += 1
        return after

    def _is_of_a_hotel(self, index: int) -> bool:
        """Whether the sentence spoke of a hotel before: "a hotel called", unlike "a restaurant called"."""
        begin = max(sentence_around(self.text, index)[0], index - 11)
        return any(
            self.text.match(_SAID.houses, at) or self.text.norm(at) in ("hotels", "place", "room")
            for at in range(begin, index)
        )


def lodging_told(text: Text, *, named: Collection[int]) -> tuple[Refused, ...]:
    """Return the kind of lodging that a message asks for, in its words; none in the tokens of names.

    Who asks for a hotel as well is shown hotels.
    """
    if not text.vocabulary.isdisjoint(_WORDS.hotels):
        return ()
    at = text.find(_SAID.kinds)
    if at < 0 or at in named or text.norm(at - 1) in ("no", "not", "without"):
        return ()
    said = text.spelled(at, at + text.match(_SAID.kinds, at))
    return (Refused(said=said, reason="kind_of_lodging"),)


def asks_of_the_shown(text: Text) -> bool:
    """Return whether a message asks what a house shown has, which is no wish: "does it have a lift?"."""
    return text.has(_SAID.of_it)


CUES_OF_A_HOUSE = any_of(_SAID.kinds, _SAID.of_rooms, _SAID.wishes).cues
"""A message without any of these wishes nothing of a house."""
_BEGIN_A_WISH = _LANGUAGE_WORDS.negations | _WORDS.articles | _SAID.of_rooms.begin | _SAID.wishes.begin


def house_wish_at(text: Text, at: int) -> int:
    """Return the index after a wish of a house, a room or a meal that no source tells of, 0 if none begins.

    During a request for a hotel "a sea view" goes on with it, and is told as one to look for in the list.
    """
    if text.norm(at) not in _BEGIN_A_WISH:
        return 0
    if text.norm(at) in _LANGUAGE_WORDS.negations:
        start = at + 1 + (text.norm(at + 1) in _WORDS.articles)
        if kind := text.match(_SAID.kinds, start):
            return start + kind
    is_article = text.norm(at) in _WORDS.articles
    before = at - 1 - (text.norm(at - 1) in _WORDS.articles)
    is_taken_back = text.match_before(_SAID.takes_back, at, within=_WORDS_BACK)
    if is_taken_back or text.norm(before) in _LANGUAGE_WORDS.negations:
        return 0
    after = _told_at(text, at + is_article)
    is_house = text.norm(after) in _WORDS.nouns_of_houses | _WORDS.rooms
    return 0 if is_article and is_house else after  # "a quiet hotel" is still a hotel


def _told_at(text: Text, at: int) -> int:
    """The index after the words for a wish, 0 if none stand there."""
    is_counted = text[at - 1].is_number or text.norm(at - 1) in NUMBER_WORDS
    if text.match(_SAID.of_rooms, at) and text.norm(at + 1) in _WORDS.rooms and not is_counted:
        return at + 1
    length = text.match(_SAID.wishes, at)
    # "2 adults only" counts people, and "a vegan restaurant" is a place to eat.
    is_count = text.norm(at) in _WORDS.counted and (is_counted or text.norm(at - 1) in ("and", "&"))
    is_food = text.norm(at) in _WORDS.meals and text.has_any(_WORDS.eat_out)
    if not length or is_count or is_food or text.norm(at + length) in _WORDS.no_houses:
        return 0
    after = at + length - (text.norm(at + length - 1) in _WORDS.known_behind)
    is_for_a_day = text.norm(at) in ("meeting", "conference") and text.norm(after) in _WORDS.for_a_day
    ends = (end for end in range(after + 1, after + 1 + _DAY_AT_MOST) if text.norm(end) in _ENDS)
    return next(ends, after) if is_for_a_day else after  # the day of a meeting is none of the stay


def unwanted_districts_at(text: Text, first: int) -> SlotMention | None:
    """Return the parts of a city that are spoken against from the token at `first` on, None if none are.

    Who wants to sleep anywhere but there no longer wants one part of the city.
    """
    if text.match(_LANGUAGE_SAID.no_option, first):
        return _no_option(text, first)
    length = text.match(AGAINST, first)
    if not length or _is_no_exclusion(text, first):
        return None
    start = first + length
    while text.norm(start) in _WORDS.between and not district_at(text, start):
        start += 1
    districts = _list_at(text, start)
    if not districts:
        return None
    after = districts[-1].after
    # "No Alfama is fine", "no Alfama not Baixa": "no" answers, and what is named is wanted.
    is_wanted = text.norm(after) in _PLACES_WORDS.is_word or text.match(_PLACES_SAID.opposes, after) > 0
    if text.norm(first) == "no" and (text.norm(first - 1) == "no" or is_wanted):
        return None
    slots: dict[str, object] = {"hotel.not_districts": tuple(one.name for one in districts)}
    if text.match(_SAID.all_but, first):
        slots["hotel.district"] = None
    return SlotMention(first=first, after=after, slots=slots)


def _no_option(text: Text, at: int) -> SlotMention | None:
    """ "Baixa is not an option", "Alfama and Baixa are out", where the words from `at` on are the last."""
    after = at + text.match(_LANGUAGE_SAID.no_option, at)
    for first in range(max(0, at - _LONGEST_DISTRICTS), at):
        districts = _list_at(text, first)
        if districts and districts[-1].after == at:
            slots = {"hotel.not_districts": tuple(one.name for one in districts)}
            return SlotMention(first=first, after=after, slots=slots)
    return None


def is_about(mention: SlotMention, text: Text, stay: City | None) -> bool:
    """Return whether a mention is of parts of the city to stay in, as far as they are cities as well.

    "Not Palermo" is about a part of Buenos Aires where that is known or named, and else about Palermo.
    """
    also_cities = [name for name in mention.slots.get("hotel.not_districts", ()) if is_a_city(name)]
    if not also_cities:
        return True
    named = () if stay else named_places(text, load_gazetteer())
    cities = [stay] if stay else [one.place.city for one in named if one.place]
    parts = {key_of(district.name) for city in cities for district in districts_of(city)}
    return parts.issuperset(map(key_of, also_cities))


def _is_no_exclusion(text: Text, first: int) -> bool:
    """Whether the words there propose, ask or tell how things are: "why not", "nothing in Baixa?"."""
    before = text.norm(first - 1)
    if text.norm(first) == "no" and text.norm(first + 1) in _WORDS.in_word:
        return True  # "no in Alfama" corrects
    if before in _WORDS.proposes or (text.match(_SAID.excepts, first) and before in _WORDS.turned_round):
        return True
    _, end = sentence_around(text, first)
    return text.match(_SAID.none, first) > 0 and (before in _WORDS.states or text.norm(end) == "?")


def _list_at(text: Text, start: int) -> list[DistrictMention]:
    """The parts of a city that are named from there on: "Baixa, Alfama or the old town"."""
    found = district_at(text, start)
    if found is None:
        return []
    at = found.after
    at += text.norm(at) == "," and text.norm(at + 1) in _WORDS.or_word
    if (is_last := text.norm(at) in _WORDS.or_word) or text.norm(at) == "and":
        at += 1
        # "And in Alfama" may be where somebody wants to sleep.
        return [found, *_list_at(text, at + (is_last and text.norm(at) in _WORDS.in_word))]
    rest = _list_at(text, at + 1) if text.norm(at) == "," else []
    return [found, *rest] if len(rest) > 1 else [found]
