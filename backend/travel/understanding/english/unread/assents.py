"""What is said beside an assent that changes nothing: "ORY ok too", "a balcony would be great"."""

from ..language.tables import phrases_of
from ..language.text import Text, word_set
from ..talk.decisions import decision_in
from .words import NO_WISH

_TALK_SAID = phrases_of("talk")

_NO_WISH_BESIDE = NO_WISH | word_set(
    """
    stuff problem problems timing fair enough thing things news job deal choice whatever later then too im
    were thats its ill why not all day with as is sounds good great fine makes sense
    """
)
"""What may be said beside an assent without a wish: "great stuff", "fair enough"."""


def beside_an_assent(text: Text) -> str:
    """Return the words beside an assent that may carry a wish, "" where there are none, or no assent."""
    agreeing = {at + step for at in range(text.length) for step in range(text.match(_TALK_SAID.agrees, at))}
    if not agreeing or decision_in(text.source) is not None:
        return ""
    besides = [
        at
        for at in range(text.length)
        if at not in agreeing
        and (text[at].is_word or text[at].is_number)
        and text.norm(at) not in _NO_WISH_BESIDE
    ]
    return text.spelled(besides[0], besides[-1] + 1) if besides else ""
