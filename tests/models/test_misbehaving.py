"""A model that misbehaves takes nothing from its user: the same offers as soon, a true reply in time."""

import asyncio
from datetime import datetime
from typing import Any

import pytest

from backend.travel.agents.with_model import reply as voice
from backend.travel.models import base
from backend.travel.understanding.english.talk.remarks import YOU_ARE_WELCOME
from backend.travel.workflow import TravelWorkflow
from tests.agents.sources import TODAY
from tests.interruption.parts import Parts, started
from tests.models.journeys import FLIGHTS, offers, parts
from tests.models.scripted_model import BROKEN, Piece, ScriptedModel, reading, role_of, which
from tests.models.test_travelling import DEMO, FOUND, REPLY

pytestmark = pytest.mark.virtual_time

NONSENSE = reading(
    "flight",
    "hotel",
    "car",
    slots={
        "flight.origin": "Paris",
        "flight.destination": "Paris",
        "flight.departure_date": "2026-12-24",
        "flight.max_price": "1",
        "flight.cabin_class": "first",
        "hotel.city": "Rome",
    },
    relation="stop",
    cleared=["flight.origin"],
    act="book",
    question="price",
    which=which(kind="flight", number=1),
    unused=["Berlin", "a private jet"],
)


class Drip:
    """A piece every so many seconds, without end."""

    def __init__(self, piece: str, every_s: float) -> None:
        self.piece, self.every_s = piece, every_s


SILENCE = Drip("", 5.0)


class Misbehaving(ScriptedModel):
    """A scripted model that may drip, behind what it says first."""

    async def answer(self, question: Any, *, meter: Any, say: Any = None) -> Any:
        pieces = (self.script.get(role_of(question)) or [[]])[0]
        if not any(isinstance(piece, Drip) for piece in pieces):
            return await super().answer(question, meter=meter, say=say)
        for piece in pieces:
            while isinstance(piece, Drip):
                await asyncio.sleep(piece.every_s)
                if say is not None:
                    say(piece.piece)
            if say is not None:
                say(piece)
        raise AssertionError("a drip does not end")


def without_a_model() -> Parts:
    def workflow(ledger: Any, _owner: Any) -> TravelWorkflow:
        return TravelWorkflow(offers(), ledger, today=lambda: TODAY)

    return Parts(workflow=workflow)


async def seen(core: Parts, message: str) -> tuple[list[tuple[float, Any]], str, float]:
    """Return the offers with the seconds until each was shown, the reply, and the seconds until it ended."""
    begun = core.clock()
    task_id = await core.post(message)
    await core.settled(task_id)
    events = [each for each in await core.events() if each.get("task_id") == task_id]

    def after(event: Any) -> float:
        return (datetime.fromisoformat(event["at"]) - begun).total_seconds()

    shown = [(after(each), each["items"]) for each in events if each["type"] == "partial_result"]
    text = "".join(each["text"] for each in events if each["type"] == "text_delta")
    reply = (await core.history())[-1][1]
    assert text in (reply, "")
    ended = next(after(each) for each in events if each.get("status") == "completed")
    return shown, reply, ended


MISREADINGS = {
    "never ends": [Drip("{", 0.01)],
    "drips": [Drip(" ", 0.4)],
    "falls silent": [SILENCE],
    "breaks": [BROKEN],
    "writes prose": ["Sure! The user would like to fly to Tokyo."],
    "writes half": [reading("flight")[:40]],
    "says nothing": [""],
    "makes no sense": [NONSENSE],
}
MISSAYINGS: dict[str, list[Any]] = {
    "never ends": [Drip("and on ", 0.05)],
    "drips": [Drip("x", 1.0)],
    "falls silent": [SILENCE],
    "falls silent after a sentence": ["I found 2 flights. The cheapest", SILENCE],
    "breaks": ["I found 2 flights. ", BROKEN],
    "says nothing": [" "],
    "invents a price": ["I found 2 flights. ", "The cheapest is Larch Demo for 59 EUR. "],
    "invents a duration": ["It is a 12-hour flight from Berlin to Tokyo. "],
    "says booked": ["I have booked Larch Demo for 590 EUR. "],
    "leaves the demo line out": ["The cheapest of 2 flights is Larch Demo for 590 EUR. "],
    "lies twice": ["The price is 12 EUR. ", "It is booked. ", "The cheapest is Larch Demo."],
    "repeats itself": [f"{FOUND} ", Drip(f"{FOUND} ", 0.5)],
    "speaks without end": ["The cheapest is Larch Demo for 590 EUR. ", Drip("Here you are. ", 0.5)],
    "answers in another language": ["He encontrado dos vuelos. El mejor cuesta 590 euros. "],
}
PLAIN = (FLIGHTS, f"{FLIGHTS} with a kotatsu and the sheen of a takoyaki")


@pytest.mark.requirement("RULES-STAND-IN-FOR-MODELS", "OFFERS-DO-NOT-WAIT-FOR-MODELS")
@pytest.mark.parametrize(
    ("fault", "message"),
    # In words that the rules left unread a model may read a kind or a class that is nonsense, but no name.
    [
        (fault, said)
        for fault in MISREADINGS
        for said in PLAIN
        if said == FLIGHTS or fault != "makes no sense"
    ],
)
async def test_offers_are_those_of_the_rules_and_no_later(fault: str, message: str) -> None:
    async with started(without_a_model()) as core:
        without, _, _ = await seen(core, message)
    async with started(parts(Misbehaving({"reading": [MISREADINGS[fault]], "reply": [REPLY]}))) as core:
        shown, _, ended = await seen(core, message)
        [call] = [each for each in await core.store.get_tool_calls("ann", 1) if each.outcome == "completed"]
    assert shown == without
    assert call.arguments["destinations"] == ["HND", "NRT"]
    assert ended <= without[-1][0] + voice.FIRST_WITHIN_S


