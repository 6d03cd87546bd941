"""How well guests must have rated a hotel, of ten: "rated 8 or better", "a score above 8.5", "9+ rating".

Five at most with a word for ratings are stars, which another reader takes.
"""

from collections.abc import Iterator

from ..language.sentences import negation_before
from ..language.tables import phrases_of, words_of
from ..language.text import FIGURES, SlotMention, Text

_FACTS_WORDS = words_of("facts")
_LANGUAGE_SAID = phrases_of("language")
_SAID = phrases_of("prices")
_WORDS = words_of("prices")

_BEGIN = _WORDS.ratings | _SAID.well.begin | {FIGURES}
_WELL_RATED = 8.0
"""The least score that counts as a good one."""
_BEST = 10.0
_MOST_STARS = 5
_WORDS_BETWEEN = 5


def find_scores(text: Text) -> Iterator[SlotMention]:
    """Yield the least score of hotels that the message tells, in its order."""
    at = text.length if text.vocabulary.isdisjoint(_WORDS.cues) else 0
    while (at := text.next_of(_BEGIN, at)) < text.length:
        found = _told_before(text, at) or _told_after(text, at) or _told_in_words(text, at)
        found = found or _told_of_ten(text, at)
        if found:
            yield SlotMention(first=at, after=found[1], slots={"hotel.min_score": found[0]})
        at = found[1] if found else at + 1


def _told_before(text: Text, first: int) -> tuple[float, int] | None:
    """ "rated 8 or better", "a score of at least 8.5"."""
    if text.norm(first) not in _WORDS.ratings:
        return None
    at = first + 1
    is_denied = negation_before(text, first) >= 0 or text.find(_SAID.not_wanted, first) >= 0
    between = _WORDS.between | _WORDS.ratings | (_WORDS.less if is_denied else frozenset[str]())
    while at - first <= _WORDS_BETWEEN and text.norm(at) in between:
        at += 1
    read = _score(
        text, at, is_score=not _WORDS.scores.isdisjoint(text.norm(each) for each in range(first, at))
    )
    return (read[0], read[1] + text.match(_SAID.and_up, read[1])) if read else None


def _told_in_words(text: Text, at: int) -> tuple[float, int] | None:
    """ "well rated", "with good reviews"."""
    length = text.match(_SAID.well, at)
    return (_WELL_RATED, at + length) if length and text.norm(at - 1) not in _WORDS.denials else None


def _told_after(text: Text, at: int) -> tuple[float, int] | None:
    """ "8+ rating", "8.5 or better guest score"."""
    read = _score(text, at, is_score=True)
    if read is None:
        return None
    after = read[1] + text.match(_SAID.and_up, read[1])
    after += 1 if text.norm(after) in ("guest", "review", "user") else 0
    is_stars = text.norm(after) not in _WORDS.scores and read[0] <= _MOST_STARS
    return (read[0], after + 1) if text.norm(after) in _WORDS.ratings and not is_stars else None


def _told_of_ten(text: Text, at: int) -> tuple[float, int] | None:
    """ "at least 8 out of 10", "8.5/10 or better"; "8/10" alone is a day."""
    read = _score(text, at, is_score=True) if text[at].is_number else None
    if read is None or not any(text.match(_SAID.of_ten, each) for each in range(at + 1, read[1])):
        return None
    up = text.match(_SAID.and_up, read[1])
    is_least = text.norm(at - 1) in _WORDS.leasts or up > 0
    return (read[0], read[1] + up) if is_least or "out" in text.vocabulary else None


def _is_denied(text: Text, at: int) -> bool:
    """Whether nothing below the score is wanted: "not rated below 8"."""
    return any(text.match(_LANGUAGE_SAID.under, at - length) == length for length in (1, 2)) and (
        negation_before(text, at - 1) >= 0 or text.match(_SAID.not_wanted, at + 1) > 0
    )


def _score(text: Text, at: int, *, is_score: bool) -> tuple[float, int] | None:
    """A number up to 10 that counts no stars."""
    if text.norm(at - 1) == "." and text[at - 2].is_number and text.is_glued(at):
        return None
    if (
        not text[at].is_number
        or len(text[at].raw) > 2
        or (text.norm(at - 1) in _WORDS.less and not _is_denied(text, at))
    ):
        return None
    score, after = float(text[at].raw), at + 1
    if text.norm(after) == "." and text[after + 1].is_number and text.is_glued(after + 1):
        score, after = float(f"{text[at].raw}.{text[after + 1].raw}"), after + 2
    of_ten = text.match(_SAID.of_ten, after)
    after += of_ten
    is_stars = not (is_score or of_ten) and score <= _MOST_STARS
    is_other = (
        text[after].is_word and not text.match(_SAID.and_up, after) and text.norm(after) in _FACTS_WORDS.stars
    )
    return None if is_stars or is_other or not 0 < score <= _BEST else (score, after)
