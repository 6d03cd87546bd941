"""The airlines that a message names: "with Lufthansa", "a Delta Airlines flight", "Swiss or BA only".

Names that are words or places as well ("Swiss", "Delta") count alone only where an airline must stand.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...message import Background
from ..language.sentences import negation_of, takes_back
from ..language.tables import phrases_of, rows_of, spelled, words_of
from ..language.text import Phrases, Text, phrases

_LANGUAGE_SAID = phrases_of("language")
_SAID = phrases_of("airlines")
_WORDS = words_of("airlines")

AIRLINES = spelled("airlines", "names")
DEMO_AIRLINES = spelled("airlines", "demo_names")
DEMO = " Demo"
"""What follows the name of an invented airline in offers."""
_AT_LEAST_A_CODE = 2
_LED_BY = 4
_SHORT = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class _Called:
    airline: str
    phrases: Phrases


@dataclass(frozen=True, slots=True, kw_only=True)
class AirlineMention:
    """An airline in a message: the tokens from `first` up to `after`."""

    first: int
    after: int
    name: str


_ALSO_WORDS = _WORDS.also_words | {name.casefold() for name in DEMO_AIRLINES}


def _spellings(airline: str) -> Iterator[str]:
    """What an airline is called; its name without "Airlines" only where that is a name of its own."""
    stem = airline.removesuffix(" Airlines").removesuffix(" Airways")
    yield airline
    yield from (f"{stem} {behind}" for behind in ("airlines", "airline", "airways", "air lines"))
    if stem.lower() in _ALSO_WORDS:
        yield stem


def _names() -> dict[tuple[str, ...], str]:
    """The airlines by the folded words of all that they are called."""
    called = [(airline, phrases(*_spellings(airline))) for airline in AIRLINES]
    called += [(name + DEMO, phrases(name, name + DEMO)) for name in DEMO_AIRLINES]
    called += [(row.airline, row.phrases) for row in rows_of("airlines", "called", _Called)]
    return {words: airline for airline, names in called for some in names.values() for words in some}


_NAMES = _names()
NAMES: Phrases = phrases(*(" ".join(words) for words in _NAMES))
"""All that airlines are called."""


def names_airline(said: str, airline: str) -> bool:
    """Return whether an airline is named in what was said, by any of its names and codes: "with BA"."""
    text = Text(said)
    return any(
        (length := text.match(NAMES, at)) and _mention(text, at, length).name.casefold() == airline.casefold()
        for at in range(text.length)
    )


def find_airlines(text: Text, background: Background | None = None) -> tuple[AirlineMention, ...]:
    """Return the airlines in the message, in its order.

    During a request for flights a message of airlines alone names them however they are written: "delta?".
    """
    if text.vocabulary.isdisjoint(NAMES.cues):
        return ()
    found: list[AirlineMention] = []
    is_open = background is not None and "flight" in background.running and not background.asked
    are_all = is_open and _is_all(text)
    at = 0
    while at < text.length:
        length = text.match(NAMES, at)
        is_flown = is_open and text.norm(at - 1) in _WORDS.flown  # "i'd rather fly united"
        is_alone = (are_all or is_flown) and text.norm(at) not in _WORDS.states
        is_beside = bool(found) and at - found[-1].after <= _AT_LEAST_A_CODE
        is_joined = is_beside and text.norm(at - 1) in _WORDS.joints  # "Lufthansa or Swiss"
        is_meant = length > 0 and (is_alone or _is_meant(text, at, length, is_joined=is_joined))
        if is_meant:
            is_instead = bool(found) and takes_back(text, found[-1].after, at)
            first = found.pop().first if is_instead else at  # "KLM, no wait, Lufthansa"
            found.append(replace(_mention(text, at, length), first=first))
        at += length if is_meant else 1
    return tuple(found)


def _mention(text: Text, first: int, length: int, beside: int = 0) -> AirlineMention:
    name = _NAMES[tuple(text.norm(first + offset) for offset in range(length))]
    return AirlineMention(first=first, after=first + length + beside, name=name)


def airline_at(text: Text, index: int) -> int:
    """Return the index after the airline that is named there, 0 if none is."""
    length = text.match(NAMES, index)
    return index + length if length and _is_meant(text, index, length, is_joined=False) else 0


def unwanted_airlines(text: Text, at: int) -> tuple[AirlineMention, ...]:
    """Return the airlines that are named side by side from `at` on, behind words that speak against them."""
    found: list[AirlineMention] = []
    while True:
        start = text.skip(_WORDS.joints | _WORDS.spoken_against, at, 3) if found else at
        length = text.match(NAMES, start)
        after = start + length
        # Beside another, "swiss" is an airline as well, and so is "united" where nothing follows.
        ends = text.norm(after) in _WORDS.ends_a_name or not text.norm(after)
        is_name = bool(found) or ends or _is_name(text, start, length)
        if not length or not is_name or (found and start == at):
            return tuple(found)
        found.append(_mention(text, start, length))
        at = after


def negation_of_airline(text: Text, index: int) -> range:
    """Return the tokens of the negation before the airline that is named there: "isn't" Ryanair."""
    return negation_of(text, index, _WORDS.carried_by) if airline_at(text, index) else range(0)


def names_further(text: Text, named: Sequence[AirlineMention]) -> bool:
    """Return whether the airlines that are named come beside others: "or Lufthansa", "BA as well"."""
    if not named:
        return False
    before = named[0].first - 1
    before -= text.norm(before) in _WORDS.carried_by and text.norm(before) not in _WORDS.further
    return text.norm(before) in _WORDS.further or text.match(_SAID.as_well, named[-1].after) > 0


def is_allowed_again(text: Text, mention: AirlineMention) -> bool:
    """Return whether an airline may carry them: "Ryanair is fine", "I don't mind KLM"."""
    return _is_allowed(text, mention.first, mention.after)


def _is_allowed(text: Text, first: int, after: int) -> bool:
    led = any(
        text.match(_SAID.nothing_against, start) == first - start
        for start in range(max(0, first - _LED_BY - 1), first)
    )
    return led or text.match(_SAID.is_fine, after) > 0


def disliked_airline(text: Text, index: int) -> AirlineMention | None:
    """Return the airline that is named there and found bad, with the words for that: "KLM is always late"."""
    length = text.match(NAMES, index)
    after = index + length
    if not length or not _is_name(text, index, length):
        return None
    at = text.skip(_WORDS.is_word | _WORDS.very, after)
    beside = text.match(_LANGUAGE_SAID.no_option, after) or (at + 1 - after) * (text.norm(at) in _WORDS.bad)
    return _mention(text, index, length, beside) if beside else None


def _is_all(text: Text) -> bool:
    """Whether a short message names airlines and nothing else: "delta or united please"."""
    at = text.length if text.length > _SHORT else 0
    names = 0
    while at < text.length:
        length = text.match(NAMES, at)
        if not length and text[at].is_word and text.norm(at) not in _WORDS.beside_an_airline:
            return False
        names += length > 0
        at += length or 1
    return names > 0


def _is_name(text: Text, index: int, length: int) -> bool:
    """Whether a name could be an airline's by how it is written; invented ones are written as one likes."""
    if length > 1 or text.norm(index) not in _ALSO_WORDS:
        return True
    return text[index].is_capitalised or _NAMES[(text.norm(index),)].endswith(DEMO)


