"""How many travel: "2 adults and a child", "party of 6", "my wife and I", "just me"; and who bears a name.

Adults and children add up, unless a total is told as well ("5 people, of which two are children").
Relatives count where they stand beside the speaker, not where something is told about them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..language.numbers import NUMBERS, has_numbers, is_decimal, noun_told_of, whole_number
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from .children import ages_at, is_told_of_somebody, listed_children, year_old

_SAID = phrases_of("people")
_WORDS = words_of("people")

_AT_MOST = 99
_WORDS_BETWEEN = 3
_WORDS_TO_A_TALK = 4
_NAMES_AT_MOST = 3
_WORDS_TO_A_NAME = 5
_BEGIN_COUNTS = (
    _WORDS.children | _WORDS.couples | _WORDS.small_children | _SAID.of_which.begin | {"an"} | NUMBERS
)
_CUES = (_BEGIN_COUNTS - {"a", "an"}).union(
    _SAID.just_me.cues, _SAID.both_of_us.cues, _WORDS.people_relatives, _WORDS.may_have_a_child
)
"""A message without any of these, numbers or names tells of nobody who travels."""
_BEFORE_A_RELATIVE = (_WORDS.between - _WORDS.relatives) | _WORDS.close
_NAMES_NOBODY: Mapping[int, int] = {}


@dataclass(frozen=True, slots=True)
class NameMention:
    """The tokens from `first` up to `after`, which name a person; `is_beside_us` if that person travels."""

    first: int
    after: int
    is_beside_us: bool = False


def find_people(text: Text) -> int | None:
    """Return how many travel, None if the text does not tell it."""
    names = {name.first: name.after for name in find_names(text) if name.is_beside_us}
    if not (names or has_numbers(text) or text.has_any(_CUES)):
        return None
    count = _put_right(text) or _group(text) or max(_counted(text), _relatives(text, names))
    count = count or int(text.has(_SAID.just_me))
    return count if 0 < count <= _AT_MOST else None


def are_at_least(text: Text) -> bool:
    """Return whether those who are told are told by company alone, who may be more: "with my husband"."""
    if text.has_any(_WORDS.all_who_come) or "with" not in text.vocabulary:
        return False
    return text.norm(0) != "no" and find_people(text.without(text.where({"with"}))) is None


def relative_at(text: Text, at: int) -> tuple[int, int] | None:
    """Return how many relatives of the speaker are named there, and the index after: "my two sons"."""
    return _relative(text, at, is_led=False)


def is_below_zero(text: Text, at: int) -> bool:
    """Return whether a number has a minus before it: "-2 people", but not "Rome-2 people"."""
    return text.norm(at - 1) == "-" and text.is_glued(at) and at > 1 and not text.is_glued(at - 1)


def _put_right(text: Text) -> int:
    """1 for "for me and my husband, no just me": what is told last."""
    at = text.find(_SAID.just_me)
    is_last = at >= 0 and text.norm(at - 1) in _WORDS.puts_right
    return int(is_last and not _chain(text, at + 1, _NAMES_NOBODY)[0])


def _group(text: Text) -> int:
    """ "party of 6", "the two of us", "we are three", "a room for two", "me and 2 others"."""
    for at in text.each_of(NUMBERS):
        read = whole_number(text, at)
        if read and not is_decimal(text, at, read[1]):
            if _is_group(text, at, read[1]) or _is_total(text, at, read[1]):
                return read[0] + _baby(text, read[1])
            if _is_beside_the_speaker(text, at, read[1]):
                return read[0] + 1
    return 2 * text.has(_SAID.both_of_us)


def _is_group(text: Text, at: int, end: int) -> bool:
    before, follower = text.norm(at - 1), text.norm(end)
    if before in ("of", "(", ":") and text.norm(at - 2) in _WORDS.groups:
        return follower not in _WORDS.times
    is_one = text.norm(at) in ("one", "1")
    if follower in ("of", "in") and text.norm(end + 1) in ("us", "my", "our"):
        is_part = text.norm(end + 2) in ("are", "is") and text.norm(end + 3) in _WORDS.children
        return not is_one and not is_part
    if not (_is_alone(text, end) or _baby(text, end)):
        return False
    if any(text.match(_SAID.we_are, at - back) == back for back in (1, 2, 3)):
        return True
    is_pronoun = text.norm(at) == "one" and follower in _WORDS.after_a_pronoun
    is_pronoun = is_pronoun or (is_one and before == "us")
    return before in ("us", "for") and not is_pronoun


def _is_alone(text: Text, end: int) -> bool:
    """Whether the number that ends there counts nothing that is named."""
    return not text.norm(end) or text.norm(end) in _WORDS.after_a_bare_number


def _is_total(text: Text, at: int, end: int) -> bool:
    """Whether a number tells all at last: "that makes six", "5 in total", "down to 6 now"."""
    if _is_alone(text, end) and any(text.match(_SAID.makes, at - back) == back for back in (2, 3)):
        return True
    told = text.match(_SAID.in_total, end)
    is_begun = at == 0 or text.norm(at - 1) in _WORDS.before_a_total
    return told > 0 and is_begun and not text[end + told].is_word and (at <= 1 or text.has_any(_WORDS.we))


def _is_beside_the_speaker(text: Text, at: int, end: int) -> bool:
    """Whether so many others are told beside the speaker: "me + 3", "myself and two friends"."""
    noun = text.norm(text.skip(_WORDS.close, end))
    if text.norm(at - 1) == "with" and noun in _WORDS.friends and not _is_talk(text, at - 1):
        return True
    is_beside = text.norm(at - 1) in _WORDS.beside and text.norm(at - 2) in _WORDS.speaker - {"us"}
    return is_beside and (noun in _WORDS.others or _is_alone(text, end))


def _baby(text: Text, end: int) -> int:
    """1 for the child of "we are 2 + baby", who is one more."""
    noun = text.skip({"a", "an", "one", "1"}, end + 1, 1)
    return int(text.norm(end) in _WORDS.beside and text.norm(noun) in _WORDS.small_children)


def _counted(text: Text) -> int:
    """ "2 adults and a toddler", "5 adults 6 children", "6 people, of which two are children"."""
    totals = adults = children = at = 0
    while (at := text.next_of(_BEGIN_COUNTS, at)) < text.length:
        if (totals or adults) and text.match(_SAID.of_which, at):
            break
        read = _count(text, at, is_added=adults + children > 0)
        if read is None:
            children += listed_children(text, at)
            adults += 2 * _is_couple(text, at)
            at += 1
            continue
        count, kind, at = read
        if kind in _WORDS.children:
            children += count
        elif kind in _WORDS.adults or kind == "couples":
            adults += count * (1 + (kind == "couples"))
        else:
            totals += count
    if children and not (totals or adults):
        return children + _who_have_them(text)
    return totals if totals == adults + children else totals + adults + children


def _is_couple(text: Text, at: int) -> bool:
    """Whether two people are told there: "a couple with 2 kids", but not "a couple of days"."""
    is_pair = text.norm(at) in _WORDS.couples and text.norm(at + 1) not in _WORDS.no_pair
    return is_pair and (at == 0 or text.norm(at - 1) in _WORDS.pair_of_people)


def _who_have_them(text: Text) -> int:
    """How many come with children of whom alone is told: "I have 2 kids", "we've got a toddler"."""
    for at in text.where(_WORDS.haves):
        is_of_us = text.norm(at - 1) in _WORDS.we_have
        if is_of_us or text.norm(at - 1) in _WORDS.i_have:
            return 1 + is_of_us
        if text.norm(at) == "with" and _count(text, at + 1, is_added=True):
            return 1 + text.has_any(_WORDS.we)
    return 0


def _count(text: Text, at: int, *, is_added: bool) -> tuple[int, str, int] | None:
    """A number of people that begins there: how many, of which kind, and the index after it."""
    old = year_old(text, at)
    if old and text.norm(old) not in _WORDS.relatives - _WORDS.children:
        return 1, "child", old + (text.norm(old) in _WORDS.children)
    if is_added and text.norm(at) in _WORDS.small_children and text.norm(at - 1) in _WORDS.beside:
        return 1, "child", at + 1
    read = whole_number(text, at) or ((1, at + 1) if is_added and text.norm(at) in ("a", "an") else None)
    if read is None or is_below_zero(text, at):
        return None
    count, end = read[0], _after_what_it_is_not(text, read[1] + (text.norm(read[1]) == "x"))  # "2x adults"
    if text.norm(text.skip({"-"}, end, 1)) == "way":
        return None
    for noun in range(end, end + _WORDS_BETWEEN):
        word = text.norm(noun)
        if word in _WORDS.seats and text.norm(noun + 1) in _WORDS.left:
            return None
        is_fare = word in _WORDS.flights and text.has_any(_WORDS.fares, end, noun)  # "two economy flights"
        if word in _WORDS.people_words_counted or is_fare:
            # "2 people might drive themselves" tells who goes without us.
            verb = text.skip(_WORDS.may_go, noun + 1)
            goes_otherwise = verb > noun + 1 and text.norm(verb) in _WORDS.goes_otherwise
            return None if goes_otherwise else (count, word, noun + 1)
        if word not in _WORDS.between:
            break
    told = noun_told_of(text, at)
    return (count, told, end) if told in _WORDS.people else None


def _after_what_it_is_not(text: Text, end: int) -> int:
    """The index after a number that is spoken against: "3, not 2, people"."""
    at = text.skip({","}, end)
    other = whole_number(text, at + 1) if text.norm(at) in ("not", "instead") else None
    return other[1] if other and text.norm(other[1]) in _WORDS.people else end


def _relatives(text: Text, names: Mapping[int, int]) -> int:
    """ "my wife and I", "me, my son and daughter", "coming with our two kids", "we have a toddler"."""
    others, has_self, is_with, has_elders, children = 0, False, False, False, 0
    at = 0 if names or text.has_any(_WORDS.people_relatives) or text.has_any(_WORDS.old) else text.length
    while at < text.length:
        count, speaks, members, end = _chain(text, at, names)
        led = text.norm(at - 1)
        if count and not speaks and _travel_by_themselves(text, at, end, count):
            others, at = others + count, end
            continue
        if not (count or speaks):
            children += listed_children(text, at)
        takes = led in _WORDS.takes or (led == "with" and not _is_talk(text, at - 1))
        is_for_them = led == "for" and text.norm(at - 2) not in _WORDS.judged  # not "too long for my wife"
        if members >= 2 or (count and (takes or is_for_them)):
            others += count
            has_self = has_self or speaks
            is_with = is_with or takes or led == "with"
            nouns = {text.norm(index) for index in range(at, end)} & _WORDS.people_relatives
            has_elders = has_elders or not nouns <= _WORDS.children | _WORDS.offspring
        at = max(end, at + 1)
    are_two = is_with and not (has_self or has_elders) and text.has_any(_WORDS.we_alone)
    speakers = 2 if are_two else has_self or is_with
    child = _with_a_child(text)
    return max(child, others + children + speakers + (child > 0)) if others else child


def _with_a_child(text: Text) -> int:
    """How many "with a baby" or "we have a toddler" tells of: one child, and whoever speaks."""
    for at in text.where(_WORDS.haves) if text.has_any(_WORDS.may_have_a_child) else ():
        before = text.norm(at - 1)
        has = 2 if before in _WORDS.we_have else int(before in _WORDS.i_have)
        if not (text.norm(at) == "with" or has) or text.norm(at + 1) not in ("a", "an"):
            continue
        noun = text.skip(_WORDS.between, year_old(text, at + 2) or at + 2, 1)
        is_child = text.norm(noun) in _WORDS.small_children and text.norm(noun + 1) not in _WORDS.no_child
        if is_child or (noun > at + 3 and not text[noun].is_word):
            return 1 + (has or 1 + text.has_any(_WORDS.we_alone))
    return 0


def _travel_by_themselves(text: Text, first: int, after: int, count: int) -> bool:
    """Whether several relatives travel and the speaker does not: "fly my parents to Rome"."""
    is_told = text.norm(first - 1) in _WORDS.brings or text.match(_SAID.travel, after) > 0
    return count > 1 and is_told


def _is_talk(text: Text, at: int) -> bool:
    """Whether "with" there tells whom somebody talks to, or at whose place they stay."""
    return any(
        text.norm(back) in _WORDS.talks or text.match(_SAID.talks_or_stays, back)
        for back in range(at - _WORDS_TO_A_TALK, at)
    )


def _chain(text: Text, at: int, names: Mapping[int, int]) -> tuple[int, bool, int, int]:
    """People named side by side: how many others, whether the speaker is one, members, index after."""
    others, has_self, members, end = 0, False, 0, at
    while end < text.length:
        start = text.skip(_WORDS.beside, end, 2) if members else end
        if text.norm(start) in _WORDS.speaker and text.norm(start - 1) != "not":
            has_self, end = True, start + 1
        elif start in names:
            others, end = others + 1, names[start]
        else:
            is_led = others > 0 or (has_self and start > end) or _leads_to_the_speaker(text, start)
            read = _relative(text, start, is_led=is_led or _are_both_parents(text, start))
            if read is None or is_told_of_somebody(text, read[1]):
                break
            told = ages_at(text, read[1], read[0])
            others, end = others + read[0], told[2] if told[0] else _after_a_name(text, read[1])
        members += 1
    return others, has_self, members, end


def _leads_to_the_speaker(text: Text, at: int) -> bool:
    """Whether the speaker is named beside relatives: "wife and me", "two cousins and I"."""
    count = whole_number(text, at)
    noun = text.skip(_WORDS.close, count[1]) if count else at
    at, first = noun if text.norm(noun) in _WORDS.several_relatives else at, at
    if text.norm(at + 1) not in ("and", "&", "+") or text.norm(at + 2) not in _WORDS.speaker:
        return False
    is_told_of = text.norm(at + 2) == "i" and text[at + 3].is_word and text.norm(at + 3) not in _WORDS.wants
    return not is_told_of and text.norm(min(at, first) - 2) not in _WORDS.visited


def _are_both_parents(text: Text, at: int) -> bool:
    """Whether father and mother are named, as who come along: "mum, dad and 3 kids"."""
    other = text.skip(_WORDS.beside, at + 1, 1)
    are_both = {text.norm(at), text.norm(other)} <= _WORDS.father_or_mother
    return are_both and text.norm(at - 1) not in _WORDS.visited | _WORDS.owners | {"with"}


def _after_a_name(text: Text, at: int) -> int:
    """The index after the name of a relative beside others: "my daughter Victoria and me"."""
    at += text.match(_SAID.in_law, at)
    is_between = text.norm(at + 1) in _WORDS.beside and text.norm(at + 2) in _WORDS.speaker | _WORDS.owners
    return at + (is_between and text[at].is_word and text.norm(at) not in _WORDS.beside)


def _relative(text: Text, at: int, *, is_led: bool) -> tuple[int, int] | None:
    """ "my wife", "our three sons", "the little one"; with `is_led` also "daughter" alone."""
    is_owned = text.norm(at) in _WORDS.owners
    if not (is_owned or is_led):
        return None
    start = year_old(text, at + is_owned) or at + is_owned
    count, noun = whole_number(text, start) or (0, start)
    noun = text.skip(_BEFORE_A_RELATIVE, noun, start + _WORDS_BETWEEN - noun)
    word = text.norm(noun)
    if word == "one" and text.norm(noun - 1) in _WORDS.close:
        return None  # "the best one" is an offer
    if word in _WORDS.relatives:
        return 1, noun + 1
    if start > at + is_owned:  # "our 2 year old"
        return 1, start
    if word in ("parents", "grandparents"):
        return 2, noun + 1
    return (count, noun + 1) if count and word in _WORDS.several_relatives else None


def find_names(text: Text) -> tuple[NameMention, ...]:
    """Return the names of people in the message, in its order, those of relatives left out.

    Many are names of cities, too: nobody flies to Florence who says "send it to Florence, my assistant".
    """
    is_named = text.has(_SAID.named) or text.has_any(_WORDS.names_cues)
    return tuple(_names(text)) if is_named else ()


def _names(text: Text) -> Iterator[NameMention]:
    at = 0
    while at < text.length:
        is_begun = text[at].is_capitalised or text.norm(at) in _SAID.named
        found = (_after_a_cue(text, at) or _of_a_person(text, at)) if is_begun else None
        if found:
            yield found
        at = found.after if found else at + 1


def _after_a_cue(text: Text, at: int) -> NameMention | None:
    """ "under the name Paris Hilton", "my name is Lima"."""
    length = text.match(_SAID.named, at)
    first = after = at + length
    while length and after < first + _NAMES_AT_MOST and _is_name(text, after):
        after += 1
    return NameMention(at, after) if after > first else None


def _of_a_person(text: Text, at: int) -> NameMention | None:
    if not _is_name(text, at):
        return None
    if _is_of_a_relative(text, at) or _is_addressed(text, at):
        return NameMention(at, at + 1)
    return NameMention(at, at + 1, is_beside_us=True) if _is_in_a_pair(text, at) else None


def _is_of_a_relative(text: Text, at: int) -> bool:
    """ "my son Austin", but not "for my son Berlin to Rome"."""
    is_relative = text.norm(at - 1) in _WORDS.relatives and text.norm(at - 2) in _WORDS.owners
    follower = text[at + 1]
    goes_on = follower.is_number or (follower.is_word and follower.is_capitalised)
    return is_relative and not goes_on and follower.norm not in _WORDS.joins_cities


def _is_addressed(text: Text, at: int) -> bool:
    """ "send the receipt to Florence", "to Florence, my assistant"."""
    before = range(max(0, at - 1 - _WORDS_TO_A_NAME), at)
    is_sent = text.norm(at - 1) == "to" and all(
        text.has_any(words, before.start, before.stop) for words in (_WORDS.sends, _WORDS.papers)
    )
    is_apposed = text.norm(at + 1) == "," and text.norm(at + 2) in _WORDS.owners
    is_at_work = is_apposed and text.norm(at + 3) in _WORDS.other_work
    return is_at_work or is_sent or text.norm(at - 1) in _WORDS.asks


def _is_in_a_pair(text: Text, at: int) -> bool:
    """ "Austin and I", "me and Charlotte"; but not "Florence and I want a hotel", which may be a city."""
    before, behind = text.norm(at - 1), text.norm(at + 1)
    if behind in ("and", "&") and text.norm(at + 2) in _WORDS.speaker:
        return (at == 0 or before in _WORDS.before_a_pair) and _ends_a_pair(text, at + 3)
    return before in ("and", "&") and text.norm(at - 2) in ("me", "myself") and _ends_a_pair(text, at + 1)


def _ends_a_pair(text: Text, at: int) -> bool:
    return not text.norm(at) or text.norm(at) in _WORDS.after_a_pair


def _is_name(text: Text, at: int) -> bool:
    token = text[at]
    return token.is_word and token.is_capitalised and token.norm not in _WORDS.speaker
