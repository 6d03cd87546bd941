"""Negations that turn a bound round: who "can't leave before 9" leaves from 9 on.

A negation counts only if all words between it and the bound are known to let it through: another object
ends it ("no stops, arriving before 6"), and so does a step to another clause ("but", "and").
"""

from collections.abc import Collection

from .tables import words_of
from .text import Text

_WORDS = words_of("language")

_LOOK_BACK = 9


def negation_before(text: Text, at: int) -> int:
    """Return the index of the negation under which the bound at `at` is told, -1 without one."""
    for before in range(at - 1, max(-1, at - 1 - _LOOK_BACK), -1):
        word = text.norm(before)
        if word in _WORDS.negations and word not in ("nor", "neither"):
            return before
        is_of_an_hour = text[before].is_number or word in _WORDS.a_hour
        if word not in _WORDS.through and not (is_of_an_hour and _is_joined(text, before, at)):
            return -1
    return -1


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
