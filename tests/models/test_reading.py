"""What rules and a model make of a message between them: certain, taken, asked for, or told as a doubt."""

import asyncio
from datetime import date
from typing import Any

import pytest

from backend.tasks.workflow import Situation
from backend.travel.agents.agreed_reading import agreed
from backend.travel.agents.model_reading import is_certain, read_by_both
from backend.travel.agents.questions import question_about
from backend.travel.spoken_of import NOTHING, Order, to_stored
from backend.travel.stored_requests import UnderstoodRequest
from backend.travel.understanding.english.wording import doubts
from backend.travel.understanding.replay import Replay
from backend.travel.understanding.result import Understanding
from backend.travel.workflow import TravelWorkflow
from scripts.read_with_model import ReadWithModel, read_all, sampled
from tests.agents.sources import TODAY, Provider, Travel
from tests.fakes import Gate
from tests.interruption.parts import Parts, started
from tests.models.journeys import FLIGHTS, offers, parts
from tests.models.scripted_model import BROKEN, Piece, ScriptedModel, search_flights, understand
from tests.understanding.conversation import told

WISH = "Find flights from Berlin to Tokyo on 10 December"
ROME = "a hotel in Rome from 5 to 8 December"


def both(*said: str, agents: tuple[str, ...] = ("flight",), **slots: object) -> Understanding:
    return read_by_both(told(*said), [understand(*agents, **slots)], message=said[-1], today=TODAY)


def test_model_adds_to_what_the_rules_read_and_contradicts_nothing() -> None:
    known = {"origin": "Berlin", "destination": "Tokyo", "departure_date": "2026-12-10"}
    understood = both(f"{WISH} for two", flight={**known, "return_date": "2026-12-17"})
    assert (understood.flight.passengers, understood.flight.return_date) == (2, date(2026, 12, 17))
    assert understood.flight.destination == told(WISH).flight.destination
    assert (understood.missing, understood.alternatives) == ((), ())
    airport = both("fly BER to HND on 10 December", flight={"destination": "Tokyo"})
    assert airport.flight.destination is not None
    assert (airport.flight.destination.airport, airport.missing) == ("HND", ())


@pytest.mark.requirement("RULES-AND-MODEL-AGREE-OR-ASK")
def test_place_in_dispute_is_asked_for_with_both_as_choices() -> None:
    understood = both(WISH, flight={"origin": "Hamburg"})
    assert (understood.flight.origin, understood.missing) == (None, ("flight.origin",))
    asked = question_about("flight", understood, today=TODAY)
    assert asked is not None
    choices = [one["const"] for one in asked["schema"]["properties"]["origin"]["oneOf"]]
    assert choices == ["Berlin, Germany", "Hamburg, Germany"]
    assert "(Berlin or Hamburg)" in asked["prompt"]


@pytest.mark.requirement("RULES-AND-MODEL-AGREE-OR-ASK")
def test_day_in_dispute_is_asked_for_with_both_as_choices() -> None:
    understood = both(WISH, flight={"departure_date": "2026-12-12"})
    asked = question_about("flight", understood, today=TODAY)
    assert asked is not None
    choices = [one["const"] for one in asked["schema"]["properties"]["departure_date"]["oneOf"]]
    assert choices == ["2026-12-10", "2026-12-12"]
    assert "(Thu 10 December 2026 or Sat 12 December 2026)" in asked["prompt"]


@pytest.mark.requirement("RULES-AND-MODEL-AGREE-OR-ASK")
def test_optional_value_in_dispute_is_that_of_the_rules_and_told_as_a_doubt() -> None:
    understood = both(f"{WISH} for two", flight={"passengers": 3})
    assert (understood.flight.passengers, understood.missing) == (2, ())
    assert doubts(understood).startswith("I took 2")
    assert doubts(understood).endswith("did you mean 3?")


def test_known_value_may_change_by_words_that_the_rules_could_not_read() -> None:
    said = (WISH, "business class with a detour via the city of takoyaki")
    assert {one.reason for one in told(*said).refused} == {"not_understood"}
    understood = both(*said, flight={"destination": "Osaka"})
    assert understood.flight.destination is not None
    assert understood.flight.destination.city.name == "Osaka"


def test_known_value_that_no_word_is_left_for_is_in_dispute() -> None:
    understood = both(WISH, "business class please", flight={"destination": "Osaka"})
    assert understood.missing == ("flight.destination",)


def test_assumed_day_of_a_stay_is_taken_from_the_model() -> None:
    understood = both(WISH, "and a hotel there", agents=("flight", "hotel"), hotel={"check_in": "2026-12-11"})
    assert (understood.hotel.check_in, understood.missing) == (date(2026, 12, 11), ())


