"""Goals that are left open: "somewhere warm", "anywhere cheap", "surprise me"."""

from ...result import OpenGoal
from ..language.text import Text, phrases, word_set

_OPEN = phrases(
    "somewhere warm", "somewhere hot", "somewhere nice and warm", "someplace warm", "somewhere warmer",
    "somewhere nice and hot", "somewhere nice and sunny", "someplace sunny", "somewhere that's warm",
    "somewhere sunny", "somewhere cheap", "somewhere in the sun",
    "somewhere by the sea", "somewhere in the south", "anywhere warm", "anywhere cheap",
    "anywhere sunny", "anywhere hot", "anywhere in the sun", "anywhere under", "anywhere from",
    "fly anywhere", "surprise me", "where can i fly", "where could i fly", "warm place", "warm places",
    "sunny place", "where is it warm", "where's it warm", "wherever is cheapest", "wherever it is warm",
    "cheap destinations", "cheapest destination", "cheapest destinations", "inspire me",
    "fly somewhere", "where can i go for", "where can we go for", "where could i go for",
    "anywhere below", "anywhere at all", "anywhere really",
    "anywhere you like", "anywhere is fine", "wherever you like",
)  # fmt: skip
_OF_TRAVEL = word_set(
    """
    fly flight flights flying go going travel trip trips holiday holidays vacation getaway weekend away
    january february march april may june july august september october november december from under cheap
    warm hot sunny sun beach surprise inspire destination destinations really you is
    """
)
_WARM = word_set("warm warmer hot sunny sun sunshine beach beaches")
_NOT_A_GOAL = phrases(
    "anywhere else", "somewhere else", "somewhere near", "somewhere close", "somewhere central",
    "somewhere to stay", "somewhere to sleep", "anywhere near", "anywhere but", "somewhere around",
    "somewhere in the middle", "somewhere in the centre", "somewhere in the center", "somewhere quiet",
    "somewhere really nice to stay", "somewhere nice to stay", "from anywhere", "from somewhere",
)  # fmt: skip


def words_of_open_goal(text: Text) -> frozenset[int]:
    """Return the tokens that leave a goal open, and those that tell it has to be warm."""
    if open_goal(text) is None:
        return frozenset()
    tokens: set[int] = set()
    for at in range(text.length):
        tokens.update(range(at, at + text.match(_OPEN, at)))
    return frozenset(tokens)


def open_goal(text: Text) -> OpenGoal | None:
    """Return what is told of a goal that is left open, None where the message leaves none open."""
    if not text.has(_OPEN) or text.has(_NOT_A_GOAL) or text.vocabulary.isdisjoint(_OF_TRAVEL):
        return None
    return OpenGoal(is_warm=not text.vocabulary.isdisjoint(_WARM))
