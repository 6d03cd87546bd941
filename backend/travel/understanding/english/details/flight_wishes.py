"""What narrows flights besides stops, prices and hours: how long they take, where planes are changed, bags,
refunds; and wishes for seats.
"""

from collections.abc import Callable, Iterator

from ...places.gazetteer import load_gazetteer
from ...result import Place
from ..language.negations import negation_before
from ..language.numbers import NUMBERS, whole_number
from ..language.spans import SlotMention
from ..language.tables import phrases_of, words_of
from ..language.text import Phrases, Text, any_of, phrases
from ..places.places import named_places

_LANGUAGE_SAID = phrases_of("language")
_SAID = phrases_of("flight_wishes")
_WORDS = words_of("flight_wishes")

LONG_LAYOVER = 180
"""Minutes above which a layover counts as long."""

_LEAST_OF_A_WISH = 2
"""Words of which "a bag" alone is no wish yet."""
_LIGHTEST, _HEAVIEST = 15, 40
"""Kilograms of one bag to check in: what is lighter goes into the cabin."""
_SEATS: tuple[tuple[str, Phrases], ...] = (
    ("window", phrases("window seat", "window seats", "seat by the window", "seat at the window")),
    ("aisle", phrases("aisle seat", "aisle seats", "seat on the aisle", "seats on the aisle", "aisle")),
    ("together", phrases("seats together", "sit together", "seated together", "sitting together")),
    ("legroom", phrases("extra legroom", "more legroom", "exit row", "emergency exit row")),
)
_WORDS_OF_NEGATION = 4
_LONGEST_NAME = 4
_LONGEST_FLIGHT, _LONGEST_LAYOVER = 72 * 60, 24 * 60

_Reader = Callable[[Text, int], SlotMention | None]


def find_flight_wishes(text: Text) -> Iterator[SlotMention]:
    """Yield what narrows flights, and wishes for seats, in the order of the message."""
    readers = [reader for reader, cues in _READERS if not text.vocabulary.isdisjoint(cues)]
    at = 0 if readers else text.length
    while (at := text.next_of(_BEGIN, at)) < text.length:
        found = next((found for reader in readers if (found := reader(text, at))), None)
        if found:
            yield found
        at = found.after if found else at + 1


def _mention(first: int, after: int, **slots: object) -> SlotMention:
    return SlotMention(
        first=first, after=after, slots={f"flight.{field}": one for field, one in slots.items()}
    )


def _duration(text: Text, at: int) -> tuple[int, int] | None:
    """Minutes as they are told there, and the index after: "6 hours", "5h", "7h30", "2 hours 30 minutes"."""
    read = whole_number(text, at)
    if read is None:
        return None
    count, after = read
    half = 0
    if text.norm(after) in (".", ",") and text[after + 1].is_number and text.is_glued(after + 1):
        half, after = round(float(f"0.{text[after + 1].raw}") * 60), after + 2
    elif (text.norm(after), text.norm(after + 1), text.norm(after + 2)) == ("and", "a", "half"):
        half, after = 30, after + 3
    after += text.norm(after) == "-"
    if text.norm(after) in _WORDS.minutes and text.norm(after) != "m":
        return count, after + 1
    if text.norm(after) not in _WORDS.hours:
        return None
    minutes, after = count * 60 + half, after + 1
    joined = after + (text.norm(after) == "and")
    rest = whole_number(text, joined)
    if rest and rest[0] < 60 and (text.norm(rest[1]) in _WORDS.minutes or text.is_glued(after)):
        return minutes + rest[0], rest[1] + (text.norm(rest[1]) in _WORDS.minutes)
    return minutes, after


def _takes(text: Text, first: int) -> SlotMention | None:
    """ "under 6 hours", "max 2 h layover", "layovers of at most 2 hours", "8 hours max"."""
    is_of_layover = text.norm(first) in _WORDS.layovers
    at = first + is_of_layover
    while is_of_layover and text.norm(at) in _WORDS.between:
        at += 1
    led = text.match(_SAID.at_most, at)
    over = text.match(_LANGUAGE_SAID.over, at)
    if (led or over) and negation_before(text, at) >= 0:
        led = over  # "nothing over 12 hours" is a limit, "not under 10 hours" is none
    at += led
    at += text.norm(at) in ("a", "an") and text.norm(at + 1) not in _WORDS.hours
    read = _duration(text, at)
    if read is None:
        return None
    minutes, after = read
    trailed = text.match(_SAID.or_less, after)
    after += trailed
    if not (led or trailed):
        return None
    noun = after
    while text.norm(noun) in _WORDS.between:
        noun += 1
    if is_of_layover or text.norm(noun) in _WORDS.layovers:
        after = after if is_of_layover else noun + 1
        return _mention(first, after, max_layover=minutes) if minutes <= _LONGEST_LAYOVER else None
    if text.norm(after) in _WORDS.of_something_else or minutes > _LONGEST_FLIGHT or minutes < 30:
        return None
    while text.norm(after) in _WORDS.flight_time and text.norm(after) not in ("flight", "flights"):
        after += 1
    return _mention(first, after, max_minutes=minutes)


def _layover(text: Text, first: int) -> SlotMention | None:
    length = text.match(_SAID.no_long_layover, first)
    return _mention(first, first + length, max_layover=LONG_LAYOVER) if length else None


