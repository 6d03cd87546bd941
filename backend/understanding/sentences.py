"""Where the sentences of a message begin and end, and the clauses within them."""

from collections.abc import Iterator

from backend.understanding.text import Text, word_set

SENTENCE_ENDS = word_set(". ! ? ;")
CLAUSE_ENDS = SENTENCE_ENDS | {","}


def sentences(text: Text, *, ends: frozenset[str] = SENTENCE_ENDS) -> Iterator[tuple[int, int]]:
    """Yield the index of the first token of each sentence, and that of the sign behind it."""
    first = 0
    for at in range(text.length + 1):
        if at == text.length or text.norm(at) in ends:
            if at > first:
                yield first, at
            first = at + 1


def sentence_around(text: Text, index: int) -> tuple[int, int]:
    """Return the sentence in which the token at that index stands, or the empty one there."""
    return next(
        ((first, after) for first, after in sentences(text) if first <= index < after), (index, index)
    )
