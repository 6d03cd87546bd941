"""Numbers as people write them: "2", "two", "twenty-one", "1,500", "a couple of"."""

from .text import FIGURES, Text

NUMBER_WORDS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15,
    "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40,
    "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip

_DIGITS_AT_MOST = 7
_TOLD_BY = frozenset({"are", "is", ":", "=", "be", "will", "would", "should"})
_COUNTS = NUMBER_WORDS.keys() | {"couple", "pair", "dozen"}
_BEGINNINGS = _COUNTS | {"a", "half"}
NUMBERS = _BEGINNINGS | {FIGURES}
"""What a whole number may begin with."""
POWERS = {
    "hundred": 100, "k": 1000, "thousand": 1000, "grand": 1000, "lakh": 10**5, "lakhs": 10**5,
    "lac": 10**5, "lacs": 10**5, "million": 10**6, "crore": 10**7, "crores": 10**7,
}  # fmt: skip
"""Behind a number these multiply it."""
_LARGE = POWERS.keys() - {"hundred"}
_PLACES = 3
_PAIR = 2
_A_DOZEN = 12


def has_numbers(text: Text) -> bool:
    """Return whether a message may hold a whole number: without one no reader of counts need look."""
    return text.has_figures or not _COUNTS.isdisjoint(text.vocabulary)


def whole_number(text: Text, index: int) -> tuple[int, int] | None:
    """Read a whole number at `index`; return its value and the index after it.

    Takes digits, number words below a hundred, "a couple of" and "a pair of"; no article alone.
    """
    token = text[index]
    if token.norm not in _BEGINNINGS:
        is_short = "0" <= token.raw < ":" and len(token.raw) <= _DIGITS_AT_MOST
        return (int(token.raw), index + 1) if is_short else None
    start = index + 1 if token.norm == "a" else index
    if token.norm == "half" and [text.norm(index + 1), text.norm(index + 2)] == ["a", "dozen"]:
        return _A_DOZEN // 2, index + 3
    if text.norm(start) == "dozen":
        return _A_DOZEN, start + 1
    if text.norm(start) in ("couple", "pair"):
        return 2, start + 2 if text.norm(start + 1) == "of" else start + 1
    value = NUMBER_WORDS.get(token.norm)
    if value is None:
        return None
    after = index + 2 if text.norm(index + 1) == "-" else index + 1
    unit = NUMBER_WORDS.get(text.norm(after), 0)
    if value >= 20 and 0 < unit < 10:
        return value + unit, after + 1
    return value, index + 1


def is_decimal(text: Text, index: int, after: int) -> bool:
    """Return whether the number from `index` up to `after` is part of one such as 4.3."""
    has_more = text.norm(after) == "." and text[after + 1].is_number and text.is_glued(after + 1)
    return has_more or (text.norm(index - 1) == "." and text[index - 2].is_number and text.is_glued(index))


def noun_told_of(text: Text, index: int) -> str:
    """Return the word whose number is told at `index`: "tickets" for "the tickets are 2"; "" without one."""
    before = index - 1
    if text.norm(before) not in _TOLD_BY:
        return ""
    while text.norm(before) in _TOLD_BY:
        before -= 1
    return text.norm(before)


def amount(text: Text, index: int) -> tuple[int, int] | None:
    """Read an amount of money without its cents: "900", "1,500", "1.5k", "2,50,000", "2 lakh"."""
    read = whole_number(text, index)
    if read is None:
        return None
    value, after = read
    if text.norm(after) in (".", ",") and text[after + 1].is_number and text.norm(after + 2) in _LARGE:
        power = POWERS[text.norm(after + 2)]
        part = int(text[after + 1].raw[:_PLACES].ljust(_PLACES, "0"))
        return value * power + part * power // 10**_PLACES, after + 3
    while text[index].is_number and text.norm(after) in (",", ".") and text.is_glued(after):
        group = text[after + 1]
        if not (group.is_number and text.is_glued(after + 1)) or value > 10**6:
            break
        if len(group.raw) != _PLACES and not _is_indian(text, after):
            break
        value, after = value * 10 ** len(group.raw) + int(group.raw), after + 2
    if text[after].is_number and len(text[after].raw) == 3 and text[index].is_number and value < 1000:
        value, after = value * 1000 + int(text[after].raw), after + 1
    if text.norm(after) == "." and text[after + 1].is_number and text.is_glued(after + 1):
        after += 2
    power = POWERS.get(text.norm(after), 1)
    return value * power, after + (power > 1)


def _is_indian(text: Text, at: int) -> bool:
    """Whether the pair of digits behind the comma there is one of an amount as in India: "2,50,000"."""
    while text.norm(at) == "," and text[at + 1].is_number and text.is_glued(at) and text.is_glued(at + 1):
        if len(text[at + 1].raw) == _PLACES:
            return True
        if len(text[at + 1].raw) != _PAIR:
            return False
        at += 2
    return False
