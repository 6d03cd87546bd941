"""Children who are only spoken of, and do not travel: "my daughter just had a baby"."""

from collections.abc import Collection, Iterator
from itertools import pairwise

from ..language.sentences import clauses
from ..language.tables import phrases_of, words_of
from ..language.text import Text

_SAID = phrases_of("people")
_WORDS = words_of("people")

_CHILDREN = _WORDS.any_children | _WORDS.several | {"twins", "triplets"}
_BETWEEN = 6
"""Tokens within which the verb stands behind who has a child, and the child behind the verb."""


def children_of_others(text: Text) -> frozenset[int]:
    """Return the tokens of children whom others have, and of who has them if one is born.

    Who has just had a baby is at home; who only has one may bring it, unless it is told where they are.
    """
    if text.vocabulary.isdisjoint(_CHILDREN) or text.vocabulary.isdisjoint(_WORDS.have_children):
        return frozenset()
    found = set[int]()
    for first, after in _parts(text):
        if text.said(first, after).isdisjoint(_WORDS.comes_along):
            for at in range(first, after):
                found.update(_of_another(text, first, at, after))
    return frozenset(found)


def _parts(text: Text) -> Iterator[tuple[int, int]]:
    """The clauses, also those behind a "so" or "but"."""
    for first, after in clauses(text):
        ends = [at for at in text.where(_WORDS.goes_on) if first < at < after]
        yield from pairwise((first, *ends, after))


def _of_another(text: Text, first: int, at: int, after: int) -> Collection[int]:
    """The tokens of the children of the one who is named there, in a clause: "my son", "our niece", "she"."""
    if length := text.match(_SAID.expects, at):
        return range(at, _behind_a_child(text, at + length, after) or at)
    is_owned = text.norm(at) in _WORDS.owners
    who = at + is_owned + (text.norm(at + 1) in _WORDS.close_to_us)
    if text.norm(who) not in (_WORDS.who_may_have_them if is_owned else _WORDS.third):
        return ()
    for verb in range(who + 1, min(after, who + _BETWEEN)):
        born = text.match(_SAID.is_born, verb) or text.match(_SAID.expects, verb)
        length = born or text.match(_SAID.has_children, verb) or text.match(_SAID.joins_children, verb)
        behind = _behind_a_child(text, verb + length, after) if length else 0
        if text.norm(verb) in _WORDS.we_too or (length and not behind):
            break
        if born:
            return {*range(at, who + 1), *range(verb, behind)}
        if length and is_owned:
            is_joined = text.match(_SAID.joins_children, verb) > 0
            told = text.said(who, verb) if is_joined else text.said(first, after)
            is_there = text.norm(at - 1) in _WORDS.visited or text.norm(behind) in _WORDS.does_there
            return range(verb, behind) if is_there or not told.isdisjoint(_WORDS.is_elsewhere) else ()
    return ()


def _behind_a_child(text: Text, at: int, after: int) -> int:
    """The index behind the first child there, and its age; 0 without any."""
    some = (each + 1 for each in range(at, min(after, at + _BETWEEN)) if text.norm(each) in _CHILDREN)
    return next(some, 0)