def _luggage(text: Text, first: int) -> SlotMention | None:
    if text.norm(0) in _WORDS.questions:
        return None
    length = text.match(_SAID.bare_hand, first)
    if length:
        return _mention(first, first + length, bags=0)
    read = whole_number(text, first)
    is_one = read is None and text.norm(first) in _WORDS.one and text.length > _LEAST_OF_A_WISH
    start = read[1] if read else first + is_one
    # "0 bags" asks for none, and "can I check in two bags?" for an answer.
    is_counted = is_one or (read is not None and read[0] > 0)
    is_asked = text.norm(0) in _WORDS.may_one and "add" not in text.vocabulary
    is_counted = is_counted and not is_asked and not _is_asked_or_denied(text, first)
    if read and text.norm(start) in _WORDS.kilos:
        after = start + 1 + (text.norm(start + 1) == "of")
        is_checked = _LIGHTEST <= read[0] <= _HEAVIEST and "hand" not in text.vocabulary
        if is_checked and (text.norm(after) in _WORDS.luggage or text.norm(first - 1) in _WORDS.luggage):
            return _mention(first, after + (text.norm(after) in _WORDS.luggage), bags=1)
    length = text.match(_SAID.with_bags, start)
    if not length and is_counted:
        length = text.match(_SAID.bags, start)
    if not length or text.norm(first - 1) in _WORDS.denies:
        return None
    count = min(read[0], 2) if read else 1
    return _mention(first, start + length, bags=count)


def _is_asked_or_denied(text: Text, first: int) -> bool:
    """Whether bags are asked about, or not wanted: "how much is a bag", "I don't need a bag"."""
    if "check" in text.vocabulary or "checked" in text.vocabulary:
        return True  # "2 bags to check in": without the bags it would be about a hotel
    before = {text.norm(at) for at in range(max(0, first - _WORDS_OF_NEGATION), first)}
    return not (
        before.isdisjoint(_WORDS.flight_wishes_spoken_against) and before.isdisjoint(_WORDS.asks_of_bags)
    )


def _conditions(text: Text, first: int) -> SlotMention | None:
    is_denied = text.norm(first - 1) in _WORDS.denies or text.norm(first - 2) in _WORDS.denies
    length = text.match(_SAID.refundable, first)
    if length and not is_denied:
        return _mention(first, first + length, refundable=True)
    length = text.match(_SAID.changeable, first)
    return _mention(first, first + length, changeable=True) if length and not is_denied else None


def _seat(text: Text, first: int) -> SlotMention | None:
    for seat, names in _SEATS:
        length = text.match(names, first)
        if length and text.norm(first - 1) not in _WORDS.denies:
            return _mention(first, first + length, seats=(seat,))
    return None


def _by_way_of(text: Text, first: int) -> SlotMention | None:
    """ "via Istanbul", "not via Paris or London", "avoid connecting in Frankfurt"."""
    negated = text.match(_SAID.not_word, first)
    start = first + negated
    length = text.match(_SAID.via, start)
    if not length:
        return None
    if text.norm(start) == "through" and not negated:
        return None
    places, at = _places(text, start + length)
    if not places:
        return None
    is_unwanted = bool(negated) or any(
        text.norm(before) in _WORDS.flight_wishes_spoken_against
        for before in range(max(0, first - _WORDS_OF_NEGATION), first)
    )
    return _mention(first, at, **{"avoided" if is_unwanted else "via": places})


def _airport(text: Text, first: int) -> SlotMention | None:
    """ "avoid Stansted", "any airport but JFK"."""
    length = text.match(_SAID.not_an_airport, first)
    places, after = _places(text, first + length) if length else ((), first)
    are_airports = bool(places) and all(place.airport for place in places)
    return _mention(first, after, avoided=places) if are_airports else None


def _places(text: Text, at: int) -> tuple[tuple[Place, ...], int]:
    """The places that are named side by side from there on, and the index after them."""
    places: list[Place] = []
    while True:
        joint = at
        while places and text.norm(joint) in _WORDS.flight_wishes_joints and joint < at + 2:
            joint += 1
        named = _place(text, joint) if joint > at or not places else None
        if named is None:
            return tuple(places), at
        places.append(named[0])
        at = named[1]


def _place(text: Text, at: int) -> tuple[Place, int] | None:
    """The city or airport that is named there, and the index after it."""
    end = at
    while end < min(text.length, at + _LONGEST_NAME) and text[end].is_word:
        end += 1
    found = named_places(Text(f"in {text.spelled(at, end)}"), load_gazetteer()) if end > at else ()
    first = next((one for one in found if one.first == 1 and one.place and one.place.airports), None)
    return (first.place, at + first.after - 1) if first and first.place else None


_READERS: tuple[tuple[_Reader, frozenset[str]], ...] = (
    (_layover, frozenset(_SAID.no_long_layover)),
    (_takes, _WORDS.hours | _WORDS.minutes),
    (
        _luggage,
        frozenset((*_SAID.with_bags, *_SAID.bare_hand, *_SAID.bags)) | _WORDS.kilos | _WORDS.one,
    ),
    (_conditions, frozenset(_SAID.refundable) | frozenset(_SAID.changeable)),
    (_seat, frozenset(first for _, names in _SEATS for first in names)),
    (_by_way_of, frozenset(_SAID.via)),
    (_airport, frozenset(_SAID.not_an_airport)),
)
"""Who reads which wish, and the words without one of which there is none."""
_BEGIN = (
    any_of(
        *(
            _SAID.no_long_layover,
            _SAID.at_most,
            _LANGUAGE_SAID.over,
            _SAID.with_bags,
            _SAID.bare_hand,
            _SAID.refundable,
            _SAID.changeable,
            _SAID.not_word,
            _SAID.via,
        ),
        *(_SAID.not_an_airport, *(names for _, names in _SEATS)),
    ).begin
    | _WORDS.layovers
    | _WORDS.one
    | NUMBERS
)
