"""Whether a message wants the hotel spoken of last: "find the same hotel on 11-13 December"."""

from ..language.text import Text, phrases, word_set

_SAME = phrases(
    "same hotel", "same hostel", "same apartment", "same guesthouse", "same place to stay", "same house",
)  # fmt: skip
_DENIES = word_set("not no isnt different")
_OF_ITS_KIND = word_set(
    "chain brand group category type class standard price budget area district rating dates"
)


def wants_the_same_hotel(text: Text) -> bool:
    """Return whether it names the same hotel; not "the same hotel chain", nor "not the same hotel"."""
    at = text.find(_SAME)
    if at < 0:
        return False
    before = {text.norm(at - 1), text.norm(at - 2)}
    return before.isdisjoint(_DENIES) and text.norm(at + text.match(_SAME, at)) not in _OF_ITS_KIND
