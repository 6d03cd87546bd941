"""Questions about what has been found: "which one is the cheapest?", "what did you find so far?".

They want nothing searched, unlike "something cheaper" or "other options".
"""

from ..language.tables import phrases_of, words_of
from ..language.text import Text

_SAID = phrases_of("talk")
_WORDS = words_of("talk")

_LONGEST = 12


def asks_about_what_is_found(text: Text) -> bool:
    """Return whether a message asks about the results there are, and for nothing else."""
    if text.length > _LONGEST:
        return False
    if text.has(_SAID.found):
        return True
    is_which = not (
        text.vocabulary.isdisjoint(_WORDS.utmost) or text.vocabulary.isdisjoint(_WORDS.asking_which)
    )
    return is_which and text.vocabulary <= _WORDS.utmost | _WORDS.asking_which | _WORDS.beside
