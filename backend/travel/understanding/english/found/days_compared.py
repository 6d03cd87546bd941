"""Whether days are compared by what they cost: "would a Saturday be dearer than a Tuesday?"."""

from ...found import DAYS_COMPARED, FoundQuestion
from ..language.tables import phrases_of, words_of
from ..language.text import Text, phrases, word_set
from .forms import begins_as_question

_DATES_WORDS = words_of("dates")
_SAID = phrases_of("found")
_WORDS = words_of("found")

_WHICH_DAY = phrases(
    *(
        f"{which} {of}{day}"
        for which in ("which", "what", "whichever")
        for of in (
            "",
            "return ",
            "departure ",
            "outbound ",
            "arrival ",
            "travel ",
            "of the ",
            "of those ",
            "of the two ",
        )
        for day in ("day", "days", "date", "dates", "weekday", "weekend", "week", "month")
    )
)
_DAYS = (
    _WORDS.weekdays
    | {f"{day}s" for day in _WORDS.weekdays}
    | word_set("weekend weekday weekends weekdays midweek")
)
_LONGEST_LIST = 10
_AT_MOST = 20


def find_compared_days(text: Text, agents: tuple[str, ...]) -> FoundQuestion | None:
    """Return the question which of several days is cheaper, None if none is asked.

    "Is it cheaper on Sunday?" names one day, on which it is looked for.
    """
    if not agents or text.length > _AT_MOST or not text.has(_SAID.dearer):
        return None
    if not (begins_as_question(text) or text.norm(text.length - 1) == "?"):
        return None
    is_of_several = not text.vocabulary.isdisjoint(_WORDS.one_or_other) and _days_in(text) > 1
    if not (is_of_several or text.has(_WHICH_DAY)):
        return None
    return FoundQuestion(topic="untold", wanted=DAYS_COMPARED, way="back" if text.has(_SAID.back) else None)


def _days_in(text: Text) -> int:
    """How many days are named; the first ten of a month are as well places in the list."""
    return sum(
        text.norm(at) in _DAYS
        or (
            text[at].is_number
            and text.norm(at + 1) in _DATES_WORDS.ordinal_endings
            and text[at].raw.isdecimal()
            and int(text[at].raw) > _LONGEST_LIST
        )
        for at in range(text.length)
    )
