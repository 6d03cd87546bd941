"""The name by which an assistant speaks of one hotel: "How about the 4 star 28 Hotel Sydney?".

Users call hotels by what everybody knows them by (`hotel_names`); an assistant reads out the whole name of
one that it has found, which may be any words. It is written as a name, or stands before the stars where
nothing is.
"""

from ..dates.points import MONTHS, WEEKDAYS
from ..language.tables import phrases_of
from ..language.text import Text, phrases, word_set

_BOOKINGS_SAID = phrases_of("bookings")

_OFFERING = phrases(
    "hotel", "hotels", "hostel", "inn", "suites", "resort", "star", "stars", "rating", "rated", "how about",
    "what about", "suggest", "recommend", "called", "named", "reservation", "reserve", "book", "booking",
    "confirm", "stay", "staying", "room", "rooms", "think of", "opinion", "would you like", "check in",
    "checking in", "option",
)  # fmt: skip
_ADDRESS = word_set(
    "house houses address street avenue boulevard road phone number located location call contact"
)
_JOINS = word_set("by of & - ' . / , and the de")
_NEVER_FIRST = word_set(
    """
    a an the there how what which would you your yes no sure ok okay please confirm confirming i it its this
    that one may is are do does did and or also so to in on at for with from we my here great found another
    maybe can could will shall should they he she got let just well alright perfect thanks thank need want
    theres there's check checking search reservation book booking any other kindly
    """
)
_FLIGHTS = word_set("airlines airways airline flight economy")
_NAMED_BY = word_set("hotel hostel inn resort lodge suites motel")
_BEHIND_A_NAME = word_set("with which that is has in for on at , . ! ? rated where and")
_WORDS_AT_MOST = 12


def offered_hotel(text: Text) -> str | None:
    """Return the name of the hotel that a sentence of an assistant is about, None if there is none."""
    if not text.has(_OFFERING) or not text.vocabulary.isdisjoint(_ADDRESS | _FLIGHTS):
        return None
    runs = [run for run in _runs(text) if _is_name(text, *run)]
    if runs:
        first, after = max(runs, key=lambda run: run[1] - run[0])
        return text.spelled(first, after)
    return _called(text) or _before_the_stars(text)


def _called(text: Text) -> str | None:
    """What follows "called", where nothing is written in capitals."""
    called = text.find(_BOOKINGS_SAID.named)
    if called < 0:
        return None
    first = called + text.match(_BOOKINGS_SAID.named, called)
    after = next((at for at in range(first, text.length) if text.norm(at) in _BEHIND_A_NAME), text.length)
    return text.spelled(first, after) if after - first in range(1, _WORDS_AT_MOST) else None


def _is_part(text: Text, index: int) -> bool:
    """Whether a word is written as part of a name."""
    token = text[index]
    if token.norm in MONTHS or token.norm in WEEKDAYS:
        return False
    if token.is_number:
        if text.norm(index - 1) == "." and text.is_glued(index):
            return False
        return text[index + 1].is_capitalised and text[index + 1].is_word
    return token.is_word and token.is_capitalised


def _runs(text: Text) -> list[tuple[int, int]]:
    """Runs of words that are written as names, with the small words that join them."""
    runs: list[tuple[int, int]] = []
    at = 0
    while at < text.length:
        if not _is_part(text, at) or (text[at].is_word and text.norm(at) in _NEVER_FIRST):
            at += 1
            continue
        after = at + 1
        while after < text.length and after - at < _WORDS_AT_MOST:
            ahead = next((step for step in (0, 1, 2) if _is_part(text, after + step)), None)
            if ahead is None or any(text.norm(joint) not in _JOINS for joint in range(after, after + ahead)):
                break
            if ahead == 1 and text.norm(after) == "." and not text.is_glued(after + 1):
                break
            after += ahead + 1
        runs.append((at, after))
        at = after
    return runs


def _is_name(text: Text, first: int, after: int) -> bool:
    """Whether a run is more than a city or a word at the beginning of a sentence."""
    words = [text.norm(at) for at in range(first, after) if text[at].is_word]
    is_introduced = text.norm(first - 1) in ("called", "named") or text.norm(first - 2) in ("how", "what")
    return len(words) + text[first].is_number > 1 and (
        not _NAMED_BY.isdisjoint(words)
        or is_introduced
        or len(words) > 2
        or text[first].is_number
        or _tells_of_it(text, after)
    )


def _tells_of_it(text: Text, after: int) -> bool:
    """Whether a name is followed by what it is: "Motif Seattle is a 4 star hotel"."""
    return text.norm(after) in ("is", "has", "with", "which", "that", "for", "in") or not text.norm(after)


def _before_the_stars(text: Text) -> str | None:
    """ "ace hotel chicago 4 stars", where nothing is written in capitals."""
    stars = next((at for at in range(1, text.length) if text.norm(at) in ("star", "stars")), 0)
    first = 2 if text[0].is_number and text.norm(1) in ("hotel", "hotels") else 0
    count = stars - 1
    is_said = any(text.norm(at) in _NEVER_FIRST for at in range(first, count))
    if is_said or not text[count].is_number or count - first < 2:
        return None
    if any(one.is_capitalised for one in text.tokens):
        return None
    return text.spelled(first, count)