@pytest.mark.requirement("REPLIES-ARE-BORNE-OUT")
@pytest.mark.parametrize("fault", MISSAYINGS)
async def test_reply_is_true_whole_and_in_time(fault: str) -> None:
    async with started(without_a_model()) as core:
        without, of_rules, _ = await seen(core, FLIGHTS)
    model = Misbehaving({"reading": [[reading("flight")]], "reply": [MISSAYINGS[fault]]})
    async with started(parts(model)) as core:
        shown, reply, ended = await seen(core, FLIGHTS)
    assert shown == without
    assert of_rules == f"{FOUND} {DEMO}"
    assert "590" in reply
    assert "all invented" in reply or "demo offers" in reply
    for untrue in ("59 EUR", "12 EUR", "12-hour", "booked", "vuelos"):
        assert untrue not in reply
    assert ended <= without[-1][0] + voice.WITHIN_S
    if fault not in ("speaks without end", "falls silent after a sentence"):
        assert ended <= without[-1][0] + voice.FIRST_WITHIN_S


async def test_sentence_that_fails_is_dropped_and_the_next_is_shown() -> None:
    said = [
        "It is a 12-hour flight. The cheapest of 2 flights is Larch Demo for 590 EUR. These are demo offers."
    ]
    async with started(parts(ScriptedModel({"reading": [[reading("flight")]], "reply": [said]}))) as core:
        _, reply, _ = await seen(core, FLIGHTS)
    assert reply == "The cheapest of 2 flights is Larch Demo for 590 EUR. These are demo offers."


async def test_reply_that_is_given_up_goes_on_with_the_rules_whole() -> None:
    said = ["I found 2 flights. The price is 12 EUR. It is booked. "]
    async with started(parts(ScriptedModel({"reading": [[reading("flight")]], "reply": [said]}))) as core:
        _, reply, _ = await seen(core, FLIGHTS)
    assert reply == f"I found 2 flights.\n\n{FOUND} {DEMO}"


async def test_first_reply_in_another_language_is_streamed_as_it_is_kept() -> None:
    model = ScriptedModel({"reading": [[reading("flight")]], "reply": [REPLY]})
    async with started(parts(model)) as core:
        _, reply, _ = await seen(core, "Ich suche Flüge von Berlin nach Tokio am 10. Dezember")
    assert reply == f"Ich lese Deutsch, antworte aber auf Englisch. {''.join(REPLY)}"


async def test_kind_that_was_not_found_is_told_whatever_the_model_says() -> None:
    said: list[Piece] = ["Here is what I have for you."]
    async with started(parts(ScriptedModel({"reading": [[reading("flight")]], "reply": [said]}))) as core:
        _, reply, _ = await seen(core, f"{FLIGHTS}, nothing that takes over 3 hours")
    assert "I found no flights" in reply


async def test_what_wants_no_search_is_answered_by_the_rules_word_for_word() -> None:
    model = ScriptedModel({"reply": [["Sure, here you are."]]})
    async with started(parts(model)) as core:
        _, reply, _ = await seen(core, "thanks")
    assert reply == YOU_ARE_WELCOME
    assert model.asked == []


async def test_facts_that_were_not_said_follow() -> None:
    said: list[Piece] = ["I found 2 flights from Berlin to Tokyo."]
    async with started(parts(ScriptedModel({"reading": [[reading("flight")]], "reply": [said]}))) as core:
        _, reply, _ = await seen(core, f"{FLIGHTS} with a kotatsu and the sheen of a takoyaki")
    assert reply.startswith(f"I found 2 flights from Berlin to Tokyo. {FOUND} I did nothing with ")
    assert reply.endswith(DEMO)


async def test_model_that_fails_three_times_in_a_minute_is_left_alone_for_one() -> None:
    model = ScriptedModel({"reading": [[BROKEN]] * 9, "reply": [[BROKEN]] * 9})
    async with started(parts(model)) as core:
        await seen(core, FLIGHTS)
        await seen(core, "make it two passengers")
        assert len(model.asked) == base.MOST_FAILURES
        await seen(core, "make it three passengers")
        assert len(model.asked) == base.MOST_FAILURES
        await asyncio.sleep(base.LEFT_ALONE_S)
        await seen(core, "make it four passengers")
        assert len(model.asked) == base.MOST_FAILURES + 2


async def test_failures_that_are_spread_over_minutes_leave_the_model_in_use() -> None:
    model = ScriptedModel({"reading": [[BROKEN]] * 9, "reply": [REPLY] * 9})
    async with started(parts(model)) as core:
        for count in ("one passenger", "two passengers", "three passengers", "four passengers"):
            await seen(core, f"{FLIGHTS}, {count}")
            await asyncio.sleep(base.FAILURES_WITHIN_S)
    assert [role for role, _ in model.asked].count("reading") == 4
