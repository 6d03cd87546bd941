"""Whether days are compared by what they cost: "would a Saturday be dearer than a Tuesday?"."""

from ...found import DAYS_COMPARED, FoundQuestion
from ..dates.words import ORDINAL_ENDINGS
from ..language.text import Text, phrases, word_set
from . import words
from .forms import begins_as_question

_DEARER = phrases(
    "cheaper", "dearer", "more expensive", "less expensive", "pricier", "costlier", "cost more", "cost less",
    "costs more", "costs less", "works out best", "better price", "more cheap", "work out best",
)  # fmt: skip
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
_ONE_OR_OTHER = word_set("or than versus vs")
_DAYS = (
    words.WEEKDAYS
    | {f"{day}s" for day in words.WEEKDAYS}
    | word_set("weekend weekday weekends weekdays midweek")
)
_LONGEST_LIST = 10
_AT_MOST = 20
_BACK = phrases(
    "return", "returning", "come back", "coming back", "fly back", "flying back", "way back", "fly home",
    "come home", "go back",
)  # fmt: skip


def find_compared_days(text: Text, agents: tuple[str, ...]) -> FoundQuestion | None:
    """Return the question which of several days is cheaper, None if none is asked.

    "Is it cheaper on Sunday?" names one day, on which it is looked for.
    """
    if not agents or text.length > _AT_MOST or not text.has(_DEARER):
        return None
    if not (begins_as_question(text) or text.norm(text.length - 1) == "?"):
        return None
    is_of_several = not text.vocabulary.isdisjoint(_ONE_OR_OTHER) and _days_in(text) > 1
    if not (is_of_several or text.has(_WHICH_DAY)):
        return None
    return FoundQuestion(topic="untold", wanted=DAYS_COMPARED, way="back" if text.has(_BACK) else None)


def _days_in(text: Text) -> int:
    """How many days are named; the first ten of a month are as well places in the list."""
    return sum(
        text.norm(at) in _DAYS
        or (
            text[at].is_number
            and text.norm(at + 1) in ORDINAL_ENDINGS
            and text[at].raw.isdecimal()
            and int(text[at].raw) > _LONGEST_LIST
        )
        for at in range(text.length)
    )
