"""Where the sentences of a message begin and end, and the clauses within them."""

from bisect import bisect_right
from collections.abc import Iterator

from .text import Text

_COMMA = frozenset({","})


def clauses(text: Text) -> Iterator[tuple[int, int]]:
    """Yield the index of the first token of each clause, and that of the sign behind it."""
    commas = text.where(_COMMA)
    for first, after in text.sentences:
        begun = first
        for at in (*(comma for comma in commas if first <= comma < after), after):
            if at > begun:
                yield begun, at
            begun = at + 1


def sentence_around(text: Text, index: int) -> tuple[int, int]:
    """Return the sentence in which the token at that index stands, or the empty one there."""
    at = bisect_right(text.sentences, index, key=_first) - 1
    first, after = text.sentences[at] if at >= 0 else (index, index)
    return (first, after) if index < after else (index, index)


def _first(sentence: tuple[int, int]) -> int:
    return sentence[0]
