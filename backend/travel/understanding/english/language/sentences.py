"""The sentences of a message and their clauses, and what turns them round: negations, words taken back."""

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence, Set
from functools import lru_cache

from .numbers import NUMBERS, whole_number
from .tables import phrases_of, words_of
from .text import Text, text_of

_COMMA = frozenset({","})
_SAY = r"(?:let'?s say|shall we say|say)"
_HEDGE = rf"(?:{_SAY}|like)"
_HEDGED = re.compile(
    r"(?P<bound>\b(?:before|after|by|around|until|till|than|under|below|over|from|at))"
    rf"(?:,? {_HEDGE},?(?= )|, {_HEDGE}, )"
    rf"|(?P<begun>^|[,;.-] ?){_SAY}(?= (?:not|no later|no earlier|by|after|around|at most|under|\d))",
    re.IGNORECASE,
)

_NEITHER = re.compile(r"\bneither (?!of )(?:an? |the )?([^,.;!?]+?),? nor (?:an? |the )?", re.IGNORECASE)
_NONE_OF_US = re.compile(r"\b(?:neither|none) of us (like|want|fly|need)s?\b", re.IGNORECASE)


def with_each_denied(message: str) -> str:
    """Return a message in which "neither a pool nor a gym" is "no pool and no gym", as readers deny it."""
    message = _NONE_OF_US.sub(r"we don't \1", message)
    return _NEITHER.sub(lambda told: f"no {told[1]} and no ", message)


def without_hedges(message: str) -> str:
    """Return a message with blanks for what makes a bound rough: "before, like, ten", "say not till 9"."""
    return _HEDGED.sub(lambda told: (told["bound"] or told["begun"] or "").ljust(len(told[0])), message)


@lru_cache(maxsize=8)
def clauses(text: Text) -> Sequence[tuple[int, int]]:
    """Return the index of the first token of each clause, and that of the sign behind it."""
    commas = text.where(_COMMA)
    if not commas:
        return text.sentences
    found: list[tuple[int, int]] = []
    for first, after in text.sentences:
        begun = first
        for at in (*(comma for comma in commas if first <= comma < after), after):
            if at > begun:
                found.append((begun, at))
            begun = at + 1
    return found


def sentence_around(text: Text, index: int) -> tuple[int, int]:
    """Return the sentence in which the token at that index stands, or the empty one there."""
    at = bisect_right(text.sentences, index, key=_first) - 1
    first, after = text.sentences[at] if at >= 0 else (index, index)
    return (first, after) if index < after else (index, index)


def _first(sentence: tuple[int, int]) -> int:
    return sentence[0]


_SAID = phrases_of("language")
_WORDS = words_of("language")

_BEFORE_A_WAY_BACK = _WORDS.before_a_way_back | {""}
_TO_WORK = frozenset({"at", "in", "to", "the", "my", "our"})

_LOOK_BACK = 9
_LONGEST = 4
"""Tokens of the longest phrase that leaves something out: "any other airline than"."""


def without_a_first(text: Text) -> Text:
    """Return the message without a "first" that tells when, and no offer: "show me the others first"."""
    last = text.length - 1 - (text.norm(text.length - 1) in (".", "!", "?"))
    is_when = text.norm(last) == "first" and text.norm(last - 1) in _WORDS.looked_at_first
    return text.without({last}) if is_when else text


def negation_before(text: Text, at: int) -> int:
    """Return the index of the negation under which the bound at `at` is told, -1 without one."""
    found = negation_of(text, at)
    return found.start if found else -1


def negation_of(text: Text, at: int, beside: Set[str] = frozenset()) -> range:
    """Return the tokens of the negation under which what stands at `at` is told, an empty range without one.

    Words `beside` let it through as well: "not with" Lufthansa.
    """
    for before in range(at - 1, max(-1, at - 1 - _LOOK_BACK), -1):
        if found := _negation_at(text, before):
            # "Why not Lufthansa?", "nothing without a pool"
            is_turned = text.norm(found.start - 1) in _WORDS.negations | {"why"}
            return range(0) if is_turned else found
        word = text.norm(before)
        is_of_an_hour = text[before].is_number or word in _WORDS.a_hour
        if word not in _WORDS.through | beside and not (is_of_an_hour and _is_joined(text, before, at)):
            break
    return range(0)


def _negation_at(text: Text, last: int) -> range:
    """The negation that ends there: "not", "anything but", "other than"."""
    if text.norm(last + 1) in _WORDS.negations:
        return range(0)  # "any time but not too early"
    for first in range(last, max(-1, last - _LONGEST), -1):
        if text.match(_SAID.leaves_out, first) == last + 1 - first:
            return range(first, last + 1)
    word = text.norm(last)
    is_answer = word == "no" and text.norm(last + 1) in _WORDS.behind_an_answer
    is_negation = word in _WORDS.negations and word not in ("nor", "neither") and not is_answer
    return range(last, last + 1) if is_negation else range(0)


