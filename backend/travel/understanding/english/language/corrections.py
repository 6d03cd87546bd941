"""Words with which somebody takes back what they have just said: "to Rome, no, Milan"."""

from .tables import words_of
from .text import Text

_WORDS = words_of("language")

_AT_MOST = 8


def takes_back(text: Text, first: int, after: int) -> bool:
    """Return whether the tokens from `first` up to `after`, between two names or dates, take back the former.

    Nothing else may stand between them.
    """
    if not 0 < after - first <= _AT_MOST:
        return False
    between = [text.norm(at) for at in range(first, after)]
    if any(word not in _WORDS.corrections_beside and word not in _WORDS.takes_back for word in between):
        return False
    return not _WORDS.takes_back.isdisjoint(between)
