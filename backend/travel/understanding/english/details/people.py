"""How many travel, and how old children are: "2 adults and a child", "my wife and I", "2 kids (4 and 7)".

Adults and children add up, unless a total is told as well ("5 people, of which two are children").
Relatives count where they stand beside the speaker, not where something is told about them. Whoever tells
how old the children are that were counted before names nobody who comes along besides: "she's 6".
"""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import lru_cache

from ....values.travel import UNKNOWN_AGE
from ...message import AgesOfKnown
from ..dates.grammar import read_span
from ..language.numbers import NUMBERS, has_numbers, is_decimal, noun_told_of, whole_number
from ..language.tables import phrases_of, words_of
from ..language.text import SlotMention, Text

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
    _SAID.just_me.cues,
    _SAID.both_of_us.cues,
    _WORDS.feasts_of_two,
    _WORDS.people_relatives,
    _WORDS.may_have_a_child,
)
"""A message without any of these, numbers or names tells of nobody who travels."""
_BEFORE_A_RELATIVE = (_WORDS.between - _WORDS.relatives) | _WORDS.close
_NAMES_NOBODY: Mapping[int, int] = {}
_OLDEST = 17
_LONGEST_ASIDE = 8
_MONTHS_OF_A_YEAR = 12
_CHILDREN_AT_MOST = 9
_WORDS_TO_A_CHILD = 3
_WORDS_BEFORE_A_CHILD = 2
_BEGIN = _WORDS.any_children | _WORDS.owners | _WORDS.between | {"an", "another"} | NUMBERS
_BEFORE_AGES = _WORDS.before_ages | _WORDS.aged
_UNITS = _WORDS.years | _WORDS.months_of_age
_HAVE_PARENTS = _WORDS.visited | _WORDS.owners | {"with"}
_NOT_AMONG_THEMSELVES = _WORDS.owners | {"with", "our"}

Told = tuple[tuple[int, ...], int, int]
"""The ages of some children, where they begin, and the index behind them."""


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
    just_me = text.find(_SAID.just_me)
    is_put_right = just_me >= 0 and text.norm(just_me - 1) in _WORDS.puts_right
    if is_put_right and not _chain(text, just_me + 1, _NAMES_NOBODY)[0]:
        return 1  # "for me and my husband, no just me"
    count = _group(text) or max(_counted(text), _relatives(text, names)) or int(just_me >= 0)
    count = count or 2 * _are_a_couple(text)
    return count if 0 < count <= _AT_MOST else None


def _are_a_couple(text: Text) -> bool:
    """Whether what they go for is of two: "our 10th anniversary", "we're getting married", "a honeymoon"."""
    for at in text.where(_WORDS.feasts_of_two):
        before = at - 1
        while text[before].is_number or text.norm(before) in _WORDS.which_anniversary:
            before -= 1
        is_romantic = text.norm(at) == "romantic" and text.norm(at + 1) in _WORDS.times_of_two
        weds = text.norm(at) == "married" and any(
            text.match(_SAID.we_marry, first) == at + 1 - first for first in (at - 2, at - 3)
        )
        is_ours = text.norm(before) == "our" and text.norm(at) != "married"
        if is_romantic or weds or is_ours or text.norm(at) == "honeymoon":
            return True
    return False


def are_at_least(text: Text) -> bool:
    """Return whether those who are told may be more: "with my husband", "it's our anniversary"."""
    if _are_a_couple(text) and find_people(text.without(text.where(_WORDS.feasts_of_two))) is None:
        return True
    if text.has_any(_WORDS.all_who_come) or "with" not in text.vocabulary:
        return False
    return text.norm(0) != "no" and find_people(text.without(text.where({"with"}))) is None


def relative_at(text: Text, at: int) -> tuple[int, int] | None:
    """Return how many relatives of the speaker are named there, and the index after: "my two sons"."""
    return _relative(text, at, is_led=False)


