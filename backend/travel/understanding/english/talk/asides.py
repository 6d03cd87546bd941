"""Clauses that tell of something else than the journey: of the past, a birthday, a price that rose.

Their places, days and amounts change nothing: "I lived in Kyoto for 4 years", "why is nothing on Friday".
"""

from collections.abc import Iterator

from ..language.sentences import clauses
from ..language.tables import phrases_of, words_of
from ..language.text import Text, word_set
from .put_off import consults
from .remarks import greets

_SAID = phrases_of("talk")
_STOPS_SAID = phrases_of("stops")
_WORDS = words_of("talk")

_WHO_IS_HERE = word_set("me us we two three four five both all i") | {str(count) for count in range(1, 10)}
_CUES = (
    frozenset({"why"})
    | _WORDS.originally
    | _WORDS.feasts
    | _WORDS.weather
    | {"here"}
    | _SAID.praises_us.keys()
    | _SAID.asks_after_us.keys()
    | _SAID.past.keys()
    | _SAID.cost_once.keys()
)
"""Without any of these words there is no such clause."""
_BEGINS_TO_CONSULT = frozenset(_STOPS_SAID.consults.keys())
_FIRST_WORDS = 3


def asides(text: Text, *, is_running: bool) -> frozenset[int]:
    """Return the tokens of the clauses that want nothing.

    Where a request `is_running`, that is so of days to celebrate, too: opening one they may tell its days.
    """
    may_consult = is_running and not text.vocabulary.isdisjoint(_BEGINS_TO_CONSULT)
    if not may_consult and text.vocabulary.isdisjoint(_CUES):
        return frozenset()
    return frozenset(
        at
        for first, after in _parts(text)
        if _is_aside(text, first, after, is_running=is_running)
        or (may_consult and consults(text, first, after))
        for at in range(first, after)
    )


def is_only_told(text: Text) -> bool:
    """Return whether a message says nothing but what changes nothing: "I lived in Kyoto for 4 years"."""
    told = asides(text, is_running=True)
    first, after = next(clauses(text), (0, 0))
    greeted = range(first, after) if greets(text) and after - first <= _FIRST_WORDS else range(0)
    return bool(told) and all(
        at in told or at in greeted or text.norm(at) in _WORDS.openers
        for at, token in enumerate(text.tokens)
        if token.is_word
    )


def _parts(text: Text) -> Iterator[tuple[int, int]]:
    """The clauses, also those behind a "so" or "but", and behind an "and" those that want something."""
    for first, after in clauses(text):
        begun = first
        for at in range(first + 1, after):
            is_end = text.norm(at) in _WORDS.ends and text.norm(at - 1) not in _WORDS.before_an_adverb
            if is_end or (text.norm(at) == "and" and _wants(text, at, after)):
                yield begun, at
                begun = at
        yield begun, after


def _wants(text: Text, first: int, after: int) -> bool:
    return any(text.norm(at) in _WORDS.wants for at in range(first, after))


def _is_aside(text: Text, first: int, after: int, *, is_running: bool) -> bool:
    while first < after and text.norm(first) in _WORDS.openers:
        first += 1
    if text.match(_SAID.praises_us, first) or _asks_after_us(text, first, after):
        return True
    if text.norm(first) == "why":
        return _asks_why(text, first)
    if _wants(text, first, after) or text.find(_SAID.just_now, first, after) >= 0:
        return False
    said = {text.norm(at) for at in range(first, after)}
    if text.norm(first) in _WORDS.prices and text.find(_SAID.cost_once, first, after) >= 0:
        return any(text[at].is_number for at in range(first, after)) and said.isdisjoint(_WORDS.feasts)
    if _is_of_the_weather(text, first, said):
        return True
    begins = {text.norm(at) for at in range(first, min(after, first + _FIRST_WORDS))}
    if begins.isdisjoint(_WORDS.tellers):
        return False
    is_of_a_feast = is_running and not said.isdisjoint(_WORDS.feasts) and text.norm(first) in _WORDS.tellers
    return is_of_a_feast or not said.isdisjoint(_WORDS.originally) or text.find(_SAID.past, first, after) >= 0


def _asks_after_us(text: Text, first: int, after: int) -> bool:
    """ "Hiya love, how are you today?": its today is no day of a journey."""
    return text.find(_SAID.asks_after_us, first, after) >= 0 and not _wants(text, first + 1, after)


def _is_of_the_weather(text: Text, first: int, said: set[str]) -> bool:
    """ "It's miserable here in Leeds": told of where somebody is, it is no place to go to."""
    if text.norm(first) not in _WORDS.begins_with_weather:
        return False
    return not said.isdisjoint(_WORDS.weather) or ("here" in said and said.isdisjoint(_WHO_IS_HERE))


def _asks_why(text: Text, at: int) -> bool:
    """ "Why is there nothing on Friday?", unlike "why don't we go on Friday"."""
    behind = text.norm(at + 1)
    proposes = behind in ("don't", "dont", "not") and text.norm(at + 2) in _WORDS.proposes
    proposes = proposes or (
        behind in ("do", "can't", "cant") and text.norm(at + 2) in _WORDS.proposes - {"you"}
    )
    return behind in _WORDS.why and not proposes
