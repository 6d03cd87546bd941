"""Offers that are left to us to choose: "you choose", and money that is to decide: "our budget is tight"."""

from collections.abc import Sequence

from ....values.offers import By
from ...found import RECOMMENDED, FoundQuestion, Which
from ..language.tables import words_of
from ..language.text import Phrases, Text, phrases

_WORDS = words_of("found")

_CHOOSES: tuple[tuple[By, Phrases], ...] = (
    (
        "best",
        phrases(
            "you choose", "u choose", "you decide", "u decide", "you pick", "u pick", "your choice",
            "your call",
            "up to you", "you tell me", "surprise me", "surprise us", "pick one for me", "pick one for us",
            "choose for me", "choose for us", "choose one for me", "choose one for us", "decide for me",
            "decide for us", "pick for me", "pick for us", "whatever you think", "whatever you think is best",
            "i trust you", "you know best", "whichever you think", "dealer's choice", "just pick one",
            "just choose one", "you can choose", "you can decide", "you can pick", "i leave it to you",
        ),
    ),
    (
        "price",
        phrases(
            "budget is tight", "money is tight", "tight budget", "on a budget", "as cheap as possible",
            "cheap as possible", "keep it cheap", "low budget", "small budget", "limited budget",
            "budget is limited", "budget is small", "budget is low", "cheap as you can", "dirt cheap",
            "don't have much money", "not much money", "save money", "whatever is cheapest",
            "nothing expensive",
            "as cheap as you can", "cheaply as possible", "money's tight", "short on money",
        ),
    ),
)  # fmt: skip
_BEGIN = frozenset(word for _, names in _CHOOSES for word in names)
_AT_MOST = 14


def find_left_to_us(text: Text, agents: Sequence[str]) -> FoundQuestion | None:
    """Return the question which offer is best, or cheapest, where a message leaves the choice to us."""
    if not agents or text.length > _AT_MOST or _BEGIN.isdisjoint(text.vocabulary):
        return None
    for by, names in _CHOOSES:
        at = text.find(names)
        if at < 0:
            continue
        after = at + text.match(names, at)
        others = (*range(at), *range(after, text.length))
        if all(text.norm(each) in _WORDS.beside for each in others):
            wanted = RECOMMENDED if by == "best" else ""
            return FoundQuestion(topic="which", which=Which(by=by), wanted=wanted)
    return None
