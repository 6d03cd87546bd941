"""Whether something is liked: "that sounds really good", "works for me", "I'll take it".

A verb of seeming with a word of praise behind it, or one of the ways to take what is offered.
"""

from ..language.tables import phrases_of, words_of
from ..language.text import Text

_SAID = phrases_of("talk")
_WORDS = words_of("talk")

_BEGINNINGS = _WORDS.seems | _SAID.taken.begin


def find_praise(text: Text, first: int = 0, after: int | None = None) -> int:
    """Return the index at which something is liked, from `first` up to `after`; -1 if nothing is."""
    if text.vocabulary.isdisjoint(_BEGINNINGS):
        return -1
    end = text.length if after is None else after
    begun = (at for at in text.each_of(_BEGINNINGS) if first <= at < end)
    return next((at for at in begun if text.match(_SAID.taken, at) or _is_good(text, at)), -1)


def _is_good(text: Text, at: int) -> bool:
    """Whether a verb of seeming stands there, with praise behind it."""
    if text.norm(at) not in _WORDS.seems or text.norm(at - 1) == "you":
        return False
    behind = at + 1
    while behind < at + 3 and text.norm(behind) in _WORDS.adverbs:
        behind += 1
    is_it = text.norm(behind) == "it" and text.norm(at) not in ("thats", "that's")
    return text.norm(behind) in _WORDS.good and not is_it
