"""Lengths of a stay or a journey: "3 nights", "for a week", "two weeks in Tokyo", "only 10 days"."""

from ..language.numbers import whole_number
from ..language.tables import phrases_of, words_of
from ..language.text import Text, word_set
from . import words
from .points import is_counted_from

_SAID = phrases_of("dates")
_WORDS = words_of("dates")

_NIGHTS_AT_MOST = 365
_TELLS_OF_A_STAY = frozenset({"overnight", "weekend", *words.NIGHT_UNITS, *words.DAY_UNITS})
_BEFORE_TIME_SPENT = words.BOUNDS | word_set(
    """
    , spend spending want wants need fancy like love book booking plan planning planned for of our my
    another have got get take taking do doing about around roughly approximately maybe and cheap please
    hi hello say
    """
)
_NO_PLACE_BEHIND_IN = (
    words.MONTHS.keys()
    | words.SEASONS.keys()
    | words.NTH.keys()
    | word_set("advance total row a the all between case time future past early late mid this next")
)
_BEHIND_ONLY = words.BOUNDS | word_set(
    ", actually instead please though then rather max maximum total altogether ok thanks now i sorry"
)


def read_length(text: Text, index: int) -> tuple[int, int] | None:
    """Read "3 nights", "for a week", "5-day trip", "overnight", "two weeks in Tokyo", "only 10 days".

    Return the nights and the index after.
    """
    if text.vocabulary.isdisjoint(_TELLS_OF_A_STAY):
        return None
    told_again = _of_the_unit_before(text, index)
    if told_again:
        return told_again
    if text.norm(index) == "overnight":
        return 1, index + 1
    if [text.norm(index), text.norm(index + 1)] == ["long", "weekend"]:
        return words.NIGHTS_OF_A_LONG_WEEKEND, index + 2
    before = index - 2 if text.norm(index - 1) in _WORDS.roughly else index - 1
    is_for = text.norm(before) in ("for", "stay", "staying", "spanning", "lasting")
    is_for = is_for or (text.norm(index - 1) == "of" and text.norm(index - 2) == "total")
    is_for = is_for or _is_made_so_long(text, index)
    is_single = text.norm(index + 1) == "single" and text.norm(index + 2) in words.NIGHT_UNITS
    if text.norm(index) in ("a", "the", "one") and is_single:
        return 1, index + 3
    # "About a week", and "a week" that is a thought of its own: "from Gatwick, a week".
    is_bounded = text.norm(index - 1) in words.BOUNDS or text.norm(index - 1) == ","
    is_bounded = is_bounded and (
        text.norm(index + 2) in words.BOUNDS or text.norm(index + 2) in _WORDS.after_a_week
    )
    is_about = (
        text.norm(index - 1) in _WORDS.roughly
        and text.norm(index - 2) != "in"
        and text.norm(index + 2) not in _WORDS.no_stay_behind
    )
    is_a_week = (
        text.norm(index) == "a" and text.norm(index + 1) in _WORDS.so_long_alone and (is_bounded or is_about)
    )
    is_a_week = is_a_week or (
        text.norm(index) == "a"
        and text.norm(index + 1) in _WORDS.so_long_alone
        and (
            _is_spent_in(text, index, index + 1)
            or _is_only(text, index, index + 1)
            or (
                text.norm(index + 2) in _WORDS.after_a_stay - _WORDS.after_a_week
                and not _is_spoken_of(text, index)
            )
        )
    )
    is_a_week_or_so = is_a_week or [text.norm(index), text.norm(index + 2), text.norm(index + 3)] == [
        "a",
        "or",
        "so",
    ]
    if is_a_week_or_so or (
        text.norm(index) in ("a", "the") and is_for and text.norm(index + 1) not in ("couple", "pair")
    ):
        count, after = 1, index + 1
    else:
        read = whole_number(text, index)
        if read is None:
            return None
        count, after = read
    if text.norm(after) == "-":
        after += 1
    unit = text.norm(after)
    is_told = any(text.norm(index - 1) in some for some in (words.BOUNDS, words.WEEKDAYS, words.MONTHS))
    is_told = is_told or text.norm(index - 1) == ","
    is_alone = text.norm(after + 1) in words.BOUNDS or text.norm(after + 1) == ","
    is_alone = (is_told and (is_alone or text.match(_SAID.hedges, after + 1) > 0)) or _is_only(
        text, index, after
    )
    is_roughly = [text.norm(after + 1), text.norm(after + 2)] == ["or", "so"]
    is_roughly = is_roughly or (
        text.norm(index - 1) in _WORDS.roughly and text.norm(after + 1) in words.BOUNDS
    )
    is_stay = (
        is_for
        or is_alone
        or _is_spent_in(text, index, after)
        or is_roughly
        or is_a_week
        or text.norm(after + 1) in _WORDS.after_a_stay
    )
    if unit not in words.NIGHT_UNITS and not (unit in words.DAY_UNITS and is_stay):
        return None
    if _is_too_much(text, after + 1):
        return None
    nights = count * (words.NIGHT_UNITS | words.DAY_UNITS)[unit]
    is_ahead = not is_for and unit in words.DAY_UNITS and is_counted_from(text, after + 1)
    return (nights, after + 1) if 0 < nights <= _NIGHTS_AT_MOST and not is_ahead else None


