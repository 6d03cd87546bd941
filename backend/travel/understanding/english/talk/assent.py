"""Whether a message agrees to what was put to the user, or declines it.

What is merely put forward may be agreed to in passing. What is done once and for all may not: to that only a
message consents which says nothing else (`decisions.decision_in`).
"""

from typing import Literal

from ..language.sentences import clauses
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from .praise import find_praise

_SAID = phrases_of("decisions")
_WORDS = words_of("decisions")

Assent = Literal["yes", "no", ""]

_OPENERS_AT_MOST = 4
_WORDS_BEFORE = 4


def assent(text: Text) -> Assent:
    """Return whether the message agrees ("yes", "that works for me") or declines; "" if neither."""
    for at in range(min(_OPENERS_AT_MOST, text.length)):
        if text.match(_SAID.yes, at) and not (text.norm(at) == "good" and text.norm(at + 1) == "morning"):
            return "yes"
        if text.match(_SAID.no, at):
            return "no"
        if text.norm(at) not in _WORDS.openers:
            break
    praised = find_praise(text)
    if praised < 0:
        return ""
    before = {text.norm(at) for at in range(max(0, praised - _WORDS_BEFORE), praised)}
    return "" if before & _WORDS.denied or _asks(text, praised) else "yes"


def declines(text: Text) -> bool:
    """Return whether a message declines what was put to the user, and wants nothing instead."""
    if assent(text) != "no" and not text.has(_SAID.later):
        return False
    is_wish = any(_is_wish(text, first, after) for first, after in clauses(text))
    return not is_wish and "?" not in text.vocabulary


def _is_wish(text: Text, first: int, after: int) -> bool:
    """Whether a clause wants something, and neither denies that nor puts it off: "I'll book it later"."""
    said = {text.norm(at) for at in range(first, after)}
    is_put_off = text.norm(after - 1) in _WORDS.later_words
    return not said.isdisjoint(_WORDS.wants) and said.isdisjoint(_WORDS.denied) and not is_put_off


def _asks(text: Text, praised: int) -> bool:
    """Whether the praise is part of a question: "Do you know what is good there?"."""
    ends = (at for at in range(praised, text.length) if text.norm(at) in (".", "!", "?", ","))
    return text.norm(next(ends, text.length)) == "?"
