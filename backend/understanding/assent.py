"""Whether a message agrees to what was put to the user, or declines it."""

from typing import Literal

from backend.understanding.text import Text, phrases, word_set

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
_PRAISE = phrases(
    "is correct", "is right", "are correct", "is fine", "is good", "is great", "is perfect", "is ok",
    "is okay", "is nice", "is fantastic", "that's correct", "that's right", "that's fine", "that's good",
    "that's great", "that's perfect", "thats correct", "thats right", "thats fine", "thats good",
    "thats great", "thats perfect", "sounds good", "sounds great", "sounds perfect", "sounds fine",
    "sounds nice", "sounds right", "sounds like", "sounds ok", "sounds okay", "sounds wonderful",
    "seems right", "seems good", "seems fine", "seems nice", "seems great", "works for me", "work for me",
    "works great", "works well", "that works", "that'll work", "that'll do", "suits me", "suit me",
    "would be great", "would be good", "would be perfect", "would be fine", "will be fine", "will be great",
    "will be perfect", "looks good", "looks great", "looks perfect", "i like it", "i like that",
    "i like this", "i love it", "i'll take it", "ill take it", "i will take it", "i'll take that",
    "book it", "go ahead", "go for it", "all in order", "want that", "take that", "take this", "take it",
    "book that", "reserve that", "what i want", "go with that", "the flight i want", "just the flight",
    "the one i want", "for that flight", "in that flight", "want this", "book this", "reserve this",
    "stay there", "much better", "the hotel i want", "i agree",
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
_CLAUSE_ENDS = word_set(". ! ? ; ,")
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
    praised = text.find(_PRAISE)
    if praised < 0:
        return ""
    before = {text.norm(at) for at in range(max(0, praised - _WORDS_BEFORE), praised)}
    return "" if before & _DENIED or _asks(text, praised) else "yes"


def declines(text: Text) -> bool:
    """Return whether a message declines what was put to the user, and wants nothing instead."""
    if assent(text) != "no" and not text.has(_LATER):
        return False
    ends = [at for at in range(text.length) if text.norm(at) in _CLAUSE_ENDS] + [text.length]
    first = 0
    for end in ends:
        words = {text.norm(at) for at in range(first, end)}
        is_put_off = text.norm(end - 1) in _LATER_WORDS
        if not words.isdisjoint(_WANTS) and words.isdisjoint(_DENIED) and not is_put_off:
            return False
        first = end + 1
    return "?" not in text.vocabulary


def _asks(text: Text, praised: int) -> bool:
    """Whether the praise is part of a question: "Do you know what is good there?"."""
    ends = (at for at in range(praised, text.length) if text.norm(at) in (".", "!", "?", ","))
    return text.norm(next(ends, text.length)) == "?"
