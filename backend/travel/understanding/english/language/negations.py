"""Negations that turn a bound round: who "can't leave before 9" leaves from 9 on.

A negation counts only if all words between it and the bound are known to let it through: another object
ends it ("no stops, arriving before 6"), and so does a step to another clause ("but", "and").
"""

from collections.abc import Collection

from .text import Text, phrases, word_set

NEGATIONS = word_set(
    """
    not never cant cannot wont mustnt shouldnt couldnt wouldnt dont doesnt didnt isnt arent neednt nothing
    none no unable without avoid avoiding exclude excluding except hate refuse neither nor
    """
)
_WAIVES = word_set("mind care matter matters problem issue bother bothers object fuss")
"""Behind a negation these tell that somebody has nothing against it: "I don't mind leaving before 6"."""
OVER = phrases(
    "over", "above", "more than", "more then", "more as", "higher than", "more expensive than", "dearer than",
    "exceed",    "exceeding", "exceeds", "beyond", "longer than", "past", "upwards of",
)  # fmt: skip
UNDER = phrases("under", "below", "less than", "less then", "cheaper than", "lower than", "shorter than")
_NEEDS = word_set("need needs needed necessary")
_THROUGH = word_set(
    """
    to be has want wants like able willing allowed supposed going go get getting being any anything
    a an the it i we us me in is are that which there please really ever either or nor at all even
    flight flights departure departures arrival arrivals plane planes takeoff take off touchdown set out
    leave leaves leaving depart departs departing fly flies flying start starts starting arrive arrives
    arriving land lands landing return returns returning back home come coming make reach options option
    cost costs pay paying spend spending hotel hotels room rooms layover layovers stopover stopovers
    takes lasts priced rated
    """
)
_LOOK_BACK = 9
_A_HOUR = word_set("am pm o'clock oclock noon midday : after before by until till than later earlier")


def negation_before(text: Text, at: int) -> int:
    """Return the index of the negation under which the bound at `at` is told, -1 without one."""
    for before in range(at - 1, max(-1, at - 1 - _LOOK_BACK), -1):
        word = text.norm(before)
        if word in NEGATIONS and word not in ("nor", "neither"):
            return before
        is_of_an_hour = text[before].is_number or word in _A_HOUR
        if word not in _THROUGH and not (is_of_an_hour and _is_joined(text, before, at)):
            return -1
    return -1


def is_waived(text: Text, at: int) -> bool:
    """Return whether somebody has nothing against what is told at `at`: "I don't mind stopping"."""
    for before in range(at - 1, max(-1, at - 1 - _LOOK_BACK), -1):
        word = text.norm(before)
        is_no_need = word in _NEEDS or (word == "have" and text.norm(before + 1) == "to")
        if word in _WAIVES or is_no_need:
            return any(text.norm(each) in NEGATIONS for each in range(max(0, before - 3), before))
        if word not in _THROUGH and word not in NEGATIONS and word not in ("with", "of", "about", "if"):
            return False
    return False


def _is_joined(text: Text, first: int, at: int) -> bool:
    """Whether "or" joins an hour to the bound: "not before 9 or after 22:00"."""
    joints: Collection[str] = {text.norm(each) for each in range(first, at)}
    return not joints.isdisjoint({"or", "nor"})
