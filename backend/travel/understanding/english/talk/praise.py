"""Whether something is liked: "that sounds really good", "works for me", "I'll take it".

A verb of seeming with a word of praise behind it, or one of the ways to take what is offered.
"""

from ..language.text import Text, phrases, word_set

_SEEMS = word_set(
    """
    is are be was sounds sound seems seem looks look thats that's its it's feels being
    """
)
_ADVERBS = word_set(
    "very really pretty quite absolutely just so like all a an totally perfectly definitely also"
)
_GOOD = word_set(
    """
    good great fine nice perfect ok okay amazing awesome wonderful fantastic excellent lovely cool correct
    right alright acceptable ideal suitable brilliant superb sweet terrific convenient reasonable wow best
    fabulous neat splendid delightful satisfactory better charm plan winner it
    """
)
_TAKEN = phrases(
    "works for me", "work for me", "works for us", "works great", "works well", "works fine",
    "works perfectly", "flight works", "hotel works", "one works", "price works", "that works",
    "this works", "it works", "that would work", "that will work", "that'll work", "this will work",
    "would work", "that'll do", "that will do", "suits me", "suit me", "suits us", "i like it",
    "i like that", "i like this", "i love it", "i love that", "i'll take it", "ill take it",
    "i will take it", "i'll take that", "we'll take it", "book it", "go ahead", "go for it", "all in order",
    "want that", "want this", "take that", "take this", "take it", "book that", "book this", "reserve that",
    "reserve this", "go with that", "go with it", "what i want", "what i need", "what i was looking for",
    "the flight i want", "the hotel i want", "the one i want", "just the flight", "for that flight",
    "in that flight", "stay there", "i agree", "i confirm",
)  # fmt: skip
_BEGINNINGS = _SEEMS | _TAKEN.begin


def find_praise(text: Text, first: int = 0, after: int | None = None) -> int:
    """Return the index at which something is liked, from `first` up to `after`; -1 if nothing is."""
    if text.vocabulary.isdisjoint(_BEGINNINGS):
        return -1
    end = text.length if after is None else after
    begun = (at for at in text.each_of(_BEGINNINGS) if first <= at < end)
    return next((at for at in begun if text.match(_TAKEN, at) or _is_good(text, at)), -1)


def _is_good(text: Text, at: int) -> bool:
    """Whether a verb of seeming stands there, with praise behind it."""
    if text.norm(at) not in _SEEMS or text.norm(at - 1) == "you":
        return False
    behind = at + 1
    while behind < at + 3 and text.norm(behind) in _ADVERBS:
        behind += 1
    is_it = text.norm(behind) == "it" and text.norm(at) not in ("thats", "that's")
    return text.norm(behind) in _GOOD and not is_it
