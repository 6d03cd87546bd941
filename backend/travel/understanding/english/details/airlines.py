"""The airlines that a message names: "with Lufthansa", "a Delta Airlines flight", "Swiss or BA only".

Names that are words or places as well ("Swiss", "Delta") count alone only where an airline must stand.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ...reader import Background
from ..language.tables import phrases_of, words_of
from ..language.text import Text, word_set
from .airline_names import ALSO_WORDS, DEMO, NAMES, PHRASES

_SAID = phrases_of("flight_wishes")
_WORDS = words_of("flight_wishes")

_AT_LEAST_A_CODE = 2
_LED_BY = 4
_SHORT = 8
_ENDS_A_NAME = word_set(", . ! ; please then just and anymore again thanks though show") | {""}


@dataclass(frozen=True, slots=True, kw_only=True)
class AirlineMention:
    """An airline in a message: the tokens from `first` up to `after`."""

    first: int
    after: int
    name: str


def find_airlines(text: Text, background: Background | None = None) -> tuple[AirlineMention, ...]:
    """Return the airlines in the message, in its order.

    During a request for flights a message of airlines alone names them however they are written: "delta?".
    """
    if text.vocabulary.isdisjoint(PHRASES.begin):
        return ()
    found: list[AirlineMention] = []
    is_open = background is not None and "flight" in background.running and not background.asked
    are_all = is_open and _is_all(text)
    at = 0
    while at < text.length:
        length = text.match(PHRASES, at)
        is_flown = is_open and text.norm(at - 1) in _WORDS.flown  # "i'd rather fly united"
        is_alone = (are_all or is_flown) and length > 0 and text.norm(at) not in _WORDS.states
        is_meant = is_alone or (length and _is_meant(text, at, length, is_joined=_is_joined(text, at, found)))
        if is_meant:
            name = NAMES[tuple(text.norm(at + offset) for offset in range(length))]
            found.append(AirlineMention(first=at, after=at + length, name=name))
        at += length if is_meant else 1
    return tuple(found)


def airline_at(text: Text, index: int) -> int:
    """Return the index after the airline that is named there, 0 if none is."""
    length = text.match(PHRASES, index)
    return index + length if length and _is_meant(text, index, length, is_joined=False) else 0


def unwanted_airlines(text: Text, at: int) -> tuple[AirlineMention, ...]:
    """Return the airlines that are named side by side from `at` on, behind words that speak against them."""
    found: list[AirlineMention] = []
    while True:
        start = at
        while found and text.norm(start) in _WORDS.joints | _WORDS.spoken_against and start < at + 3:
            start += 1
        length = text.match(PHRASES, start)
        if not length or (found and start == at):
            return tuple(found)
        words = tuple(text.norm(start + offset) for offset in range(length))
        # Beside another, "swiss" is an airline as well, and so is "united" where nothing follows.
        ends = text.norm(start + length) in _ENDS_A_NAME
        if not found and not ends and not _is_name(text, start, length):
            return tuple(found)
        at = start + length
        found.append(AirlineMention(first=start, after=at, name=NAMES[words]))


def names_further(text: Text, named: Sequence[AirlineMention]) -> bool:
    """Return whether the airlines that are named come beside others: "or Lufthansa", "BA as well"."""
    if not named:
        return False
    before = text.norm(named[0].first - 1)
    led = before in _WORDS.further or (
        before in _WORDS.carried_by and text.norm(named[0].first - 2) in _WORDS.further
    )
    return led or text.match(_SAID.as_well, named[-1].after) > 0


def is_allowed_again(text: Text, mention: AirlineMention) -> bool:
    """Return whether an airline may carry them: "Ryanair is fine", "I don't mind KLM"."""
    first = mention.first
    led = any(
        text.match(_SAID.nothing_against, start) == first - start
        for start in range(max(0, first - _LED_BY - 1), first)
    )
    return led or text.match(_SAID.is_fine, mention.after) > 0


def disliked_airline(text: Text, index: int) -> AirlineMention | None:
    """Return the airline that is named there and found bad, with the words for that: "KLM is always late"."""
    length = text.match(PHRASES, index)
    if not length or not _is_name(text, index, length):
        return None
    at = index + length
    while text.norm(at) in _WORDS.is_word | _WORDS.very:
        at += 1
    if text.norm(at) not in _WORDS.bad:
        return None
    words = tuple(text.norm(index + offset) for offset in range(length))
    return AirlineMention(first=index, after=at + 1, name=NAMES[words])


def _is_all(text: Text) -> bool:
    """Whether a short message names airlines and nothing else: "delta or united please"."""
    at = text.length if text.length > _SHORT else 0
    names = 0
    while at < text.length:
        length = text.match(PHRASES, at)
        if not length and text[at].is_word and text.norm(at) not in _WORDS.beside_an_airline:
            return False
        names += length > 0
        at += length or 1
    return names > 0


def _is_joined(text: Text, at: int, found: list[AirlineMention]) -> bool:
    """Whether it stands beside an airline that was found: "Lufthansa or Swiss"."""
    return bool(found) and text.norm(at - 1) in _WORDS.joints and at - found[-1].after <= _AT_LEAST_A_CODE


def _is_name(text: Text, index: int, length: int) -> bool:
    """Whether a name could be an airline's by how it is written; invented ones are written as one likes."""
    if length > 1 or text.norm(index) not in ALSO_WORDS:
        return True
    name = NAMES[(text.norm(index),)]
    return text[index].is_capitalised or name.endswith(DEMO)


def _is_meant(text: Text, index: int, length: int, *, is_joined: bool) -> bool:
    if text.norm(index - 1) == "arab":
        return False  # the United Arab Emirates
    if length > 1 or text.norm(index) not in ALSO_WORDS:
        return True
    if text.norm(index + 1) == "class" or not (is_joined or _is_name(text, index, length)):
        return False
    before = text.norm(index - 1)
    if not text[index].is_capitalised or text.norm(index) in _WORDS.also_places:
        return before in _WORDS.carried_for_sure or is_joined or text.norm(index + 1) == "only"
    is_further = index == 1 and before in _WORDS.further
    if is_joined or is_further or before in _WORDS.carried_by or text.norm(index + 1) == "only":
        return True
    return _begins_alternatives(text, index + 1)


def _begins_alternatives(text: Text, at: int) -> bool:
    """Whether another airline stands behind "or": "Swiss or Lufthansa"."""
    length = text.match(PHRASES, at + 1) if text.norm(at) in ("or", "/") else 0
    return length > 0 and _is_name(text, at + 1, length)
