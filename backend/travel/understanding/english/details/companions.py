"""Who comes along, told in a word or two: "plus one", "and my brother", "plus a kid".

In a longer message the same words may tell anything, so they count only where they are all of it.
"""

from ..language.numbers import whole_number
from ..language.text import Text, word_set
from .people import relative_at
from .people_words import PEOPLE
from .shifts import ShiftMention

_ADDS = word_set("plus and with +")
_TAKES_AWAY = word_set("minus less")
_COURTESIES = word_set("please too also then as well . ! thanks")
_LONGEST = 7


def find_companion(text: Text) -> ShiftMention | None:
    """Return the change of people that is all a message says, None if it says anything else."""
    sign = 1 if text.norm(0) in _ADDS else -1 if text.norm(0) in _TAKES_AWAY else 0
    read = _people(text, 1) if sign and text.length <= _LONGEST else None
    if read is None or any(text.norm(at) not in _COURTESIES for at in range(read[1], text.length)):
        return None
    return ShiftMention(first=0, after=text.length, what="people", count=sign * read[0])


def _people(text: Text, at: int) -> tuple[int, int] | None:
    """How many are named there, and the index after: "my two sons", "a kid", "one"."""
    relative = relative_at(text, at)
    if relative:
        return relative
    read = (1, at + 1) if text.norm(at) in ("a", "another") else whole_number(text, at)
    if read is None or text.norm(0) == "with":
        return None
    count, after = read
    if text.norm(after) in ("more", "extra"):
        after += 1
    if text.norm(after) in PEOPLE:
        return count, after + 1
    is_alone = text.norm(0) in ("plus", "minus") and after == text.length
    return (count, after) if is_alone else None
