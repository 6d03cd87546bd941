"""Which language a message is in, if not in English, and whether it stops or decides in it.

By words and letters, and not by a statistical detector: in few words with names of places in them these take
English for whatever the places are in, and a request that is refused for its language is lost.
"""

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Literal

from ..message import Act, Background, Message
from ..tokens import Token, fold, tokenise

UNKNOWN = ""
"""The language of a script that no row tells."""

_AT_MOST = 40
"""Tokens of a message that are looked at."""

_LONGEST = 30
_STOP = "stop"
"""Said in every language; alone it is English."""
_ENGLISH_STOPS = ((_STOP,), ("halt",))

_SPANS = {
    "del": ("al", "es"),
    "du": ("au", "fr"),
    "vom": ("bis", "de"),
    "dal": ("al", "it"),
    "van": ("tot", "nl"),
}
"""Words before the first and the last of two days, with their language."""

_UKRAINIAN = frozenset("іїєґІЇЄҐ")
_SIGNS_OF_A_DECISION = frozenset(",.!'\u2019\uff0c\u3001\u3002\uff01\u060c\u0964")

_Words = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A language other than English: a row of `languages.toml`, which tells what each field is for."""

    tag: str
    reply: str
    answers_in_english: str
    stops: frozenset[_Words]
    allows: frozenset[_Words]
    denies: frozenset[_Words]
    courtesy: frozenset[_Words]
    welcome: str
    closes: frozenset[_Words]
    words: frozenset[str]
    small: frozenset[str]
    letters: tuple[range, ...]


@dataclass(frozen=True, slots=True)
class Foreign:
    """A message in another language than English: its code, `UNKNOWN` if only the script tells that.

    One that `stops` may go on with something else.
    """

    language: str
    stops: bool = False
    goes_on: bool = False


class ForeignReader:
    """Reads a message in another language: whether it stops, and nothing it wants. A `Reader`."""

    def __init__(self, foreign: Foreign) -> None:
        self._foreign = foreign

    def __call__(self, message: str, background: Background) -> Message:
        """Return that a message stops, or that it says nothing."""
        return Message(acts=frozenset({Act.ONLY_STOP}) if self._foreign.stops else frozenset())


def _words(tokens: Sequence[Token]) -> _Words:
    """The folded words; signs of scripts that part no words are one each."""
    said: list[str] = []
    for token in tokens:
        if token.is_word or token.is_number:
            said.extend(token.norm if "\u3040" <= token.norm[0] <= "\u9fff" else (token.norm,))
    return tuple(said)


def _spelled(phrases: str) -> frozenset[_Words]:
    return frozenset(_words(tokenise(phrase)) for phrase in phrases.split(","))


def _language(row: Mapping[str, str]) -> Language:
    blocks = (block.split("-") for block in row.get("letters", "").split())
    return Language(
        tag=row["tag"],
        reply=row["reply"],
        answers_in_english=row.get("answers_in_english", ""),
        stops=_spelled(f"{row['stops']}, {_STOP}"),
        allows=_spelled(row["allows"]),
        denies=_spelled(row["denies"]),
        courtesy=_spelled(row["courtesy"]),
        welcome=row["welcome"],
        closes=_spelled(row["closes"]),
        words=frozenset(row.get("words", "").split()),
        small=frozenset(row.get("small", "").split()),
        letters=tuple(range(int(first, 16), int(last, 16) + 1) for first, last in blocks),
    )


def _by_word(told: Mapping[str, frozenset[str]]) -> dict[str, list[str]]:
    """The languages of each word, in the order of the table."""
    known: dict[str, list[str]] = {}
    for tag, words in told.items():
        for word in words:
            known.setdefault(word, []).append(tag)
    return known


_TABLE = tomllib.loads(Path(__file__).with_name("languages.toml").read_text(encoding="utf-8"))
ENGLISH = frozenset(_TABLE["english"].split())
LANGUAGES: dict[str, Language] = {row["tag"]: _language(row) for row in _TABLE["languages"]}
_STRONG = _by_word({tag: row.words for tag, row in LANGUAGES.items()})
_SMALL = _by_word({tag: row.small for tag, row in LANGUAGES.items()})
_BEGIN = {
    what: frozenset(phrase[0] for row in LANGUAGES.values() for phrase in getattr(row, what) if phrase)
    for what in ("stops", "allows", "denies", "courtesy")
}
_FIGURE = re.compile(r"\d")
_CLAUSE_END = re.compile(r"[,.!;]")


@lru_cache(maxsize=16)
def foreign_in(message: str) -> Foreign | None:
    """Return in which language a message is, whether it only stops; None for English."""
    tokens = tokenise(message)[:_AT_MOST]
    is_plain = message.isascii() and not _FIGURE.search(message)  # as mostly: no codes, and Latin letters
    words = (
        tuple([token.norm for token in tokens if token.raw[0].isalpha()])
        if is_plain
        else _words(_without_codes(tokens))
    )
    stopping = _language_that(words, "stops") if words != (_STOP,) else None
    script = None if message.isascii() else _script(message)
    language = stopping or script if script is not None else stopping or _of_words(words)
    if stopping is None and (begun := _CLAUSE_END.search(message)):
        # "Stopp! Das ist falsch.", "stop, plutôt Milan"
        first = _words([token for token in tokens if token.end <= begun.start()])
        begins = _language_that(first, "stops") if first not in _ENGLISH_STOPS else language
        if begins is not None:
            return Foreign(begins if language is None else language, stops=True, goes_on=True)
    return Foreign(language, stopping is not None) if language is not None else None


def language_after(message: str, spoken: str) -> str:
    """Return the language that is `spoken` after a message: what tells none leaves it, "" is English."""
    foreign = foreign_in(message)
    if foreign is not None:
        return foreign.language
    return "" if _english_in(_words(tokenise(message)), spoken) else spoken


def is_spoken(message: str, language: str) -> bool:
    """Return whether a message is in a language that was spoken before it, by one of its words at least."""
    foreign = foreign_in(message)
    if foreign is not None:
        return foreign.language == language
    words = _words(tokenise(message))
    own = (word for word in words if word not in ENGLISH)
    told = any(language in (*_SMALL.get(word, ()), *_STRONG.get(word, ())) for word in own)
    return told and not _english_in(words, language)


def _english_in(words: _Words, language: str) -> set[str]:
    """The words that are English, and not of the language as well, as "no" is."""
    return {word for word in words if word in ENGLISH and language not in _SMALL.get(word, ())}


def foreign_reply(message: str, spoken: str = "", *, example: str) -> str:
    """Return the reply to a message in the language that it is in, or that was `spoken` before it; or "".

    The `example` tells how to say something in English.
    Of what is not read as English a few words do not tell their language by themselves: "sans escale".
    """
    foreign = foreign_in(message)
    language = LANGUAGES.get(foreign.language if foreign else spoken)
    if language is None:
        return ""
    return language.welcome if closes(message, language) else f"{language.reply} ({example})"


def closes(message: str, language: Language) -> bool:
    """Return whether a message in a language only closes the conversation."""
    words = tuple(word for word in _words(tokenise(message)) if word not in ("ok", "okay"))
    return len(words) <= _LONGEST and _says(words, language.closes, language.courtesy | language.allows)


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


def _without_codes(tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens but for letters glued to a number: "KANN" of the reference "DEMO-KANN5M" is no German."""
    if not any(token.is_number for token in tokens):
        return tokens
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


