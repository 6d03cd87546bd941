"""Names of those for whom something is booked: "in the name of Peter Kellermann", "for Maria Gonzalez"."""

from ..details.people import find_names
from ..language.tables import phrases_of, words_of
from ..language.text import Text, tokens_of
from . import words

_SAID = phrases_of("bookings")
_WORDS = words_of("bookings")

_BOOKS = _SAID.books.keys() | _SAID.holds.keys() | _SAID.takes.keys()
_PICKED = _WORDS.pronouns | words.HEADS | words.ORDINALS.keys() | {"cheapest", "fastest", "best"}
_NAME_AT_LEAST, _NAME_AT_MOST = 2, 3


def without_names(text: Text) -> tuple[Text, str]:
    """Return a message that books without the names in it, and these as the user typed them; "" if none."""
    if text.vocabulary.isdisjoint(_BOOKS):
        return text, ""
    cued = [name for name in find_names(text) if name.after - name.first > 1]
    hidden = tokens_of(cued) or _behind_an_act(text)
    return text.without(hidden), text.spelled(min(hidden), max(hidden) + 1) if hidden else ""


def _behind_an_act(text: Text) -> set[int]:
    """ "Book it for Maria Gonzalez": a first name and a last one behind what is booked."""
    for at in range(2, text.length):
        if text.norm(at) != "for" or not (text.norm(at - 1) in _PICKED or text[at - 1].is_number):
            continue
        end = at + 1
        while end - at <= _NAME_AT_MOST and _is_name(text, end):
            end += 1
        if end - at > _NAME_AT_LEAST:
            return set(range(at, end))
    return set()


def _is_name(text: Text, at: int) -> bool:
    token = text[at]
    return token.is_word and token.is_capitalised and token.norm not in _WORDS.not_a_name
