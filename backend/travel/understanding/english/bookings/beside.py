"""What is said beside an act and asks for no search: on what condition it is meant, and what waits for later.

A condition must not narrow the search: "the first flight" is then the first of another list.
"""

from collections.abc import Collection, Iterator

from ..language.sentences import clauses
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from . import words

_SAID = phrases_of("bookings")
_WORDS = words_of("bookings")


def condition_from(text: Text, first: int, after: int) -> int:
    """Return where a condition begins in these tokens, `after` where none does: "if it is refundable"."""
    for at in range(first, after):
        is_trail = any(text.match(_SAID.trails, at - back) > back for back in range(2) if at - back >= first)
        if text.match(_SAID.conditions, at) and not is_trail:
            return at
    return after


def conditions(text: Text, told: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield the spans outside the tokens `told` on which an act depends, and what is to be done otherwise."""
    for first, after in text.sentences:
        opened = next((at for at in range(first, after) if text.norm(at) not in _WORDS.openers), after)
        if text.norm(opened) in _WORDS.begin_a_condition and opened not in told:
            yield opened, after
            continue
        begun = condition_from(text, first, after)
        if begun < after and begun not in told:
            yield begun, after


def left_open(text: Text, told: Collection[int]) -> frozenset[int]:
    """Return the tokens of clauses that leave another kind for later: "flight I think more", "no car yet"."""
    tokens: set[int] = set()
    for first, after in clauses(text):
        said = [text.norm(at) for at in range(first, after)]
        kinds = [word for word in said if word in words.KIND_OF or _singular(word) in words.KIND_OF]
        is_open = (
            not _WORDS.leaves_open.isdisjoint(said) and told and not set(range(first, after)) & set(told)
        )
        if (
            kinds
            and is_open
            and all(word in _WORDS.around | _WORDS.leaves_open or word in kinds for word in said)
        ):
            tokens.update(range(first, after))
    return frozenset(tokens)


def _singular(word: str) -> str:
    return word.removesuffix("s")