def is_waived(text: Text, at: int) -> bool:
    """Return whether somebody has nothing against what is told at `at`: "I don't mind stopping"."""
    for before in range(at - 1, max(-1, at - 1 - _LOOK_BACK), -1):
        word = text.norm(before)
        is_no_need = word in _WORDS.negations_needs or (word == "have" and text.norm(before + 1) == "to")
        if word in _WORDS.waives or is_no_need:
            return any(text.norm(each) in _WORDS.negations for each in range(max(0, before - 3), before))
        if (
            word not in _WORDS.through
            and word not in _WORDS.negations
            and word not in ("with", "of", "about", "if")
        ):
            return False
    return False


def _is_joined(text: Text, first: int, at: int) -> bool:
    """Whether "or" joins an hour to the bound: "not before 9 or after 22:00"."""
    joints: Collection[str] = {text.norm(each) for each in range(first, at)}
    return not joints.isdisjoint({"or", "nor"})


def way_back_at(text: Text, at: int) -> int:
    """Return the index behind words that tell, behind a day, that somebody comes back on it; 0 without any.

    "Sunday evening I have to be home again"; "Sunday, back home" tells it without a verb. Words that other
    readers have taken are passed over.
    """
    clause = text.skip(_COMMA, at, 1)
    said = text.skip(_BEFORE_A_WAY_BACK, clause, _AT_MOST)
    length = text.match(_SAID.comes_back, said)
    after = text.skip({"again"}, said + length)
    is_told = text.has_any(_WORDS.who_comes_back, clause, said)
    is_bare = text.norm(said) in ("back", "home") and text.norm(after) in _WORDS.behind_a_way_back
    return after if length and (is_told or is_bare) else 0


def is_before_work(text: Text, at: int) -> bool:
    """Return whether somebody is there to be back at work: "back (in the office on Monday)"."""
    first = text.skip(_TO_WORK, at, 2)
    return first > at and text.norm(first) in _WORDS.at_work


_AT_MOST = 8


def takes_back(text: Text, first: int, after: int) -> bool:
    """Return whether the tokens from `first` up to `after`, between two names or dates, take back the former.

    Nothing else may stand between them.
    """
    if not 0 < after - first <= _AT_MOST:
        return False
    between = [word for at in range(first, after) if (word := text.norm(at))]
    begun = next((at for at, word in enumerate(between) if word in _WORDS.takes_back), after)
    beside = _WORDS.takes_back | _WORDS.corrections_beside
    return begun < after and beside.issuperset(between[begun:]) and _BEFORE.issuperset(between[:begun])


def corrected(message: str) -> str:
    """Return the message with each number that is put right in it as it is meant: "4 stars, no 5 actually".

    What counts something else puts nothing right: "2 people, actually 3 nights".
    """
    text, before = text_of(message), range(0)
    at = text.length if text.vocabulary.isdisjoint(_WORDS.takes_back) else 0
    while (at := text.next_of(NUMBERS | _WORDS.nth, at)) < text.length:
        is_nth = text.norm(at) in _WORDS.nth
        read = (0, text.skip({"one"}, at + 1, 1)) if is_nth else whole_number(text, at)
        now = range(at, read[1] if read else at + 1)
        is_alike = read and before and (text.norm(before.start) in _WORDS.nth) == is_nth
        if is_alike and (left := _put_right(text, before, now)):
            return corrected(left)
        before, at = now if read else before, now.stop
    return message


def _put_right(text: Text, before: range, now: range) -> str:
    """The message with one number in the place of the one before it, "" if it puts that not right."""
    begun = first = now.start - (text.norm(now.start - 1) in _WORDS.signs)
    while begun > before.stop and text.norm(begun - 1) in _WORDS.takes_back | _BEFORE:
        begun -= 1
    counted, unit = text.norm(before.stop), text.norm(now.stop)
    after = now.stop + (unit in _WORDS.ordinals) + 2 * text.says(now.stop, "of", "us")
    is_told = takes_back(text, begun, first) and "not" not in text.said(begun, first)
    is_part = bool({text.norm(before.start - 1), text.norm(after)} & {"/", ":"})
    if is_part or not is_told or text.is_glued(after + 1):
        return ""
    is_bare = text.norm(after) in _WORDS.behind_a_number
    is_alike = counted.removesuffix("s") == unit.removesuffix("s") or {counted, unit} <= _WORDS.ordinals
    if begun == before.stop:
        is_of_people = text.norm(before.start - 1) == "for" and unit in _WORDS.people
        is_alike = is_bare or is_of_people or unit in _WORDS.told_once
    start, source = text[before.start].start, text.source
    if is_alike and not (is_bare and begun > before.stop + 1):
        return source[:start] + source[text[now.start].start :]
    is_beside = is_bare and begun - before.stop <= _WORDS_COUNTED and text.norm(begun - 1) != ","
    told = text.spelled(now.start, now.stop) + source[text[before.stop - 1].end : text[begun - 1].end]
    return source[:start] + told + source[text[after - 1].end :] if is_beside else ""


_WORDS_COUNTED = 4
_BEFORE = _WORDS.corrections_beside | _WORDS.praises
