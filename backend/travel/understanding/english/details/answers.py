"""What a message in a few words means beside what is known: a bare count, an amount, a choice, days alone."""

from collections.abc import Collection, Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Literal

from ...message import Background, Choice
from ...places.gazetteer import Gazetteer
from ...result import Alternative, Place
from ..language.numbers import NUMBER_WORDS, amount, whole_number
from ..language.tables import phrases_of, words_of
from ..language.text import Text, phrases, tokenise
from ..places.places import find_places
from ..talk.remarks import asks_about
from .prices import CURRENCY_WORDS, SYMBOLS

_PEOPLE_SAID = phrases_of("people")
_PEOPLE_WORDS = words_of("people")
_PLACES_SAID = phrases_of("places")
_PRICES_WORDS = words_of("prices")
_SAID = phrases_of("facts")
_WORDS = words_of("facts")

Counted = Literal["people", "rooms", "nights"]

_COUNTED_BY: dict[str, Counted] = {
    "flight.passengers": "people",
    "hotel.guests": "people",
    "hotel.rooms": "rooms",
    "hotel.nights": "nights",
}
_WORDS_OF_MAKE_IT = 2
_COUNT_AT_MOST = 30
_AMOUNT_AT_MOST_WORDS = 12
_LEAST_AMOUNT = 31
"""A number up to this one may be a day, or count something."""
_BARE_AT_MOST = 40
_CHOICE_AT_MOST = 8
_BARE = _WORDS.bare | _SAID.booking.begin | NUMBER_WORDS.keys()
_MONEY = SYMBOLS.keys() | CURRENCY_WORDS.keys()
_BESIDE_AN_AMOUNT = _PRICES_WORDS.beside | _MONEY
_ORDINALS = (_SAID.first, _SAID.second, _SAID.third, _SAID.fourth)


def bare_count(text: Text, taken: Collection[int], background: Background) -> tuple[Counted, int] | None:
    """Return what was asked for and the only number of the message outside the tokens `taken`.

    None if no count is among the slots that were asked for, or if the number counts something by itself.
    "Make it 7" is for the only count that was told before, as is "just 7".
    """
    slot = next((slot for slot in background.counts if slot in _COUNTED_BY), None)
    if slot is None and (at := text.find(_PEOPLE_SAID.make_it)) >= 0:
        of_people = text.has_any(_PEOPLE_WORDS.of_people)
        slot = "flight.passengers" if of_people else _only_one_counted(background.counted)
        # "Make that 7, Declan's out. 3 twins" makes seven of them; three are told of something else.
        behind = at + _WORDS_OF_MAKE_IT + 1
        if text[behind - 1].is_number and text.norm(behind) in (",", ".", ";", "!"):
            text = text.within(0, behind)
    if slot is None and text.has_any(_PEOPLE_WORDS.only):
        others = {token.norm for token in text.tokens if not token.is_number} - NUMBER_WORDS.keys()
        if others & _PEOPLE_WORDS.only and others <= _PEOPLE_WORDS.beside_a_count:
            slot = _only_one_counted(background.counted)
    numbers = _bare_numbers(text.without(taken)) if slot else []
    return (_COUNTED_BY[slot], numbers[0]) if slot and len(numbers) == 1 else None


def _only_one_counted(counted: tuple[str, ...]) -> str | None:
    kinds = {_COUNTED_BY[slot]: slot for slot in counted}
    if "people" in kinds:
        kinds.pop("rooms", None)  # they follow from the people
    return next(iter(kinds.values())) if len(kinds) == 1 else None


def _bare_numbers(text: Text) -> list[int]:
    numbers: list[int] = []
    at = 0
    while at < text.length:
        read = whole_number(text, at)
        if read and 1 <= read[0] <= _COUNT_AT_MOST and text.norm(read[1]) not in _WORDS.otherwise_counted:
            numbers.append(read[0])
        at = read[1] if read else at + 1
    return numbers