def _of_the_unit_before(text: Text, index: int) -> tuple[int, int] | None:
    """The length of "three weeks is too long, make it two": a number of the unit that was told before it."""
    read = (
        whole_number(text, index)
        if text.norm(index - 1) in _WORDS.made and "too" in text.vocabulary
        else None
    )
    if read is None or (text[read[1]].is_word and text.norm(read[1]) not in words.BOUNDS | _BEHIND_ONLY):
        return None
    units = words.NIGHT_UNITS | words.DAY_UNITS
    for at in range(index - 1, -1, -1):
        if text.norm(at) in units and _is_too_much(text, at + 1):
            nights = read[0] * units[text.norm(at)]
            return (nights, read[1]) if 0 < nights <= _NIGHTS_AT_MOST else None
    return None


def _is_too_much(text: Text, at: int) -> bool:
    """Whether that is said of a length before it: "is too long", "seems a bit too short"."""
    is_judged = text.norm(at) in ("is", "are", "was", "seems", "feels", "sounds", "would", "might")
    return is_judged and any(text.norm(behind) == "too" for behind in range(at + 1, at + 5))


def _is_spent_in(text: Text, index: int, unit: int) -> bool:
    """Whether a time is spent at a place: "two weeks in Tokyo", unlike "two weeks in advance"."""
    if text.norm(unit + 1) not in ("in", "at", "around") or text.norm(index - 1) not in _BEFORE_TIME_SPENT:
        return False
    behind = text.norm(unit + 2)
    if behind in words.MONTHS or behind in words.SEASONS:  # "a week in February"
        return text.norm(unit + 1) == "in"
    return behind not in _NO_PLACE_BEHIND_IN and text[unit + 2].is_word


def _is_only(text: Text, index: int, unit: int) -> bool:
    """Whether a length is put right: "only 10 days actually", "maybe two weeks instead"."""
    if text.norm(unit + 1) not in _BEHIND_ONLY:
        return False
    return text.norm(index - 1) in _WORDS.only


def _is_spoken_of(text: Text, index: int) -> bool:
    """Whether something is said about a length: "a week off is music to my ears"."""
    return text.norm(index + 3) in ("is", "was", "sounds", "would")


def _is_made_so_long(text: Text, index: int) -> bool:
    """Whether a length there replaces another: "make it 5 days", "shorten it to 3 days", "only 4 days"."""
    before = text.norm(index - 1)
    if text.norm(index + 1) == "day" and text.norm(index + 2) == "trip":
        return False
    if before == "to":
        return not text.vocabulary.isdisjoint(_WORDS.changes_a_length)
    if before in ("only", "just") and text.norm(index + 2) in words.BOUNDS:
        return True
    if text.norm(index + 2) in ("instead", "rather"):  # "10 days instead of a week"
        return True
    return [text.norm(index - 2), before] in (["make", "it"], ["make", "that"])
