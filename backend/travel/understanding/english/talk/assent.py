"""Whether a message agrees to what was put to the user, or declines it.

What is merely put forward may be agreed to in passing. What is done once and for all may not: to that only a
message consents which says nothing else (`decision_in`).
"""

from typing import Literal

from ..language.sentences import clauses
from ..language.text import Text, phrases, word_set
from .praise import find_praise

Assent = Literal["yes", "no", ""]
Decision = Literal["allow", "deny"]

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

_WHAT = (
    "it", "that", "this", "that one", "this one", "the booking", "that booking", "this booking",
    "the reservation",
)  # fmt: skip
_BOOKS = ("book", "reserve", "hold", "buy", "take", "make", "complete")
_ALLOWS = phrases(
    "yes", "yes go", "yeah", "yep", "yup", "ya", "yea", "y", "sure", "sure thing", "ok", "okay", "alright",
    "all right", "of course", "absolutely", "definitely", "certainly", "go ahead", "go for it",
    "please do", "do it", "do so", "do that", "proceed", "confirm", "confirm it", "confirmed", "i confirm",
    "i confirm it", "approve", "approve it", "approved", "i approve", "accept", "accept it", "accepted",
    "i accept", "allow", "allow it", "allow that", "allow this", "allowed", "i allow it", "i allow that",
    "i allow this", "i agree", "agreed", "fine", "that's fine", "that is fine", "fine by me",
    "fine with me", "sounds good", "sounds great", "sounds fine", "sounds perfect", "that works",
    "works for me", "i'm sure", "i am sure",
    *(f"{verb} {what}" for verb in (*_BOOKS, "i'll take", "we'll take") for what in _WHAT),
)  # fmt: skip
_DENIES = phrases(
    "no", "nope", "nah", "n", "no way", "no thanks", "no thank you", "don't", "do not", "don't do it",
    "don't do that", "do not do it", "do not do that", "don't do this", "please don't", "please do not",
    "leave it", "leave it be", "leave that", "deny", "deny it", "denied", "i deny it", "refuse", "i refuse",
    "reject", "reject it", "rejected", "decline", "declined", "i decline", "rather not", "i'd rather not",
    "i would rather not", "better not", "i'd better not", "not now", "certainly not", "absolutely not",
    "definitely not", "of course not", "don't allow it", "do not allow it", "i don't allow it",
    "i do not allow it", "i don't want that", "i do not want that",
    *(f"{no} {verb} {what}" for no in ("don't", "do not") for verb in (*_BOOKS, "cancel") for what in _WHAT),
)  # fmt: skip
_CANCELS = phrases(*(f"cancel {what}" for what in (*_WHAT, "my booking", "the hold")))
"""Consent to a cancellation, behind a yes; alone it may as well break off."""

_COURTESY = phrases(
    "please", "thanks", "thank you", "then", "now", "just", "oh", "well", "great", "perfect", "good",
    "excellent", ",", ".", "!",
)  # fmt: skip
_DECISION_AT_MOST = 12
"""Tokens up to which a message can be a decision and nothing else."""


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


def decision_in(message: str, *, cancels: bool = False) -> Decision | None:
    """Return how a message decides what the user is asked to allow, None if it does not decide it plainly.

    All that it says must allow, or all deny, but for a "please": whoever says more wants something else,
    asks, or tells what others said. With `cancels` it is a cancellation that is asked for, to which "yes,
    cancel it" is a yes. To stop is no decision.
    """
    text = Text(message)
    if text.length > _DECISION_AT_MOST:
        return None
    found: set[Decision] = set()
    at = 0
    while at < text.length:
        allows, denies = text.match(_ALLOWS, at), text.match(_DENIES, at)
        length = max(allows, denies)
        if length:
            found.add("allow" if allows > denies else "deny")
        elif cancels and "allow" in found:
            length = text.match(_CANCELS, at)
        length = length or text.match(_COURTESY, at) or _joins(text, at)
        if not length:
            return None
        at += length
    return found.pop() if len(found) == 1 else None


def _joins(text: Text, at: int) -> int:
    """The length of an "and" behind which something is said to be done: "go ahead and book it"."""
    return int(text.norm(at) == "and" and text.match(_ALLOWS, at + 1) > 0)


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
