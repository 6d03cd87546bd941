"""Clauses that tell of something else than the journey: of the past, a birthday, a price that rose.

Their places, days and amounts change nothing: "I lived in Kyoto for 4 years", "why is nothing on Friday".
"""

from collections.abc import Iterator

from ..language.sentences import clauses
from ..language.text import Text, phrases, word_set

_OWNERS = word_set("my our his her their")
_TELLERS = _OWNERS | word_set("i i've ive we we've weve he she they it it's its i'm im we're")
_PAST = phrases(
    "i stayed", "we stayed", "i was in", "we were in", "she was in", "he was in", "they were in",
    "i was there", "we were there", "they were there",
    "lived in", "lived there", "lived near", "used to live", "used to work", "used to go", "grew up",
    "was born", "were born", "flew with", "flew there", "flew to", "flew from", "flew on", "flew in",
    "flew back", "visited", "went to", "went there", "went last",
    "studied in", "studied there", "studied at", "worked in", "worked there", "worked at",
    "worked for", "honeymooned", "got married", "got engaged", "have been to", "i've been to",
    "ive been to", "we've been to", "weve been to", "been there",
    "had been", "met in", "moved here", "missed our flight", "missed my flight", "did rome",
    "go there every year", "go there every summer", "go there all the time",
)  # fmt: skip
_JUST_NOW = phrases("just got married", "just got engaged", "recently got married")
"""That is no story of the past: those who tell it are the ones who travel."""
_ORIGINALLY = word_set("originally")
_PRAISES_US = phrases("you're a star", "you are a star", "ur a star", "youre a star", "thanks a million")
_FEASTS = word_set("birthday birthdays anniversary")
_PRICES = word_set("it that price prices fare fares they this")
_COST_ONCE = phrases(
    "went up", "gone up", "jumped", "rose", "has risen", "have risen", "shot up", "was", "were",
    "used to be", "used to cost", "dropped", "went down", "gone down", "has increased", "increased",
    "goes up",
)  # fmt: skip
_WANTS = word_set(
    """
    want wants need needs like would i'd id we'd book find show make change search looking instead add please
    pls can could let's lets should again wanna look get give prefer fly flying leave leaving arrive arriving
    hotel flight flights hotels room same until till returning return back to-day meant said asked
    """
)
_OPENERS = word_set(
    "oh but and so wow well hmm actually the also because cause then no yes ok um omg ah oops wait now"
)
_ENDS = word_set("so but because then")
_WHY = word_set(
    """
    is are was were do does did isn't arent aren't isnt doesn't didn't don't can't cant cannot so the has have
    """
)
_PROPOSES = word_set("we i you not")
_CUES = frozenset({"why"}) | _ORIGINALLY | _FEASTS | _PRAISES_US.keys() | _PAST.keys() | _COST_ONCE.keys()
"""Without any of these words there is no such clause."""
_FIRST_WORDS = 3


def asides(text: Text, *, is_running: bool) -> frozenset[int]:
    """Return the tokens of the clauses that want nothing.

    Where a request `is_running`, that is so of days to celebrate, too: opening one they may tell its days.
    """
    if text.vocabulary.isdisjoint(_CUES):
        return frozenset()
    return frozenset(
        at
        for first, after in _parts(text)
        if _is_aside(text, first, after, is_running=is_running)
        for at in range(first, after)
    )


def is_only_told(text: Text) -> bool:
    """Return whether a message says nothing but what changes nothing: "I lived in Kyoto for 4 years"."""
    told = asides(text, is_running=True)
    return bool(told) and all(
        at in told or text.norm(at) in _OPENERS for at, token in enumerate(text.tokens) if token.is_word
    )


def _parts(text: Text) -> Iterator[tuple[int, int]]:
    """The clauses, also those behind a "so" or "but", and behind an "and" those that want something."""
    for first, after in clauses(text):
        begun = first
        for at in range(first + 1, after):
            is_end = text.norm(at) in _ENDS
            if is_end or (text.norm(at) == "and" and _wants(text, at, after)):
                yield begun, at
                begun = at
        yield begun, after


def _wants(text: Text, first: int, after: int) -> bool:
    return any(text.norm(at) in _WANTS for at in range(first, after))


def _is_aside(text: Text, first: int, after: int, *, is_running: bool) -> bool:
    while first < after and text.norm(first) in _OPENERS:
        first += 1
    if text.match(_PRAISES_US, first):
        return True
    if text.norm(first) == "why":
        return _asks_why(text, first)
    if _wants(text, first, after) or text.find(_JUST_NOW, first, after) >= 0:
        return False
    said = {text.norm(at) for at in range(first, after)}
    if text.norm(first) in _PRICES and text.find(_COST_ONCE, first, after) >= 0:
        return any(text[at].is_number for at in range(first, after)) and said.isdisjoint(_FEASTS)
    begins = {text.norm(at) for at in range(first, min(after, first + _FIRST_WORDS))}
    if begins.isdisjoint(_TELLERS):
        return False
    is_of_a_feast = is_running and not said.isdisjoint(_FEASTS) and text.norm(first) in _TELLERS
    return is_of_a_feast or not said.isdisjoint(_ORIGINALLY) or text.find(_PAST, first, after) >= 0


def _asks_why(text: Text, at: int) -> bool:
    """ "Why is there nothing on Friday?", unlike "why don't we go on Friday"."""
    behind = text.norm(at + 1)
    proposes = behind in ("don't", "dont", "not") and text.norm(at + 2) in _PROPOSES
    proposes = proposes or (behind in ("do", "can't", "cant") and text.norm(at + 2) in _PROPOSES - {"you"})
    return behind in _WHY and not proposes
