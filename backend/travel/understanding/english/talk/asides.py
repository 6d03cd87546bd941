"""Clauses that tell of something else than the journey: of the past, a birthday, a price that rose.

Their places, days and amounts change nothing: "I lived in Kyoto for 4 years", "why is nothing on Friday".
"""

from collections.abc import Iterator

from ..language.sentences import clauses
from ..language.text import Text, phrases, word_set
from .put_off import consults
from .put_off_words import CONSULTS
from .remarks import greets

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
_ASKS_AFTER_US = phrases(
    "how are you", "how r u", "how are u", "how are things", "hows things", "how's things",
    "hope you are well", "hope you're well", "hope all is well", "hope you're having",
    "hope you are having", "hows your day", "how's your day", "how is your day", "how was your",
)  # fmt: skip
_BEGINS_WITH_WEATHER = word_set("it's its it the weather rain snow so what we've weve")
_WEATHER = word_set(
    """
    miserable raining rainy rains pouring snowing snowy freezing grim grey gray drizzling drizzly dreary
    windy stormy foggy gloomy dismal soaking tipping chucking boiling sweltering hailing
    """
)
_WHO_IS_HERE = word_set("me us we two three four five both all i") | {str(count) for count in range(1, 10)}
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
_BEFORE_AN_ADVERB = word_set("it's its is was are were")
"""Behind these a "so" begins no clause: "it's so cold"."""
_WHY = word_set(
    """
    is are was were do does did isn't arent aren't isnt doesn't didn't don't can't cant cannot so the has have
    """
)
_PROPOSES = word_set("we i you not")
_CUES = (
    frozenset({"why"})
    | _ORIGINALLY
    | _FEASTS
    | _WEATHER
    | {"here"}
    | _PRAISES_US.keys()
    | _ASKS_AFTER_US.keys()
    | _PAST.keys()
    | _COST_ONCE.keys()
)
"""Without any of these words there is no such clause."""
_BEGINS_TO_CONSULT = frozenset(CONSULTS.keys())
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
        at in told or at in greeted or text.norm(at) in _OPENERS
        for at, token in enumerate(text.tokens)
        if token.is_word
    )


def _parts(text: Text) -> Iterator[tuple[int, int]]:
    """The clauses, also those behind a "so" or "but", and behind an "and" those that want something."""
    for first, after in clauses(text):
        begun = first
        for at in range(first + 1, after):
            is_end = text.norm(at) in _ENDS and text.norm(at - 1) not in _BEFORE_AN_ADVERB
            if is_end or (text.norm(at) == "and" and _wants(text, at, after)):
                yield begun, at
                begun = at
        yield begun, after


def _wants(text: Text, first: int, after: int) -> bool:
    return any(text.norm(at) in _WANTS for at in range(first, after))


def _is_aside(text: Text, first: int, after: int, *, is_running: bool) -> bool:
    while first < after and text.norm(first) in _OPENERS:
        first += 1
    if text.match(_PRAISES_US, first) or _asks_after_us(text, first, after):
        return True
    if text.norm(first) == "why":
        return _asks_why(text, first)
    if _wants(text, first, after) or text.find(_JUST_NOW, first, after) >= 0:
        return False
    said = {text.norm(at) for at in range(first, after)}
    if text.norm(first) in _PRICES and text.find(_COST_ONCE, first, after) >= 0:
        return any(text[at].is_number for at in range(first, after)) and said.isdisjoint(_FEASTS)
    if _is_of_the_weather(text, first, said):
        return True
    begins = {text.norm(at) for at in range(first, min(after, first + _FIRST_WORDS))}
    if begins.isdisjoint(_TELLERS):
        return False
    is_of_a_feast = is_running and not said.isdisjoint(_FEASTS) and text.norm(first) in _TELLERS
    return is_of_a_feast or not said.isdisjoint(_ORIGINALLY) or text.find(_PAST, first, after) >= 0


def _asks_after_us(text: Text, first: int, after: int) -> bool:
    """ "Hiya love, how are you today?": its today is no day of a journey."""
    return text.find(_ASKS_AFTER_US, first, after) >= 0 and not _wants(text, first + 1, after)


def _is_of_the_weather(text: Text, first: int, said: set[str]) -> bool:
    """ "It's miserable here in Leeds": told of where somebody is, it is no place to go to."""
    if text.norm(first) not in _BEGINS_WITH_WEATHER:
        return False
    return not said.isdisjoint(_WEATHER) or ("here" in said and said.isdisjoint(_WHO_IS_HERE))


def _asks_why(text: Text, at: int) -> bool:
    """ "Why is there nothing on Friday?", unlike "why don't we go on Friday"."""
    behind = text.norm(at + 1)
    proposes = behind in ("don't", "dont", "not") and text.norm(at + 2) in _PROPOSES
    proposes = proposes or (behind in ("do", "can't", "cant") and text.norm(at + 2) in _PROPOSES - {"you"})
    return behind in _WHY and not proposes