def is_below_zero(text: Text, at: int) -> bool:
    """Return whether a number has a minus before it: "-2 people", but not "Rome-2 people"."""
    return text.norm(at - 1) == "-" and text.is_glued(at) and at > 1 and not text.is_glued(at - 1)


def _group(text: Text) -> int:
    """ "party of 6", "the two of us", "we are three", "a room for two", "me and 2 others"."""
    for at in text.each_of(NUMBERS):
        read = whole_number(text, at)
        if read and not is_decimal(text, at, read[1]):
            if _is_group(text, at, read[1]) or _is_total(text, at, read[1]):
                behind = text.skip(_WORDS.of_all, read[1])
                return read[0] + (_baby(text, read[1]) or _others_behind(text, behind, _WORDS.joined))
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
    totals = adults = children = others = at = 0
    while (at := text.next_of(_BEGIN_COUNTS, at)) < text.length:
        if (totals or adults) and text.match(_SAID.of_which, at):
            break
        read = _count(text, at, is_added=adults + children > 0)
        if read is None:
            children += listed_children(text, at)
            # "A couple with 2 kids", but not "a couple of days".
            is_pair = text.norm(at) in _WORDS.couples and text.norm(at + 1) not in _WORDS.no_pair
            adults += 2 * (is_pair and (at == 0 or text.norm(at - 1) in _WORDS.pair_of_people))
            at += 1
            continue
        count, kind, at = read
        if kind in _WORDS.children:
            children += count
        elif kind in _WORDS.adults or kind == "couples":
            adults += count * (1 + (kind == "couples"))
        else:
            totals += count
        behind = max(at, ages_at(text, at, count)[2])
        at = behind if kind in _WORDS.children else at  # "a child 6 years old" is no second one
        others += _others_behind(text, behind, _WORDS.listed if children else _WORDS.joined)
    if totals + adults:
        adults += others
    if children and not (totals or adults):
        return children + _who_have_them(text)
    return totals if totals == adults + children else totals + adults + children


def _others_behind(text: Text, at: int, joints: Set[str]) -> int:
    """How many relatives join those counted before that token: "3 children, grandma and grandpa"."""
    count, end = 0, at
    while text.norm(end) in joints:
        start = text.skip(joints, end, 2)
        if text.norm(start) in _WORDS.speaker:
            return 0  # "2 adults, my wife and I" are two
        read = _relative(text, start, is_led=text.norm(start) in _WORDS.father_or_mother)
        if read is None or text.norm(read[1] - 1) in _WORDS.people_words_counted:
            break
        # "1 child, our son Tom" is one.
        is_child = text.norm(start - 1) == "," and text.norm(read[1] - 1) in _WORDS.own_children
        if is_child or is_told_of_somebody(text, read[1]):
            break
        count, end = count + read[0], read[1]
    return count


def _who_have_them(text: Text) -> int:
    """How many come with children of whom alone is told: "I have 2 kids", "a family with 2 kids"."""
    if any(text.norm(at + 1) == "with" for at in text.where({"family"})):
        return 2
    for at in text.where(_WORDS.haves):
        is_of_us = text.norm(at - 1) in _WORDS.we_have
        if is_of_us or text.norm(at - 1) in _WORDS.i_have:
            return 1 + is_of_us
        if _count(text, at + 1, is_added=True):
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
        # "Fly my parents to Rome", of whom the speaker is none.
        if (
            count > 1
            and not speaks
            and (led in _WORDS.brings or text.match(_SAID.travel, _past_an_aside(text, end)))
        ):
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
            nouns = text.said(at, end) & _WORDS.people_relatives
            has_elders = has_elders or not nouns <= _WORDS.children | _WORDS.offspring
        at = max(end, at + 1)
    are_two = is_with and not (has_self or has_elders) and text.has_any(_WORDS.we_alone)
    speakers = 2 if are_two else has_self or is_with
    child = _with_a_child(text)
    return max(child, others + children + speakers + (child > 0)) if others else child


