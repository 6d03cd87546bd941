"""How a message hangs together with what was said before: it turns away from it, or refers to it."""

from ..language.text import Text, phrases, word_set
from .questions import goes_on_to_ask

_TURN = phrases(
    "actually", "instead", "rather", "make it", "make that", "make the", "change", "switch",
    "can you do", "can u do", "could you do", "can we do", "could we do",
    "what about", "how about", "no wait", "sorry", "i meant", "i mean", "correction", "update",
    "modify", "but", "try", "the same for", "the same but", "the same in", "same for", "same but",
    "same thing for", "same thing in", "same again for",
)  # fmt: skip
_MAY = phrases("may", "might", "could", "can i", "in case")
_WORDS_BEFORE = 4
_THERE = phrases(
    "there", "same dates", "same city", "same place", "that city", "as well", "also", "too", "for the trip"
)
_WHAT_IS_THERE = word_set("hotel hotels room rooms apartment apartments accommodation car cars")
_KNOWN_ALREADY = word_set("the my our this that these those same your")
_HAPPENS = word_set(
    "is are was were isn't aren't should shouldn't must has have needs need will won't would can can't could"
    " may might seems seem you"
)
_ADDITION = word_set("and also plus")
_IN_ITS_PLACE = phrases("make it", "make that", "rather", "what about", "how about", "switch to")


def turns(text: Text) -> bool:
    """Return whether a message says that something is to become different."""
    at = text.find(_TURN)
    return at >= 0 and not text.match_before(_MAY, at, within=_WORDS_BEFORE)


def refers_back(text: Text) -> bool:
    """Return whether a message refers to what was asked for before: "there", "the same dates", "and"."""
    return text.has(_THERE) or text.norm(0) in _ADDITION


def asks_for_what_is_there(text: Text) -> bool:
    """Return whether a message asks for something at the place that was spoken of last: "a hotel there"."""
    for at in text.where(_WHAT_IS_THERE):
        is_there = text.norm(at + 1) == "there" and text.norm(at + 2) not in _HAPPENS
        if is_there and text.norm(at - 1) not in _KNOWN_ALREADY:
            return True
    return False


def is_of_another_place(text: Text) -> bool:
    """Return whether places do not tell where the flight starts: asked about, or in the place of the goal."""
    is_instead = 0 <= text.find(_IN_ITS_PLACE) <= 2 or text.norm(text.length - 1) == "instead"
    return len(text.sentences) == 1 and (is_instead or goes_on_to_ask(text))
