"""Which of the offers a user means: "the second one", "the cheapest flight", "the hotel called Blue Anchor".

Only what is definite counts: somebody who wants "a flight" or "a cheap hotel" wants one searched for.
"""

from dataclasses import dataclass

from ...result import Bookable, BookingWish, Pick
from ..dates.points import MONTHS
from ..details.airlines import airline_at
from ..language.numbers import NUMBER_WORDS, whole_number
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from . import words

_DATES_WORDS = words_of("dates")
_HOTELS_SAID = phrases_of("hotels")
_SAID = phrases_of("bookings")
_WORDS = words_of("bookings")

_NUMBER_AT_MOST = 99
_NAME_AT_MOST = 6
_WORDS_TO_A_HEAD = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """An offer that is told in the tokens from `first` up to `after`.

    `head` is the index of the word that says what it is ("flight"), -1 without one. With `is_pronoun` it is
    just "it". With `is_bare` it is a noun alone ("book hotel"), which is one that was found, if any was.
    `unread` are words that tell which one is meant, but nothing that one is picked by: "the last one".
    """

    first: int
    after: int
    wish: BookingWish
    head: int = -1
    is_pronoun: bool = False
    is_bare: bool = False
    unread: str = ""


def read_offer(text: Text, index: int) -> Offer | None:
    """Return the definite offer that is told from that token on, None if none is."""
    return _Reader(text).read(index)


@dataclass(slots=True)
class _Told:
    """What has been read of an offer so far."""

    kind: Bookable | None = None
    pick: Pick | None = None
    number: int | None = None
    name: str = ""
    unread: str = ""


