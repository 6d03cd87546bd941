"""Days that may be others by so many: "flexible by 2 days", "10 December give or take a day", "±3 days".

A search is for one day. What is said of others is told as not searched by, and how many they are is known for
whoever shows the prices of the days around it.
"""

from ...result import Refused
from ..language.numbers import whole_number
from ..language.tables import phrases_of, words_of
from ..language.text import Text, phrases

_SAID = phrases_of("changes")
_WORDS = words_of("changes")

_OF_ANY_DAYS = phrases(
    *(f"{day} {verb} flexible" for day in ("date", "dates", "day", "days") for verb in ("is", "are")),
    *(f"flexible {on} {our}dates" for on in ("with", "on", "about") for our in ("", "the ", "my ", "our ")),
    "flexible dates", "flexible days", "flexible on the day", "flexible on days",
)  # fmt: skip
_CUES = _OF_ANY_DAYS.keys() | _WORDS.days | {"dates", "date"}


def flexibility_told(text: Text) -> tuple[Refused, ...]:
    """Return the first words that tell of other days than those that are named."""
    for at in () if text.vocabulary.isdisjoint(_CUES) else range(text.length):
        after = _told_at(text, at)
        if after:
            counts = (_days_at(text, within) for within in range(at, after))
            days = next((count for count, behind in counts if behind), None)
            return (Refused(said=text.spelled(at, after), reason="other_days", days=days),)
    return ()


def _told_at(text: Text, at: int) -> int:
    """The index behind words that begin there and tell of other days, 0 if none do."""
    any_days = text.match(_OF_ANY_DAYS, at)
    if (
        not any_days
        and not _WORDS.cheaper.isdisjoint(text.vocabulary)
        and text.norm(at - 1) in _WORDS.asks_of_days
    ):
        any_days = text.match(_SAID.other_days, at)
    if any_days:
        return at + any_days
    length = text.match(_SAID.before_days, at)
    if length:
        return _days_at(text, at + length)[1]
    after = _days_at(text, at)[1]
    behind = text.match(_SAID.behind_days, after) if after else 0
    return after + behind if behind else 0


def _days_at(text: Text, at: int) -> tuple[int, int]:
    """How many days are told there, and the index behind them; 0 and 0 if none are."""
    read = (1, at + 1) if text.norm(at) in ("a", "one") else whole_number(text, at)
    return (read[0], read[1] + 1) if read and text.norm(read[1]) in _WORDS.days else (0, 0)
