"""What somebody says who is not content with the assistant, and remarks that want nothing."""

from ..language.tables import phrases_of
from ..language.text import Text

_SAID = phrases_of("talk")

_ASIDE_AT_MOST = 9


def complains(text: Text) -> bool:
    """Return whether somebody says that they were not understood, or scolds: "that's not what I asked"."""
    return text.has(_SAID.complaints)


def is_about_the_price(text: Text) -> bool:
    """Return whether a short message only finds something dear or cheap: "wow that's expensive"."""
    return text.length <= _ASIDE_AT_MOST and "?" not in text.vocabulary and text.has(_SAID.about_the_price)


def is_a_mood(text: Text) -> bool:
    """Return whether a message is no more than a sound or a word of praise: "lol", "oh dear", "nice one"."""
    at = 0
    while at < text.length:
        length = text.match(_SAID.moods, at) or int(not text[at].is_word)
        if not length:
            return False
        at += length
    return text.length > 0