@dataclass(frozen=True, slots=True)
class _Reader:
    text: Text

    def read(self, first: int) -> Offer | None:
        text = self.text
        is_whichever = text.norm(first) in _WORDS.whichever and text.norm(first + 1) == "is"
        if is_whichever:
            first += 1 + (text.norm(first + 2) == "the")
        is_definite = is_whichever or text.norm(first) in _WORDS.definite
        told = _Told()
        at = self._modifiers(first + is_definite, told, is_definite=is_definite)
        head = at if text.norm(at) in words.HEADS else -1
        if head >= 0:
            at = self._behind_head(head, told)
        at = self._named_behind(at, told)
        is_told = bool(told.pick or told.number or told.name)
        is_bare = not (is_definite or is_told) and text.norm(first) in _WORDS.alone
        is_over = text.norm(at) in words.ENDS or text.match(words.EARLIER, at)
        if head < 0 and not (is_told and is_over):
            return self._pronoun(first)
        if not (is_definite or is_told or is_bare):
            return None
        wish = BookingWish(
            action="book", kind=told.kind, pick=told.pick, number=told.number, name=told.name or None
        )
        head = head if text.norm(head) in words.KIND_OF else -1
        return Offer(first=first, after=at, wish=wish, head=head, is_bare=is_bare, unread=told.unread)

    def _pronoun(self, first: int) -> Offer | None:
        text = self.text
        noun = first + 1 + (text.norm(first + 1) in _WORDS.new)
        is_of_days = text.norm(first) in _WORDS.definite and text.norm(noun) in _WORDS.days_of_an_offer
        if is_of_days and text.norm(noun + 1) in words.ENDS:
            return Offer(first=first, after=noun + 1, wish=BookingWish(action="book"), is_pronoun=True)
        is_it = text.norm(first) in _WORDS.pronouns
        if not is_it or text.norm(first + 1) not in words.AFTER_A_PRONOUN:
            return None
        return Offer(first=first, after=first + 1, wish=BookingWish(action="book"), is_pronoun=True)

    def _modifiers(self, at: int, told: _Told, *, is_definite: bool) -> int:
        """Read what stands before the noun; return the index behind it."""
        while not self.text.match(words.EARLIER, at):
            after = self._modifier(at, told)
            if after == at and is_definite and not told.name:
                after = self._before_a_head(at)
                told.name = self.text.spelled(at, after)
                told.kind = told.kind or ("hotel" if self._ends_as_a_house(at, after) else None)
            if after == at:
                return at
            at = after
        return at

    def _modifier(self, at: int, told: _Told) -> int:
        text = self.text
        for pick, names in words.PICKS:
            length = text.match(names, at)
            if length:
                told.pick = pick
                told.kind = told.kind or ("flight" if pick in _WORDS.pick_of_flight else None)
                return at + length
        numbered = self._number(at)
        if numbered:
            told.number, after = numbered
            return after
        if text[at].is_number and text.norm(at + 1 + (text.norm(at + 1) == "-")) in ("star", "stars"):
            return at + 1
        if text.norm(at) in _WORDS.qualifiers:
            told.unread = text.spelled(at, at + 1)
            return at + 1
        is_class = text.norm(at) in words.ORDINALS and text.norm(at + 1) in _WORDS.of_a_class
        if is_class or text.norm(at) in _WORDS.neutral:
            return at + 1
        return self._name(at, told)

    def _number(self, at: int) -> tuple[int, int] | None:
        """ "second", "2nd", "number 2", "# 2", "2"; not "first class", "3rd of May", "2 rooms"."""
        text = self.text
        ordinal = words.ORDINALS.get(text.norm(at))
        if ordinal and text.norm(at + 1) not in _WORDS.of_a_class:
            return ordinal, at + 1
        if text[at].is_number and text.norm(at + 1) in _DATES_WORDS.ordinal_endings and text.is_glued(at + 1):
            is_day = text.norm(at + 2) == "of" or text.norm(at + 2) in MONTHS
            count = whole_number(text, at)
            return (count[0], at + 2) if count and not is_day and 0 < count[0] <= _NUMBER_AT_MOST else None
        return self._counted(at)

    def _counted(self, at: int) -> tuple[int, int] | None:
        """ "number 3", "#3", "3": a number that counts nothing."""
        text = self.text
        is_led = text.norm(at) in _WORDS.numbered or text.norm(at) == "#"
        start = at + is_led
        start += is_led and text.norm(start) == "."
        is_figure = text[start].is_number or (is_led and text.norm(start) in NUMBER_WORDS)
        count = whole_number(text, start) if is_figure else None
        if count is None or not 0 < count[0] <= _NUMBER_AT_MOST:
            return None
        is_alone = text.norm(count[1]) in words.ENDS - {"-"} and not text.is_glued(count[1] + 1)
        return count if is_led or is_alone else None

    def _name(self, at: int, told: _Told) -> int:
        """A name of an airline or a hotel, or what is written as one; the index behind it."""
        text = self.text
        after = airline_at(self.text, at)
        if after:
            told.kind = told.kind or "flight"
        else:
            length = text.match(_HOTELS_SAID.chains, at)
            after = (
                at + length + text.match(_HOTELS_SAID.houses, at + length)
                if length
                else self._written_as_a_name(at)
            )
            if after and (length or self._ends_as_a_house(at, after)):
                told.kind = told.kind or "hotel"
        if after and [text.norm(after), text.norm(after + 1)] == ["-", "like"]:
            return after + 2  # it is only likened to that one
        if not after or told.name:
            return at
        told.name = text.spelled(at, after)
        return after

    def _written_as_a_name(self, at: int) -> int:
        """The index behind words that are written in capitals, 0 if none stands there."""
        after = at
        while after - at < _NAME_AT_MOST and (self._is_of_a_name(after) or self._goes_on_as_one(at, after)):
            after += 1
        return after if after > at else 0

    def _is_of_a_name(self, at: int) -> bool:
        token = self.text[at]
        is_capital = token.is_word and token.is_capitalised and token.norm not in _WORDS.not_a_name
        return is_capital and token.norm not in _WORDS.flights

    def _goes_on_as_one(self, first: int, at: int) -> bool:
        """A number or a small word within a name: "Quillon Demo Mitte 2", "Demo by the Lake"."""
        text = self.text
        if at == first:
            return False
        return text[at].is_number or (text.norm(at) in ("-", "&", "'") and self._is_of_a_name(at + 1))

    def _ends_as_a_house(self, first: int, after: int) -> bool:
        return any(self.text.match(_HOTELS_SAID.houses, at) == after - at for at in range(first + 1, after))

    def _before_a_head(self, at: int) -> int:
        """Words in small letters that nothing but a name can be, between the article and the noun."""
        text, after = self.text, at
        while after - at < _WORDS_TO_A_HEAD and self._may_be_a_name(after):
            after += 1
        house = self.text.match(_HOTELS_SAID.houses, after) if after - at > 1 else 0
        return after if text.norm(after) in words.HEADS else after + house if house else at

    def _may_be_a_name(self, at: int) -> bool:
        token = self.text[at]
        plain = _WORDS.not_a_name | words.HEADS | _WORDS.qualifiers | _WORDS.neutral | NUMBER_WORDS.keys()
        is_told_otherwise = token.norm in words.ORDINALS or any(
            self.text.match(names, at) for _, names in words.PICKS
        )
        return token.is_word and token.norm not in plain and not is_told_otherwise

    def _behind_head(self, head: int, told: _Told) -> int:
        """Read "flight", "option 3", "hotel number two"; return the index behind it."""
        text = self.text
        noun = text.norm(head)
        told.kind = words.KIND_OF.get(noun) or told.kind
        if noun in _WORDS.car_classes:
            told.name = told.name or noun
        at = head + 1
        numbered = self._counted(at)
        if numbered is None and text.norm(at) in NUMBER_WORDS and text.norm(at + 1) in words.ENDS:
            numbered = whole_number(text, at)
        if numbered:
            told.number, at = numbered
        return at

    def _named_behind(self, at: int, told: _Told) -> int:
        """Read "called Blue Anchor", "with Lufthansa" behind the noun."""
        text = self.text
        length = text.match(_SAID.named, at)
        if length:
            first = at + length + (text.norm(at + length) == "the")
            after = self._written_as_a_name(first) or self._up_to_an_end(first)
            if after > first:
                told.name = text.spelled(first, after)
                is_hotel = text.match(_HOTELS_SAID.chains, first) or self._ends_as_a_house(first, after)
                told.kind = told.kind or ("hotel" if is_hotel else None)
                return after
            return at
        first = at + 1 + (text.norm(at + 1) == "the")
        if told.name or text.norm(at) not in _WORDS.carried_by:
            return at
        after = airline_at(self.text, first) or (
            self._written_as_a_name(first) if text.norm(at) in ("with", "by") else 0
        )
        if not after:
            return at
        told.name = text.spelled(first, after)
        told.kind = told.kind or "flight"
        return after

    def _up_to_an_end(self, first: int) -> int:
        after = first
        while after - first < _NAME_AT_MOST and self.text.norm(after) not in words.ENDS:
            after += 1
        return after
