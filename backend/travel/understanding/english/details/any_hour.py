"""Hours that are no longer minded: "the return can be any time", "the time doesn't matter"."""

from ..language.sentences import sentence_around
from ..language.text import Text, phrases, word_set

_ANY_TIME = phrases(
    "any time", "anytime", "at any time", "any time of day", "any time of the day", "any hour",
    "whatever time", "whenever that day", "all day", "any departure time", "any arrival time",
    "any time at all",
    "any time that day", "time is flexible", "times are flexible", "flexible on time", "flexible with times",
    "flexible on times", "flexible with the time", "no time preference", "no preference on time",
)  # fmt: skip
_TIMES = phrases("time", "times", "hour", "hours", "departure time", "departure times", "time of day")
_DOES_NOT_MATTER = phrases(
    "doesn't matter", "does not matter", "dont matter", "don't matter", "doesnt matter", "is not important",
    "isn't important", "no longer matters", "don't mind", "dont mind", "don't care", "dont care",
    "is open", "is irrelevant", "is up to you", "no matter",
)  # fmt: skip
_ENDS = word_set(", . ; ! ? and but is works would please for on that now will can be") | {""}
_BACK = word_set("return returning back inbound home")
_OUT = word_set("outbound outward out departure leaving there")
_WORDS_BETWEEN = 5
_HOURS = {
    what: tuple(f"flight.{what}_{end}" for end in ("after", "before"))
    for what in ("departs", "arrives", "returns")
}

ANY_HOUR_BEGINS = _ANY_TIME.keys() | _TIMES.keys()


def any_hour_at(text: Text, index: int) -> tuple[int, tuple[str, ...]] | None:
    """Return the index after words there that mind no hour, and the slots that they empty.

    "Any time in May" tells no hour, but a day that is still to be said.
    """
    length = text.match(_ANY_TIME, index)
    after = index + length
    if not length or text.norm(after) not in _ENDS or _is_of_a_day(text, after):
        after = _not_minded(text, index)
    if not after:
        return None
    first, end = sentence_around(text, index)
    said = {text.norm(at) for at in range(first, end)}
    if not said.isdisjoint(_BACK):
        return after, _HOURS["returns"]
    if not said.isdisjoint(_OUT):
        return after, (*_HOURS["departs"], *_HOURS["arrives"])
    return after, tuple(name for names in _HOURS.values() for name in names)


def _is_of_a_day(text: Text, at: int) -> bool:
    """Whether a day follows, out of whose hours or those of its period one is still to be said."""
    return text.norm(at) in ("on", "for") and text.norm(at + 1) not in ("the", "our", "my", "me", "us")


def _not_minded(text: Text, index: int) -> int:
    """The index after "the time on the way back doesn't matter", 0 if nothing of the kind begins there."""
    length = text.match(_TIMES, index)
    if not length:
        return 0
    for at in range(index + length, index + length + _WORDS_BETWEEN):
        trail = text.match(_DOES_NOT_MATTER, at)
        if trail:
            return at + trail
    return 0
