"""Which language a message is in, if not in English, and whether it stops or decides in it.

By words and letters, and not by a statistical detector: in few words with names of places in them these take
English for whatever the places are in, and a request that is refused for its language is lost.
"""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from ..tokens import Token, fold, tokenise
from .latin import LATIN
from .row import Language
from .scripts import ALPHABETS, SCRIPTS, UKRAINIAN

UNKNOWN = ""
"""The language of a script that no row tells."""


def _word_set(spelled: str) -> frozenset[str]:
    return frozenset(spelled.split())


_ENGLISH = _word_set(
    """
    about actually adults an and any april are arriving at august be been between book booked but by can
    change cheap cheaper could day days december depart did direct do does february find five flight
    flights fly flying for four french friday from german hello here hey hi hotels how i id if ill im
    instead is it italian ive january july june leaving like looking make many march may me mean means
    monday much my near need needs next night nights no not november october of ok okay on one only or
    our people please return returning room rooms said saturday say september show sorry spanish stay
    staying sunday thank thanks that the there these this three thursday to today tomorrow translate
    tuesday two under us want wants was we wednesday week weeks weve what when where which will with
    word would yes you your
    """
)
"""Words that are English, and of no other language in the tables."""

_AT_MOST = 40
"""Tokens of a message that are looked at."""

_STRONG: dict[str, tuple[str, ...]] = {}
_SMALL: dict[str, tuple[str, ...]] = {}
for _row in LATIN:
    for _spelt, _known in ((_row.words, _STRONG), (_row.small, _SMALL)):
        for _word in _spelt.split():
            _known[_word] = (*_known.get(_word, ()), _row.tag)

LANGUAGES: dict[str, Language] = {row.tag: row for row in (*LATIN, *SCRIPTS)}


@dataclass(frozen=True, slots=True)
class _Phrases:
    """What a language says as a whole message, by its folded words joined."""

    stops: frozenset[tuple[str, ...]]
    allows: frozenset[tuple[str, ...]]
    denies: frozenset[tuple[str, ...]]
    courtesy: frozenset[tuple[str, ...]]


def _spelled(phrases: str) -> frozenset[tuple[str, ...]]:
    return frozenset(_words(tokenise(phrase)) for phrase in phrases.split(", "))


