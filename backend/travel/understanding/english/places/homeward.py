"""Journeys that open with the way home: "go home to Dublin for Christmas, I'm in Frankfurt".

"Home to" and "back to" tell the way back of a journey. Where a message tells of no other goal, and nothing
was asked for before, home is where the journey goes to.
"""

from ...places.gazetteer import Gazetteer
from ..language.text import Text, word_set
from .places import find_places

_HOME = word_set("home back")
_BEFORE = word_set(
    """
    go going get getting fly flying travel travelling traveling head heading come coming flight flights trip
    ticket tickets way need me us journey
    """
)
"""Before "home" these tell of a journey: "a flight home to Oslo"."""


def with_home_as_goal(text: Text, gazetteer: Gazetteer) -> Text:
    """Return an opening message without the word that makes its only goal the way back of a journey."""
    if _HOME.isdisjoint(text.vocabulary):
        return text
    homes = [
        at for at in range(text.length) if text.norm(at) in _HOME and text.norm(at - 1) in _BEFORE | {""}
    ]
    if len(homes) != 1 or (text.norm(homes[0] - 1) == "" and homes[0] > 0):
        return text
    forth = text.without(homes)
    places = find_places(forth, gazetteer)
    goals = [one for one in (*places.mentions, *places.unknown) if one.role != "origin"]
    is_only_goal = len(goals) == 1 and goals[0].role == "destination" and goals[0].first > homes[0]
    return forth if is_only_goal else text
