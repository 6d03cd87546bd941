"""Changes told against what is known: "a later flight back", "fewer stops", "something nicer"."""

from collections.abc import Iterator

from ...message import Nudge
from ..language.spans import SlotMention
from ..language.tables import words_of
from ..language.text import Phrases, Text, phrases

_WORDS = words_of("changes")

_BACK = (
    "a {} flight back", "an {} flight back", "{} flight back", "a {} return flight", "an {} return flight",
    "{} return flight", "a {} return", "an {} return", "{} return", "fly back {}", "return {}",
    "come back {}", "back {}", "go back {}", "flying back {}", "{} flight home", "a {} flight home",
    "fly home {}", "be back {}", "coming back {}",
)  # fmt: skip
_OUT = (
    "a {} flight", "an {} flight", "{} flights", "{} flight please", "leave {}", "depart {}",
    "leave a bit {}", "{} departure", "fly {}", "flight {} in the day", "{} in the day",
)  # fmt: skip
_ARRIVAL = ("arrive {}", "land {}", "get there {}", "be there {}", "{} arrival", "arrive a bit {}")


def _of(forms: tuple[str, ...], word: str) -> Phrases:
    return phrases(*(form.format(word) for form in forms))


_NUDGES: tuple[tuple[Phrases, str, Nudge], ...] = (
    (_of(_BACK, "later"), "flight.returns_after", Nudge(direction=1)),
    (_of(_BACK, "earlier"), "flight.returns_before", Nudge(direction=-1)),
    (_of(_ARRIVAL, "later"), "flight.arrives_after", Nudge(direction=1)),
    (_of(_ARRIVAL, "earlier"), "flight.arrives_before", Nudge(direction=-1)),
    (_of(_OUT, "later"), "flight.departs_after", Nudge(direction=1)),
    (_of(_OUT, "earlier"), "flight.departs_before", Nudge(direction=-1)),
    (
        phrases("fewer stops", "less stops", "fewer layovers", "fewer changes", "fewer connections"),
        "flight.max_stops",
        Nudge(direction=-1),
    ),
    (
        phrases(
            "something nicer",
            "a nicer one",
            "nicer hotel",
            "nicer hotels",
            "something better",
            "better hotels",
            "a better hotel",
            "more stars",
            "something fancier",
            "something more upscale",
        ),
        "hotel.stars",
        Nudge(direction=1),
    ),
)
_TOO: dict[str, dict[str, Nudge]] = {
    "early": {"flight.departs_after": Nudge(direction=1)},
    "late": {"flight.departs_before": Nudge(direction=-1)},
}
_LONGEST = 10
_CUES = frozenset(first for names, _, _ in _NUDGES for first in names)


def find_nudges(text: Text) -> Iterator[SlotMention]:
    """Yield the changes of a message, in its order. What follows "than" compares, and changes nothing."""
    at = text.length if text.vocabulary.isdisjoint(_CUES) else 0
    while (at := text.next_of(_CUES, at)) < text.length:
        found = ((text.match(names, at), slot, nudge) for names, slot, nudge in _NUDGES)
        length, slot, nudge = max(found, key=lambda each: each[0])
        is_by = text.norm(at + length) in ("by", "than") or text[at - 1].is_number
        if length and not is_by:
            yield SlotMention(first=at, after=at + length, slots={slot: nudge})
        at += length or 1
    yield from _complaints(text)


def _complaints(text: Text) -> Iterator[SlotMention]:
    """ "Too early", "that's a bit too late for us": the flight is to leave later, or earlier."""
    at = next((at for at in range(min(text.length, _LONGEST)) if text.norm(at) == "too"), -1)
    nudge = _TOO.get(text.norm(at + 1)) if at >= 0 else None
    others = (*range(at), *range(at + 2, text.length))
    if nudge and all(text.norm(each) in _WORDS.beside_too for each in others if text[each].is_word):
        yield SlotMention(first=at, after=at + 2, slots=nudge)
