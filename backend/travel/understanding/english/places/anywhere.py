"""Goals that are left open: "somewhere warm", "anywhere cheap", "surprise me"."""

from ...result import OpenGoal
from ..language.tables import phrases_of, words_of
from ..language.text import Text

_SAID = phrases_of("places")
_WORDS = words_of("places")


def words_of_open_goal(text: Text) -> frozenset[int]:
    """Return the tokens that leave a goal open, and those that tell it has to be warm."""
    if open_goal(text) is None:
        return frozenset()
    tokens: set[int] = set()
    for at in range(text.length):
        tokens.update(range(at, at + text.match(_SAID.open, at)))
    return frozenset(tokens)


def open_goal(text: Text) -> OpenGoal | None:
    """Return what is told of a goal that is left open, None where the message leaves none open."""
    if not text.has(_SAID.open) or text.has(_SAID.not_a_goal) or text.vocabulary.isdisjoint(_WORDS.of_travel):
        return None
    return OpenGoal(is_warm=not text.vocabulary.isdisjoint(_WORDS.warm))
