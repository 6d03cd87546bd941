"""Whether a message asks for a rental car, or only speaks of cars: "a car", unlike "a car park", "by car"."""

from typing import Literal

from .tables import phrases_of, words_of
from .text import Text

_SAID = phrases_of("language")
_WORDS = words_of("language")

Cars = Literal["none", "offered", "known"]
"""Whether nobody searches for cars here, somebody does, or the request has one."""

_GREETED = 4
"""Tokens that a greeting may take up before it."""


BEGINNINGS = _SAID.rentals.keys() | _WORDS.cars
"""The words with which all that asks for a car begins."""


def car_at(text: Text, index: int, cars: Cars) -> int:
    """Return how many tokens at `index` ask for a rental car, 0 if none do.

    Where one is known to be wanted, "the car" is that one.
    """
    if cars == "none" or text.norm(index) not in BEGINNINGS:
        return 0
    length = text.match(_SAID.rentals, index)
    if length:
        return 0 if _is_not_rented(text, index + length) else length
    if text.norm(index) not in _WORDS.cars or _is_glued(text, index):
        return 0
    if _is_not_rented(text, index + 1) or text.norm(index - 1) in _WORDS.not_a_rental:
        return 0
    if text.match(_SAID.in_place_of, index + 1) and not text.vocabulary.isdisjoint(_WORDS.drives_us):
        return 1
    before = index - 1
    while text.norm(before) in _WORDS.like:
        before -= 1
    is_led = text.norm(before) in _WORDS.articles
    before -= is_led
    is_begun = before < 0 or not text[before].is_word
    is_ours = text.match_before(_SAID.owned, before + 1, within=1)
    is_ours = is_ours or (text.norm(before) == "with" and text.norm(before - 1) in _WORDS.come_with)
    if is_ours or text.norm(before) in _WORDS.not_a_rental:
        return 0
    is_told = text.match(_SAID.wanted_again, index + 1) > 0 or (is_led and text.norm(index + 1) == "then")
    if is_told or cars == "known" or text.norm(index) in _WORDS.nothing_else:
        return 1
    if (
        is_led
        and text.match_before(_SAID.priced, before + 1, within=3)
        and not _WORDS.costs.isdisjoint(text.vocabulary)
    ):
        return 1  # "what would a car cost for 18-19 May"
    is_several = text.norm(index).endswith("s")
    is_wanted = is_begun or text.norm(before) in _WORDS.wanted
    # "Suv from the 13th": a "car" alone is as well the one they come in.
    if is_begun and _tells_where(text, before, index + 1):
        return 1
    if _is_coupled(text, before, index + 1) or (not is_led and text.norm(before) in _WORDS.needs):
        return 1  # "need car in Malaga"
    return int(is_wanted and (is_led or is_several or before < index - 1))


def _is_not_rented(text: Text, behind: int) -> bool:
    """Whether what stands behind a car makes it another thing: "car service", "car with a driver"."""
    return bool(text.match(_SAID.driven, behind)) or text.norm(behind) in _WORDS.not_rented


def _is_coupled(text: Text, before: int, behind: int) -> bool:
    """Whether it stands beside what else is looked for: "flights and car", "car or flight"."""
    sides = (text.norm(before), text.norm(before - 1)), (text.norm(behind), text.norm(behind + 1))
    return any(joined in _WORDS.and_word and other in _WORDS.beside for joined, other in sides)


def _tells_where(text: Text, before: int, behind: int) -> bool:
    """Whether a "car" that begins a message, or a sentence of it, has a place or days behind it."""
    if text.norm(behind) in _WORDS.tells_where:
        return before < _GREETED or text.norm(before) in (".", "!", ",")
    is_named = text[behind].is_word and text.norm(behind) not in _WORDS.does
    return before < 0 and text.has_figures and is_named


def asks_for_car(text: Text, cars: Cars) -> bool:
    """Return whether a message asks for a rental car anywhere."""
    if cars == "none" or BEGINNINGS.isdisjoint(text.vocabulary):
        return False
    return any(car_at(text, index, cars) for index in text.each_of(BEGINNINGS))


def _is_glued(text: Text, index: int) -> bool:
    """Whether it is half of a word: "car-free", "side-car"."""
    return text.norm(index + 1) == "-" or text.norm(index - 1) == "-"
