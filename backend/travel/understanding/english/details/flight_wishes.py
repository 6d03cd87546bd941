"""What narrows flights besides stops, prices and hours: how long they take, where planes are changed, bags,
refunds; and wishes for seats.
"""

from collections.abc import Callable, Iterator

from ...places.gazetteer import load_gazetteer
from ...result import Place
from ..language.negations import OVER, negation_before
from ..language.numbers import NUMBERS, whole_number
from ..language.text import Phrases, Text, any_of, phrases, word_set
from ..places.places import named_places
from .slot_mentions import SlotMention

LONG_LAYOVER = 180
"""Minutes above which a layover counts as long."""

_AT_MOST = phrases(
    "under", "below", "max", "max.", "maximum", "at most", "less than", "no more than", "not more than",
    "up to", "not longer than", "no longer than", "shorter than", "not over", "nothing over",
    "nothing longer than", "nothing above", "no more then", "less then", "within",
)  # fmt: skip
_OR_LESS = phrases("max", "at most", "maximum", "or less", "tops", "or shorter", "or under")
_HOURS = word_set("hours hour h hrs hr")
_MINUTES = word_set("minutes minute min mins m")
_OF_SOMETHING_ELSE = word_set("before after from of later earlier ahead notice ago away by to")
_LAYOVERS = word_set(
    "layover layovers stopover stopovers stop stops connection connections wait waits transfer"
)
_BETWEEN = word_set("of for with a the time long each are is should be")
_FLIGHT_TIME = word_set("flight flights flying travel journey time total duration in each way")
_NO_LONG_LAYOVER = phrases(
    "no long layovers", "no long layover", "without long layovers", "no long stopovers", "no long waits",
    "no long stops", "no long connections", "not a long layover", "short layover", "short layovers",
    "short layovers only", "short connections", "short stopovers", "without a long layover",
    "no long waiting", "no long wait",
)  # fmt: skip
_WITH_BAGS = phrases(
    "checked bag", "checked bags", "checked luggage", "checked baggage", "hold luggage", "hold baggage",
    "bags included", "bag included", "luggage included", "baggage included", "with luggage",
    "with baggage", "with bags", "with a bag", "with a suitcase", "with suitcases", "with a checked bag",
    "with checked bags", "with checked luggage", "checked suitcase", "checked suitcases",
    "checked bag included", "checked bags included", "checked luggage included", "including luggage",
    "including a bag", "incl luggage", "incl. luggage", "with a big suitcase", "luggage to check in",
)  # fmt: skip
_BAGS = phrases(
    "bag", "bags", "suitcase", "suitcases", "big bag", "big bags", "big suitcase", "big suitcases",
    "large bag", "large bags", "large suitcase", "large suitcases", "pieces of luggage", "piece of luggage",
    "check-in bag", "check-in bags", "check in bag", "check in bags", "pieces of baggage", "heavy bags",
    "20kg bag", "23kg bag", "luggages", "luggage each", "bag each", "bags each", "bag per person",
    "bag per passenger", "hold bag", "hold bags",
)  # fmt: skip
"""Behind a count these are checked: "2 suitcases", "a bag", "one suitcase each"."""
_ONE = word_set("a an one another extra")
_ASKS_OF_BAGS = word_set("how much what what's whats is does do cost costs price if which why")
_BARE_HAND = phrases(
    "hand luggage only", "only hand luggage", "just hand luggage", "just handluggage", "handluggage only",
    "only handluggage", "handluggage", "just carry-on", "just carryon", "with hand luggage",
    "hand baggage only",
    "cabin baggage only", "cabin bag only", "just cabin baggage", "only a cabin bag",
    "carry-on only", "carry on only", "only carry-on", "only carry on", "just a carry-on",
    "just a carry on", "only a carry-on", "without luggage", "no luggage",
    "no checked bags", "no checked luggage", "no bags", "without bags", "no checked bag",
    "without checked luggage", "no need for luggage", "don't need luggage", "just a backpack",
    "only a backpack", "only hand baggage", "just a cabin bag", "just cabin bags", "only cabin bags",
    "cabin bags only", "just one cabin bag", "just a rucksack", "no hold luggage", "no hold bags",
    "don't need a bag", "don't need bags", "don't need any bags", "no luggage needed", "no suitcase",
    "no suitcases", "just a small bag", "just small bags", "only a small bag",
)  # fmt: skip
_KILOS = word_set("kg kgs kilo kilos")
_LUGGAGE = word_set("luggage baggage bag bags suitcase")
_MAY_ONE = word_set("can could may")
_LEAST_OF_A_WISH = 2
"""Words of which "a bag" alone is no wish yet."""
_LIGHTEST, _HEAVIEST = 15, 40
"""Kilograms of one bag to check in: what is lighter goes into the cabin."""
_REFUNDABLE = phrases(
    "refundable", "refundable ticket", "refundable tickets", "refundable fare", "refundable fares",
    "refundable flight", "refundable flights", "fully refundable", "with refund", "with a refund",
    "money back if i cancel", "that can be refunded", "to be able to cancel", "option to cancel",
    "possibility to cancel", "that i can cancel", "that we can cancel", "that can be cancelled",
    "that can be canceled", "one i can cancel", "one we can cancel", "something i can cancel",
    "something we can cancel",
)  # fmt: skip
_CHANGEABLE = phrases(
    "flexible ticket", "flexible tickets", "flexible fare", "flexible fares", "changeable",
    "changeable ticket", "changeable tickets", "can be changed", "that i can change", "that we can change",
    "rebookable", "can be rebooked", "flex ticket", "flex fare", "free rebooking",
)  # fmt: skip
_QUESTIONS = word_set("what whats how which is are do does did why where who when")
_DENIES = word_set("no not non without non-")
_SEATS: tuple[tuple[str, Phrases], ...] = (
    ("window", phrases("window seat", "window seats", "seat by the window", "seat at the window")),
    ("aisle", phrases("aisle seat", "aisle seats", "seat on the aisle", "seats on the aisle", "aisle")),
    ("together", phrases("seats together", "sit together", "seated together", "sitting together")),
    ("legroom", phrases("extra legroom", "more legroom", "exit row", "emergency exit row")),
)
_VIA = phrases(
    "via", "connecting in", "connecting through", "connecting via", "with a stop in", "with a stopover in",
    "with a layover in", "stopover in", "layover in", "stopping in", "stop over in", "stopping over in",
    "changing in", "changing planes in", "change planes in", "change in", "transfer in", "transferring in",
    "stops in", "stop in", "connection in", "connections in", "layovers in", "stopovers in",
    "transit through", "transiting through", "transit in", "with a connection in", "flying through",
    "going through", "fly through", "go through", "through",
)  # fmt: skip
_NOT = phrases(
    "not", "no", "don't want to", "do not want to", "dont want to", "don't", "dont", "never", "avoid",
    "avoiding", "without", "without a", "but not", "anything but", "rather not", "not a", "not with a",
    "no flights", "nothing", "hate", "no stop", "no stops", "without stops", "please not", "not to",
    "do not", "exclude", "excluding", "skip",
)  # fmt: skip
_NOT_AN_AIRPORT = phrases(
    "avoid", "avoiding", "any airport but", "any airport except", "any airport other than", "anything but",
    "except", "all airports but", "exclude", "excluding",
)  # fmt: skip
_WORDS_OF_NEGATION = 4
_JOINTS = word_set("or and , / nor via through")
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
    if text.norm(after) in _MINUTES and text.norm(after) != "m":
        return count, after + 1
    if text.norm(after) not in _HOURS:
        return None
    minutes, after = count * 60 + half, after + 1
    joined = after + (text.norm(after) == "and")
    rest = whole_number(text, joined)
    if rest and rest[0] < 60 and (text.norm(rest[1]) in _MINUTES or text.is_glued(after)):
        return minutes + rest[0], rest[1] + (text.norm(rest[1]) in _MINUTES)
    return minutes, after


