"""Days that are named and not wanted: as ones that stay as they are, "keep the 15th", or as ones that
cannot be, "the 3rd doesn't work".
"""

from collections.abc import Collection, Sequence
from datetime import date

from ..language.spans import Span
from ..language.tables import phrases_of
from ..language.text import Text
from .dates import DateMention

_SAID = phrases_of("dates")

_WORDS_AFTER_KEEP = 3


def left_out(
    text: Text, mentions: Sequence[DateMention], days: Collection[date], change: Span | None
) -> list[DateMention]:
    """Return the days that stay as they are, and those that cannot be while another, or a change, is told.

    So "Easter is then, make it the week after" leaves out Easter.
    """
    cannot_be = [one for one in mentions if text.match(_SAID.cannot_be, one.after)]
    is_else_told = len(cannot_be) < len(mentions) or (
        change and not text.match(_SAID.cannot_be, change.after)
    )
    kept = [one for one in mentions if is_kept(text, one, days)]
    return [*kept, *(cannot_be if is_else_told else ())]


def is_kept(text: Text, mention: DateMention, days: Collection[date]) -> bool:
    """Return whether a day is one of `days`, and named as one that stays as it is."""
    named = mention.start or mention.end
    is_known = named is not None and any(named.day == day.day for day in days)
    return is_known and text.match_before(_SAID.keeps, mention.first, within=_WORDS_AFTER_KEEP)
