"""Who comes along, told in a word or two: "plus one", "and my brother", "plus a kid".

In a longer message the same words may tell anything, so they count only where they are all of it.
"""

from ..language.numbers import whole_number
from ..language.tables import phrases_of, words_of
from ..language.text import ShiftMention, Text
from .ages import ages_at
from .people import relative_at

_SAID = phrases_of("people")
_WORDS = words_of("people")


_BY_HOW_MANY = {"more": 1, "extra": 1, "less": -1, "fewer": -1}
_LONGEST = 7
_MOST = 8


def find_companion(text: Text) -> ShiftMention | None:
    """Return the change of people that is all a message says, None if it says anything else."""
    sign = 1 if text.norm(0) in _WORDS.adds else -1 if text.norm(0) in _WORDS.takes_away else 0
    if not sign:
        return _more(text)
    read = _people(text, 1)
    read = (read[0], ages_at(text, read[1], read[0])[2]) if read else None
    if read is None or read[1] > _LONGEST + 4 or text.length - read[1] > _LONGEST:
        return None
    if any(text.norm(at) not in _WORDS.courtesies for at in range(read[1], text.length)):
        return None
    return ShiftMention(first=0, after=text.length, what="people", count=sign * read[0])


def _more(text: Text) -> ShiftMention | None:
    """ "two more", "one more of us is coming", "we're one more", "make it one less"."""
    first = text.match(_SAID.leads, 0)
    read = whole_number(text, first)
    sign = _BY_HOW_MANY.get(text.norm(read[1]), 0) if read else 0
    if read is None or not sign or not 0 < read[0] <= _MOST:
        return None
    rest = [text.norm(at) for at in range(read[1] + 1, text.length)]
    is_of_people = first > 0 or sign > 0 or not _WORDS.of_us.isdisjoint(rest)
    if not is_of_people or any(word not in _WORDS.courtesies | _WORDS.of_us for word in rest):
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
    if text.norm(0) == "with" and text.norm(after) not in _WORDS.children:
        return None
    if text.norm(after) in ("more", "extra"):
        after += 1
    if text.norm(after) in _WORDS.people:
        return count, after + 1
    is_alone = text.norm(0) in ("plus", "minus") and after == text.length
    return (count, after) if is_alone else None
