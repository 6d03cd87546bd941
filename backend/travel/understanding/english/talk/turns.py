"""How a message hangs together with what was said before: it turns away from it, or refers to it."""

from ..language.tables import phrases_of, words_of
from ..language.text import Text
from .questions import goes_on_to_ask

_SAID = phrases_of("talk")
_WORDS = words_of("talk")

_WORDS_BEFORE = 4


def turns(text: Text) -> bool:
    """Return whether a message says that something is to become different."""
    at = text.find(_SAID.turn)
    return at >= 0 and not text.match_before(_SAID.may, at, within=_WORDS_BEFORE)


def refers_back(text: Text) -> bool:
    """Return whether a message refers to what was asked for before: "there", "the same dates", "and"."""
    return text.has(_SAID.there) or text.norm(0) in _WORDS.addition


def asks_for_what_is_there(text: Text) -> bool:
    """Return whether a message asks for something at the place that was spoken of last: "a hotel there"."""
    for at in text.where(_WORDS.what_is_there):
        is_there = text.norm(at + 1) == "there" and text.norm(at + 2) not in _WORDS.happens
        if is_there and text.norm(at - 1) not in _WORDS.known_already:
            return True
    return False


def is_of_another_place(text: Text) -> bool:
    """Return whether places do not tell where the flight starts: asked about, or in the place of the goal."""
    is_instead = 0 <= text.find(_SAID.in_its_place) <= 2 or text.norm(text.length - 1) == "instead"
    return len(text.sentences) == 1 and (is_instead or goes_on_to_ask(text))
