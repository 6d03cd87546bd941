"""Who comes along, told in a word or two: "plus one", "and my brother", "plus a kid".

In a longer message the same words may tell anything, so they count only where they are all of it.
"""

from ..language.numbers import whole_number
from ..language.text import Text, phrases, word_set
from .ages import ages_at
from .people import relative_at
from .people_words import CHILDREN, PEOPLE
from .shift_mentions import ShiftMention

_ADDS = word_set("plus and with +")
_TAKES_AWAY = word_set("minus less without")
_COURTESIES = word_set("please too also then as well . ! thanks")
_OF_US = word_set("of us are is coming joining people now")
_LEADS = phrases(
    "we're", "we are", "we'll be", "we will be", "we are now", "we're now", "now we're", "now we are",
    "there's", "there is", "there are", "there will be", "there'll be", "make it", "make that", "it's", "add",
    "actually", "actually we're", "so we're", "so we are",
)  # fmt: skip
"""Before "one more" these tell of people where they are all of a message."""

_BY_HOW_MANY = {"more": 1, "extra": 1, "less": -1, "fewer": -1}
_LONGEST = 7
_MOST = 8


def find_companion(text: Text) -> ShiftMention | None:
    """Return the change of people that is all a message says, None if it says anything else."""
    sign = 1 if text.norm(0) in _ADDS else -1 if text.norm(0) in _TAKES_AWAY else 0
    if not sign:
        return _more(text)
    read = _people(text, 1)
    read = (read[0], ages_at(text, read[1], read[0])[2]) if read else None
    if read is None or read[1] > _LONGEST + 4 or text.length - read[1] > _LONGEST:
        return None
    if any(text.norm(at) not in _COURTESIES for at in range(read[1], text.length)):
        return None
    return ShiftMention(first=0, after=text.length, what="people", count=sign * read[0])


def _more(text: Text) -> ShiftMention | None:
    """ "two more", "one more of us is coming", "we're one more", "make it one less"."""
    first = text.match(_LEADS, 0)
    read = whole_number(text, first)
    sign = _BY_HOW_MANY.get(text.norm(read[1]), 0) if read else 0
    if read is None or not sign or not 0 < read[0] <= _MOST:
        return None
    rest = [text.norm(at) for at in range(read[1] + 1, text.length)]
    is_of_people = first > 0 or sign > 0 or not _OF_US.isdisjoint(rest)
    if not is_of_people or any(word not in _COURTESIES | _OF_US for word in rest):
        return None
    return ShiftMention(first=0, after=text.length, what="people", count=sign * read[0])


def _people(text: Text, at: int) -> tuple[int, int] | None:
    """How many are named there, and the index after: "my two sons", "a kid", "one"."""
    relative = relative_at(text, at)
    if relative:
        return relative
    read = (1, at + 1) if text.norm(at) in ("a", "another") else whole_number(text, at)
    if read is None:
        return None
    count, after = read
    if text.norm(0) == "with" and text.norm(after) not in CHILDREN:
        return None
    if text.norm(after) in ("more", "extra"):
        after += 1
    if text.norm(after) in PEOPLE:
        return count, after + 1
    is_alone = text.norm(0) in ("plus", "minus") and after == text.length
    return (count, after) if is_alone else None
