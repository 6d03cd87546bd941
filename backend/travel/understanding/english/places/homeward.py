"""Journeys that open with the way home: "go home to Dublin for Christmas, I'm in Frankfurt".

"Home to" and "back to" tell the way back of a journey. Where a message tells of no other goal, and nothing
was asked for before, home is where the journey goes to.
"""

from ...places.gazetteer import Gazetteer
from ..language.tables import words_of
from ..language.text import Text
from .places import find_places

_WORDS = words_of("places")


def with_home_as_goal(text: Text, gazetteer: Gazetteer) -> Text:
    """Return an opening message without the word that makes its only goal the way back of a journey."""
    if _WORDS.home.isdisjoint(text.vocabulary):
        return text
    homes = [
        at
        for at in range(text.length)
        if text.norm(at) in _WORDS.home and text.norm(at - 1) in _WORDS.before | {""}
    ]
    if len(homes) != 1 or (text.norm(homes[0] - 1) == "" and homes[0] > 0):
        return text
    forth = text.without(homes)
    places = find_places(forth, gazetteer)
    goals = [one for one in (*places.mentions, *places.unknown) if one.role != "origin"]
    is_only_goal = len(goals) == 1 and goals[0].role == "destination" and goals[0].first > homes[0]
    return forth if is_only_goal else text