def _language_that(words: _Words, what: Literal["stops", "allows", "denies"]) -> str | None:
    """The first language in which the words say just that, but for courtesies."""
    if len(words) > _LONGEST or _BEGIN[what].isdisjoint(words):
        return None
    if words[0] not in _BEGIN[what] and words[0] not in _BEGIN["courtesy"]:
        return None
    return next(
        (tag for tag, row in LANGUAGES.items() if _says(words, getattr(row, what), row.courtesy)), None
    )


def _says(words: _Words, wanted: frozenset[_Words], courtesy: frozenset[_Words]) -> bool:
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
    counted = Counter(_of_letter(letter) for letter in message if letter.isalpha())
    latin = counted.pop(None, 0)
    if sum(counted.values()) <= latin:
        return None
    if counted["ja"]:
        return "ja"
    language = counted.most_common(1)[0][0]
    return "uk" if language == "ru" and not _UKRAINIAN.isdisjoint(message) else language


def _of_letter(letter: str) -> str | None:
    """The language in whose script a letter is, None for Latin."""
    known = (tag for tag, row in LANGUAGES.items() if any(ord(letter) in block for block in row.letters))
    return next(known, None if letter < "\u0370" or fold(letter).isascii() else UNKNOWN)


def _of_words(words: _Words) -> str | None:
    """The language that most of the words tell, if they outweigh those of English."""
    if _STRONG.keys().isdisjoint(words):
        return _of_span(words) or _of_small(words)
    strong = Counter(tag for word in words for tag in _STRONG.get(word, ()))
    tag, count = max(strong.items(), key=lambda each: (each[1], _small(words, each[0])))
    english = sum(word in ENGLISH for word in words)
    return tag if 2 * count + min(_small(words, tag), 2 * count) > 2 * english else None


def _of_small(words: _Words) -> str | None:
    """The language of small words that stand around none that is English: "ein Hotel abseits vom Zentrum"."""
    counted = Counter(tag for word in {*words} for tag in _SMALL.get(word, ()))
    tag, count = max(counted.items(), key=lambda each: each[1], default=("", 0))
    return tag if count > 2 and ENGLISH.isdisjoint(words) else None


def _of_span(words: _Words) -> str | None:
    """The language that only the words around two days tell: "del 13 al 16"."""
    for at, word in enumerate(words[:-3]) if not _SPANS.keys().isdisjoint(words) else ():
        until, tag = _SPANS.get(word, ("", ""))
        if tag and words[at + 1].isdecimal() and until in words[at + 2 : at + 5]:
            behind = words[words.index(until, at + 2) + 1 :]
            return tag if behind and behind[0].isdecimal() else None
    return None


def _small(words: _Words, tag: str) -> int:
    return sum(tag in _SMALL.get(word, ()) for word in words)
