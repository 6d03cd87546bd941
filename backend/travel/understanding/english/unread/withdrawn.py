"""Which wishes that were not used a message takes back: "forget the sea view"."""

from collections.abc import Sequence

from ..language.tables import phrases_of
from ..language.text import Text
from .words import NO_WISH

_SAID = phrases_of("unread")


def find_withdrawn(text: Text, wishes: Sequence[str]) -> tuple[str, ...]:
    """Return those of the wishes, told in earlier messages, that a message takes back in one sentence."""
    found: dict[str, None] = {}
    for first, after in text.sentences if wishes else ():
        if text.find(_SAID.takes_back, first, after) < 0:
            continue
        said = {text.norm(at) for at in range(first, after)}
        found.update((wish, None) for wish in wishes if _words(wish) <= said)
    return tuple(found)


def _words(wish: str) -> set[str]:
    """The words of a wish that count, all of them if none does."""
    words = {token.norm for token in Text(wish).tokens if token.is_word or token.is_number}
    return words - NO_WISH or words
