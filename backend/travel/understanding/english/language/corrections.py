"""Words with which somebody takes back what they have just said: "to Rome, no, Milan"."""

from .text import Text, word_set

_TAKES_BACK = word_set("no sorry wait actually rather mean meant correction oops scratch instead nope")
_BESIDE = word_set(
    """
    , . - ; : ! ... i that to from in on or the make it say not let's change well uh um er ah oh please
    better for returning return leaving
    """
)
_AT_MOST = 8


def takes_back(text: Text, first: int, after: int) -> bool:
    """Return whether the tokens from `first` up to `after`, between two names or dates, take back the former.

    Nothing else may stand between them.
    """
    if not 0 < after - first <= _AT_MOST:
        return False
    between = [text.norm(at) for at in range(first, after)]
    if any(word not in _BESIDE and word not in _TAKES_BACK for word in between):
        return False
    return not _TAKES_BACK.isdisjoint(between)
