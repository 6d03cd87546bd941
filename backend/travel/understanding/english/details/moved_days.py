"""Other months and weeks for the days that are known: "sorry, I meant March", "the following week".

Only what corrects a month leaves its days as they were: "in March instead" may be any of its days.
"""

from ..dates.words import MONTHS
from ..language.sentences import sentence_around
from ..language.tables import phrases_of, words_of
from ..language.text import Text, word_set

_DATES_WORDS = words_of("dates")
_SAID = phrases_of("changes")
_WORDS = words_of("changes")

_BESIDE_A_MONTH = (
    _WORDS.corrects
    | MONTHS.keys()
    | word_set(
        """
        i i'm im we it its it's is was in of for the that should be have has to month not instead rather
        than and but oh ah ok okay actually please hmm um uh , . ! - ; : my bad say said all dates same days
        day date both flights flight hotel thats that's course make change them everything
        """
    )
)
_WORDS_TO_A_MONTH = 7
_AT_MOST = 12
_SHORT = 6
"""Tokens of a message that says "the week after" of the days that are known."""
_BESIDE = {"after": 1, "following": 1, "before": -1}


Words = tuple[int, int]
"""Where words begin, and the index after them."""


def moves_a_day(text: Text) -> bool:
    """Return whether a message has a word for moving a day that is known: "Thursday instead"."""
    return not text.vocabulary.isdisjoint(_WORDS.moves)


def month_corrected(text: Text, index: int) -> tuple[int, int, int] | None:
    """Return the month that corrects another, the index of its first word, and that after its last one.

    "I meant March", "March not February", "sorry, in March": nothing else is said.
    """
    month = MONTHS.get(text.norm(index))
    if month is None or text.length > _AT_MOST or text.has_figures:
        return None
    others = [at for at in range(text.length) if text.norm(at) in MONTHS and at != index]
    denied = [at for at in others if _is_denied(text, at)]
    if others != denied or _is_denied(text, index):
        return None
    is_told = bool(denied) or not _WORDS.corrects.isdisjoint(text.vocabulary)
    is_all = all(text.norm(at) in _BESIDE_A_MONTH for at in range(text.length))
    is_name = text.norm(index) not in _DATES_WORDS.months_also_words or _is_month(text, index)
    return (month, 0, text.length) if is_told and is_all and is_name else None


def _is_denied(text: Text, at: int) -> bool:
    return any(text.match(_SAID.not_word, at - length) == length for length in (1, 2))


def _is_month(text: Text, at: int) -> bool:
    """Whether a name that is a word as well ("may", "march") stands where no such word would."""
    behind = text.norm(at + 1)
    return behind in ("", ".", ",", "!", "not", "instead", "rather", "and", "please", "of", "-", "is", "i")


def week_moved(text: Text, index: int) -> tuple[int, Words] | None:
    """Return by how many weeks the days move, and the words that say so: "the week after".

    The sentence says nothing else.
    """
    if text.norm(index) not in _WORDS.weeks:
        return None
    first, after = sentence_around(text, index)
    which, behind = text.norm(index - 1), text.norm(index + 1)
    begun, end = index, index + 1
    if behind in _BESIDE and which == "the":
        begun, end = index - 1, index + 2
        end += text.norm(end) in ("that", "it")
        direction = _BESIDE[behind]
    elif which == "following" or (which == "next" and text.norm(index - 2) in ("days", "dates")):
        begun = index - 1 - (text.norm(index - 2) == "the")
        direction = 1
    else:
        return None
    rest = (*range(first, begun), *range(end, after))
    is_short = behind in _BESIDE and text.length <= _SHORT and _ends_there(text, end)
    is_all = all(text.norm(at) in _WORDS.beside_a_week for at in rest)
    return (direction, (begun, end)) if is_short or is_all else None


def _ends_there(text: Text, at: int) -> bool:
    return not text[at].is_word or text.norm(at) in _WORDS.after_a_change


def same_day_of_another_month(text: Text, index: int) -> tuple[int, int, int] | None:
    """Return the month for the days that are known, 0 if it is the next one, with the words that say so.

    "In January, same day", "the same dates in March", "same day next month".
    """
    if text.norm(index) != "same" or text.norm(index + 1) not in _WORDS.moved_days_days:
        return None
    for at in range(max(0, index - _WORDS_TO_A_MONTH), min(text.length, index + _WORDS_TO_A_MONTH)):
        month = MONTHS.get(text.norm(at))
        is_next = [text.norm(at - 1), text.norm(at)] == ["next", "month"]
        if is_next or (month is not None and text.norm(at - 1) in _WORDS.before_a_month):
            return month or 0, min(index, at - 1), max(index + 2, at + 1)
    return None