def _past_an_aside(text: Text, at: int) -> int:
    """The index after what is told of people by the way: "my parents (both 70+) want to"."""
    if text.norm(at) not in ("(", ",") or text.norm(at + 1) not in _WORDS.begins_an_aside:
        return at
    ends = (end + 1 for end in range(at + 2, at + _LONGEST_ASIDE) if text.norm(end) in (")", ","))
    return next(ends, at)


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
            pair = {text.norm(start), text.norm(text.skip(_WORDS.beside, start + 1, 1))}  # "mum, dad"
            are_parents = pair <= _WORDS.father_or_mother and text.norm(start - 1) not in _HAVE_PARENTS
            read = _relative(text, start, is_led=is_led or are_parents)
            if read is None or is_told_of_somebody(text, read[1]):
                break
            told = ages_at(text, read[1], read[0])
            others, end = others + read[0], told[2] if told[0] else _after_a_name(text, read[1])
        members += 1
    return others, has_self, members, end


def _leads_to_the_speaker(text: Text, at: int) -> bool:
    """Whether the speaker is named beside relatives: "wife and me", "two cousins and I"."""
    if not text.has_any(_WORDS.speaker):
        return False
    count = whole_number(text, at)
    noun = text.skip(_WORDS.close, count[1]) if count else at
    at, first = noun if text.norm(noun) in _WORDS.several_relatives else at, at
    if text.norm(at + 1) not in ("and", "&", "+") or text.norm(at + 2) not in _WORDS.speaker:
        return False
    is_told_of = text.norm(at + 2) == "i" and text[at + 3].is_word and text.norm(at + 3) not in _WORDS.wants
    return not is_told_of and text.norm(min(at, first) - 2) not in _WORDS.visited


def _after_a_name(text: Text, at: int) -> int:
    """The index after the name of a relative beside others: "my daughter Victoria and me", "my wife (71)"."""
    at += text.match(_SAID.in_law, at)
    at += 3 * (text[at + 1].is_number and (text.norm(at), text.norm(at + 2)) == ("(", ")"))
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
        return 1, noun + 1 + text.match(_SAID.in_law, noun + 1)
    if start > at + is_owned:  # "our 2 year old"
        return 1, start
    if word in _BORN_TOGETHER or word in ("parents", "grandparents"):
        return _BORN_TOGETHER.get(word, 2), noun + 1
    return (count, noun + 1) if count and word in _WORDS.several_relatives else None


_BORN_TOGETHER = {"twins": 2, "triplets": 3}


@lru_cache(maxsize=8)
def find_names(text: Text) -> tuple[NameMention, ...]:
    """Return the names of people in the message, in its order, those of relatives left out.

    Many are names of cities, too: nobody flies to Florence who says "send it to Florence, my assistant".
    """
    found: list[NameMention] = []
    is_introduced = text.has(_SAID.named)
    at = 0 if is_introduced or text.has_any(_WORDS.names_cues) else text.length
    while at < text.length:
        if not (is_introduced or text.tokens[at].raw[0].isupper()):
            at += 1
            continue
        # "Under the name Paris Hilton"
        first = after = at + (text.match(_SAID.named, at) if is_introduced else 0)
        while first > at and after < first + _NAMES_AT_MOST and _is_name(text, after):
            after += 1
        if after > first:
            found.append(NameMention(at, after))
        elif _is_name(text, at) and (_is_told_of(text, at) or _is_in_a_pair(text, at)):
            after = at + 1
            found.append(NameMention(at, after, is_beside_us=not _is_told_of(text, at)))
        at = max(at + 1, after if after > first else 0)
    return tuple(found)


