"""How well guests must have rated a hotel, of ten: "rated 8 or better", "a score above 8.5", "9+ rating".

Five at most with a word for ratings are stars, which another reader takes.
"""

from collections.abc import Iterator

from ..language.negations import UNDER, negation_before
from ..language.text import FIGURES, Text, phrases, word_set
from .fact_words import STARS
from .slot_mentions import SlotMention

_SCORES = word_set("score scores scored scoring")
_RATINGS = word_set("rated rating ratings review reviews") | _SCORES
_CUES = _RATINGS | word_set("reviewed out /")
_BETWEEN = word_set(
    "of is at be should must have a an least above over more than better higher minimum min them with - >"
)
_LEASTS = word_set("least above over than minimum min >")
_LESS = word_set("below under less lower worse most")
_AND_UP = phrases(
    "or better", "or higher", "or more", "or above", "or over", "and up", "and above", "and higher",
    "and better", "plus", "+", "upwards", "at least", "minimum",
)  # fmt: skip
_WELL = phrases(
    "well rated", "well-rated", "highly rated", "highly-rated", "high rated", "good reviews", "great reviews",
    "good ratings", "great ratings", "good rating", "high ratings", "high rating", "well reviewed",
    "good scores", "good score", "excellent reviews", "positive reviews", "nice reviews", "decent reviews",
)  # fmt: skip
_BEGIN = _RATINGS | _WELL.begin | {FIGURES}
_WELL_RATED = 8.0
"""The least score that counts as a good one."""
_DENIALS = word_set("no not without bad never")
_OF_TEN = phrases("out of 10", "out of ten", "/ 10", "of 10")
_BEST = 10.0
_MOST_STARS = 5
_WORDS_BETWEEN = 5
_NOT_WANTED = phrases(
    "i don't want", "i dont want", "i do not want", "we don't want", "we dont want", "we do not want",
    "is not ok", "is not okay", "is no good", "is not acceptable", "is not for me", "is out", "no thanks",
    "no way", "is too low", "not acceptable", "won't do", "will not do", "is out of the question",
    "i would not take", "i don't take",
)  # fmt: skip
"""Behind a score these deny what is below: "rated under 8 I don't want"."""


def find_scores(text: Text) -> Iterator[SlotMention]:
    """Yield the least score of hotels that the message tells, in its order."""
    at = text.length if text.vocabulary.isdisjoint(_CUES) else 0
    while (at := text.next_of(_BEGIN, at)) < text.length:
        found = _told_before(text, at) or _told_after(text, at) or _told_in_words(text, at)
        found = found or _told_of_ten(text, at)
        if found:
            yield SlotMention(first=at, after=found[1], slots={"hotel.min_score": found[0]})
        at = found[1] if found else at + 1


def _told_before(text: Text, first: int) -> tuple[float, int] | None:
    """ "rated 8 or better", "a score of at least 8.5"."""
    if text.norm(first) not in _RATINGS:
        return None
    at = first + 1
    is_denied = negation_before(text, first) >= 0 or text.find(_NOT_WANTED, first) >= 0
    between = _BETWEEN | _RATINGS | (_LESS if is_denied else frozenset[str]())
    while at - first <= _WORDS_BETWEEN and text.norm(at) in between:
        at += 1
    read = _score(text, at, is_score=not _SCORES.isdisjoint(text.norm(each) for each in range(first, at)))
    return (read[0], read[1] + text.match(_AND_UP, read[1])) if read else None


def _told_in_words(text: Text, at: int) -> tuple[float, int] | None:
    """ "well rated", "with good reviews"."""
    length = text.match(_WELL, at)
    return (_WELL_RATED, at + length) if length and text.norm(at - 1) not in _DENIALS else None


def _told_after(text: Text, at: int) -> tuple[float, int] | None:
    """ "8+ rating", "8.5 or better guest score"."""
    read = _score(text, at, is_score=True)
    if read is None:
        return None
    after = read[1] + text.match(_AND_UP, read[1])
    after += 1 if text.norm(after) in ("guest", "review", "user") else 0
    is_stars = text.norm(after) not in _SCORES and read[0] <= _MOST_STARS
    return (read[0], after + 1) if text.norm(after) in _RATINGS and not is_stars else None


def _told_of_ten(text: Text, at: int) -> tuple[float, int] | None:
    """ "at least 8 out of 10", "8.5/10 or better"; "8/10" alone is a day."""
    read = _score(text, at, is_score=True) if text[at].is_number else None
    if read is None or not any(text.match(_OF_TEN, each) for each in range(at + 1, read[1])):
        return None
    up = text.match(_AND_UP, read[1])
    is_least = text.norm(at - 1) in _LEASTS or up > 0
    return (read[0], read[1] + up) if is_least or "out" in text.vocabulary else None


def _is_denied(text: Text, at: int) -> bool:
    """Whether nothing below the score is wanted: "not rated below 8"."""
    return any(text.match(UNDER, at - length) == length for length in (1, 2)) and (
        negation_before(text, at - 1) >= 0 or text.match(_NOT_WANTED, at + 1) > 0
    )


def _score(text: Text, at: int, *, is_score: bool) -> tuple[float, int] | None:
    """A number up to 10 that counts no stars."""
    if text.norm(at - 1) == "." and text[at - 2].is_number and text.is_glued(at):
        return None
    if (
        not text[at].is_number
        or len(text[at].raw) > 2
        or (text.norm(at - 1) in _LESS and not _is_denied(text, at))
    ):
        return None
    score, after = float(text[at].raw), at + 1
    if text.norm(after) == "." and text[after + 1].is_number and text.is_glued(after + 1):
        score, after = float(f"{text[at].raw}.{text[after + 1].raw}"), after + 2
    of_ten = text.match(_OF_TEN, after)
    after += of_ten
    is_stars = not (is_score or of_ten) and score <= _MOST_STARS
    is_other = text[after].is_word and not text.match(_AND_UP, after) and text.norm(after) in STARS
    return None if is_stars or is_other or not 0 < score <= _BEST else (score, after)
