"""Names of people, many of which are names of cities too: "under the name Paris Hilton", "Austin and I".

They are hidden from all other readers, which would look for a flight to Florence in "send it to Florence, my
assistant".
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ..language.tables import phrases_of, words_of
from ..language.text import Text, word_set

_SAID = phrases_of("people")
_WORDS = words_of("people")

_NAMES_AT_MOST = 3
_WORDS_TO_A_NAME = 5
_BEFORE_A_PAIR = word_set(". ; ! ? ( : for hi hello hey it's that's just") | {""}


@dataclass(frozen=True, slots=True)
class NameMention:
    """The tokens from `first` up to `after`, which name a person; `is_beside_us` if that person travels."""

    first: int
    after: int
    is_beside_us: bool = False


def find_names(text: Text) -> tuple[NameMention, ...]:
    """Return the names of people in the message, in its order, those of relatives left out."""
    is_named = text.has(_SAID.named) or not text.vocabulary.isdisjoint(_WORDS.names_cues)
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
    length = text.match(_SAID.named, at)
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
    is_relative = text.norm(at - 1) in _WORDS.relatives and text.norm(at - 2) in _WORDS.owners
    follower = text[at + 1]
    goes_on = follower.is_number or (follower.is_word and follower.is_capitalised)
    return is_relative and not goes_on and follower.norm not in _WORDS.joins_cities


def _is_addressed(text: Text, at: int) -> bool:
    """ "send the receipt to Florence", "to Florence, my assistant"."""
    is_apposed = text.norm(at + 1) == "," and text.norm(at + 2) in _WORDS.owners
    before = {text.norm(back) for back in range(at - 1 - _WORDS_TO_A_NAME, at - 1)}
    is_sent = text.norm(at - 1) == "to" and not (
        before.isdisjoint(_WORDS.sends) or before.isdisjoint(_WORDS.papers)
    )
    is_asked = text.norm(at - 1) in _WORDS.asks
    return (is_apposed and text.norm(at + 3) in _WORDS.other_work) or is_sent or is_asked


def _is_beside_the_speaker(text: Text, at: int) -> bool:
    """ "Austin and I", "me and Charlotte"; but not "Florence and I want a hotel", which may be a city."""
    is_led = text.norm(at - 1) in _BEFORE_A_PAIR and text.norm(at + 2) in _WORDS.speaker
    is_led = is_led and text.norm(at + 1) in ("and", "&") and _ends_a_pair(text, at + 3)
    is_behind = text.norm(at - 1) in ("and", "&") and text.norm(at - 2) in ("me", "myself")
    return is_led or (is_behind and _ends_a_pair(text, at + 1))


def _ends_a_pair(text: Text, at: int) -> bool:
    return not text.norm(at) or text.norm(at) in _WORDS.after_a_pair


def _is_name(text: Text, at: int) -> bool:
    token = text[at]
    return token.is_word and token.is_capitalised and token.norm not in _WORDS.speaker