def _takes(text: Text, first: int) -> SlotMention | None:
    """ "under 6 hours", "max 2 h layover", "layovers of at most 2 hours", "8 hours max"."""
    is_of_layover = text.norm(first) in _LAYOVERS
    at = first + is_of_layover
    while is_of_layover and text.norm(at) in _BETWEEN:
        at += 1
    led = text.match(_AT_MOST, at)
    over = text.match(OVER, at)
    if (led or over) and negation_before(text, at) >= 0:
        led = over  # "nothing over 12 hours" is a limit, "not under 10 hours" is none
    at += led
    at += text.norm(at) in ("a", "an") and text.norm(at + 1) not in _HOURS
    read = _duration(text, at)
    if read is None:
        return None
    minutes, after = read
    trailed = text.match(_OR_LESS, after)
    after += trailed
    if not (led or trailed):
        return None
    noun = after
    while text.norm(noun) in _BETWEEN:
        noun += 1
    if is_of_layover or text.norm(noun) in _LAYOVERS:
        after = after if is_of_layover else noun + 1
        return _mention(first, after, max_layover=minutes) if minutes <= _LONGEST_LAYOVER else None
    if text.norm(after) in _OF_SOMETHING_ELSE or minutes > _LONGEST_FLIGHT or minutes < 30:
        return None
    while text.norm(after) in _FLIGHT_TIME and text.norm(after) not in ("flight", "flights"):
        after += 1
    return _mention(first, after, max_minutes=minutes)


def _layover(text: Text, first: int) -> SlotMention | None:
    length = text.match(_NO_LONG_LAYOVER, first)
    return _mention(first, first + length, max_layover=LONG_LAYOVER) if length else None