def _words(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The folded words; signs of scripts that part no words are one each."""
    said: list[str] = []
    for token in tokens:
        if token.is_word or token.is_number:
            said.extend(token.norm if "\u3040" <= token.norm[0] <= "\u9fff" else (token.norm,))
    return tuple(said)


def _without_codes(tokens: Sequence[Token]) -> list[Token]:
    """The tokens but for letters glued to a number: "KANN" of the reference "DEMO-KANN5M" is no German."""
    glued = {
        at
        for at, (one, other) in enumerate(pairwise(tokens))
        if one.end == other.start and one.is_number != other.is_number
    }
    return [
        token
        for at, token in enumerate(tokens)
        if not (token.raw.isalpha() and token.raw.isascii() and {at - 1, at} & glued)
    ]


_STOP = "stop"
"""Said in every language; alone it is English."""

_SAID = {
    row.tag: _Phrases(
        *(_spelled(each) for each in (f"{row.stops}, {_STOP}", row.allows, row.denies, row.courtesy))
    )
    for row in LANGUAGES.values()
}
_FIRST_WORDS = frozenset(
    word
    for said in _SAID.values()
    for phrase in (*said.stops, *said.allows, *said.denies, *said.courtesy)
    for word in phrase[:1]
)
_LONGEST = 30
_SPANS = {
    "del": ("al", "es"),
    "du": ("au", "fr"),
    "vom": ("bis", "de"),
    "dal": ("al", "it"),
    "van": ("tot", "nl"),
}
"""Words before the first and the last of two days, with their language."""
_SIGNS_OF_A_DECISION = frozenset(",.!'\u2019\uff0c\u3001\u3002\uff01\u060c\u0964")


@dataclass(frozen=True, slots=True)
class Foreign:
    """A message in another language than English: its code, `UNKNOWN` if only the script tells that."""

    language: str
    stops: bool = False


def foreign_in(message: str) -> Foreign | None:
    """Return in which language a message is, whether it only stops; None for English."""
    words = _words(_without_codes(tokenise(message)[:_AT_MOST]))
    stopping = _language_that(words, "stops") if words != (_STOP,) else None
    script = None if message.isascii() else _script(message)
    if script is not None:
        return Foreign(stopping or script, stopping is not None)
    if stopping is not None:
        return Foreign(stopping, stops=True)
    language = _of_words(words)
    return Foreign(language) if language is not None else None


def foreign_decision(message: str) -> Literal["allow", "deny"] | None:
    """Return how a message that is nothing but a plain yes or no of another language decides."""
    if not all(_is_of_a_decision(sign) for sign in message) or ".." in message:
        return None  # "yes?", "yes" with a thumb down, or trailing off in dots, is no decision
    words = _words(tokenise(message))
    allows, denies = _language_that(words, "allows"), _language_that(words, "denies")
    if bool(allows) == bool(denies):
        return None
    return "allow" if allows else "deny"


def _is_of_a_decision(sign: str) -> bool:
    # Letters, the marks that scripts put around them, numbers, spaces.
    return unicodedata.category(sign)[0] in "LMNZ" or sign in _SIGNS_OF_A_DECISION


def _language_that(words: tuple[str, ...], what: Literal["stops", "allows", "denies"]) -> str | None:
    """The first language in which the words say just that, but for courtesies."""
    if not words or len(words) > _LONGEST or words[0] not in _FIRST_WORDS:
        return None
    return next(
        (code for code, said in _SAID.items() if _says(words, getattr(said, what), said.courtesy)), None
    )


def _says(
    words: tuple[str, ...], wanted: frozenset[tuple[str, ...]], courtesy: frozenset[tuple[str, ...]]
) -> bool:
    at, is_said = 0, False
    while at < len(words):
        ends = range(len(words), at, -1)
        end = next((end for end in ends if words[at:end] in wanted), 0)
        is_said = is_said or end > 0
        end = end or next((end for end in ends if words[at:end] in courtesy), 0)
        if not end:
            return False
        at = end
    return is_said


def _script(message: str) -> str | None:
    """The language of the script in which most of the letters are, None if that is Latin."""
    counted: Counter[str | None] = Counter()
    for letter in message:
        if not letter.isalpha():
            continue
        known = (code for first, last, code in ALPHABETS if first <= letter <= last)
        counted[next(known, None if _is_latin(letter) else UNKNOWN)] += 1
    latin = counted.pop(None, 0)
    if sum(counted.values()) <= latin:
        return None
    if counted["ja"]:
        return "ja"
    language = counted.most_common(1)[0][0]
    return "uk" if language == "ru" and not UKRAINIAN.isdisjoint(message) else language


def _is_latin(letter: str) -> bool:
    return letter < "\u0370" or fold(letter).isascii()


def _of_words(words: tuple[str, ...]) -> str | None:
    """The language that most of the words tell, if they outweigh those of English."""
    if _STRONG.keys().isdisjoint(words):
        return _of_span(words)
    strong = Counter(code for word in words for code in _STRONG.get(word, ()))
    code, count = max(strong.items(), key=lambda each: (each[1], _small(words, each[0])))
    english = sum(word in _ENGLISH for word in words)
    return code if 2 * count + min(_small(words, code), 2 * count) > 2 * english else None


def _of_span(words: tuple[str, ...]) -> str | None:
    """The language that only the words around two days tell: "del 13 al 16"."""
    for at, word in enumerate(words[:-3]):
        until, code = _SPANS.get(word, ("", ""))
        if code and words[at + 1].isdecimal() and until in words[at + 2 : at + 5]:
            behind = words[words.index(until, at + 2) + 1 :]
            return code if behind and behind[0].isdecimal() else None
    return None


def _small(words: tuple[str, ...], code: str) -> int:
    return sum(code in _SMALL.get(word, ()) for word in words)
