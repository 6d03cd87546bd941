"""Which of the offers a user means: "the second one", "the cheapest flight", "the hotel called Blue Anchor".

Only what is definite counts: somebody who wants "a flight" or "a cheap hotel" wants one searched for. A click
on an offer tells it by all that it is shown with, so that it can be no other:

    flight Amberwing Demo 253 and 1908 on 10 December 2026 at 09:05, back with Amberwing Demo 256 on ...
    hotel "Blue Anchor Demo Inn" in Shinjuku from 10 December 2026 to 15 December 2026
    automatic car "Finch, Kestrel Demo" at the airport from 10 December 2026 to 15 December 2026

The days in it tell the offer. They are no wish to travel on another day, so these words are kept from all who
read the rest of the message.
"""

import re
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, time

from ...result import (
    Bookable,
    BookingWish,
    Pick,
    Shown,
    ShownDirection,
    ShownRental,
    ShownStay,
)
from ...tokens import fold
from ..dates.points import MONTHS
from ..details.airlines import airline_at
from ..language.numbers import NUMBER_WORDS, whole_number
from ..language.tables import phrases_of, rows_of, words_of
from ..language.text import Phrases, Text

_SAID = phrases_of("bookings")
_WORDS = words_of("bookings")

_NOUNS: Mapping[Bookable, frozenset[str]] = {
    "flight": _WORDS.flights,
    "hotel": _WORDS.hotels,
    "car": _WORDS.cars,
}
KIND_OF: dict[str, Bookable] = {noun: kind for kind, nouns in _NOUNS.items() for noun in nouns}
NAME_OF: Mapping[Bookable, str] = {"flight": "flight", "hotel": "hotel", "car": "rental car"}
"""What a message names each kind by."""

HEADS = KIND_OF.keys() | _WORDS.offers
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
ORDINALS = {word: number for number, word in enumerate(_ORDINALS, start=1)}
ENDS = _WORDS.offer_ends | {""}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Picked:
    """What one of several offers is picked by, and the words for it."""

    by: Pick
    said: Phrases


PICKS = rows_of("bookings", "picks", _Picked)


_DATES_WORDS = words_of("dates")
_HOTELS_SAID = phrases_of("hotels")

_AFTER_A_PRONOUN = _WORDS.after_a_pronoun | {""}
_PLAIN = _WORDS.not_a_name | HEADS | _WORDS.qualifiers | _WORDS.neutral | NUMBER_WORDS.keys()
"""Words in small letters that are no part of a name."""

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


def limits_in(text: Text, told: Collection[int]) -> frozenset[int]:
    """Return those of the tokens that narrow which offers are looked at: "nonstop", "4 star"."""
    limits = {at for at in told if text.norm(at) in _WORDS.limits and text.norm(at) != "-"}
    stars = {at - 1 - (text.norm(at - 1) == "-") for at in limits if text.norm(at) in ("star", "stars")}
    return frozenset(limits | {at for at in stars if text[at].is_number})