def test_unused_wishes_are_what_the_model_quotes_and_nothing_it_invents() -> None:
    said = f"{ROME} with a sea view, it should be chic"
    understood = both(said, agents=("hotel",), unused=["with a sea view", "a private pool"])
    assert [one.said for one in understood.refused] == ["with a sea view"]
    assert understood.unused == ("with a sea view",)
    later = told(f"{ROME} with a sea view", "4 stars")
    assert agreed(later, later, (), unused=()).unused == ("with a sea view",)


@pytest.mark.parametrize("said", ["book the cheapest flight", "what have I booked?"])
def test_model_is_not_asked_about_acts_that_the_rules_read_whole(said: str) -> None:
    assert is_certain(told(WISH, said))
    assert not is_certain(told(WISH, "make it business class"))
    assert not is_certain(told(WISH))


@pytest.mark.virtual_time
async def test_reading_in_dispute_is_asked_and_its_answer_is_searched() -> None:
    script = {
        "reading": [[understand("flight", flight={"origin": "Hamburg"})]],
        "flight": [[search_flights()], ["Done."]],
    }
    model = ScriptedModel({**script, "reply": [["There."]] * 2})
    async with started(parts(model)) as core:
        task_id = await core.post(FLIGHTS)
        await core.bus.published.until(lambda event: event["type"] == "input_request")
        [asked] = [event for event in await core.events() if event["type"] == "input_request"]
        assert "Hamburg" in asked["prompt"]
        assert not await core.store.get_tool_calls("ann", 1)
        await core.runner.answer("ann", asked["request_id"], answer={"origin": "Berlin, Germany"})
        await core.bus.published.until(lambda event: event["type"] == "partial_result")
        await core.settled(task_id)
        [call] = await core.store.get_tool_calls("ann", 1)
    assert call.arguments["origins"] == ["BER"]


@pytest.mark.virtual_time
async def test_request_interrupts_at_once_while_the_model_still_reads_it() -> None:
    model = ScriptedModel({"reading": [[understand("flight")], [Gate()]], "flight": [[search_flights()]] * 2})
    async with started(parts(model, offers(flights="hang"))) as core:
        first = await core.post(FLIGHTS)
        await core.bus.published.until(lambda event: event["type"] == "partial_result")
        before = core.clock()
        accepted = await core.runner.handle_user_message("ann", "actually to Osaka")
        assert accepted.interrupted_task_id == first
        assert (core.clock() - before).total_seconds() < 0.1
        await core.runner.stop("ann")
        await core.settled(first, accepted.task_id)


RIDDLE = "get us over to the land of the rising sun"


FOREIGN = "Hallo, lieber nach Tokio bitte"


TRIP = {"origin": "Berlin", "destination": "Tokyo", "departure_date": "2026-12-10"}


def a_model(*readings: list[Piece], flight: list[list[Piece]] | None = None) -> ScriptedModel:
    searches = flight if flight is not None else [[search_flights()], ["Done."]] * 3
    return ScriptedModel({"reading": list(readings), "flight": searches, "reply": [["There."]] * 3})


async def at_work(core: Parts) -> str:
    """Post a request whose search goes on for ever, and return its task once it does."""
    task_id = await core.post(FLIGHTS)
    await core.bus.published.until(lambda event: event["type"] == "partial_result")
    return task_id


@pytest.mark.virtual_time
@pytest.mark.parametrize("said", [RIDDLE, FOREIGN])
async def test_message_that_the_model_takes_for_a_request_interrupts(said: str) -> None:
    model = a_model([understand("flight")], [understand("flight", flight=TRIP)], [understand("flight")])
    async with started(parts(model, offers(flights="hang"))) as core:
        first = await at_work(core)
        accepted = await core.runner.handle_user_message("ann", said)
        assert (accepted.relation, accepted.interrupted_task_id) == ("refine", first)
        await core.settled(first)
        assert (await core.task(first)).reason == "superseded"
        await core.runner.stop("ann")
        await core.settled(accepted.task_id)


@pytest.mark.virtual_time
@pytest.mark.requirement("RULES-STAND-IN-FOR-MODELS")
@pytest.mark.parametrize(
    "reading", [[understand()], [BROKEN], ["Hm."], [Gate()]], ids=["nothing", "broken", "mute", "slow"]
)
async def test_message_that_nobody_takes_for_a_request_interrupts_nothing(reading: list[Piece]) -> None:
    model = a_model([understand("flight")], reading)
    async with started(parts(model, offers(flights="hang"))) as core:
        first = await at_work(core)
        accepted = await core.runner.handle_user_message("ann", RIDDLE)
        assert (accepted.relation, accepted.interrupted_task_id) == ("other", None)
        await core.settled(accepted.task_id)
        assert (await core.task(first)).status == "running"
        await core.runner.stop("ann")
        await core.settled(first)


