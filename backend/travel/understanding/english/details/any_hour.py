"""Hours that are no longer minded: "the return can be any time", "the time doesn't matter"."""

from ..language.sentences import sentence_around
from ..language.tables import phrases_of, words_of
from ..language.text import Text, word_set

_SAID = phrases_of("times")
_WORDS = words_of("times")

_ENDS = word_set(", . ; ! ? and but is works would please for on that now will can be") | {""}
_WORDS_BETWEEN = 5
_HOURS = {
    what: tuple(f"flight.{what}_{end}" for end in ("after", "before"))
    for what in ("departs", "arrives", "returns")
}

ANY_HOUR_BEGINS = _SAID.any_time.keys() | _SAID.times.keys()


def any_hour_at(text: Text, index: int) -> tuple[int, tuple[str, ...]] | None:
    """Return the index after words there that mind no hour, and the slots that they empty.

    "Any time in May" tells no hour, but a day that is still to be said.
    """
    length = text.match(_SAID.any_time, index)
    after = index + length
    if not length or text.norm(after) not in _ENDS or _is_of_a_day(text, after):
        after = _not_minded(text, index)
    if not after:
        return None
    first, end = sentence_around(text, index)
    said = {text.norm(at) for at in range(first, end)}
    if not said.isdisjoint(_WORDS.back):
        return after, _HOURS["returns"]
    if not said.isdisjoint(_WORDS.out):
        return after, (*_HOURS["departs"], *_HOURS["arrives"])
    return after, tuple(name for names in _HOURS.values() for name in names)


def _is_of_a_day(text: Text, at: int) -> bool:
    """Whether a day follows, out of whose hours or those of its period one is still to be said."""
    return text.norm(at) in ("on", "for") and text.norm(at + 1) not in ("the", "our", "my", "me", "us")


def _not_minded(text: Text, index: int) -> int:
    """The index after "the time on the way back doesn't matter", 0 if nothing of the kind begins there."""
    length = text.match(_SAID.times, index)
    if not length:
        return 0
    for at in range(index + length, index + length + _WORDS_BETWEEN):
        trail = text.match(_SAID.does_not_matter, at)
        if trail:
            return at + trail
    return 0
