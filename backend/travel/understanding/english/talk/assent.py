"""Whether a message agrees to what was put to the user, or declines it.

What is merely put forward may be agreed to in passing. What is done once and for all may not: to that only a
message consents which says nothing else (`decisions.decision_in`).
"""

from typing import Literal

from ..language.sentences import clauses
from ..language.text import Text, phrases, word_set
from .praise import find_praise

Assent = Literal["yes", "no", ""]

_YES = phrases(
    "yes", "yeah", "yep", "yup", "ya", "yea", "sure", "ok", "okay", "okey", "alright", "all right",
    "correct", "right", "exactly", "fine", "perfect", "great", "good", "cool", "awesome", "excellent",
    "wonderful", "absolutely", "definitely", "certainly", "of course", "indeed", "go ahead", "please do",
    "do it", "no problem", "sounds good", "sounds great", "sounds perfect", "sounds fine", "works for me",
    "that works", "that would work", "that will work", "that'll work", "this works", "that's it",
    "thats it", "confirmed", "i confirm", "nice", "fantastic", "amazing", "lovely", "super", "very good",
    "very well", "y",
)  # fmt: skip
_NO = phrases(
    "no", "nope", "nah", "not", "wrong", "incorrect", "never", "i don't", "i dont", "i do not", "don't",
    "dont", "that's not", "thats not", "that is not", "it's not", "neither", "rather not", "i'd rather not",
)  # fmt: skip
_LATER = phrases(
    "maybe later", "not now", "not yet", "not at the moment", "not today", "do that later", "decide later"
)
_LATER_WORDS = word_set("later now yet")
_WANTS = word_set(
    """
    find search show look need want like book reserve but instead other another cheaper else can could make
    change try how what which
    """
)
_DENIED = word_set("didnt didn't not isn't isnt don't dont doesn't doesnt won't wont no")
_OPENERS = word_set("oh well um uh hmm hm ah so actually , . ! and thanks please i think it that this the")
_OPENERS_AT_MOST = 4
_WORDS_BEFORE = 4


def assent(text: Text) -> Assent:
    """Return whether the message agrees ("yes", "that works for me") or declines; "" if neither."""
    for at in range(min(_OPENERS_AT_MOST, text.length)):
        if text.match(_YES, at) and not (text.norm(at) == "good" and text.norm(at + 1) == "morning"):
            return "yes"
        if text.match(_NO, at):
            return "no"
        if text.norm(at) not in _OPENERS:
            break
    praised = find_praise(text)
    if praised < 0:
        return ""
    before = {text.norm(at) for at in range(max(0, praised - _WORDS_BEFORE), praised)}
    return "" if before & _DENIED or _asks(text, praised) else "yes"


def declines(text: Text) -> bool:
    """Return whether a message declines what was put to the user, and wants nothing instead."""
    if assent(text) != "no" and not text.has(_LATER):
        return False
    is_wish = any(_is_wish(text, first, after) for first, after in clauses(text))
    return not is_wish and "?" not in text.vocabulary


def _is_wish(text: Text, first: int, after: int) -> bool:
    """Whether a clause wants something, and neither denies that nor puts it off: "I'll book it later"."""
    said = {text.norm(at) for at in range(first, after)}
    is_put_off = text.norm(after - 1) in _LATER_WORDS
    return not said.isdisjoint(_WANTS) and said.isdisjoint(_DENIED) and not is_put_off


def _asks(text: Text, praised: int) -> bool:
    """Whether the praise is part of a question: "Do you know what is good there?"."""
    ends = (at for at in range(praised, text.length) if text.norm(at) in (".", "!", "?", ","))
    return text.norm(next(ends, text.length)) == "?"
