"""Labelled utterances are read with a model as a server reads them, and what that takes is told."""

from typing import Any

from backend.travel.understanding.replay import Replay
from scripts.read_with_model import ReadWithModel, read_all, sampled
from tests.models.scripted_model import BROKEN, Piece, ScriptedModel, understand


def record(utterance: str, *history: tuple[str, str], at: int = 0) -> dict[str, Any]:
    turns = [{"role": role, "text": text} for role, text in history]
    return {"id": str(at), "history": turns, "utterance": utterance, "date_context": "2026-11-20"}


def reader(*readings: list[Piece]) -> ReadWithModel:
    ticks = iter(range(10_000))
    model = ScriptedModel({"reading": list(readings)})
    return ReadWithModel(model, lambda: float(next(ticks)), within_s=5)


async def test_what_the_model_adds_is_predicted_beside_what_the_rules_read() -> None:
    said = record("flights from Berlin to Rome on 10 December for the pair of lovebirds that we are")
    predicted = await reader([understand("flight", flight={"passengers": 2})]).predict(said)
    assert predicted["slots"]["flight"]["origin"] == "Berlin"
    assert predicted["slots"]["flight"]["passengers"] == 2


async def test_a_message_in_another_language_is_read_by_the_model_alone() -> None:
    trip = {"origin": "Berlin", "destination": "Rome", "departure_date": "2026-12-10"}
    said = record("Leti Berliinist Rooma kümnendal detsembril")
    predicted = await reader([understand("flight", flight=trip)]).predict(said)
    assert predicted["intent"] == ["flight"]
    assert predicted["slots"]["flight"]["destination"] == "Rome"


async def test_where_the_model_fails_the_rules_are_predicted_and_it_is_counted() -> None:
    read = reader([BROKEN])
    said = record("flights from Berlin to Rome on 10 December")
    assert await read.predict(said) == Replay(lambda: 0.0).predict(said)
    assert read.told().startswith("1 messages by the model, 1 of them failed; of one: ")


async def test_stops_small_talk_and_certain_acts_are_left_to_the_rules() -> None:
    read = reader()
    before = ("user", "flights from Berlin to Rome on 10 December")
    for utterance in ("stop", "thanks", "hello"):
        await read.predict(record(utterance, before))
    assert read.seconds == []


async def test_what_was_said_before_reaches_the_model_in_turns() -> None:
    read = reader([understand("flight")])
    history = (("user", "hi"), ("user", "flights to Rome"), ("assistant", "From where?"))
    await read.predict(record("from Berlin on 10 December", *history))
    assert isinstance(read.model, ScriptedModel)
    roles = [message["role"] for message in read.model.told("reading")]
    assert roles == ["system", "user", "assistant", "user"]


async def test_all_records_are_read_in_order_and_a_sample_is_always_the_same() -> None:
    records = [str(number).encode() for number in range(50)]
    assert sampled(records, 5) == sampled(records, 5)
    assert (len(sampled(records, 5)), sampled(records, 0)) == (5, records)
    assert sampled(records, 5) == sorted(sampled(records, 5), key=int)
    written: list[bytes] = []
    await read_all(reader(), [b'{"id":"a","history":[],"utterance":"hello"}'], written.append)
    assert written[0].startswith(b'{"id":"a"')
