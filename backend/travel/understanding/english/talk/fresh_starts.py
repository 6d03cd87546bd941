"""Words with which somebody leaves a request behind for another one: "now another trip", "from scratch"."""

from ..language.tables import phrases_of
from ..language.text import Text

_SAID = phrases_of("talk")


def starts_afresh(text: Text) -> bool:
    """Return whether a message says that what it asks for has nothing to do with what was asked before."""
    return text.has(_SAID.fresh)