@pytest.mark.virtual_time
async def test_model_is_not_asked_what_the_rules_know() -> None:
    model = a_model()
    async with started(parts(model)) as core:
        for message in ("hello", "thanks", "stop"):
            await core.settled(await core.post(message))
    assert "reading" not in [role for role, _ in model.asked]


@pytest.mark.virtual_time
async def test_stop_does_not_wait_for_the_model_and_later_messages_keep_their_order() -> None:
    model = a_model([understand("flight")], [Gate()], [understand("flight")])
    async with started(parts(model, offers(flights="hang"))) as core:
        first = await at_work(core)
        posts = [core.owner.spawn(core.post(text), name=text) for text in (RIDDLE, FLIGHTS)]
        await asyncio.sleep(0.1)
        before = core.clock()
        await core.runner.stop("ann")
        await core.settled(first)
        assert (core.clock() - before).total_seconds() < 1
        riddle, flights = [await post for post in posts]
        assert (await core.task(riddle)).turn < (await core.task(flights)).turn
        await core.runner.stop("ann")
        await core.settled(riddle, flights)


STORED = told("flights from Berlin to Rome on 10 December")


async def advice(request: Any) -> Any:
    """The request that a model makes of a message in Estonian, after the stored one."""
    flight = {"origin": "Berlin", "destination": "Oslo", "departure_date": "2026-12-10"}
    model = ScriptedModel({"reading": [[understand("flight", flight=flight)]]})
    provider: Any = Provider([])
    workflow = TravelWorkflow(provider, Travel(provider).ledger, today=lambda: TODAY, model=model)
    reading = await workflow.advise(
        "Leti Berliinist Oslosse kümnendal detsembril", Situation(previous=request)
    )
    assert reading is not None
    return reading.request


async def test_order_of_the_list_outlives_a_message_that_the_model_reads() -> None:
    fastest_first = to_stored(NOTHING.in_order("flight", Order(by="duration")))
    advised = await advice(UnderstoodRequest(STORED, **fastest_first))
    assert advised["understanding"]["flight"]["destination"]["city"]["name"] == "Oslo"
    assert advised["spoken_of"]["orders"] == fastest_first["spoken_of"]["orders"]


@pytest.mark.requirement("OLD-DATA-FILES")
async def test_stored_request_of_an_earlier_version_is_read_on_or_dropped() -> None:
    stored = dict(UnderstoodRequest(STORED)["understanding"])
    for added_later in ("wanted", "about", "searched", "refused"):
        del stored[added_later]
    assert (await advice({"understanding": stored}))["understanding"]["relation"] == "refine"
    assert (await advice({"understanding": "flights"}))["drops_previous"]


def record(utterance: str, *history: tuple[str, str], at: int = 0) -> dict[str, Any]:
    turns = [{"role": role, "text": text} for role, text in history]
    return {"id": str(at), "history": turns, "utterance": utterance, "date_context": "2026-11-20"}


def reader(*readings: list[Piece]) -> ReadWithModel:
    ticks = iter(range(10_000))
    model = ScriptedModel({"reading": list(readings)})
    return ReadWithModel(model, lambda: float(next(ticks)), within_s=5)


async def test_replay_with_a_model_predicts_what_the_model_adds() -> None:
    said = record("flights from Berlin to Rome on 10 December for the pair of lovebirds that we are")
    predicted = await reader([understand("flight", flight={"passengers": 2})]).predict(said)
    assert predicted["slots"]["flight"]["origin"] == "Berlin"
    assert predicted["slots"]["flight"]["passengers"] == 2


async def test_replay_with_a_failing_model_predicts_the_rules_and_counts_it() -> None:
    read = reader([BROKEN])
    said = record("flights from Berlin to Rome on 10 December")
    assert await read.predict(said) == Replay(lambda: 0.0).predict(said)
    assert read.told().startswith("1 messages by the model, 1 of them failed; of one: ")


async def test_replay_shows_the_model_the_turns_before() -> None:
    read = reader([understand("flight")])
    history = (("user", "hi"), ("user", "flights to Rome"), ("assistant", "From where?"))
    await read.predict(record("from Berlin on 10 December", *history))
    assert isinstance(read.model, ScriptedModel)
    roles = [message["role"] for message in read.model.told("reading")]
    assert roles == ["system", "user", "assistant", "user"]


async def test_replay_reads_in_order_and_a_sample_is_always_the_same() -> None:
    records = [str(number).encode() for number in range(50)]
    assert sampled(records, 5) == sampled(records, 5)
    assert (len(sampled(records, 5)), sampled(records, 0)) == (5, records)
    assert sampled(records, 5) == sorted(sampled(records, 5), key=int)
    written: list[bytes] = []
    await read_all(reader(), [b'{"id":"a","history":[],"utterance":"hello"}'], written.append)
    assert written[0].startswith(b'{"id":"a"')
