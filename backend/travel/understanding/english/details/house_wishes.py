"""What people wish of a house, a room or a meal that no source tells of: "a sea view", "twin beds".

During a request for a hotel such a wish goes on with it, and is told as one to look for in the list.
"""

from ..language.numbers import NUMBER_WORDS
from ..language.tables import phrases_of, words_of
from ..language.text import Text

_LANGUAGE_WORDS = words_of("language")
_SAID = phrases_of("hotel_wishes")
_WORDS = words_of("hotel_wishes")


_WORDS_BACK = 4
_ENDS = frozenset({"", ".", ",", ";", "!", "?", "and", "but", "or", "please", "with"})
_DAY_AT_MOST = 5


def house_wish_at(text: Text, at: int) -> int:
    """Return the index after a wish of a house that begins at `at`, 0 if none does."""
    if text.norm(at) in _LANGUAGE_WORDS.negations:
        start = at + 1 + (text.norm(at + 1) in ("a", "an"))
        kind = text.match(_SAID.kinds, start)
        if kind:
            return start + kind
    is_article = text.norm(at) in _WORDS.articles
    before = at - 1 - (text.norm(at - 1) in _WORDS.articles)
    if (
        text.match_before(_SAID.takes_back, at, within=_WORDS_BACK)
        or text.norm(before) in _LANGUAGE_WORDS.negations
    ):
        return 0
    if is_article:
        after = _told_at(text, at + 1)
        return (
            0 if text.norm(after) in _WORDS.houses | _WORDS.rooms else after
        )  # "a quiet hotel" is still a hotel
    return _told_at(text, at)


def _told_at(text: Text, at: int) -> int:
    """The index after the words for a wish, 0 if none stand there."""
    if text.match(_SAID.of_rooms, at) and text.norm(at + 1) in _WORDS.rooms and not _is_number(text, at - 1):
        return at + 1
    length = text.match(_SAID.wishes, at)
    if not length or _is_of_something_else(text, at, at + length):
        return 0
    after = at + length
    if text.norm(after - 1) in _WORDS.known_behind:
        after -= 1
    return _day_behind(text, after) if text.norm(at) in ("meeting", "conference") else after


def asks_of_the_shown(text: Text) -> bool:
    """Return whether a message asks what a house shown has, which is no wish: "does it have a lift?"."""
    return text.has(_SAID.of_it)


def _is_of_something_else(text: Text, at: int, after: int) -> bool:
    """Whether it counts people ("2 adults only"), or tells of a place to eat ("a vegan restaurant")."""
    is_count = text.norm(at) in _WORDS.counted and (
        _is_number(text, at - 1) or text.norm(at - 1) in ("and", "&")
    )
    is_food = text.norm(at) in _WORDS.meals and not _WORDS.eat_out.isdisjoint(text.vocabulary)
    return is_count or is_food or text.norm(after) in _WORDS.no_houses


def _is_number(text: Text, at: int) -> bool:
    return text[at].is_number or text.norm(at) in NUMBER_WORDS


def _day_behind(text: Text, after: int) -> int:
    """The index after the day that a room to meet in is for: that is no day of the stay."""
    if text.norm(after) not in _WORDS.for_a_day:
        return after
    ends = (end for end in range(after + 1, after + 1 + _DAY_AT_MOST) if text.norm(end) in _ENDS)
    return next(ends, after)
