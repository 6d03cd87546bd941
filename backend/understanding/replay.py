"""Labelled utterances, understood as in a conversation: what was said before them is understood first.

Records and predictions are JSON values as the scorer of the labelled data takes them. Of a record only
`id`, `history`, `utterance` and `date_context` are looked at, for the rest of it is the answer.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from datetime import date
from typing import Any

from backend.domain.travel import Money
from backend.understanding.result import FlightSlots, HotelSlots, Place, Understanding
from backend.understanding.understand import understand

UNDATED = date(2022, 1, 1)
"""Today, for records that do not say on which day they were written."""

_REMEMBERED_AT_MOST = 10_000

History = tuple[tuple[str, str], ...]
"""What was said, as pairs of role ("user" or "assistant") and text."""


class Replay:
    """Understands records. What was said before is remembered: the turns of a dialogue share it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._understood: dict[tuple[date, History], Understanding | None] = {}
        self.seconds: list[float] = []
        """How long each utterance took, without its history."""

    def predict(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return {"id", "intent", "slots", "relation"} for a record."""
        today = date.fromisoformat(record["date_context"]) if record.get("date_context") else UNDATED
        history = tuple((turn["role"], turn["text"]) for turn in record["history"])
        previous = self._after(history, today)
        begun = self._clock()
        understood = understand(record["utterance"], previous=previous, today=today)
        self.seconds.append(self._clock() - begun)
        return {"id": record["id"], **as_prediction(understood)}

    def _after(self, history: History, today: date) -> Understanding | None:
        """What is understood at the end of a history."""
        known = next(
            (count for count in range(len(history), 0, -1) if (today, history[:count]) in self._understood), 0
        )
        understood = self._understood[today, history[:known]] if known else None
        if len(self._understood) > _REMEMBERED_AT_MOST:
            self._understood.clear()
        for at in range(known, len(history)):
            role, text = history[at]
            if role == "user":
                understood = understand(text, previous=understood, today=today)
            self._understood[today, history[: at + 1]] = understood
        return understood


def as_prediction(understood: Understanding) -> dict[str, Any]:
    """Return {"intent", "slots", "relation"}; a message for nobody has the intent "other"."""
    return {
        "intent": list(understood.agents) or ["other"],
        "slots": {"flight": _plain(understood.flight), "hotel": _plain(understood.hotel), "trip": {}},
        "relation": understood.relation,
    }


def _plain(slots: FlightSlots | HotelSlots) -> dict[str, str | int | float]:
    values = {field.name: _value(getattr(slots, field.name)) for field in fields(slots)}
    return {name: value for name, value in values.items() if value is not None}


def _value(held: Any) -> str | int | float | None:
    if isinstance(held, Place):
        return held.city.name
    if isinstance(held, Money):
        return float(held.amount)
    if isinstance(held, date):
        return held.isoformat()
    return None if held is None or isinstance(held, tuple) else held


def percentile(seconds: Sequence[float], part: float) -> float:
    """Return the value below which that part of them lies, 0 if there are none."""
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else 0.0
