"""What is said beside an act and asks for no search: on what condition it is meant, and what waits for later.

A condition must not narrow the search: "the first flight" is then the first of another list.
"""

from collections.abc import Collection, Iterator

from ..language.sentences import clauses
from ..language.text import Text, phrases, word_set
from . import words

_CONDITIONS = phrases(
    "provided", "providing", "as long as", "so long as", "on condition", "on the condition", "only if it is",
    "only if it's", "if it is", "if it's", "if its", "only if that is", "only if that's", "if that is",
    "if that's", "if they are", "only if they are", "if they're", "if it has", "if it includes",
    "if it comes with",
)  # fmt: skip
_BEGIN_A_CONDITION = word_set("if unless otherwise")
_LEAVES_OPEN = word_set("think thinking decide deciding later yet not consider considering myself ourselves")
_AROUND = word_set(
    """
    i we i'll we'll ill well will would need to want have must can about on over the a my our for more still
    let me us it that maybe perhaps probably then now and but as of some first please going i'm im only just
    time bit is are no don't dont
    """
)
"""With a kind of offer and a word that leaves it open these say nothing else: "flight I think more"."""


def condition_from(text: Text, first: int, after: int) -> int:
    """Return where a condition begins in these tokens, `after` where none does: "if it is refundable"."""
    for at in range(first, after):
        is_trail = any(text.match(words.TRAILS, at - back) > back for back in range(2) if at - back >= first)
        if text.match(_CONDITIONS, at) and not is_trail:
            return at
    return after


def conditions(text: Text, told: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield the spans outside the tokens `told` on which an act depends, and what is to be done otherwise."""
    for first, after in text.sentences:
        opened = next((at for at in range(first, after) if text.norm(at) not in words.OPENERS), after)
        if text.norm(opened) in _BEGIN_A_CONDITION and opened not in told:
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
        is_open = not _LEAVES_OPEN.isdisjoint(said) and told and not set(range(first, after)) & set(told)
        if kinds and is_open and all(word in _AROUND | _LEAVES_OPEN or word in kinds for word in said):
            tokens.update(range(first, after))
    return frozenset(tokens)


def _singular(word: str) -> str:
    return word.removesuffix("s")
