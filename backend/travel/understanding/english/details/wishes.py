"""Wishes that fill no slot: how dear a hotel should be, and in which part of a town.

No search takes them, but they tell that a message goes on with the request: "something cheap in the north".
"""

from ..language.tables import phrases_of
from ..language.text import Text

_SAID = phrases_of("facts")


def has_wish(text: Text) -> bool:
    """Return whether a message says what a hotel should cost, or in which part of a town it should lie."""
    return text.has(_SAID.wishes)
