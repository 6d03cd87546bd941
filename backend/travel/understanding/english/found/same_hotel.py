"""Whether a message wants the hotel spoken of last: "find the same hotel on 11-13 December"."""

from ..language.tables import phrases_of, words_of
from ..language.text import Text

_SAID = phrases_of("found")
_WORDS = words_of("found")


def wants_the_same_hotel(text: Text) -> bool:
    """Return whether it names the same hotel; not "the same hotel chain", nor "not the same hotel"."""
    at = text.find(_SAID.same)
    if at < 0:
        return False
    before = {text.norm(at - 1), text.norm(at - 2)}
    return (
        before.isdisjoint(_WORDS.denies)
        and text.norm(at + text.match(_SAID.same, at)) not in _WORDS.of_its_kind
    )
