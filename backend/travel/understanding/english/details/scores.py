"""How well guests must have rated a hotel, of ten: "rated 8 or better", "a score above 8.5", "9+ rating".

Five at most with a word for ratings are stars, which another reader takes.
"""

from collections.abc import Iterator

from ..language.text import Text, phrases, word_set
from .slot_mentions import SlotMention

_SCORES = word_set("score scores scored scoring")
_RATINGS = word_set("rated rating ratings review reviews") | _SCORES
_BETWEEN = word_set(
    "of is at be should must have a an least above over more than better higher minimum min them with - >"
)
_LESS = word_set("below under less lower worse most")
_AND_UP = phrases(
    "or better", "or higher", "or more", "or above", "or over", "and up", "and above", "and higher",
    "and better", "plus", "+", "upwards", "at least", "minimum",
)  # fmt: skip
_OF_TEN = phrases("out of 10", "out of ten", "/ 10", "of 10")
_STARS = word_set("star stars * starred")
_BEST = 10.0
_MOST_STARS = 5
_WORDS_BETWEEN = 5


def find_scores(text: Text) -> Iterator[SlotMention]:
    """Yield the least score of hotels that the message tells, in its order."""
    at = text.length if text.vocabulary.isdisjoint(_RATINGS) else 0
    while at < text.length:
        found = _told_before(text, at) or _told_after(text, at)
        if found:
            yield SlotMention(first=at, after=found[1], slots={"hotel.min_score": found[0]})
        at = found[1] if found else at + 1


def _told_before(text: Text, first: int) -> tuple[float, int] | None:
    """ "rated 8 or better", "a score of at least 8.5"."""
    if text.norm(first) not in _RATINGS:
        return None
    at = first + 1
    while at - first <= _WORDS_BETWEEN and (text.norm(at) in _BETWEEN or text.norm(at) in _RATINGS):
        at += 1
    read = _score(text, at, is_score=not _SCORES.isdisjoint(text.norm(each) for each in range(first, at)))
    return (read[0], read[1] + text.match(_AND_UP, read[1])) if read else None


def _told_after(text: Text, at: int) -> tuple[float, int] | None:
    """ "8+ rating", "8.5 or better guest score"."""
    read = _score(text, at, is_score=True)
    if read is None:
        return None
    after = read[1] + text.match(_AND_UP, read[1])
    after += 1 if text.norm(after) in ("guest", "review", "user") else 0
    is_stars = text.norm(after) not in _SCORES and read[0] <= _MOST_STARS
    return (read[0], after + 1) if text.norm(after) in _RATINGS and not is_stars else None


def _score(text: Text, at: int, *, is_score: bool) -> tuple[float, int] | None:
    """A number up to 10 that counts no stars."""
    if text.norm(at - 1) == "." and text[at - 2].is_number and text.is_glued(at):
        return None
    if not text[at].is_number or len(text[at].raw) > 2 or text.norm(at - 1) in _LESS:
        return None
    score, after = float(text[at].raw), at + 1
    if text.norm(after) == "." and text[after + 1].is_number and text.is_glued(after + 1):
        score, after = float(f"{text[at].raw}.{text[after + 1].raw}"), after + 2
    of_ten = text.match(_OF_TEN, after)
    after += of_ten
    is_stars = not (is_score or of_ten) and score <= _MOST_STARS
    is_other = text[after].is_word and not text.match(_AND_UP, after) and text.norm(after) in _STARS
    return None if is_stars or is_other or not 0 < score <= _BEST else (score, after)
