"""What a message says that asks for no search: greetings, farewells, moods, complaints, and asides.

Asides are clauses about something else than the journey: of the past, a birthday, a price that rose. Their
places, days and amounts change nothing: "I lived in Kyoto for 4 years", "why is nothing on Friday".
"""

from collections.abc import Iterator

from ..language.sentences import clauses
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from .put_off import consults

_SAID = phrases_of("talk")
_STOPS_SAID = phrases_of("stops")
_WORDS = words_of("talk")

_SHORT = 8
_ASIDE_AT_MOST = 9
_FIRST_WORDS = 3
_CUES = {
    *_WORDS.aside_cues, *_SAID.praises_us, *_SAID.asks_after_us, *_SAID.past, *_SAID.cost_once,
}  # fmt: skip
"""Without any of these words there is no aside but one that tells who is asked first."""


def greets(text: Text) -> bool:
    """Return whether a message begins with a greeting."""
    return text.match(_SAID.greeting, 0) > 0


def decides(text: Text) -> bool:
    """Return whether a message answers a yes-or-no question in few words: a courtesy is no answer."""
    return text.match(_SAID.yes_or_no, 0) > 0 and text.length <= _SHORT and not text.has(_SAID.courtesy)


def tells_a_liking(text: Text) -> bool:
    """Return whether somebody tells what they like doing: "I love reading on planes"."""
    return text.norm(0) == "i" and text.norm(1) in _WORDS.likes and text.norm(2).endswith("ing")


def complains(text: Text) -> bool:
    """Return whether somebody says that they were not understood, or scolds: "that's not what I asked"."""
    return text.has(_SAID.complaints)


def is_about_the_price(text: Text) -> bool:
    """Return whether a short message only finds something dear or cheap: "wow that's expensive"."""
    return text.length <= _ASIDE_AT_MOST and "?" not in text.vocabulary and text.has(_SAID.about_the_price)


def is_a_mood(text: Text) -> bool:
    """Return whether a message is no more than a sound or a word of praise: "lol", "oh dear", "nice one"."""
    at = 0
    while at < text.length and (length := text.match(_SAID.moods, at) or int(not text[at].is_word)):
        at += length
    return 0 < text.length <= at


def starts_afresh(text: Text) -> bool:
    """Return whether what a message asks for has nothing to do with what was asked before: "another trip"."""
    return text.has(_SAID.fresh)


def is_closing(text: Text) -> bool:
    """Return whether a message takes its leave, and asks for nothing beside: "that's all, thank you".

    Its "today" is courtesy, and no date of a journey.
    """
    at = text.find(_SAID.closing)
    behind = at + text.match(_SAID.closing, at)
    if at < 0 or text.norm(behind) in ("is", "to"):
        return False
    if text.norm(behind) == "with" and text.norm(behind + 1) not in _WORDS.of_the_conversation:
        return False  # "I'm done with Ryanair"
    return not any(_is_request(text, first, after) for first, after in clauses(text))


def _is_request(text: Text, first: int, after: int) -> bool:
    """Whether a clause asks for something, and is not itself the farewell."""
    if text.find(_SAID.closing, first, after) >= 0:
        return False
    return text.norm(first) in _WORDS.imperatives or text.find(_SAID.request, first, after) >= 0


def asides(text: Text, *, is_running: bool) -> frozenset[int]:
    """Return the tokens of the clauses that want nothing.

    Where a request `is_running`, that is so of days to celebrate, too: opening one they may tell its days.
    """
    may_consult = is_running and not text.vocabulary.isdisjoint(_STOPS_SAID.consults.cues)
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
        at in told or at in greeted or token.norm in _WORDS.openers
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
    return not text.said(first, after).isdisjoint(_WORDS.wants)


def _is_aside(text: Text, first: int, after: int, *, is_running: bool) -> bool:
    first = text.past(_WORDS.openers, first, after)
    begins, said = text.norm(first), text.said(first, after)
    # "Hiya love, how are you today?": its today is no day of a journey.
    asks_after_us = text.find(_SAID.asks_after_us, first, after) >= 0 and not _wants(text, first + 1, after)
    if text.match(_SAID.praises_us, first) or asks_after_us:
        return True
    if begins == "why":
        return _asks_why(text, first)
    if _wants(text, first, after) or text.find(_SAID.just_now, first, after) >= 0:
        return False
    is_of_a_feast = not said.isdisjoint(_WORDS.feasts)
    if begins in _WORDS.prices and text.find(_SAID.cost_once, first, after) >= 0:
        return any(text[at].is_number for at in range(first, after)) and not is_of_a_feast
    # "It's miserable here in Leeds": told of where somebody is, it is no place to go to.
    is_where_one_is = "here" in said and said.isdisjoint(_WORDS.who_is_here)
    if begins in _WORDS.begins_with_weather and (is_where_one_is or not said.isdisjoint(_WORDS.weather)):
        return True
    if text.said(first, min(after, first + _FIRST_WORDS)).isdisjoint(_WORDS.tellers):
        return False
    is_of_a_feast = is_of_a_feast and is_running and begins in _WORDS.tellers
    return is_of_a_feast or not said.isdisjoint(_WORDS.originally) or text.find(_SAID.past, first, after) >= 0


def _asks_why(text: Text, at: int) -> bool:
    """ "Why is there nothing on Friday?", unlike "why don't we go on Friday"."""
    behind, who = text.norm(at + 1), text.norm(at + 2)
    is_not = behind in ("don't", "dont", "not")
    proposes = who in _WORDS.proposes and (is_not or (behind in ("do", "can't", "cant") and who != "you"))
    return behind in _WORDS.why and not proposes
