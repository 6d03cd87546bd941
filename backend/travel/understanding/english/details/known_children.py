"""The ages of children who are counted elsewhere: "the kids are 4 and 8", "she's 6", "one is 4, the other 8".

Whoever tells how old the children are names nobody who comes along besides.
"""

from ..language.numbers import has_numbers, whole_number
from ..language.tables import words_of
from ..language.text import Text

_WORDS = words_of("people")

OLDEST = 17
MONTHS_OF_A_YEAR = 12
_PRONOUNS = {"she": 1, "he": 1, "they": 2}
_SHORTENED = {"shes": 1, "hes": 1, "theyre": 2, "ones": 1, "others": 1}
"""Pronouns that hold their verb: "she's 6", "one's 4", "the other's 7"."""
_CUES = _WORDS.are | _SHORTENED.keys() | _WORDS.aged | _WORDS.years_old | _WORDS.months_old | {"other", "old"}
_MOST = 9
_WORDS_BEFORE_A_CHILD = 2

Statement = tuple[tuple[int, ...], int]
"""The ages that are told, and the index behind the words that tell them."""


def ages_of_known(text: Text) -> tuple[tuple[int, ...], int, int] | None:
    """Return the ages told of children who are counted elsewhere, and the first and last index but one."""
    if _CUES.isdisjoint(text.vocabulary) or not has_numbers(text):
        return None
    has_children = next(
        (at for at in range(text.length) if text.norm(at) in _WORDS.known_children_children), text.length
    )
    first = 0
    while text.norm(first) in _WORDS.ahead:
        first += 1
    told = _statements(text, first, is_clear=False)
    if told and all(text.norm(at) in _WORDS.known_children_courtesies for at in range(told[1], text.length)):
        return told[0], first, told[1]
    for at in range(max(0, has_children - _WORDS_BEFORE_A_CHILD), text.length):
        told = _statements(text, at, is_clear=True)
        if told:
            return told[0], at, told[1]
    return None


def _statements(text: Text, at: int, *, is_clear: bool) -> Statement | None:
    """Statements side by side; where they are to be `is_clear`, ages without a verb are none."""
    ages, after = list[int](), at
    while len(ages) < _MOST:
        start = after
        while ages and text.norm(start) in _WORDS.joins_ages and start < after + 2:
            start += 1
        told = _statement(text, start, is_elided=bool(ages), is_clear=is_clear)
        if told is None:
            break
        ages += told[0]
        after = told[1]
    return (tuple(ages), after) if ages else None


def _statement(text: Text, at: int, *, is_elided: bool, is_clear: bool) -> Statement | None:
    """ "the kids are 4 and 8", "she's 6", "the other 8" (`is_elided`), "aged 4 and 8"."""
    many, verb = _subject(text, at)
    if not many:
        if is_clear or is_elided:
            return None
        verb = at + (text.norm(at) in ("their", "the") and text.norm(at + 1) in _WORDS.aged)
        is_aged = text.norm(verb) in _WORDS.aged
        start = verb + is_aged + (is_aged and text.norm(verb + 1) in (*_WORDS.are, ":"))
        told = _list(text, start)
        return told[:2] if told and (is_aged or told[2]) else None
    has_verb = verb > at and text.norm(verb - 1) in _SHORTENED
    start = verb
    while text.norm(start) in _WORDS.are | _WORDS.beside_a_verb and start < verb + 3:
        has_verb = has_verb or text.norm(start) in _WORDS.are
        start += 1
    if not (has_verb or is_elided):
        return None
    told = _list(text, start) if many > 1 else _age(text, start)
    if told is None or (many > 1 and len(told[0]) < many and not (told[2] or text.norm(start - 1) == "both")):
        return None
    ages = told[0] * 2 if text.norm(start - 1) == "both" and len(told[0]) == 1 else told[0]
    after = told[1]
    return (ages, after) if not text[after].is_word or text.norm(after) in _WORDS.after else None


def _subject(text: Text, at: int) -> tuple[int, int]:
    """How many are meant at least (0 for nobody), and the index behind the words for them."""
    word = text.norm(at)
    if word in _PRONOUNS:
        return _PRONOUNS[word], at + 1
    if word in _SHORTENED and word != "others":
        return _SHORTENED[word], at + 1
    if word == "one" and text.norm(at + 1) in _WORDS.are:
        return 1, at + 1
    is_owned = word in _WORDS.owners or word in ("both", "all")
    noun = at + is_owned
    noun += text.norm(noun) in ("the", "our", "my") and word in ("both", "all")
    is_compared = text.norm(noun) in _WORDS.compared or (is_owned and text.norm(noun) in _WORDS.counted)
    noun += is_compared
    if is_owned and text.norm(noun) == "others":
        return 1, noun + 1
    if text.norm(noun) in _WORDS.several:
        return (2, noun + 1) if is_owned and text.norm(noun + 1) in _WORDS.are else (0, at)
    if text.norm(noun) in _WORDS.one or (is_compared and text.norm(noun) == "one"):
        return (1, noun + 1) if is_owned or is_compared else (0, at)
    return (1, noun) if is_compared else (0, at)


def _age(text: Text, at: int) -> tuple[tuple[int, ...], int, bool] | None:
    """One age, the index behind it, and whether its unit is told: "4", "10 months", "4 years old"."""
    read = whole_number(text, at)
    if read is None or text.norm(read[1]) in (":", "%", "/"):
        return None
    age, after = read
    unit = after + (text.norm(after) == "-")
    is_months = text.norm(unit) in _WORDS.months_old
    has_unit = is_months or text.norm(unit) in _WORDS.years_old
    after = unit + 1 if has_unit else after
    after += has_unit and text.norm(after) == "-"
    after += has_unit and text.norm(after) in ("old", "of")
    after += text.norm(after) == "age"
    age = age // MONTHS_OF_A_YEAR if is_months else age
    return ((age,), after, has_unit) if age <= OLDEST else None


def _list(text: Text, at: int) -> tuple[tuple[int, ...], int, bool] | None:
    """Ages side by side: "4, 8 and 12", "4 & 8 years old"."""
    told = _age(text, at)
    if told is None:
        return None
    ages, after, has_unit = told
    while len(ages) < _MOST:
        start = after
        while text.norm(start) in _WORDS.joins_ages and start < after + 2:
            start += 1
        is_apart = start > after or not (has_unit or text.is_glued(start))  # dictated: "4 7 and 11"
        further = _age(text, start) if is_apart else None
        if further is None:
            break
        ages, after, has_unit = (*ages, *further[0]), further[1], has_unit or further[2]
    return ages, after, has_unit