def _luggage(text: Text, first: int) -> SlotMention | None:
    if text.norm(0) in _QUESTIONS:
        return None
    length = text.match(_BARE_HAND, first)
    if length:
        return _mention(first, first + length, bags=0)
    read = whole_number(text, first)
    is_one = read is None and text.norm(first) in _ONE and text.length > _LEAST_OF_A_WISH
    start = read[1] if read else first + is_one
    # "0 bags" asks for none, and "can I check in two bags?" for an answer.
    is_counted = is_one or (read is not None and read[0] > 0)
    is_asked = text.norm(0) in _MAY_ONE and "add" not in text.vocabulary
    is_counted = is_counted and not is_asked and not _is_asked_or_denied(text, first)
    if read and text.norm(start) in _KILOS:
        after = start + 1 + (text.norm(start + 1) == "of")
        is_checked = _LIGHTEST <= read[0] <= _HEAVIEST and "hand" not in text.vocabulary
        if is_checked and (text.norm(after) in _LUGGAGE or text.norm(first - 1) in _LUGGAGE):
            return _mention(first, after + (text.norm(after) in _LUGGAGE), bags=1)
    length = text.match(_WITH_BAGS, start)
    if not length and is_counted:
        length = text.match(_BAGS, start)
    if not length or text.norm(first - 1) in _DENIES:
        return None
    count = min(read[0], 2) if read else 1
    return _mention(first, start + length, bags=count)


def _is_asked_or_denied(text: Text, first: int) -> bool:
    """Whether bags are asked about, or not wanted: "how much is a bag", "I don't need a bag"."""
    if "check" in text.vocabulary or "checked" in text.vocabulary:
        return True  # "2 bags to check in": without the bags it would be about a hotel
    before = {text.norm(at) for at in range(max(0, first - _WORDS_OF_NEGATION), first)}
    return not (before.isdisjoint(_SPOKEN_AGAINST) and before.isdisjoint(_ASKS_OF_BAGS))


def _conditions(text: Text, first: int) -> SlotMention | None:
    is_denied = text.norm(first - 1) in _DENIES or text.norm(first - 2) in _DENIES
    length = text.match(_REFUNDABLE, first)
    if length and not is_denied:
        return _mention(first, first + length, refundable=True)
    length = text.match(_CHANGEABLE, first)
    return _mention(first, first + length, changeable=True) if length and not is_denied else None


def _seat(text: Text, first: int) -> SlotMention | None:
    for seat, names in _SEATS:
        length = text.match(names, first)
        if length and text.norm(first - 1) not in _DENIES:
            return _mention(first, first + length, seats=(seat,))
    return None


def _by_way_of(text: Text, first: int) -> SlotMention | None:
    """ "via Istanbul", "not via Paris or London", "avoid connecting in Frankfurt"."""
    negated = text.match(_NOT, first)
    start = first + negated
    length = text.match(_VIA, start)
    if not length:
        return None
    if text.norm(start) == "through" and not negated:
        return None
    places, at = _places(text, start + length)
    if not places:
        return None
    is_unwanted = bool(negated) or any(
        text.norm(before) in _SPOKEN_AGAINST for before in range(max(0, first - _WORDS_OF_NEGATION), first)
    )
    return _mention(first, at, **{"avoided" if is_unwanted else "via": places})


def _airport(text: Text, first: int) -> SlotMention | None:
    """ "avoid Stansted", "any airport but JFK"."""
    length = text.match(_NOT_AN_AIRPORT, first)
    places, after = _places(text, first + length) if length else ((), first)
    are_airports = bool(places) and all(place.airport for place in places)
    return _mention(first, after, avoided=places) if are_airports else None


def _places(text: Text, at: int) -> tuple[tuple[Place, ...], int]:
    """The places that are named side by side from there on, and the index after them."""
    places: list[Place] = []
    while True:
        joint = at
        while places and text.norm(joint) in _JOINTS and joint < at + 2:
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


_SPOKEN_AGAINST = word_set("not no don't dont never avoid avoiding without hate nothing exclude")
_READERS: tuple[tuple[_Reader, frozenset[str]], ...] = (
    (_layover, frozenset(_NO_LONG_LAYOVER)),
    (_takes, _HOURS | _MINUTES),
    (
        _luggage,
        frozenset((*_WITH_BAGS, *_BARE_HAND, *_BAGS)) | _KILOS | _ONE,
    ),
    (_conditions, frozenset(_REFUNDABLE) | frozenset(_CHANGEABLE)),
    (_seat, frozenset(first for _, names in _SEATS for first in names)),
    (_by_way_of, frozenset(_VIA)),
    (_airport, frozenset(_NOT_AN_AIRPORT)),
)
"""Who reads which wish, and the words without one of which there is none."""
_BEGIN = (
    any_of(
        *(_NO_LONG_LAYOVER, _AT_MOST, OVER, _WITH_BAGS, _BARE_HAND, _REFUNDABLE, _CHANGEABLE, _NOT, _VIA),
        *(_NOT_AN_AIRPORT, *(names for _, names in _SEATS)),
    ).begin
    | _LAYOVERS
    | _ONE
    | NUMBERS
)
