"""Numbers nobody can mean: "0 people", "1000 guests", "9 stars"."""

from backend.understanding import date_words
from backend.understanding import fact_words as words
from backend.understanding.numbers import whole_number
from backend.understanding.result import Refused
from backend.understanding.text import Text

_STARS_AT_MOST = 5
_AT_MOST = {
    **dict.fromkeys(words.PEOPLE, 99),
    **dict.fromkeys(words.ROOMS, 50),
    **dict.fromkeys(words.STARS, _STARS_AT_MOST),
    **dict.fromkeys(date_words.NIGHT_UNITS, 365),
}


def impossible_counts(text: Text) -> tuple[Refused, ...]:
    """Return the numbers in the message that count none, or far too many, in the user's words."""
    found: list[Refused] = []
    at = 0
    while at < text.length:
        read = whole_number(text, at)
        if read is None:
            at += 1
            continue
        count, after = read
        unit = after + (text.norm(after) == "-")
        most = _AT_MOST.get(text.norm(unit))
        is_decimal = text.norm(at - 1) == "." and text.is_glued(at)
        if most is not None and not 1 <= count <= most and not is_decimal:
            found.append(Refused(said=text.spelled(at, unit + 1), reason="impossible_count"))
        at = after
    return tuple(found)
