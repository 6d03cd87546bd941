"""Messages that want nothing: a greeting, a bare yes or no, a word about oneself."""

from ..language.tables import phrases_of, words_of
from ..language.text import Text

_SAID = phrases_of("talk")
_WORDS = words_of("talk")

_SHORT = 8


def greets(text: Text) -> bool:
    """Return whether a message begins with a greeting."""
    return text.match(_SAID.greeting, 0) > 0


def decides(text: Text) -> bool:
    """Return whether a message answers a yes-or-no question in few words: a courtesy is no answer."""
    return text.match(_SAID.yes_or_no, 0) > 0 and text.length <= _SHORT and not text.has(_SAID.courtesy)


def tells_a_liking(text: Text) -> bool:
    """Return whether somebody tells what they like doing: "I love reading on planes"."""
    return text.norm(0) == "i" and text.norm(1) in _WORDS.likes and text.norm(2).endswith("ing")