def _is_told_of(text: Text, at: int) -> bool:
    """Whether somebody is called so, or gets or does something: "my son Austin", "ask Dallas".

    "Send the receipt to Florence", "to Florence, my assistant"; but not "for my son Berlin to Rome".
    """
    before, behind = text.norm(at - 1), text[at + 1]
    goes_on = behind.is_number or behind.is_capitalised or behind.norm in _WORDS.joins_cities
    if before in _WORDS.relatives and text.norm(at - 2) in _WORDS.owners and not goes_on:
        return True
    first = at - 1 - _WORDS_TO_A_NAME
    is_sent = text.has_any(_WORDS.sends, first, at) and text.has_any(_WORDS.papers, first, at)
    is_at_work = text.norm(at + 2) in _WORDS.owners and text.norm(at + 3) in _WORDS.other_work
    return (before == "to" and is_sent) or (behind.norm == "," and is_at_work) or before in _WORDS.asks


def _is_in_a_pair(text: Text, at: int) -> bool:
    """ "Austin and I", "me and Charlotte"; but not "Florence and I want a hotel", which may be a city."""
    before, behind = text.norm(at - 1), text.norm(at + 1)
    is_first = behind in ("and", "&") and text.norm(at + 2) in _WORDS.speaker
    is_first = is_first and (at == 0 or before in _WORDS.before_a_pair)
    is_second = before in ("and", "&") and text.norm(at - 2) in ("me", "myself")
    return (is_first or is_second) and text.norm(at + 3 if is_first else at + 1) in _WORDS.after_a_pair | {""}


def _is_name(text: Text, at: int) -> bool:
    token = text[at]
    return token.is_word and token.is_capitalised and token.norm not in _WORDS.speaker


def find_ages(text: Text) -> Iterator[SlotMention]:
    """Yield the children of a message, once for flights and once for stays; the words are those of ages."""
    known = _of_known(text)
    text = text.without(range(*known[1:])) if known else text
    ages: list[int] = []
    spans: list[tuple[int, int]] = []
    at = 0 if text.has_any(_WORDS.cues) else text.length
    while (at := text.next_of(_BEGIN, at)) < text.length:
        found = _old(text, at) or _children(text, at)
        if found:
            ages += found[0]
            spans.append(found[1:])
        at = max(found[2], at + 1) if found else at + 1
    told: tuple[int, ...] | AgesOfKnown = tuple(ages)
    if known:
        of_known = AgesOfKnown(ages=known[0], adults=1 + (not text.has_any(_WORDS.speakers)))
        told = of_known.filling(told) if told else of_known
        yield from _mentions(known[1:], told, is_counted=False)
    for span in spans if 0 < len(ages) <= _CHILDREN_AT_MOST else ():
        yield from _mentions(span, told)


def find_bare_ages(text: Text, count: int) -> Iterator[SlotMention]:
    """Yield the ages of so many children, where they are all that a message says: "4 and 9"."""
    first = text.skip(_WORDS.ahead, 0)
    told = _list(text, first) if count and has_numbers(text) and not text.has_any({"/"}) else None
    if told and len(told[0]) == count and text.skip(_WORDS.beside_ages, told[1], text.length) == text.length:
        yield from _mentions((first, told[1]), AgesOfKnown(ages=told[0], adults=2), is_counted=False)


def _mentions(
    span: tuple[int, int], ages: tuple[int, ...] | AgesOfKnown, *, is_counted: bool = True
) -> Iterator[SlotMention]:
    for slot in ("flight.children", "hotel.children"):
        yield SlotMention(first=span[0], after=span[1], slots={slot: ages}, is_counted=is_counted)


