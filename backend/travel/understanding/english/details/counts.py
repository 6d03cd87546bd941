"""A number that says nothing of what it counts, as an answer to "how many": "2", "just one, please"."""

from collections.abc import Collection
from typing import Literal

from ...reader import Background
from ..language.numbers import whole_number
from ..language.tables import phrases_of, words_of
from ..language.text import Text, word_set

_FACTS_WORDS = words_of("facts")
_SAID = phrases_of("people")
_WORDS = words_of("people")


Counted = Literal["people", "rooms", "nights"]

_COUNTED_BY: dict[str, Counted] = {
    "flight.passengers": "people",
    "hotel.guests": "people",
    "hotel.rooms": "rooms",
    "hotel.nights": "nights",
}
_WORDS_OF_MAKE_IT = 2
_AT_MOST = 30
_OTHERWISE_COUNTED = (
    _WORDS.people
    | _FACTS_WORDS.rooms
    | _FACTS_WORDS.stars
    | _FACTS_WORDS.stops
    | word_set("way ways : am pm o'clock st nd rd th")
)


def bare_count(text: Text, taken: Collection[int], background: Background) -> tuple[Counted, int] | None:
    """Return what was asked for and the only number of the message outside the tokens `taken`.

    None if no count is among the slots that were asked for, or if the number counts something by itself.
    "Make it 7" is for the only count that was told before.
    """
    slot = next((slot for slot in background.counts if slot in _COUNTED_BY), None)
    is_new = slot is None and text.has(_SAID.make_it)
    if is_new:
        of_people = not text.vocabulary.isdisjoint(_WORDS.of_people)
        slot = "flight.passengers" if of_people else _only_one_counted(background.counted)
    # "Make that 7, Declan's out. 3 twins" makes seven of them; three are told of something else.
    behind = text.find(_SAID.make_it) + _WORDS_OF_MAKE_IT if is_new else 0
    is_all = is_new and text[behind].is_number and text.norm(behind + 1) in (",", ".", ";", "!")
    told = range(behind + 1, text.length) if is_all else ()
    numbers = _bare_numbers(text, {*taken, *told}) if slot else []
    return (_COUNTED_BY[slot], numbers[0]) if slot and len(numbers) == 1 else None


def _only_one_counted(counted: tuple[str, ...]) -> str | None:
    kinds = {_COUNTED_BY[slot]: slot for slot in counted}
    if "people" in kinds:
        kinds.pop("rooms", None)  # they follow from the people
    return next(iter(kinds.values())) if len(kinds) == 1 else None


def _bare_numbers(text: Text, taken: Collection[int]) -> list[int]:
    numbers: list[int] = []
    at = 0
    while at < text.length:
        read = None if at in taken else whole_number(text, at)
        if read and 1 <= read[0] <= _AT_MOST and text.norm(read[1]) not in _OTHERWISE_COUNTED:
            numbers.append(read[0])
        at = read[1] if read else at + 1
    return numbers
