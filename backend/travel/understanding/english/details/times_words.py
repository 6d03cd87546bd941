"""The words for times of day, in English."""

from datetime import time

from ..language.text import Phrases, phrases
from .hours import NOON

Span = tuple[time | None, time | None]

PARTS: tuple[tuple[Phrases, Span], ...] = (
    (
        phrases("in the early morning", "early in the morning", "early morning"),
        (time(5), time(9)),
    ),
    (
        phrases(
            "at the crack of dawn",
            "the crack of dawn",
            "crack of dawn",
            "at dawn",
            "at sunrise",
            "first thing in the morning",
            "early bird",
        ),
        (time(5), time(8)),
    ),
    (phrases("in the late morning", "late in the morning", "late morning"), (time(10), NOON)),
    (phrases("mid morning", "mid - morning", "in the middle of the morning"), (time(9), NOON)),
    (phrases("mid afternoon", "mid - afternoon"), (time(13), time(17))),
    (
        phrases(
            "at lunchtime",
            "around lunchtime",
            "lunchtime",
            "lunch time",
            "at lunch time",
            "around noon",
            "around midday",
            "at noon",
            "at midday",
            "about noon",
            "about midday",
        ),
        (time(11), time(14)),
    ),
    (
        phrases("red eye", "red - eye", "redeye", "red eyes", "overnight flight", "overnight flights"),
        (time(21), None),
    ),
    (
        phrases("no red eye", "no red eyes", "no red - eye", "no red - eyes", "no redeyes"),
        (time(5), time(21)),
    ),
    (phrases("in time for dinner", "for dinner", "before dinner"), (None, time(19))),
    (phrases("in time for lunch"), (None, NOON)),
    (phrases("in the early afternoon", "early afternoon"), (NOON, time(15))),
    (phrases("in the late afternoon", "late afternoon"), (time(15), time(18))),
    (phrases("at night"), (time(18), None)),
    (phrases("in the late evening", "late in the evening", "late evening"), (time(20), None)),
    (
        phrases("in the morning", "in the mornings", "mornings only", "only mornings", "to the morning"),
        (time(5), NOON),
    ),
    (
        phrases("in the afternoon", "afternoons only", "only afternoons", "to the afternoon"),
        (NOON, time(18)),
    ),
    (phrases("in the evening", "evenings only", "only evenings", "to the evening"), (time(18), None)),
    (phrases("morning or afternoon"), (time(5), time(18))),
    (phrases("afternoon or evening", "in the afternoon or evening"), (NOON, None)),
    (phrases("before noon", "before midday", "by noon", "by midday"), (None, NOON)),
    (phrases("after noon", "after midday"), (NOON, None)),
    (phrases("before lunch"), (None, NOON)),
    (phrases("by lunchtime", "by lunch", "before lunchtime", "by lunch time"), (None, time(13))),
    (phrases("after lunch"), (time(13), None)),
    (phrases("after work"), (time(17), None)),
    (
        phrases(
            "not too early",
            "not so early",
            "nothing too early",
            "not super early",
            "not very early",
            "not that early",
        ),
        (time(9), None),
    ),
    (phrases("not too late", "not so late", "nothing too late", "not very late"), (None, time(20))),
    (
        phrases(
            "not too early or too late",
            "nothing too early or too late",
            "not too early or late",
            "nothing too early or late",
            "not too early and not too late",
            "not too early nor too late",
        ),
        (time(9), time(20)),
    ),
)
_PART: dict[str, Span] = {
    "morning": (time(5), NOON),
    "afternoon": (NOON, time(18)),
    "evening": (time(18), None),
}
PART = _PART | {f"{name}s": span for name, span in _PART.items()}
_BACKWARDS = (
    "on the way back", "for the way back", "on the return", "for the return", "on our way back",
    "on the way home", "for the return flight", "on the return flight", "on the return leg",
    "on my way back", "for the flight back", "on the flight back", "on the inbound", "for the trip back",
)  # fmt: skip
_OUTWARDS = (
    "on the way out", "on the way there", "for the way out", "for the outbound", "on the outbound",
    "for the outbound flight", "on the outbound flight", "for the flight out", "on the flight out",
    "for the flight there", "on the outward", "for the departure", "each way", "both ways",
)  # fmt: skip
ON_THE_WAY_BACK = phrases(*_BACKWARDS)
ON_A_WAY = phrases(*_BACKWARDS, *_OUTWARDS)
IN_SHORT: dict[str, Span] = {"eve": PART["evening"], "pm": (NOON, None), "am": PART["morning"]}
"""Right behind a day these are parts of it: "fri pm", "back sun eve"."""

WORDS_BEFORE = 4
OR_SO: tuple[tuple[bool, Phrases], ...] = (
    (True, phrases("at the earliest", "earliest", "or later", "or after", "onwards", "onward", "and later")),
    (False, phrases("at the latest", "latest", "or earlier", "or before", "or sooner", "at latest")),
)
"""Behind an hour these tell that it is the first or the last one."""
COMPARED: tuple[tuple[bool, Phrases], ...] = (
    (True, phrases("later than", "any later than")),
    (False, phrases("earlier than", "any earlier than")),
)
NIGHT: Span = time(18), None
