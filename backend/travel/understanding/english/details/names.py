"""Names of people, many of which are names of cities too: "under the name Paris Hilton", "Austin and I".

They are hidden from all other readers, which would look for a flight to Florence in "send it to Florence, my
assistant".
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ..language.text import Text, phrases, word_set
from . import people_words as words

_NAMED = phrases(
    "under the name of", "under the name", "under name", "in the name of", "in the name", "on the name of",
    "on the name", "my name is", "my name's", "my name", "the name is", "the name's", "name is", "call me",
    "i am called", "i'm called", "passport says", "name for the booking is", "mr", "mrs", "ms", "name :",
)  # fmt: skip
_SENDS = word_set("send email mail forward cc")
_PAPERS = word_set(
    "receipt invoice bill confirmation details copy itinerary ticket tickets it this that booking"
)
_ASKS = word_set("ask tell call text email")
_JOINS_CITIES = word_set("to - → > / from")
_NAMES_AT_MOST = 3
_WORDS_TO_A_NAME = 5
_OTHER_WORK = word_set("assistant secretary manager agent")
_AFTER_A_PAIR = word_set(". , ; ! ? ) are will both fly travel leave from on to")
_CUES = words.RELATIVES | _OTHER_WORK | _SENDS | _ASKS | {"and", "&"}
"""Without any of these, or what stands before a name, no person is named: most messages name none."""
_BEFORE_A_PAIR = word_set(". ; ! ? ( : for hi hello hey it's that's just") | {""}


@dataclass(frozen=True, slots=True)
class NameMention:
    """The tokens from `first` up to `after`, which name a person; `is_beside_us` if that person travels."""

    first: int
    after: int
    is_beside_us: bool = False


def find_names(text: Text) -> tuple[NameMention, ...]:
    """Return the names of people in the message, in its order, those of relatives left out."""
    is_named = text.has(_NAMED) or not text.vocabulary.isdisjoint(_CUES)
    return tuple(_names(text)) if is_named else ()


def _names(text: Text) -> Iterator[NameMention]:
    at = 0
    while at < text.length:
        found = _after_a_cue(text, at) or _of_a_person(text, at)
        if found:
            yield found
        at = found.after if found else at + 1


def _after_a_cue(text: Text, at: int) -> NameMention | None:
    """ "under the name Paris Hilton", "my name is Lima"."""
    length = text.match(_NAMED, at)
    first = after = at + length
    while length and after < first + _NAMES_AT_MOST and _is_name(text, after):
        after += 1
    return NameMention(at, after) if after > first else None


def _of_a_person(text: Text, at: int) -> NameMention | None:
    if not _is_name(text, at):
        return None
    if _is_of_a_relative(text, at) or _is_addressed(text, at):
        return NameMention(at, at + 1)
    return NameMention(at, at + 1, is_beside_us=True) if _is_beside_the_speaker(text, at) else None


def _is_of_a_relative(text: Text, at: int) -> bool:
    """ "my son Austin", but not "for my son Berlin to Rome"."""
    is_relative = text.norm(at - 1) in words.RELATIVES and text.norm(at - 2) in words.OWNERS
    follower = text[at + 1]
    goes_on = follower.is_number or (follower.is_word and follower.is_capitalised)
    return is_relative and not goes_on and follower.norm not in _JOINS_CITIES


def _is_addressed(text: Text, at: int) -> bool:
    """ "send the receipt to Florence", "to Florence, my assistant"."""
    is_apposed = text.norm(at + 1) == "," and text.norm(at + 2) in words.OWNERS
    before = {text.norm(back) for back in range(at - 1 - _WORDS_TO_A_NAME, at - 1)}
    is_sent = text.norm(at - 1) == "to" and not (before.isdisjoint(_SENDS) or before.isdisjoint(_PAPERS))
    is_asked = text.norm(at - 1) in _ASKS
    return (is_apposed and text.norm(at + 3) in _OTHER_WORK) or is_sent or is_asked


def _is_beside_the_speaker(text: Text, at: int) -> bool:
    """ "Austin and I", "me and Charlotte"; but not "Florence and I want a hotel", which may be a city."""
    is_led = text.norm(at - 1) in _BEFORE_A_PAIR and text.norm(at + 2) in words.SPEAKER
    is_led = is_led and text.norm(at + 1) in ("and", "&") and _ends_a_pair(text, at + 3)
    is_behind = text.norm(at - 1) in ("and", "&") and text.norm(at - 2) in ("me", "myself")
    return is_led or (is_behind and _ends_a_pair(text, at + 1))


def _ends_a_pair(text: Text, at: int) -> bool:
    return not text.norm(at) or text.norm(at) in _AFTER_A_PAIR


def _is_name(text: Text, at: int) -> bool:
    token = text[at]
    return token.is_word and token.is_capitalised and token.norm not in words.SPEAKER
