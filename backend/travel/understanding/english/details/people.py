"""How many travel: "2 adults and a child", "party of 6", "my wife and I", "just me".

Adults and children add up, unless a total is told as well ("5 people, of which two are children").
Relatives count where they stand beside the speaker, not where something is told about them.
"""

from collections.abc import Collection
from dataclasses import dataclass

from ..language.numbers import noun_told_of, whole_number
from ..language.text import Text
from . import people_words as words

_AT_MOST = 99
_WORDS_BETWEEN = 3
_BEFORE_A_RELATIVE = words.BETWEEN - words.RELATIVES


def find_people(text: Text, first: int, after: int, *, taken: Collection[int] = ()) -> int | None:
    """Return how many travel, as told in the tokens from `first` up to `after`, None if it is not."""
    reader = _Reader(text, first, after, taken)
    count = reader.group() or max(reader.counted(), reader.relatives()) or reader.alone()
    return count if count and count <= _AT_MOST else None


def relative_at(text: Text, at: int) -> tuple[int, int] | None:
    """Return how many relatives of the speaker are named there, and the index after: "my two sons"."""
    is_owned = text.norm(at) in words.OWNERS
    return _Reader(text, at, text.length, ()).relative(at, is_led=False) if is_owned else None


@dataclass(frozen=True, slots=True)
class _Reader:
    text: Text
    first: int
    after: int
    taken: Collection[int]

    def group(self) -> int | None:
        """ "party of 6", "the two of us", "we are three", "a room for two"."""
        for at in range(self.first, self.after):
            read = None if at in self.taken else whole_number(self.text, at)
            if read and self._is_group(at, read[1]):
                return read[0]
        return None

    def _is_group(self, at: int, end: int) -> bool:
        before, follower = self.text.norm(at - 1), self.text.norm(end)
        if follower == "." and self.text[end + 1].is_number and self.text.is_glued(end + 1):
            return False
        if before == "of" and self.text.norm(at - 2) in words.GROUPS:
            return follower not in words.TIMES
        if follower in ("of", "in") and self.text.norm(end + 1) in ("us", "my", "our"):
            return self.text.norm(at) not in ("one", "1")
        is_alone = end not in self.taken and (not follower or follower in words.AFTER_A_BARE_NUMBER)
        if is_alone and self.text.match_before(words.WE_ARE, at, within=2):
            return self.text.match(words.WE_ARE, at - 1) == 1 or self.text.match(words.WE_ARE, at - 2) == 2
        is_pronoun = self.text.norm(at) == "one" and follower in words.AFTER_A_PRONOUN
        return before == "for" and is_alone and not is_pronoun

    def counted(self) -> int:
        """ "2 adults and a toddler", "5 adults 6 children", "6 people, of which two are children"."""
        totals, adults, children = 0, 0, 0
        at = self.first
        while at < self.after:
            if (totals or adults) and self.text.match(words.OF_WHICH, at):
                break
            read = None if at in self.taken else self._count(at, is_added=bool(adults or children))
            if read is None:
                at += 1
                continue
            count, kind, at = read
            if kind in words.ADULTS:
                adults += count
            elif kind in words.CHILDREN:
                children += count
            else:
                totals += count
        parts = adults + children
        return totals if totals == parts else totals + parts

    def _count(self, at: int, *, is_added: bool) -> tuple[int, str, int] | None:
        """A number of people that begins there: how many, of which kind, and the index after it."""
        read = whole_number(self.text, at)
        if read is None and is_added and self.text.norm(at) in ("a", "an"):
            read = 1, at + 1
        if read is None or self.text.norm(read[1]) == "way":
            return None
        count, end = read[0], self._after_what_it_is_not(read[1])
        if self.text.norm(end) == "-" and self.text.norm(end + 1) == "way":
            return None
        for offset in range(_WORDS_BETWEEN):
            word = self.text.norm(end + offset)
            if word in words.PEOPLE or (word in words.FLIGHTS and self._is_fare(end, end + offset)):
                return count, word, end + offset + 1
            if word not in words.BETWEEN:
                break
        noun = noun_told_of(self.text, at)
        return (count, noun, end) if noun in words.PEOPLE else None

    def _after_what_it_is_not(self, end: int) -> int:
        """The index after a number that is spoken against: "3, not 2, people"."""
        at = end + (self.text.norm(end) == ",")
        other = whole_number(self.text, at + 1) if self.text.norm(at) in ("not", "instead") else None
        if other is None or self.text.norm(other[1]) not in words.PEOPLE:
            return end
        return other[1]

    def _is_fare(self, first: int, after: int) -> bool:
        """Whether a class or a return is told there: "two economy flights" are for two."""
        return any(self.text.norm(at) in words.FARES for at in range(first, after))

    def relatives(self) -> int:
        """ "my wife and I", "me, my son and daughter", "coming with our two kids"."""
        others, has_self, is_with = 0, False, False
        at = self.first
        while at < self.after:
            count, speaks, members, end = self._chain(at)
            introduction = self.text.norm(at - 1)
            if members >= 2 or (count and introduction in ("with", "for")):
                others += count
                has_self = has_self or speaks
                is_with = is_with or introduction == "with"
            at = max(end, at + 1)
        return others + (has_self or is_with) if others else 0

    def _chain(self, at: int) -> tuple[int, bool, int, int]:
        """People named side by side: how many others, whether the speaker is one, members, index after."""
        others, has_self, members, end = 0, False, 0, at
        while end < self.after:
            start = end
            while members and self.text.norm(start) in words.BESIDE and start < end + 2:
                start += 1
            if self.text.norm(start) in words.SPEAKER and self.text.norm(start - 1) != "not":
                has_self, end = True, start + 1
            else:
                read = self.relative(start, is_led=others > 0)
                is_told_of = read is not None and self.text.norm(read[1]) in words.NO_TRAVELLER
                read = None if is_told_of else read
                if read is None:
                    break
                others, end = others + read[0], read[1]
            members += 1
        return others, has_self, members, end

    def relative(self, at: int, *, is_led: bool) -> tuple[int, int] | None:
        """ "my wife", "our three sons", "the little one"; with `is_led` also "daughter" alone."""
        is_owned = self.text.norm(at) in words.OWNERS
        if not (is_owned or is_led):
            return None
        start = at + is_owned
        count, noun = whole_number(self.text, start) or (0, start)
        while self.text.norm(noun) in _BEFORE_A_RELATIVE and noun < start + _WORDS_BETWEEN:
            noun += 1
        word = self.text.norm(noun)
        if word in words.RELATIVES:
            return 1, noun + 1
        if word in ("parents", "grandparents"):
            return 2, noun + 1
        return (count, noun + 1) if count and word in words.SEVERAL_RELATIVES else None

    def alone(self) -> int | None:
        """ "just me"."""
        at = self.text.find(words.JUST_ME, self.first)
        return 1 if 0 <= at < self.after else None
