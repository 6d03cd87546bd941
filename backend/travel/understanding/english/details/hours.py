"""Hours as people write and say them: "6 pm", "18:30", "18h", "half past six", "eight in the evening"."""

from datetime import time

from ..language.numbers import whole_number
from ..language.tables import words_of
from ..language.text import Text, any_of, phrases, word_set

_WORDS = words_of("times")

NOON = time(12)
HALVES = {"am": 0, "pm": 12}
CLAUSE_ENDS = frozenset({"", ".", ",", ";", "!", "?"})
_HALF_BEHIND = (
    ("am", phrases("in the morning")),
    ("pm", phrases("in the afternoon", "in the evening", "at night")),
)
_BEHIND_AN_HOUR = any_of(*(names for _, names in _HALF_BEHIND)).begin | HALVES.keys() | {":", ".", "h"}
"""Without one of these behind it, a number in figures is no time that can be nothing else."""
_MINUTES = {"half": 30, "quarter": 15}
_QUARTERS = (0, 15, 30, 45)
_LAST_HOUR = 24 - 1
_MONTHS_OF_A_YEAR = 12
_SMALL_HOURS = 6
_MINUTES_OF_AN_HOUR = 60
_AFTER_AN_HOUR = CLAUSE_ENDS | word_set(
    "and o'clock oclock please if or on but then instead at latest earliest i we onwards sharp"
)
_FOUR = len("1800")


def read_hour(text: Text, at: int) -> tuple[time, int] | None:
    """Return a time that can be nothing else, and the index after it: "6 pm", "18:30", "18h", "noon"."""
    if text[at].is_number and text.norm(at + 1) not in _BEHIND_AN_HOUR:
        return _in_four_digits(text, at) if len(text[at].raw) == _FOUR else None  # nearly always None
    if text.norm(at) in ("noon", "midday"):
        return NOON, at + 1
    to_the_quarter = _past_or_to(text, at)
    if to_the_quarter:
        return to_the_quarter
    read = read_clock(text, at, half="")
    if read is None:
        return None
    last = text.norm(read[1] - 1)
    is_told = last in HALVES or last == "h" or text.norm(at + 1) in (":", "h") or half_at(text, at + 1)
    return read if is_told or _is_pointed(text, at) else None


def _in_four_digits(text: Text, at: int) -> tuple[time, int] | None:
    """ "0700", "1800hrs", "1730ish": four digits that are no amount and no year."""
    is_told = text.norm(at + 1) in _WORDS.told_in_four
    hour, minute = divmod(int(text[at].raw), 100)
    if not (is_told or text[at].raw.startswith("0")) or hour > _LAST_HOUR or minute >= _MINUTES_OF_AN_HOUR:
        return None
    return time(hour, minute), at + 1 + is_told


def read_bare_hour(text: Text, at: int, *, part: str = "") -> tuple[time, int] | None:
    """Return an hour that is told as a number, and the index after it: "10", "five", "1800".

    Of a small hour it is the one after noon, unless the part of the day before it tells otherwise.
    """
    if text[at].is_number and len(text[at].raw) == _FOUR:
        hour, minute = divmod(int(text[at].raw), 100)
        is_hour = hour <= _LAST_HOUR and minute in _QUARTERS and text.norm(at + 1) in _AFTER_AN_HOUR
        return (time(hour, minute), at + 1) if is_hour else None
    read = whole_number(text, at)
    if read is None or not 1 <= read[0] <= _LAST_HOUR or text.norm(read[1]) not in _AFTER_AN_HOUR:
        return None
    hour, after = read
    after += text.norm(after) in ("o'clock", "oclock")
    return time(_likely(hour, part)), after


def _likely(hour: int, part: str) -> int:
    """The hour of the day that somebody means who tells it in twelve: small ones are after noon."""
    is_late = part in _WORDS.late_parts or (hour <= _SMALL_HOURS and part not in _WORDS.early_parts)
    return hour + 12 if is_late and hour < NOON.hour else hour


def _past_or_to(text: Text, at: int) -> tuple[time, int] | None:
    """ "half past six", "half six", "quarter to eight pm", "a quarter past seven in the morning"."""
    at += text.norm(at) == "a"
    minute = _MINUTES.get(text.norm(at), 0)
    way = text.norm(at + 1)
    if not minute or (way not in ("past", "to", "after") and minute != _MINUTES["half"]):
        return None
    start = at + 2 if way in ("past", "to", "after") else at + 1
    read = whole_number(text, start)
    if read is None or not 1 <= read[0] <= NOON.hour:
        return None
    hour, after = read
    told = (text.norm(after), after + 1) if text.norm(after) in HALVES else half_at(text, after)
    if told:
        hour, after = hour % NOON.hour + HALVES[told[0]], told[1]
    else:
        hour = _likely(hour, "")
    if way == "to":
        hour, minute = hour - 1, 60 - minute
    return time(hour, minute), after


def _is_pointed(text: Text, at: int) -> bool:
    """Whether "18.30" stands there, which is no day: minutes are no month."""
    last = text[at + 2]
    is_two = text.norm(at + 1) == "." and text.is_glued(at + 1) and last.is_number and text.is_glued(at + 2)
    return is_two and len(last.raw) == 2 and (last.raw == "00" or int(last.raw) > _MONTHS_OF_A_YEAR)


def read_clock(text: Text, at: int, *, half: str) -> tuple[time, int] | None:
    """Return a time at an index, with the half of the day that follows it, or `half` where none does."""
    in_words = whole_number(text, at) if text[at].is_word else None
    if in_words and text.norm(in_words[1]) not in HALVES and not half_at(text, in_words[1]) and not half:
        in_words = None
    if not in_words and (not text[at].is_number or len(text[at].raw) > 2):
        return None
    hour, after, minute = (*in_words, 0) if in_words else (int(text[at].raw), at + 1, 0)
    if (text.norm(after) == ":" or _is_pointed(text, at)) and _is_minute(text, after + 1):
        minute, after = int(text[after + 1].raw), after + 2
    elif text.norm(after) == "h" and text.is_glued(after):
        after += 1
        if _is_minute(text, after) and text.is_glued(after):
            minute, after = int(text[after].raw), after + 1
    told = text.norm(after) if text.norm(after) in HALVES else ""
    after += 1 if told else 0
    if not told and (behind := half_at(text, after)):
        told, after = behind
    half = told or half
    if half and not 1 <= hour <= NOON.hour:
        return None
    hour = hour % NOON.hour + HALVES[half] if half else hour
    return (time(hour, minute), after) if hour <= _LAST_HOUR and minute < _MINUTES_OF_AN_HOUR else None


def _is_minute(text: Text, at: int) -> bool:
    return text[at].is_number and len(text[at].raw) == 2


def half_at(text: Text, at: int) -> tuple[str, int] | None:
    """Return the half of the day that is told in words behind an hour, and the index after it."""
    found = ((half, text.match(names, at)) for half, names in _HALF_BEHIND)
    return next(((half, at + length) for half, length in found if length), None)
