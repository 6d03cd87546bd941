"""Which wishes that were not used a message takes back: "forget the sea view"."""

from collections.abc import Sequence

from ..language.text import Text, phrases
from .words import NO_WISH

_TAKES_BACK = phrases(
    "forget", "drop", "skip", "without", "no", "not", "never mind", "nevermind", "don't need", "do not need",
    "don't want", "do not want", "remove", "cancel", "scrap", "leave out", "ignore", "doesn't matter",
    "does not matter", "isn't important", "don't care about", "do not care about", "isn't necessary",
    "scratch", "no need for",
)  # fmt: skip


def find_withdrawn(text: Text, wishes: Sequence[str]) -> tuple[str, ...]:
    """Return those of the wishes, told in earlier messages, that a message takes back in one sentence."""
    found: dict[str, None] = {}
    for first, after in text.sentences if wishes else ():
        if text.find(_TAKES_BACK, first, after) < 0:
            continue
        said = {text.norm(at) for at in range(first, after)}
        found.update((wish, None) for wish in wishes if _words(wish) <= said)
    return tuple(found)


def _words(wish: str) -> set[str]:
    """The words of a wish that count, all of them if none does."""
    words = {token.norm for token in Text(wish).tokens if token.is_word or token.is_number}
    return words - NO_WISH or words
