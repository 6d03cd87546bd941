"""Days that are named and not wanted: as ones that stay as they are, "keep the 15th", or as ones that
cannot be, "the 3rd doesn't work".
"""

from collections.abc import Collection, Sequence
from datetime import date

from ..language.spans import Span
from ..language.text import Text, phrases
from .dates import DateMention

_KEEPS = phrases("keep", "keeping", "stay with", "stick to", "stick with", "leave it on", "still")
_WORDS_AFTER_KEEP = 3
_CANNOT_BE = phrases(
    "doesn't work", "doesnt work", "does not work", "don't work", "won't work", "will not work",
    "is not possible", "isn't possible", "is impossible", "is no good", "is not good", "isn't good", "is bad",
    "is out", "is a holiday", "is a bank holiday", "is a public holiday", "is full", "is taken",
    "is no option",
    "doesn't suit", "does not suit", "is not an option", "is too early", "is too late", "isn't great",
    "is not great", "doesnt suit", "not work", "no good", "not possible", "is not convenient", "is busy",
    "is then", "falls then", "is on then", "is around then", "is that week", "is that weekend",
)  # fmt: skip


def left_out(
    text: Text, mentions: Sequence[DateMention], days: Collection[date], change: Span | None
) -> list[DateMention]:
    """Return the days that stay as they are, and those that cannot be while another, or a change, is told.

    So "Easter is then, make it the week after" leaves out Easter.
    """
    cannot_be = [one for one in mentions if text.match(_CANNOT_BE, one.after)]
    is_else_told = len(cannot_be) < len(mentions) or (change and not text.match(_CANNOT_BE, change.after))
    kept = [one for one in mentions if is_kept(text, one, days)]
    return [*kept, *(cannot_be if is_else_told else ())]


def is_kept(text: Text, mention: DateMention, days: Collection[date]) -> bool:
    """Return whether a day is one of `days`, and named as one that stays as it is."""
    named = mention.start or mention.end
    is_known = named is not None and any(named.day == day.day for day in days)
    return is_known and text.match_before(_KEEPS, mention.first, within=_WORDS_AFTER_KEEP)
