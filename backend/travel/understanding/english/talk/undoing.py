"""Messages that take back what was said before: "undo that", "start over", "Paris was right".

To undo, to redo and to start over say nothing else: "go back on Friday" is about a flight.
"""

from ...message import Right
from ..language.tables import phrases_of, words_of
from ..language.text import Phrases, Text
from .earlier_values import find_earlier

_SAID = phrases_of("talk")
_WORDS = words_of("talk")

_AT_MOST = 14


def undoes(text: Text) -> bool:
    """Return whether a message takes back the last change, and says nothing else."""
    return _says_only(text, _SAID.undoes)


def redoes(text: Text) -> bool:
    """Return whether a message takes back that it took back, and says nothing else."""
    return _says_only(text, _SAID.redoes)


def starts_over(text: Text) -> bool:
    """Return whether a message begins from the start, and tells nothing yet of what is wanted."""
    return _says_only(text, _SAID.starts_over)


def takes_back(message: str) -> bool:
    """Return whether a message goes back or forth by one change."""
    text = Text(message)
    return undoes(text) or redoes(text)


def find_right(text: Text) -> Right | None:
    """Return what of an earlier request is said to have been right: "Paris was right"."""
    at = text.find(_SAID.was_right)
    if at < 0 or text.length > _AT_MOST:
        return find_earlier(text)
    said = {text.norm(index) for index in range(at)}
    kinds = (
        ("day", _WORDS.days),
        ("place", _WORDS.places),
        ("start", _WORDS.starts),
        ("people", _WORDS.people),
    )
    kind = next((name for name, names in kinds if said & names), "")
    return Right(
        what=kind,
        is_oldest=bool(said & _WORDS.undoing_first),
        is_before=bool(said & (_WORDS.undoing_first | _WORDS.undoing_before)),
    )


def _says_only(text: Text, wanted: Phrases) -> bool:
    if text.length > _AT_MOST or text.vocabulary.isdisjoint(wanted):
        return False
    at, is_said = 0, False
    while at < text.length:
        said = text.match(wanted, at)
        length = max(said, text.match(_SAID.beside, at))
        if not length:
            return False
        is_said, at = is_said or said > 0, at + length
    return is_said
