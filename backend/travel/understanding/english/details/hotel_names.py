"""Hotels that a message names: "the Hilton", "Old Town Inn", "a guesthouse called Limehouse".

A name is a chain that everybody knows, or stands before a word such as "inn", or behind one such as
"called". Written in small letters it counts only where nothing but a name can stand.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ...places.gazetteer import Gazetteer, name_key
from ..language.tables import phrases_of, words_of
from ..language.text import SENTENCE_ENDS, Text
from . import hotel_words as words

_SAID = phrases_of("hotel_wishes")
_WORDS = words_of("hotel_wishes")

_WORDS_AT_MOST = 4
_LOOK_BACK = 5


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
    after_last = min(1, text.length) if text.vocabulary.isdisjoint(_CUES) else text.length
    while index < after_last:
        span = finder.at(index, found[-1].after if found else 0)
        if span is None:
            index += 1
            continue
        first, after = span
        name = text.spelled(first, after)
        found.append(HotelMention(first=first, after=after, name=name, is_rejected=_is_rejected(text, first)))
        index = after
    return tuple(found)


def same_hotels(names: Iterable[str]) -> tuple[frozenset[str], ...]:
    """Return which of the names mean one hotel: "Hilton" and "the Hilton Hotel"."""
    alike: dict[tuple[str, ...], set[str]] = {}
    for name in set(names):
        alike.setdefault(_compared(name), set()).add(name)
    return tuple(frozenset(some) for some in alike.values() if len(some) > 1)


def _compared(name: str) -> tuple[str, ...]:
    spoken = tuple(token.norm for token in Text(name).tokens)
    return tuple(word for word in spoken if word not in _WORDS.not_compared) or spoken


def _is_rejected(text: Text, first: int) -> bool:
    for before in range(first - 1, max(0, first - _LOOK_BACK) - 1, -1):
        if text.norm(before) in SENTENCE_ENDS or text.norm(before) in (",", "but"):
            return False
        if text.match(_SAID.rejected, before):
            return True
    return False


_CUES = frozenset({*_SAID.chains, *_SAID.houses, *_SAID.called, *_SAID.stays_at, *_SAID.turns_to})
"""Without one of these at a token only the first of a message can begin a name."""


@dataclass(frozen=True, slots=True)
class _Finder:
    text: Text
    gazetteer: Gazetteer
    is_named_before: bool
    is_looked_for: bool

    def at(self, index: int, fence: int) -> tuple[int, int] | None:
        """Return the name that the token there begins, ends or introduces, behind `fence`."""
        if index and self.text.norm(index) not in _CUES:
            return None
        length = self.text.match(_SAID.chains, index)
        if length:
            return index, index + length + self.text.match(_SAID.houses, index + length)
        length = self.text.match(_SAID.houses, index)
        if length:
            return self._before_house(index, index + length, fence) or self._behind_hotel(index)
        return (
            self._called(index) or self._stayed_at(index) or self._turned_to(index) or self._asked_for(index)
        )

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
        if token.norm in _WORDS.where_in_town:
            return True
        is_form = not in_capitals and token.norm.endswith(("est", "ing", "ed"))
        return token.norm not in words.NEVER_IN_A_NAME and not is_form

    def _is_only_where(self, first: int, house: int) -> bool:
        """Whether the words before "hotel" only tell where it is: "Paris hotel", "city hotel"."""
        spoken = [self.text.norm(at) for at in range(first, house)]
        is_town = len(spoken) == 1 and spoken[0] in _WORDS.where_in_town
        is_plain = self.text.norm(house) in _WORDS.plain_houses and self.text.norm(house) != "house"
        places = self.gazetteer.names if is_plain else self.gazetteer.known
        return is_town or name_key(spoken) in places

    def _is_place(self, first: int, after: int) -> bool:
        return name_key(self.text.norm(at) for at in range(first, after)) in self.gazetteer.names

    def _behind_hotel(self, index: int) -> tuple[int, int] | None:
        """A name behind the word: "the Hotel Adlon"."""
        is_name = self.text[index].is_capitalised and self.text.norm(index) == "hotel" and index > 0
        if not is_name or self.text.norm(index - 1) in SENTENCE_ENDS:
            return None
        after = self._run_on(index + 1, in_capitals=True)
        return (index, after) if after > index + 1 and not self._is_place(index + 1, after) else None

    def _called(self, index: int) -> tuple[int, int] | None:
        """A name behind "called", in a sentence about a hotel."""
        length = self.text.match(_SAID.called, index)
        first = index + length + (self.text.norm(index + length) == "the")
        return self._named(first, in_capitals=False) if length and self._is_of_a_hotel(index) else None

    def _stayed_at(self, index: int) -> tuple[int, int] | None:
        """A name behind "stay at"; in small letters only after "the"."""
        length = self.text.match(_SAID.stays_at, index)
        is_definite = self.text.norm(index + length) == "the"
        return self._named(index + length + is_definite, in_capitals=not is_definite) if length else None

    def _turned_to(self, index: int) -> tuple[int, int] | None:
        """Another name after one has been named: "how about Shadyside"."""
        length = self.text.match(_SAID.turns_to, index) if self.is_named_before else 0
        named = self._named(index + length, in_capitals=True) if length else None
        is_city = named and name_key(self.text.norm(at) for at in range(*named)) in self.gazetteer.known
        return None if is_city else named

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
        after = self._run_on(first, in_capitals=in_capitals or self.text[first].is_capitalised)
        spoken = [self.text.norm(at) for at in range(first, after)]
        is_kind = all(word in words.NEVER_IN_A_NAME - _WORDS.where_in_town for word in spoken[:2])
        is_where = len(spoken) < 2 and spoken[:1] and spoken[0] in _WORDS.where_in_town
        is_small = not self.text[first].is_capitalised and spoken[:1] and spoken[0] in words.NEVER_IN_A_NAME
        return None if is_kind or is_where or is_small else (first, after)

    def _run_on(self, first: int, *, in_capitals: bool) -> int:
        after = first
        while after < first + _WORDS_AT_MOST and self._goes_on(after, in_capitals):
            house = self.text.match(_SAID.houses, after)
            if house and after > first:
                return after + house
            after += 1
        return after

    def _goes_on(self, index: int, in_capitals: bool) -> bool:
        token = self.text[index]
        if not token.is_word or token.norm in _WORDS.ends_a_name:
            return False
        return token.is_capitalised or not in_capitals

    def _is_of_a_hotel(self, index: int) -> bool:
        """Whether the sentence spoke of a hotel before: "a hotel called", unlike "a restaurant called"."""
        for before in range(index - 1, max(-1, index - 12), -1):
            if self.text.norm(before) in SENTENCE_ENDS:
                return False
            if self.text.match(_SAID.houses, before) or self.text.norm(before) in ("hotels", "place", "room"):
                return True
        return False
