"""Labelled utterances, understood as in a conversation: what was said before them is understood first.

Labels differ in one convention. Some data sets label only what was said or agreed to: where "a hotel there"
joins a flight the city alone carries over, and the assistant asks for the days. Others label what is searched
by: the hotel is for the days and people of the flight. `tells_assumed` decides which is predicted.

Records and predictions are JSON values as the scorer of the labelled data takes them. Of a record only
`id`, `history`, `utterance` and `date_context` are looked at, for the rest of it is the answer.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, time
from typing import Any

from backend.travel.understanding.dialogue.prompt import Prompt
from backend.travel.understanding.result import Agent, Place, Understanding
from backend.travel.understanding.slot_table import AgentSlots, Slot, rows_of
from backend.travel.understanding.understand import understand
from backend.travel.values.travel import Money

from .assistant import read_prompt

UNDATED = date(2022, 1, 1)
"""Today, for records that do not say on which day they were written."""

_LABELLED: tuple[Agent, ...] = ("flight", "hotel")
"""Labels take rental cars for another service: their assistants search for none."""

_REMEMBERED_AT_MOST = 10_000
_RECENT_AT_MOST = 5

History = tuple[tuple[str, str], ...]
"""What was said, as pairs of role ("user" or "assistant") and text."""


class Replay:
    """Understands records. What was said before is remembered: the turns of a dialogue share it."""

    def __init__(self, clock: Callable[[], float], *, tells_assumed: bool = False) -> None:
        self._clock = clock
        self._tells_assumed = tells_assumed
        self._said: dict[tuple[date, History], _Said] = {}
        self.seconds: list[float] = []
        """How long each utterance took, without its history."""

    def predict(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return {"id", "intent", "slots", "relation"} for a record."""
        understood, _, _ = self.heard(record)
        return {"id": record["id"], **as_prediction(understood, tells_assumed=self._tells_assumed)}

    def heard(self, record: Mapping[str, Any]) -> tuple[Understanding, Understanding | None, date]:
        """Return what a record means, what was understood before it, and today."""
        today = date.fromisoformat(record["date_context"]) if record.get("date_context") else UNDATED
        before = self._after(tuple((turn["role"], turn["text"]) for turn in record["history"]), today)
        begun = self._clock()
        understood, _ = _heard(record["utterance"], before, today)
        self.seconds.append(self._clock() - begun)
        return understood, before.understood, today

    def _after(self, history: History, today: date) -> "_Said":
        """What is understood at the end of a history."""
        known = next(
            (count for count in range(len(history), 0, -1) if (today, history[:count]) in self._said), 0
        )
        said = self._said[today, history[:known]] if known else _Said()
        if len(self._said) > _REMEMBERED_AT_MOST:
            self._said.clear()
        for at in range(known, len(history)):
            role, text = history[at]
            if role == "user":
                understood, prompt = _heard(text, said, today)
                said = _Said(understood=understood, prompt=prompt, recent=_left_behind(said, understood))
            else:
                said = replace(said, unread=text)
            self._said[today, history[: at + 1]] = said
        return said


@dataclass(frozen=True, slots=True)
class _Said:
    """How far a dialogue has been understood, with the words of the assistant that came after."""

    understood: Understanding | None = None
    prompt: Prompt | None = None
    unread: str | None = None
    recent: tuple[Understanding, ...] = ()
    """Requests that others have taken the place of, latest first."""


def _heard(text: str, before: _Said, today: date) -> tuple[Understanding, Prompt | None]:
    """What a text of the user means after what was said, by the user and by an assistant that is not ours."""
    previous = before.understood
    prompt = None
    if before.unread is not None:
        prompt = read_prompt(before.unread, previous=previous, today=today, earlier=before.prompt)
    understood = understand(
        text, previous=previous, today=today, prompt=prompt, recent=before.recent, offered=_LABELLED
    )
    return understood, prompt


def _left_behind(before: _Said, understood: Understanding) -> tuple[Understanding, ...]:
    """The requests left behind after another message; one is if it is changed after it was searched for."""
    last = before.understood
    is_left = last is not None and last.agents and understood.agents and not last.missing
    return (last, *before.recent)[:_RECENT_AT_MOST] if last and is_left else before.recent


def as_prediction(understood: Understanding, *, tells_assumed: bool = False) -> dict[str, Any]:
    """Return {"intent", "slots", "relation"}; a message for nobody has the intent "other".

    Slots that are only assumed, by which the product searches all the same, are told with `tells_assumed`.
    """
    left_out = () if tells_assumed else understood.assumed
    return {
        "intent": list(understood.agents) or ["other"],
        "slots": {
            **{agent: _plain(understood.of(agent), rows_of(agent), left_out) for agent in _LABELLED},
            "trip": {},
        },
        "relation": understood.relation,
    }


def _plain(
    slots: AgentSlots, rows: Sequence[Slot], left_out: tuple[str, ...]
) -> dict[str, str | int | float]:
    values = {row.field: _value(getattr(slots, row.field)) for row in rows if row.name not in left_out}
    # Labels know one limit of price, whatever it is for.
    values["max_price"] = values["max_price"] or values["max_total"]
    return {name: value for name, value in values.items() if value is not None}


def _value(held: Any) -> str | int | float | None:
    if isinstance(held, Place):
        return held.city.name
    if isinstance(held, Money):
        return float(held.amount)
    if isinstance(held, date | time):
        return held.isoformat()
    return None if held is None or isinstance(held, tuple) else held


def percentile(seconds: Sequence[float], part: float) -> float:
    """Return the value below which that part of them lies, 0 if there are none."""
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else 0.0