def bare_amount(text: Text) -> Decimal | None:
    """Return the only number of a message that changes an amount, None if it may be anything else."""
    numbers = [at for at, token in enumerate(text.tokens) if token.is_number] if text.has_figures else []
    read = amount(text, numbers[0]) if len(numbers) == 1 and text.length <= _AMOUNT_AT_MOST_WORDS else None
    if read is None:
        return None
    (at,), (value, after) = numbers, read
    is_money = text.norm(at - 1) in SYMBOLS or text.norm(at + 1) in _MONEY
    is_year = text[at].raw.startswith("20") and len(text[at].raw) == len("2027")
    others = text.without(range(at, after)).vocabulary - {""}
    is_meant = is_money or (value > _LEAST_AMOUNT and not is_year)
    return Decimal(value) if is_meant and others <= _BESIDE_AN_AMOUNT else None


def is_bare(text: Text, taken: Collection[int]) -> bool:
    """Return whether all words outside the tokens `taken` by dates and places are small or count people.

    Nobody says "2 adults, 3 nights from Friday" about anything but a journey.
    """
    return text.length <= _BARE_AT_MOST and all(
        token.norm in _BARE or at in taken or not token.is_word for at, token in enumerate(text.tokens)
    )


def books(text: Text) -> bool:
    """Return whether the message has a word for booking."""
    return text.has(_SAID.booking)


def is_of_a_stay(text: Text) -> bool:
    """Return whether a bare message is about a place to stay: "a reservation for 5 people from Sunday"."""
    return text.has(_SAID.of_a_stay)


def find_choices(text: Text, readings: Sequence[Alternative], gazetteer: Gazetteer) -> Iterator[Choice]:
    """Yield what a message chooses among readings that were left open: "Florida", "the later one".

    A long one chooses by words for it alone: "Lanzarote it is! Could you find us a hotel with a pool?".
    """
    if text.length > _CHOICE_AT_MOST:
        decides = text.has(_PLACES_SAID.decides) or text.has(_SAID.cheaper)
        readings = [one for one in readings if one.is_choice] if decides else ()
    for alternative in readings:
        option = _which(text, alternative)
        value = _value(option, alternative.slot, gazetteer) if option else None
        if value is not None:
            yield Choice(slot=alternative.slot, value=value)


def _which(text: Text, alternative: Alternative) -> str:
    """The reading that is chosen, "" if none is, or more than one could be."""
    options = [option for option in (alternative.taken, *alternative.others) if option]
    if alternative.is_choice:
        named = [one for one in options if _stands_at(text, one.partition(",")[0]) >= 0]
        name = named[0].partition(",")[0] if len(named) == 1 else ""
        if name and text.match(_PLACES_SAID.decides, _stands_at(text, name) + len(tokenise(name))):
            return named[0]
    cheapest = _SAID.cheaper if alternative.is_choice else _SAID.cheapest
    if alternative.is_proposed and text.has(cheapest) and not asks_about(text):
        return alternative.others[0]
    if len(alternative.others) == 1 and alternative.taken and text.has(_SAID.other):
        return alternative.others[0]
    if _is_day(options[0]) and text.has(_SAID.earlier):
        return min(options)
    if _is_day(options[0]) and text.has(_SAID.later):
        return max(options)
    for ordinal, option in zip(_ORDINALS, options, strict=False):
        if text.has(ordinal):
            return option
    # What tells a place apart is its state or country.
    apart = ((one, one.partition(",")[2]) for one in options if not (alternative.is_choice or _is_day(one)))
    told = [option for option, state in apart if state and _stands_at(text, state) >= 0]
    return told[0] if len(told) == 1 else ""


def _stands_at(text: Text, name: str) -> int:
    """Where a name stands in a message, -1 where it does not."""
    return text.find(phrases(name))


def _is_day(option: str) -> bool:
    return option[:4].isdigit()


def _value(option: str, slot: str, gazetteer: Gazetteer) -> Place | date | None:
    if _is_day(option):
        return date.fromisoformat(option)
    mentions = find_places(Text("to " + option), gazetteer).mentions
    place = mentions[0].place if mentions else None
    return Place(city=place.city) if place and slot == "hotel.city" else place