@dataclass(slots=True)
class _Told:
    """What has been read of an offer so far."""

    kind: Bookable | None = None
    pick: Pick | None = None
    number: int | None = None
    name: str = ""
    is_same: bool = False
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
        at += told.is_same and text.norm(at) in _WORDS.same_things
        head = at if text.norm(at) in HEADS and not text.match(_SAID.moved, at) else -1
        if head >= 0:
            at = self._behind_head(head, told)
        at = self._named_behind(at, told)
        is_told = bool(told.pick or told.number or told.name or told.is_same)
        is_bare = not (is_definite or is_told) and text.norm(first) in _WORDS.alone
        is_over = text.norm(at) in ENDS or text.match(_SAID.earlier, at) or text.match(_SAID.moved, at)
        if head < 0 and not (is_told and is_over):
            return self._pronoun(first)
        if not (is_definite or is_told or is_bare):
            return None
        wish = BookingWish(
            action="book",
            kind=told.kind,
            pick=told.pick,
            number=told.number,
            name=told.name or None,
            is_same=told.is_same or None,
        )
        head = head if text.norm(head) in KIND_OF else -1
        return Offer(first=first, after=at, wish=wish, head=head, is_bare=is_bare, unread=told.unread)

    def _pronoun(self, first: int) -> Offer | None:
        text = self.text
        noun = first + 1 + (text.norm(first + 1) in _WORDS.new)
        is_of_days = text.norm(first) in _WORDS.definite and text.norm(noun) in _WORDS.days_of_an_offer
        if is_of_days and text.norm(noun + 1) in ENDS:
            return Offer(first=first, after=noun + 1, wish=BookingWish(action="book"), is_pronoun=True)
        length = text.match(_SAID.again, first)
        if length and (text.norm(first + length) in ENDS or text.match(_SAID.moved, first + length)):
            wish = BookingWish(action="book", is_same=True)
            return Offer(first=first, after=first + length, wish=wish, is_pronoun=True)
        if text.norm(first) not in _WORDS.pronouns or text.norm(first + 1) not in _AFTER_A_PRONOUN:
            return None
        return Offer(first=first, after=first + 1, wish=BookingWish(action="book"), is_pronoun=True)

    def _modifiers(self, at: int, told: _Told, *, is_definite: bool) -> int:
        """Read what stands before the noun; return the index behind it."""
        while not self.text.match(_SAID.earlier, at):
            if self.text.norm(at) == "non" and "stop" not in self.text.said(at + 1, at + 3):
                return at  # "a non-Lufthansa one"
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
        for row in PICKS:
            length = text.match(row.said, at)
            if length:
                told.pick = row.by
                told.kind = told.kind or ("flight" if row.by in _WORDS.pick_of_flight else None)
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
        is_class = text.norm(at) in ORDINALS and text.norm(at + 1) in _WORDS.of_a_class
        if is_class or text.norm(at) in _WORDS.neutral:
            told.is_same |= text.norm(at) == "same"
            return at + 1
        return self._name(at, told)

    def _number(self, at: int) -> tuple[int, int] | None:
        """ "second", "2nd", "number 2", "# 2", "2"; not "first class", "3rd of May", "2 rooms"."""
        text = self.text
        ordinal = ORDINALS.get(text.norm(at))
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
        is_alone = text.norm(count[1]) in ENDS - {"-"} and not text.is_glued(count[1] + 1)
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
        return after if text.norm(after) in HEADS else after + house if house else at

    def _may_be_a_name(self, at: int) -> bool:
        token = self.text[at]
        is_told_otherwise = token.norm in ORDINALS or any(self.text.match(row.said, at) for row in PICKS)
        return token.is_word and token.norm not in _PLAIN and not is_told_otherwise

    def _behind_head(self, head: int, told: _Told) -> int:
        """Read "flight", "option 3", "hotel number two"; return the index behind it."""
        text = self.text
        noun = text.norm(head)
        told.kind = KIND_OF.get(noun) or told.kind
        if noun in _WORDS.car_classes:
            told.name = told.name or noun
        at = head + 1
        numbered = self._counted(at)
        if numbered is None and text.norm(at) in NUMBER_WORDS and text.norm(at + 1) in ENDS:
            numbered = whole_number(text, at)
        if numbered:
            told.number, at = numbered
        before = self.read(at + 1) if noun == "one" and text.norm(at) in _WORDS.behind_another else None
        if before and (before.wish.pick or before.wish.number):  # "the one after the cheapest"
            told.pick, told.number, at = before.wish.pick, (before.wish.number or 1) + 1, before.after
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
        while after - first < _NAME_AT_MOST and self.text.norm(after) not in ENDS:
            after += 1
        return after