def ages_at(text: Text, at: int, count: int) -> Told:
    """Return the ages of so many children told from `at` on, where they begin, and the index behind them.

    Empty if none are told there.
    """
    after = start = text.skip(_BEFORE_AGES, at)
    first = next((each for each in range(at, start) if text.norm(each) in _WORDS.aged), start)
    ages: list[int] = []
    while len(ages) < count:  # where people speak no comma is heard: "4 7 and 11"
        joint = text.skip(_WORDS.joins_ages, after, 2) if ages else after
        read = whole_number(text, joint)
        if read is None or read[0] > _OLDEST or _is_day(text, joint, count):
            break
        if text.norm(read[1]) in _WORDS.people:
            break  # "kids aged 7, 2 adults"
        ages.append(read[0])
        after = read[1]
        if len(ages) < count and text.norm(after) in _WORDS.years_old:
            after = text.skip(_WORDS.old, after + 1, 1)
    if len(ages) != count:
        return (), at, at
    is_in_months = count == 1 and start > at and text.norm(after) in _WORDS.months_old
    ages = [ages[0] // _MONTHS_OF_A_YEAR] if is_in_months else ages
    is_told = first < start or text.has_any({"("}, at, start) or text.norm(start - 1) == "of"
    is_told = is_told or text.norm(after + 1) in _WORDS.old
    if is_in_months or text.norm(after) in _WORDS.years_old:
        after = text.skip(_WORDS.old, after + 1, 1)
        is_told = True
    is_closed = text.norm(after) == ")"
    after += is_closed
    # "2 kids 5 and 7", "1 child 6", but not "a child 5"
    is_apart = start > at or count > 1 or text[at - 2].is_number
    is_plain = is_apart and (is_closed or not text[after].is_word or text.norm(after) in _WORDS.after_ages)
    return (tuple(ages), first, after) if is_told or is_plain else ((), at, at)


def year_old(text: Text, at: int) -> int:
    """Return the index after an age such as "3 year old" or "6-year-old", 0 if none is told there."""
    read = whole_number(text, at)
    unit = text.skip({"-"}, read[1], 1) if read else -1
    old = text.skip({"-"}, unit + 1, 1)
    return old + 1 if text.norm(unit) in _UNITS and text.norm(old) in _WORDS.old else 0


def is_told_of_somebody(text: Text, at: int) -> bool:
    """Return whether what is told there of a relative is no journey: "my son hates", "my son Paul said"."""
    is_named = (text[at].is_word and text[at].is_capitalised) or (at < text.length and not text.norm(at))
    return text.norm(at) in _WORDS.no_traveller or (is_named and text.norm(at + 1) in _WORDS.no_traveller)


def are_adults(text: Text) -> bool:
    """Return whether adults are counted, and no children: "make that 3 adults", "3 adults and the kids"."""
    children = {text.norm(at - 1) for at in text.where(_WORDS.children)}
    return text.has_any(_WORDS.adults) and children <= _WORDS.no_children | _WORDS.owners


def are_all(text: Text) -> bool:
    """Return whether a count of adults tells that nobody else comes: "just 2 adults", "2 adults, no kids"."""
    is_without = any(text.norm(at - 1) in _WORDS.no_children for at in text.where(_WORDS.children))
    return are_adults(text) and (is_without or text.has_any(_WORDS.nobody_else))


def are_grown_up(text: Text, noun: int) -> bool:
    """Return whether girls or boys travel among themselves: "4 girls, hen do", "12 lads and 3 girls"."""
    if text.norm(noun) not in _WORDS.girls or text.has_any(_NOT_AMONG_THEMSELVES, noun - 2, noun):
        return False
    is_trip = any(text.norm(at + 1) in _WORDS.after_girls for at in text.where(_WORDS.girls) if at <= noun)
    return is_trip or text.has_any(_WORDS.among_themselves) or not text.has_any(_WORDS.elders)


def listed_children(text: Text, noun: int) -> int:
    """Return how many children are told by nothing but their ages: "kids aged 2, 7 and 13"."""
    found = _without_a_number(text, noun) if text.norm(noun) in _WORDS.children else None
    return len(found[0]) if found else 0


def _is_day(text: Text, at: int, count: int) -> bool:
    """Whether a number behind children is a day: "my son, 3-5 May", "a child, 4 to 11 July", "13-15"."""
    read = whole_number(text, at)
    if read and text.norm(read[1]) in _WORDS.up_to and text[read[1] + 1].is_number:
        return True
    span = read_span(text, at)
    return span is not None and not (count > 1 and span.end is None and text.norm(at + 1) == "/")


def _old(text: Text, at: int) -> Told | None:
    """ "a 3 year old", "my 6-year-old daughter": an age that stands before the child, or for it.

    The words are left to the reader of people, who counts by them.
    """
    after, read = year_old(text, at), whole_number(text, at)
    if not after or read is None or read[0] > _OLDEST:
        return None
    unit = text.norm(text.skip({"-"}, read[1], 1))
    months = read[0] if unit.startswith("m") else 0  # of weeks no year is full
    after = text.skip(_WORDS.any_children, after, 1)
    return (read[0] if unit in _WORDS.years else months // _MONTHS_OF_A_YEAR,), after, after


def _children(text: Text, at: int) -> Told | None:
    """Children who are named there, with their ages as far as those are told."""
    is_owned = text.norm(at) in _WORDS.owners
    start = at + (is_owned or text.norm(at) in ("a", "an", "another"))
    counted = whole_number(text, start) if is_owned or start == at else None
    count, noun = counted or (1, start)
    noun = text.skip(_WORDS.between, noun, start + _WORDS_TO_A_CHILD - noun)
    word = text.norm(noun)
    is_no_child = word not in _WORDS.any_children or text.norm(noun + 1) in _WORDS.for_children
    # "To visit my two daughters"
    owner = at if is_owned else at - (text.norm(at - 1) in _WORDS.owners)
    is_visited = owner < at + is_owned and text.has_any(_WORDS.visited, owner - 2, owner)
    if is_no_child or is_visited or text.norm(at - 1) in _WORDS.no_children:
        return None
    if is_owned and is_told_of_somebody(text, noun + 1):
        return None
    grown = whole_number(text, noun + 2) if text.norm(noun + 1) in ("(", ",") else None
    is_grown = grown and grown[0] > _OLDEST and text.norm(grown[1]) in (")", ",")  # "my daughter (19)"
    is_led = start > at or counted is not None
    if is_grown or (is_led and are_grown_up(text, noun)):
        return None
    is_several = word.endswith(("s", "children"))
    if not is_led or not 0 < count <= _CHILDREN_AT_MOST or (is_several and count == 1 and start > at):
        return _without_a_number(text, noun)
    told = ages_at(text, noun + 1, count)
    return told if told[0] else ((0 if word in _WORDS.babies else UNKNOWN_AGE,) * count, noun + 1, noun + 1)


def _without_a_number(text: Text, noun: int) -> Told | None:
    """ "kids aged 2, 7 and 13": the ages tell how many there are."""
    at = noun + 1
    is_told = text.norm(at) in _WORDS.aged or text.norm(at) == "("
    told = (ages_at(text, at, count) for count in range(_CHILDREN_AT_MOST, 0 if is_told else 1, -1))
    return next(((ages, at, after) for ages, _, after in told if ages), None)


def _of_known(text: Text) -> Told | None:
    """The ages of children who are counted elsewhere, told by nothing else or beside a word for them."""
    if not (text.has_any(_WORDS.cues_of_ages) and has_numbers(text)):
        return None
    first = text.skip(_WORDS.ahead, 0)
    told = _statements(text, first, is_clear=False)
    if told and text.skip(_WORDS.beside_ages, told[2], text.length) == text.length:
        return told
    child = next(iter(text.where(_WORDS.who_are_known)), text.length)
    starts = range(max(0, child - _WORDS_BEFORE_A_CHILD), text.length)
    return next((told for at in starts if (told := _statements(text, at, is_clear=True))), None)


def _statements(text: Text, at: int, *, is_clear: bool) -> Told | None:
    """Statements side by side; where they are to be `is_clear`, ages without a verb are none."""
    ages: tuple[int, ...] = ()
    after = at
    while told := _statement(
        text,
        text.skip(_WORDS.joins_ages, after, 2) if ages else at,
        is_elided=bool(ages),
        is_clear=is_clear,
    ):
        ages, after = ages + told[0], told[1]
    return (ages[:_CHILDREN_AT_MOST], at, after) if ages else None


def _statement(text: Text, at: int, *, is_elided: bool, is_clear: bool) -> tuple[tuple[int, ...], int] | None:
    """ "the kids are 4 and 8", "she's 6", "the other 8" (`is_elided`), "aged 4 and 8"."""
    many, verb = _subject(text, at)
    if not many:
        if is_clear or is_elided:
            return None
        start = at + (text.norm(at) in ("their", "the") and text.norm(at + 1) in _WORDS.aged)
        is_aged = text.norm(start) in _WORDS.aged
        start += is_aged
        told = _list(text, start + (is_aged and (text.norm(start) == ":" or text.norm(start) in _WORDS.are)))
        return told[:2] if told and (is_aged or told[2]) else None
    start = text.skip(_WORDS.are | _WORDS.beside_a_verb, verb)
    has_verb = text.norm(verb - 1) in _WORDS.holds_its_verb or start > verb
    told = _list(text, start) if many > 1 else _age(text, start)
    if told is None or not (has_verb or is_elided):
        return None
    ages, after, has_unit = told
    is_both = text.norm(start - 1) == "both"
    if many > len(ages) and not (has_unit or is_both):
        return None
    is_over = not text[after].is_word or text.norm(after) in _WORDS.after
    return (ages * 2 if is_both and len(ages) == 1 else ages, after) if is_over else None


def _subject(text: Text, at: int) -> tuple[int, int]:
    """How many are meant at least (0 for nobody), and the index behind the words for them."""
    word = text.norm(at)
    if word in _WORDS.she or (word == "one" and text.norm(at + 1) in _WORDS.are):
        return 1, at + 1
    if word in _WORDS.they:
        return 2, at + 1
    is_owned = word in _WORDS.owners or word in ("both", "all")
    noun = at + is_owned
    is_compared = text.norm(noun) in _WORDS.compared or (is_owned and text.norm(noun) in _WORDS.counted)
    noun += is_compared
    if text.norm(noun) in _WORDS.several:
        return (2, noun + 1) if is_owned and text.norm(noun + 1) in _WORDS.are else (0, at)
    if text.norm(noun) in _WORDS.one or (is_compared and text.norm(noun) == "one"):
        return (1, noun + 1) if is_owned or is_compared else (0, at)
    if is_owned and text.norm(noun) == "others":
        return 1, noun + 1
    return (1, noun) if is_compared else (0, at)


def _age(text: Text, at: int) -> tuple[tuple[int, ...], int, bool] | None:
    """One age, the index behind it, and whether its unit is told: "4", "10 months", "4 years old"."""
    read = whole_number(text, at)
    if read is None or text.norm(read[1]) in (":", "%", "/"):
        return None
    age, after = read
    unit = text.skip({"-"}, after, 1)
    is_months = text.norm(unit) in _WORDS.months_old
    has_unit = is_months or text.norm(unit) in _WORDS.years_old
    after = text.skip({"-", "old", "of", "age"}, unit + 1 if has_unit else after)
    age = age // _MONTHS_OF_A_YEAR if is_months else age
    return ((age,), after, has_unit) if age <= _OLDEST else None


def _list(text: Text, at: int) -> tuple[tuple[int, ...], int, bool] | None:
    """Ages side by side: "4, 8 and 12", "4 & 8 years old", and dictated: "4 7 and 11"."""
    ages, after, has_unit = (), at, False
    while further := _age(text, text.skip(_WORDS.joins_ages, after, 2) if ages else at):
        ages, after, has_unit = (*ages, *further[0]), further[1], has_unit or further[2]
    return (ages[:_CHILDREN_AT_MOST], after, has_unit) if ages else None
