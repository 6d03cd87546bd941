"""The airlines that a message names: "with Lufthansa", "a Delta Airlines flight", "Swiss or BA only".

Names that are words or places as well ("Swiss", "Delta") count alone only where an airline must stand.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ...reader import Background
from ..language.text import Text, phrases, word_set
from .airline_names import ALSO_PLACES, ALSO_WORDS, DEMO, NAMES, PHRASES

_CARRIED_BY = word_set("with on by via prefer only fly flying like take choose love")
_CARRIED_FOR_SURE = word_set("with by only just prefer fly flying")
_SPOKEN_AGAINST = word_set("no not avoid except without but never dont don't hate against")
_JOINTS = word_set("or and / , nor & either")
_AT_LEAST_A_CODE = 2
_IS_FINE = phrases(
    "is fine", "is ok", "is okay", "is alright", "is fine too", "is ok too", "is fine again", "is fine now",
    "is ok now", "is allowed", "is allowed again", "would be fine", "would be ok", "are fine", "are ok",
    "after all",
)  # fmt: skip
_NOTHING_AGAINST = phrases(
    "don't mind", "dont mind", "do not mind", "wouldn't mind", "would not mind", "nothing against",
    "no problem with", "no objection to", "no objections to", "fine with", "ok with", "okay with",
    "don't mind flying with", "don't mind flying", "don't object to", "no issue with",
)  # fmt: skip
_FURTHER = word_set("or also and plus add include including maybe")
_AS_WELL = phrases("too", "also", "as well", "in addition")
_IS = word_set("is are was were has have been s")
_VERY = word_set(
    "always so really just absolutely the a too very truly pretty quite such often usually simply"
)
_BAD = word_set(
    """
    awful terrible horrible bad worse worst dreadful appalling late delayed unreliable rubbish garbage crap
    disgusting disaster nightmare joke unsafe dirty rude poor out sucks suck stinks stink
    """
)
_LED_BY = 4
_SHORT = 8
_BESIDE_AN_AIRLINE = (
    _CARRIED_BY
    | _JOINTS
    | word_set(
        """
    please pls plz maybe then instead rather airlines airways airline flights flight what how about try i we
    want would like prefer id i'd we'd me show ok okay can you find do have any is there also too as well plus
    """
    )
)
_ENDS_A_NAME = word_set(", . ! ; please then just and anymore again thanks though show") | {""}
_FLOWN = word_set("fly flying")
_STATES = word_set("alaska qatar")
"""Airlines that are places to go to as well."""


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
        is_flown = is_open and text.norm(at - 1) in _FLOWN  # "i'd rather fly united"
        is_alone = (are_all or is_flown) and length > 0 and text.norm(at) not in _STATES
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
        while found and text.norm(start) in _JOINTS | _SPOKEN_AGAINST and start < at + 3:
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
    led = before in _FURTHER or (before in _CARRIED_BY and text.norm(named[0].first - 2) in _FURTHER)
    return led or text.match(_AS_WELL, named[-1].after) > 0


def is_allowed_again(text: Text, mention: AirlineMention) -> bool:
    """Return whether an airline may carry them: "Ryanair is fine", "I don't mind KLM"."""
    first = mention.first
    led = any(
        text.match(_NOTHING_AGAINST, start) == first - start
        for start in range(max(0, first - _LED_BY - 1), first)
    )
    return led or text.match(_IS_FINE, mention.after) > 0


def disliked_airline(text: Text, index: int) -> AirlineMention | None:
    """Return the airline that is named there and found bad, with the words for that: "KLM is always late"."""
    length = text.match(PHRASES, index)
    if not length or not _is_name(text, index, length):
        return None
    at = index + length
    while text.norm(at) in _IS | _VERY:
        at += 1
    if text.norm(at) not in _BAD:
        return None
    words = tuple(text.norm(index + offset) for offset in range(length))
    return AirlineMention(first=index, after=at + 1, name=NAMES[words])


def _is_all(text: Text) -> bool:
    """Whether a short message names airlines and nothing else: "delta or united please"."""
    at = text.length if text.length > _SHORT else 0
    names = 0
    while at < text.length:
        length = text.match(PHRASES, at)
        if not length and text[at].is_word and text.norm(at) not in _BESIDE_AN_AIRLINE:
            return False
        names += length > 0
        at += length or 1
    return names > 0


def _is_joined(text: Text, at: int, found: list[AirlineMention]) -> bool:
    """Whether it stands beside an airline that was found: "Lufthansa or Swiss"."""
    return bool(found) and text.norm(at - 1) in _JOINTS and at - found[-1].after <= _AT_LEAST_A_CODE


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
    if not text[index].is_capitalised or text.norm(index) in ALSO_PLACES:
        return before in _CARRIED_FOR_SURE or is_joined or text.norm(index + 1) == "only"
    is_further = index == 1 and before in _FURTHER
    if is_joined or is_further or before in _CARRIED_BY or text.norm(index + 1) == "only":
        return True
    return _begins_alternatives(text, index + 1)


def _begins_alternatives(text: Text, at: int) -> bool:
    """Whether another airline stands behind "or": "Swiss or Lufthansa"."""
    length = text.match(PHRASES, at + 1) if text.norm(at) in ("or", "/") else 0
    return length > 0 and _is_name(text, at + 1, length)