_DAY = r"\d{1,2} [^\W\d_]{3,9} \d{4}"
_WAY = rf"[^,;!?]{{1,200}}? on {_DAY} at \d{{1,2}}:\d\d"
_FLIGHT = re.compile(
    rf"(?:the )?flight (?P<name>(?P<there>{_WAY})(?:, (?:and )?back with (?P<back>{_WAY}))?)", re.IGNORECASE
)
_WAY_TOLD = re.compile(rf"(?P<flights>.+) on (?P<day>{_DAY}) at (?P<time>\d{{1,2}}:\d\d)", re.IGNORECASE)
_STAY = re.compile(
    r"(?:the )?hotel [\"“](?P<name>[^\"“”]{1,200})[\"”]"
    rf"(?: in (?P<district>[^,;!?\"]{{1,80}}?))?(?: from (?P<check_in>{_DAY}) to (?P<check_out>{_DAY}))?"
    r"(?=\s*(?:[.,;!?]|please\b|$))",
    re.IGNORECASE,
)


_RENTAL = re.compile(
    r"(?:the )?(?:(?P<gear>automatic|manual) )?car [\"“](?P<name>[^\"“”]{1,200})[\"”]"
    rf"(?: (?P<station>at the airport|in the centre))?(?: from (?P<pick_up>{_DAY}) to (?P<drop_off>{_DAY}))?"
    r"(?=\s*(?:[.,;!?]|please\b|$))",
    re.IGNORECASE,
)
_BEGINNINGS = frozenset({"flight", "hotel", "car", "automatic", "manual"})


def read_shown_offer(text: Text, index: int) -> Offer | None:
    """Return the offer that is told so from that token on, None if none is."""
    if text.norm(index + (text.norm(index) == "the")) not in _BEGINNINGS:
        return None
    for kind, pattern, read in _SHOWN:
        told = pattern.match(text.source, text[index].start)
        shown = read(told) if told else None
        if told and shown:
            wish = BookingWish(action="book", kind=kind, name=told["name"], shown=shown)
            after = next(
                (at for at in range(index, text.length) if text[at].start >= told.end()), text.length
            )
            return Offer(first=index, after=after, wish=wish)
    return None


def _flight(told: re.Match[str]) -> tuple[ShownDirection, ...]:
    ways = [_way(way) for way in (told["there"], told["back"]) if way]
    return tuple(way for way in ways if way) if None not in ways else ()


def _way(words: str) -> ShownDirection | None:
    told = _WAY_TOLD.fullmatch(words)
    day = _day(told["day"]) if told else None
    if told is None or day is None:
        return None
    with suppress(ValueError):
        at = time.fromisoformat(told["time"].zfill(len("09:05")))
        return ShownDirection(flights=_flights(told["flights"]), leaves=f"{day}T{at:%H:%M}")
    return None


def _flights(words: str) -> tuple[str, ...]:
    """ "Amberwing Demo 253 and 1908": each with its carrier, which holds until another one is told."""
    flights: list[str] = []
    carrier = begun = ""
    for piece in words.split(" and "):
        begun = f"{begun} and {piece}" if begun else piece
        named, _, number = begun.rpartition(" ")
        if any(sign.isdigit() for sign in number):
            carrier = named or carrier
            flights.append(f"{carrier} {number}".strip())
            begun = ""
    return (*flights, begun) if begun else tuple(flights)


def _stay(told: re.Match[str]) -> ShownStay:
    return ShownStay(
        hotel=told["name"],
        district=told["district"] or "",
        check_in=_day(told["check_in"]),
        check_out=_day(told["check_out"]),
    )


def _rental(told: re.Match[str]) -> ShownRental:
    gear, station = told["gear"], told["station"]
    return ShownRental(
        car=told["name"],
        transmission=None if gear is None else "automatic" if gear.lower() == "automatic" else "manual",
        station=None if station is None else "airport" if station.lower().endswith("airport") else "centre",
        pick_up=_day(told["pick_up"]),
        drop_off=_day(told["drop_off"]),
    )


def _day(words: str | None) -> date | None:
    """ "10 December 2026"; None for a day that there is not."""
    number, month, year = words.split() if words else ("", "", "")
    with suppress(ValueError, KeyError):
        return date(int(year), MONTHS[fold(month)], int(number))
    return None


_SHOWN: tuple[tuple[Bookable, re.Pattern[str], Callable[[re.Match[str]], Shown]], ...] = (
    ("flight", _FLIGHT, _flight),
    ("hotel", _STAY, _stay),
    ("car", _RENTAL, _rental),
)
