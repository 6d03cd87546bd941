"""A model in the test's own process: says what it is told to, and takes no conversation that is not valid."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from backend.domain.errors import ModelError
from backend.domain.model_usage import Usage
from backend.travel.models.base import AskedCall, ModelAnswer, Question
from tests.fakes import Gate
from tests.models.wire import faults

Piece = str | AskedCall | Gate | Exception


@dataclass
class ScriptedModel:
    """Answers as who it is asked ("reading", an agent's name, "reply"), by a script for each.

    A piece is text, a call, a gate to stand at, or an error to raise. Where the script of an agent is over,
    the model is silent for ever. `asked` are the questions it got.
    """

    script: dict[str, list[Sequence[Piece]]]
    asked: list[tuple[str, Question]] = field(default_factory=list)
    closed: bool = False
    name = "scripted:model"

    async def answer(
        self, question: Question, *, meter: Any, say: Callable[[str], None] | None = None
    ) -> ModelAnswer:
        role = role_of(question)
        assert faults(question.messages[1:]) == []
        self.asked.append((role, question))
        metered = meter.begin(len(str(question.messages)))
        pieces = self.script[role].pop(0) if self.script.get(role) else [Gate()]
        text, calls = "", []
        for piece in pieces:
            if isinstance(piece, Gate):
                await piece.wait()
            elif isinstance(piece, Exception):
                raise piece
            elif isinstance(piece, AskedCall):
                calls.append(piece)
            else:
                text += piece
                metered.received += len(piece)
                if say is not None:
                    say(piece)
        metered.reported = Usage(10, 5, 1)
        return ModelAnswer(text=text, calls=tuple(calls), usage=metered.reported)

    async def close(self) -> None:
        self.closed = True

    def told(self, role: str, number: int = -1) -> list[Any]:
        """Return the messages of a question that it was asked as, the last one unless said otherwise."""
        return [list(question.messages) for each, question in self.asked if each == role][number]


def role_of(question: Question) -> str:
    """Return as whom a model is asked: it shows in the schema and the tools that it is given."""
    names = {tool.name for tool in question.tools}
    if question.schema is not None:
        return "reading"
    if "search_flights" in names:
        return "flight"
    if "search_cars" in names:
        return "car"
    return "hotel" if "search_hotels" in names else "reply"


def search_flights(**arguments: Any) -> AskedCall:
    known = {"origin": "Berlin", "destination": "Tokyo", "departure_date": "2026-12-10"}
    return AskedCall("search_flights", known | arguments)


def search_hotels(**arguments: Any) -> AskedCall:
    return AskedCall("search_hotels", {"city": "Tokyo", "check_in": "2026-12-10", "nights": 1} | arguments)


def search_cars(**arguments: Any) -> AskedCall:
    known = {"city": "Rome", "pick_up": "2027-05-03", "drop_off": "2027-05-06"}
    return AskedCall("search_cars", known | arguments)


def reading(*agents: str, **more: Any) -> str:
    """A turn as JSON: what a model reads in a message for these agents, with `slots` by their names."""
    slots = [f"{name}: {value}" for name, value in more.pop("slots", {}).items()]
    turn = {"relation": "new", "agents": list(agents), "slots": slots, "cleared": [], "unused": []}
    none = dict.fromkeys(("act", "question", "which"))
    return json.dumps({**turn, **none, **more})


def which(**more: Any) -> dict[str, Any]:
    """Which offer or booking a turn's act or question is about."""
    return {**dict.fromkeys(("kind", "number", "first_by", "name")), **more}


BROKEN = ModelError("The model did not answer: status 500")
