"""How many travel: "2 adults and a child", "party of 6", "my wife and I", "just me".

Adults and children add up, unless a total is told as well ("5 people, of which two are children").
Relatives count where they stand beside the speaker, not where something is told about them.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from ..language.numbers import NUMBERS, has_numbers, noun_told_of, whole_number
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from . import people_words as words
from .ages import ages_at, is_told_of_somebody, listed_children, year_old
from .names import find_names

_SAID = phrases_of("people")
_WORDS = words_of("people")

_AT_MOST = 99
_WORDS_BETWEEN = 3
_BEGIN_COUNTS = (
    _WORDS.children | _WORDS.couples | _WORDS.small_children | _SAID.of_which.begin | {"an"} | NUMBERS
)
_BEFORE_A_RELATIVE = (_WORDS.between - _WORDS.relatives) | _WORDS.close


def find_people(text: Text, first: int, after: int, *, taken: Collection[int] = ()) -> int | None:
    """Return how many travel, as told in the tokens from `first` up to `after`, None if it is not."""
    names = {name.first: name.after for name in find_names(text) if name.is_beside_us}
    reader = _Reader(text, first, after, taken, names)
    count = reader.put_right() or reader.group() or max(reader.counted(), reader.family()) or reader.alone()
    return count if count and count <= _AT_MOST else None


def are_at_least(text: Text, first: int, after: int, *, taken: Collection[int] = ()) -> bool:
    """Return whether those who are told are told by company alone, who may be more: "with my husband"."""
    is_all = text.norm(first) == "no" or not _WORDS.all_who_come.isdisjoint(text.vocabulary)
    if is_all or "with" not in text.vocabulary:
        return False
    return find_people(text.without(text.where({"with"})), first, after, taken=taken) is None


def relative_at(text: Text, at: int) -> tuple[int, int] | None:
    """Return how many relatives of the speaker are named there, and the index after: "my two sons"."""
    is_owned = text.norm(at) in _WORDS.owners
    return _Reader(text, at, text.length, ()).relative(at, is_led=False) if is_owned else None


def is_below_zero(text: Text, at: int) -> bool:
    """Return whether a number has a minus before it: "-2 people", but not "Rome-2 people"."""
    is_minus = text.norm(at - 1) == "-" and text.is_glued(at)
    return is_minus and at > 1 and not text.is_glued(at - 1)


@dataclass(frozen=True, slots=True)
class _Reader:
    text: Text
    first: int
    after: int
    taken: Collection[int]
    names: Mapping[int, int] = field(default_factory=dict[int, int])
    """Where the names of people who come along begin, and the indexes after them."""

    def put_right(self) -> int | None:
        """ "for me and my husband, no just me": what is told last."""
        at = self.text.find(_SAID.just_me, self.first)
        is_here = self.first < at < self.after and self.text.norm(at - 1) in _WORDS.puts_right
        return 1 if is_here and not self._chain(at + 1)[0] else None

    def group(self) -> int | None:
        """ "party of 6", "the two of us", "we are three", "a room for two", "me and 2 others"."""
        may_be_total = not words.TELLS_A_TOTAL.isdisjoint(self.text.vocabulary)
        for at in self.text.each_of(NUMBERS) if has_numbers(self.text) else ():
            if not self.first <= at < self.after:
                continue
            read = None if at in self.taken else whole_number(self.text, at)
            if read and (self._is_group(at, read[1]) or (may_be_total and self._is_total(at, read[1]))):
                return read[0] + self._babies(read[1])
            if read and self._is_beside_the_speaker(at, read[1]):
                return read[0] + 1
        return 2 if self.first <= self.text.find(_SAID.both_of_us, self.first) < self.after else None

    def _is_beside_the_speaker(self, at: int, end: int) -> bool:
        """Whether so many others are told beside the speaker: "me + 3", "myself and two friends"."""
        is_beside = self.text.norm(at - 1) in _WORDS.beside and self.text.norm(at - 2) in _WORDS.speaker
        while self.text.norm(end) in _WORDS.close and end < self.after:
            end += 1
        follower = self.text.norm(end)
        if self.text.norm(at - 1) == "with" and follower in _WORDS.friends and not self._is_talk(at - 1):
            return True
        is_alone = end in self.taken or not follower or follower in _WORDS.after_a_bare_number
        return is_beside and self.text.norm(at - 2) != "us" and (is_alone or follower in _WORDS.others)

    def _babies(self, end: int) -> int:
        """The child of "we are 2 + baby", who is one more."""
        if self.text.norm(end) not in _WORDS.beside:
            return 0
        noun = end + 1 + (self.text.norm(end + 1) in ("a", "an", "one", "1"))
        return int(self.text.norm(noun) in _WORDS.small_children)

    def _is_group(self, at: int, end: int) -> bool:
        before, follower = self.text.norm(at - 1), self.text.norm(end)
        if follower == "." and self.text[end + 1].is_number and self.text.is_glued(end + 1):
            return False
        if before == "of" and self.text.norm(at - 2) in _WORDS.groups:
            return follower not in _WORDS.times
        if before in ("(", ":") and self.text.norm(at - 2) in _WORDS.groups:
            return follower in ("", ")", ",", ".", "of")
        if follower in ("of", "in") and self.text.norm(end + 1) in ("us", "my", "our"):
            is_part = self.text.norm(end + 2) in ("are", "is") and self.text.norm(end + 3) in _WORDS.children
            return self.text.norm(at) not in ("one", "1") and not is_part
        is_alone = end not in self.taken and (not follower or follower in _WORDS.after_a_bare_number)
        is_alone = is_alone or self._babies(end) > 0
        if is_alone and self.text.match_before(_SAID.we_are, at, within=3):
            return any(self.text.match(_SAID.we_are, at - back) == back for back in (1, 2, 3))
        if before == "us" and (is_alone or self.text.norm(at - 2) in ("just", "only")):
            return self.text.norm(at) not in ("one", "1")
        is_pronoun = self.text.norm(at) == "one" and follower in _WORDS.after_a_pronoun
        return before == "for" and is_alone and not is_pronoun

    def _is_total(self, at: int, end: int) -> bool:
        """Whether a number tells all at last: "that makes six", "5 in total", "down to 6 now"."""
        follower = self.text.norm(end)
        is_alone = end not in self.taken and (not follower or follower in _WORDS.after_a_bare_number)
        if is_alone and any(self.text.match(_SAID.makes, at - back) == back for back in (2, 3)):
            return True
        told = self.text.match(_SAID.in_total, end)
        is_end = not self.text[end + told].is_word
        is_begun = at == 0 or self.text.norm(at - 1) in _WORDS.before_a_total
        is_of_us = told > 0 and (at <= 1 or not _WORDS.we.isdisjoint(self.text.vocabulary))
        return is_begun and is_of_us and is_end

    def counted(self) -> int:
        """ "2 adults and a toddler", "5 adults 6 children", "6 people, of which two are children"."""
        totals, adults, children = 0, 0, 0
        has_children = not _WORDS.children.isdisjoint(self.text.vocabulary)
        has_couple = not _WORDS.couples.isdisjoint(self.text.vocabulary)
        at = self.first if has_numbers(self.text) or has_children or has_couple else self.after
        while (at := self.text.next_of(_BEGIN_COUNTS, at)) < self.after:
            if (totals or adults) and self.text.match(_SAID.of_which, at):
                break
            read = None if at in self.taken else self._count(at, is_added=bool(adults or children))
            if read is None:
                children += listed_children(self.text, at)
                adults += 2 * self._is_couple(at)
                at += 1
                continue
            count, kind, at = read
            if kind == "couples":
                adults += 2 * count
            elif kind in _WORDS.adults:
                adults += count
            elif kind in _WORDS.children:
                children += count
            else:
                totals += count
        parts = adults + children
        if children and not (totals or adults):
            return children + self._who_have_them()
        return totals if totals == parts else totals + parts

    def _is_couple(self, at: int) -> bool:
        """Whether two people are told there: "a couple with 2 kids", but not "a couple of days"."""
        is_pair = self.text.norm(at) in _WORDS.couples and self.text.norm(at + 1) not in _WORDS.no_pair
        return is_pair and self.text.norm(at - 1) in words.PAIR_OF_PEOPLE

    def _who_have_them(self) -> int:
        """How many come with children of whom alone is told: "I have 2 kids", "we have a toddler"."""
        is_of_us = not _WORDS.we.isdisjoint(self.text.vocabulary)
        for at in range(self.first, self.after):
            if self.text.norm(at) in _WORDS.haves and self.text.norm(at - 1) in words.WHO_HAVE:
                return words.WHO_HAVE[self.text.norm(at - 1)]
            if self.text.norm(at) in words.WHO_HAVE_GOT and self.text.norm(at + 1) in _WORDS.haves:
                return words.WHO_HAVE_GOT[self.text.norm(at)]
            if self.text.norm(at) == "with" and self._count(at + 1, is_added=True):
                return 1 + is_of_us
        return 0

    def _count(self, at: int, *, is_added: bool) -> tuple[int, str, int] | None:
        """A number of people that begins there: how many, of which kind, and the index after it."""
        read = whole_number(self.text, at)
        old = year_old(self.text, at)
        if old and self.text.norm(old) not in _WORDS.relatives - _WORDS.children:
            return 1, "child", old + (self.text.norm(old) in _WORDS.children)
        if read is None and is_added and self.text.norm(at) in ("a", "an"):
            read = 1, at + 1
        is_child = self.text.norm(at) in _WORDS.small_children and self.text.norm(at - 1) in _WORDS.beside
        if read is None and is_added and is_child:
            return 1, "child", at + 1
        if read is None or self.text.norm(read[1]) == "way" or is_below_zero(self.text, at):
            return None
        end = read[1] + (self.text.norm(read[1]) == "x")  # "2x adults"
        count, end = read[0], self._after_what_it_is_not(end)
        if self.text.norm(end) == "-" and self.text.norm(end + 1) == "way":
            return None
        for offset in range(_WORDS_BETWEEN):
            word = self.text.norm(end + offset)
            if word in _WORDS.seats and self.text.norm(end + offset + 1) in _WORDS.left:
                return None
            if word in _WORDS.people_words_counted or (
                word in _WORDS.flights and self._is_fare(end, end + offset)
            ):
                is_flying = not self._go_otherwise(end + offset + 1)
                return (count, word, end + offset + 1) if is_flying else None
            if word not in _WORDS.between:
                break
        noun = noun_told_of(self.text, at)
        return (count, noun, end) if noun in _WORDS.people else None

    def _after_what_it_is_not(self, end: int) -> int:
        """The index after a number that is spoken against: "3, not 2, people"."""
        at = end + (self.text.norm(end) == ",")
        other = whole_number(self.text, at + 1) if self.text.norm(at) in ("not", "instead") else None
        if other is None or self.text.norm(other[1]) not in _WORDS.people:
            return end
        return other[1]

    def _go_otherwise(self, verb: int) -> bool:
        """Whether those who are counted go without us: "2 people might drive themselves"."""
        at = verb
        while self.text.norm(at) in _WORDS.may_go and at < verb + _WORDS_BETWEEN:
            at += 1
        return at > verb and self.text.norm(at) in _WORDS.goes_otherwise

    def _is_fare(self, first: int, after: int) -> bool:
        """Whether a class or a return is told there: "two economy flights" are for two."""
        return any(self.text.norm(at) in _WORDS.fares for at in range(first, after))

    def relatives(self) -> int:
        """ "my wife and I", "me, my son and daughter", "coming with our two kids"."""
        others, has_self, is_with, has_elders = 0, False, False, False
        children = 0
        is_nobody = not self.names and _WORDS.people_relatives.isdisjoint(self.text.vocabulary)
        at = self.after if is_nobody else self.first
        while at < self.after:
            count, speaks, members, end = self._chain(at)
            introduction = self.text.norm(at - 1)
            nouns = {self.text.norm(index) for index in range(at, end)} & _WORDS.people_relatives
            if count and not speaks and self._travel_by_themselves(at, end, count):
                others += count
                at = end
                continue
            if not (count or speaks):
                children += listed_children(self.text, at)
            takes = introduction in _WORDS.takes
            is_judged = self.text.norm(at - 2) in _WORDS.judged  # "too long for my wife"
            is_company = (introduction == "for" and not is_judged) or takes
            is_company = is_company or (introduction == "with" and not self._is_talk(at - 1))
            if members >= 2 or (count and is_company):
                others += count
                has_self = has_self or speaks
                is_with = is_with or takes or introduction == "with"
                has_elders = has_elders or not nouns <= _WORDS.children | _WORDS.offspring
            at = max(end, at + 1)
        are_two = (
            is_with and not (has_self or has_elders) and not _WORDS.we_alone.isdisjoint(self.text.vocabulary)
        )
        return others + children + (2 if are_two else has_self or is_with) if others else 0

    def _travel_by_themselves(self, first: int, after: int, count: int) -> bool:
        """Whether several relatives travel and the speaker does not: "fly my parents to Rome"."""
        if count < 2:  # of one, nothing else is searched for
            return False
        is_brought = self.text.norm(first - 1) in _WORDS.brings
        travels = self.text.match(_SAID.travel, after)
        return is_brought or (travels > 0 and self.text.norm(after + 1) not in ("me", "us"))

    def _is_talk(self, at: int) -> bool:
        """Whether "with" there tells whom somebody talks to, or at whose place they stay."""
        verb = next(
            (back for back in range(at - 1, at - 1 - words.WORDS_TO_A_TALK, -1) if self._is_verb(back)), None
        )
        return verb is not None and self.text.norm(verb + 1) != "in"

    def _is_verb(self, at: int) -> bool:
        told = (_SAID.stays_with, words.THINKS_OVER)
        return self.text.norm(at) in _WORDS.talks or any(self.text.match(one, at) for one in told)

    def _chain(self, at: int) -> tuple[int, bool, int, int]:
        """People named side by side: how many others, whether the speaker is one, members, index after."""
        others, has_self, members, end = 0, False, 0, at
        while end < self.after:
            start = end
            while members and self.text.norm(start) in _WORDS.beside and start < end + 2:
                start += 1
            if self.text.norm(start) in _WORDS.speaker and self.text.norm(start - 1) != "not":
                has_self, end = True, start + 1
            else:
                if self.names.get(start):
                    others, end, members = others + 1, self.names[start], members + 1
                    continue
                is_led = others > 0 or (has_self and start > end) or self._leads_to_the_speaker(start)
                is_led = is_led or self._are_both_parents(start)
                read = self.relative(start, is_led=is_led)
                is_told_of = read is not None and is_told_of_somebody(self.text, read[1])
                read = None if is_told_of else read
                if read is None:
                    break
                told = ages_at(self.text, read[1], read[0])
                others, end = others + read[0], told[2] if told[0] else self._after_a_name(read[1])
            members += 1
        return others, has_self, members, end

    def _leads_to_the_speaker(self, at: int) -> bool:
        """Whether the speaker is named beside relatives: "wife and me", "two cousins and I"."""
        count = whole_number(self.text, at)
        noun = count[1] if count else at
        while count and self.text.norm(noun) in _WORDS.close:
            noun += 1
        at = noun if self.text.norm(noun) in _WORDS.several_relatives else at
        beside, speaker = self.text.norm(at + 1), self.text.norm(at + 2)
        wants = self.text.norm(at + 3) in _WORDS.wants
        is_told_of = speaker == "i" and self.text[at + 3].is_word and not wants
        is_told_of = is_told_of or self.text.norm(at - 2) in _WORDS.visited
        return beside in ("and", "&", "+") and speaker in _WORDS.speaker and not is_told_of

    def _are_both_parents(self, at: int) -> bool:
        """Whether father and mother are named, as who come along: "mum, dad and 3 kids"."""
        other = at + 1 + (self.text.norm(at + 1) in _WORDS.beside)
        are_both = {
            self.text.norm(at),
            self.text.norm(other),
        } <= _WORDS.father_or_mother and other < self.after
        before = self.text.norm(at - 1)
        return are_both and before not in _WORDS.visited | _WORDS.owners | {"with"}

    def _after_a_name(self, at: int) -> int:
        """The index after the name or age of a relative beside others: "my daughter Victoria (4) and me"."""
        at += self.text.match(_SAID.in_law, at)
        age = whole_number(self.text, at + 1) if self.text.norm(at) == "(" else None
        if age and self.text.norm(age[1]) == ")":
            return age[1] + 1
        follower = self.text.norm(at + 2)
        is_between = self.text.norm(at + 1) in _WORDS.beside and (
            follower in _WORDS.speaker or follower in _WORDS.owners
        )
        return (
            at + 1 if is_between and self.text[at].is_word and self.text.norm(at) not in _WORDS.beside else at
        )

    def relative(self, at: int, *, is_led: bool) -> tuple[int, int] | None:
        """ "my wife", "our three sons", "the little one"; with `is_led` also "daughter" alone."""
        is_owned = self.text.norm(at) in _WORDS.owners
        if not (is_owned or is_led):
            return None
        start = at + is_owned
        start = year_old(self.text, start) or start
        count, noun = whole_number(self.text, start) or (0, start)
        while self.text.norm(noun) in _BEFORE_A_RELATIVE and noun < start + _WORDS_BETWEEN:
            noun += 1
        word = self.text.norm(noun)
        if word == "one" and self.text.norm(noun - 1) in _WORDS.close:
            return None  # "the best one" is an offer
        if word in _WORDS.relatives:
            return 1, noun + 1
        if start > at + is_owned:  # "our 2 year old"
            return 1, start
        if word in ("parents", "grandparents"):
            return 2, noun + 1
        return (count, noun + 1) if count and word in _WORDS.several_relatives else None

    def family(self) -> int:
        """Relatives, and the child that they have with them: "my wife and I with a 10-month-old"."""
        relatives, with_child = self.relatives(), self.with_a_child()
        return max(with_child, relatives + 1) if relatives and with_child else relatives or with_child

    def with_a_child(self) -> int:
        """ "with a baby", "we have a toddler": one child, and whoever speaks."""
        for at in range(self.first, self.after - 1) if self.text.vocabulary & _WORDS.may_have_a_child else ():
            has = self.text.norm(at) in _WORDS.haves and words.WHO_HAVE.get(self.text.norm(at - 1), 0)
            is_with = self.text.norm(at) == "with"
            if not (is_with or has) or self.text.norm(at + 1) not in ("a", "an"):
                continue
            noun = year_old(self.text, at + 2) or at + 2
            noun += self.text.norm(noun) in _WORDS.between
            is_child = (
                self.text.norm(noun) in _WORDS.small_children
                and self.text.norm(noun + 1) not in _WORDS.no_child
            )
            if is_child or (noun > at + 3 and not self.text[noun].is_word):
                return 1 + (has or 1 + (not _WORDS.we_alone.isdisjoint(self.text.vocabulary)))
        return 0

    def alone(self) -> int | None:
        """ "just me"."""
        at = self.text.find(_SAID.just_me, self.first)
        return 1 if 0 <= at < self.after else None