def _is_meant(text: Text, index: int, length: int, *, is_joined: bool) -> bool:
    is_glued = text.norm(index - 1) == "-" and text.norm(index - 2) == "non"  # "non-Lufthansa"
    before, behind = text.norm(index - 1 - is_glued), text.norm(index + 1)
    if before == "arab":
        return False  # the United Arab Emirates
    if length > 1 or text.norm(index) not in _ALSO_WORDS:
        return True
    if behind == "class" or not (is_joined or _is_name(text, index, length) or _is_in_list(text, index)):
        return False
    if is_joined or behind == "only" or _is_in_list(text, index) or _is_allowed(text, index, index + length):
        return True
    if not text[index].is_capitalised or text.norm(index) in _WORDS.also_places:
        return before in _WORDS.carried_for_sure
    return before in _WORDS.carried_by or (index == 1 and before in _WORDS.further)


def _is_in_list(text: Text, index: int) -> bool:
    """Whether another airline is the alternative to a name: "swiss or BA", "delta, united or american"."""
    other = index + 2
    if text.norm(index) in _WORDS.also_places | _WORDS.states or not text.match(NAMES, other):
        return False
    return text.norm(index + 1) in _WORDS.alternatives or (
        text.norm(index + 1) == "," and text.match(NAMES, other) == 1 and _is_in_list(text, other)
    )
