"""What rules and a model make of a message between them, and what a model makes of one alone."""

import asyncio
import io
import json
import sys
from datetime import date, time
from typing import Any

import pytest
import structlog
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.domain.errors import BadInput
from backend.tasks.workflow import Situation
from backend.travel.agents.with_model.reading import (
    SCHEMA,
    SLOTS_READ,
    Turn,
    agreed,
    certain,
    has_unread,
    is_for_model,
    reading_of_turn,
    turn_in,
    understood_alone,
    values_in,
)
from backend.travel.stored_requests import NOTHING, Order, UnderstoodRequest, to_stored
from backend.travel.understanding.english.wording import doubts
from backend.travel.understanding.found import FoundQuestion, Which
from backend.travel.understanding.result import BookingWish, Understanding
from backend.travel.understanding.slot_table import SLOTS
from backend.travel.workflow import TravelWorkflow
from checks.understanding.replay import Replay
from scripts import read_with_model
from scripts.read_with_model import ReadWithModel, read_all, sampled
from tests.agents.sources import TODAY, Provider, Travel
from tests.fakes import Gate
from tests.fakes.model_dialects import faults_of_strict_schema
from tests.interruption.parts import Parts, started
from tests.models.journeys import FLIGHTS, offers, parts
from tests.models.scripted_model import BROKEN, Piece, ScriptedModel, reading, which
from tests.understanding.conversation import told

WISH = "Find flights from Berlin to Tokyo on 10 December"
UNREAD = f"{WISH} with a kotatsu and the sheen of a takoyaki"
ROME = "a hotel in Rome from 5 to 8 December"
RIDDLE = "get us over to the land of the rising sun"


def turn(*agents: str, **more: Any) -> Turn:
    return turn_in(reading(*agents, **more))


def both(*said: str, agents: tuple[str, ...] = ("flight",), **more: Any) -> Understanding:
    return agreed(told(*said), turn(*agents, **more), message=said[-1], today=TODAY)


# --- a turn --------------------------------------------------------------------------------------------


def test_schema_is_strict_and_has_every_slot_that_a_model_reads() -> None:
    assert faults_of_strict_schema(SCHEMA) == []
    for name in SLOTS_READ:
        assert name in SCHEMA["properties"]["cleared"]["items"]["enum"]
        assert name.replace(".", "[.]") in SCHEMA["properties"]["slots"]["items"]["pattern"]


@pytest.mark.parametrize(
    "text", ["", "Sure!", "[]", "{}", reading("pilot"), reading(relation="dance"), reading(sudo=1)]
)
def test_answer_that_is_no_turn_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        turn_in(text)


def test_values_are_read_as_the_rules_have_them_and_impossible_ones_left_out() -> None:
    said = {
        "flight.origin": "Berlin, Germany",
        "flight.max_stops": "0",
        "flight.departs_after": "09:30",
        "flight.return_date": "2026-12-17",
        "flight.refundable": "true",
        "flight.children": "3, 4",
        "hotel.amenities": "pool, a moat",
        "hotel.max_price": "120.50",
        "car.car_class": "suv",
    }
    impossible = {
        "flight.destination": "Nowhereville",
        "flight.departure_date": "2020-01-01",
        "flight.passengers": "99",
        "flight.cabin_class": "throne",
        "flight.changeable": "perhaps",
        "hotel.stars": "many",
        "hotel.check_in": "tomorrow",
        "car.max_price": "0",
        "boat.name": "Ark",
    }
    lines = [f"{name}: {value}" for name, value in {**said, **impossible}.items()]
    values = values_in(lines, today=TODAY)
    assert set(values) == set(said)
    assert values["flight.origin"].city.name == "Berlin"
    assert values["flight.departs_after"] == time(9, 30)
    assert values["flight.children"] == (3, 4)
    assert values["hotel.amenities"] == ("pool",)
    assert (values["flight.max_stops"], values["flight.refundable"]) == (0, True)
    assert str(values["hotel.max_price"].amount) == "120.50"


def test_acts_and_questions_of_a_turn_are_those_of_the_rules() -> None:
    cheapest = turn(act="book", which=which(kind="flight", first_by="price"))
    assert cheapest.wish == BookingWish(action="book", kind="flight", pick="cheapest")
    booked = turn(act="cancel", which=which(name="DEMO-7K2Q4M"))
    assert booked.wish == BookingWish(action="cancel", reference="DEMO-7K2Q4M")
    asked = turn(question="layover", which=which(kind="flight", number=2)).asked
    assert asked == FoundQuestion(topic="layover", agent="flight", which=Which(numbers=(2,)))
    assert (turn().wish, turn().asked) == (None, None)


# --- read by both --------------------------------------------------------------------------------------


def test_model_fills_gaps_where_the_rules_left_words_unread() -> None:
    slots = {"flight.return_date": "2026-12-17", "flight.cabin_class": "business"}
    understood = both(UNREAD, slots={"flight.origin": "Berlin", **slots})
    assert (understood.flight.return_date, understood.flight.cabin_class) == (date(2026, 12, 17), "business")
    assert understood.flight.destination == told(WISH).flight.destination
    assert understood.missing == ()


def test_day_of_the_model_that_nobody_wrote_is_told() -> None:
    understood = both(UNREAD, slots={"flight.return_date": "2026-12-17"})
    assert "I took Thu 17 December 2026." in doubts(understood)
    written = both(f"{UNREAD} til 17 krismas", slots={"flight.return_date": "2026-12-17"})
    assert written.alternatives == ()


@pytest.mark.requirement("RULES-STAND-AND-MODELS-FILL-GAPS")
def test_model_adds_nothing_to_a_message_of_which_the_rules_read_every_word() -> None:
    more = {"act": "book", "question": "price", "which": which(number=1), "unused": ["Berlin"]}
    slots = {"flight.max_price": "1", "hotel.city": "Rome", "flight.destination": "Oslo"}
    for said in ((WISH,), (WISH, "business class please")):
        assert both(*said, agents=("flight", "hotel"), slots=slots, **more) == told(*said)


@pytest.mark.requirement("RULES-STAND-AND-MODELS-FILL-GAPS")
def test_other_reading_of_the_users_words_is_told_as_a_doubt() -> None:
    understood = both(
        "flights from Berlin to Tokyo, not to Osaka, on 10 December", slots={"flight.destination": "Osaka"}
    )
    assert understood.flight.destination is not None
    assert understood.flight.destination.city.name == "Tokyo"
    assert understood.missing == ()
    assert "Osaka" in doubts(understood)


def test_value_of_an_earlier_message_may_change_by_words_that_the_rules_could_not_read() -> None:
    said = (WISH, "business class with a takoyaki in osakatown")
    assert has_unread(told(*said))
    understood = both(*said, slots={"flight.destination": "Osaka"})
    assert understood.flight.destination is not None
    assert understood.flight.destination.city.name == "Osaka"
    cleared = both(
        f"{WISH} under 900 euros",
        "business class, and scrap the shekel ceiling",
        cleared=["flight.max_price"],
    )
    assert cleared.flight.max_price is None


INVENTED = {
    "flight.destination": "Oslo",
    "flight.airlines": "Lufthansa",
    "flight.via": "Paris",
    "flight.max_price": "1",
    "hotel.city": "Rome",
    "hotel.name": "Ritz",
    "hotel.district": "Shibuya",
    "flight.max_minutes": "2027",
    "flight.max_layover": "45",
    "hotel.guests": "17",
}


@pytest.mark.requirement("RULES-STAND-AND-MODELS-FILL-GAPS")
@pytest.mark.parametrize("name", INVENTED)
def test_place_name_or_amount_that_nobody_said_changes_no_search(name: str) -> None:
    for said in ((UNREAD,), (WISH, "business class with a takoyaki in osakatown")):
        agents = (name.partition(".")[0],)
        invented = both(*said, agents=agents, slots={name: INVENTED[name]})
        assert {each: invented.of(each) for each in SLOTS} == {each: told(*said).of(each) for each in SLOTS}
    alone = understood_alone(
        turn("flight", relation="refine", slots=INVENTED), told(WISH), message=UNREAD, today=TODAY
    )
    assert alone is not None
    assert {each: alone.of(each) for each in SLOTS} == {each: told(WISH).of(each) for each in SLOTS}


@pytest.mark.parametrize(
    "said",
    ["with a takoyaki in under 11 hours", "with a takoyaki, 660 minuutit", "of 11h at most, takoyaki"],
)
def test_number_that_was_written_is_the_models_to_read(said: str) -> None:
    assert both(WISH, f"business class {said}", slots={"flight.max_minutes": "660"}).flight.max_minutes == 660


def test_day_of_a_month_that_nobody_wrote_is_asked_for() -> None:
    said = "flights from Berlin to Rome in january with a kotatsu"
    for slots in ({"flight.departure_date": "2027-01-01"}, {"flight.return_date": "2027-01-10"}):
        assert both(said, slots=slots) == told(said)
    written = both(f"{said} as of the 7 th.", slots={"flight.departure_date": "2027-01-07"})
    assert written.missing == ()


@pytest.mark.parametrize("more", [{}, {"slots": {"hotel.city": "Rome"}}, {"slots": {"car.city": "Tokyo"}}])
def test_agent_that_could_not_search_is_not_added(more: Any) -> None:
    assert both(UNREAD, agents=("flight", "hotel", "car"), **more) == told(UNREAD)


@pytest.mark.parametrize(
    ("which_one", "more"),
    [
        ({"name": "best_request"}, {"question": "fits"}),
        ({"name": "Ritz"}, {"act": "book"}),
        ({"number": 1}, {"act": "book", "question": "price"}),
    ],
)
def test_question_or_act_about_what_nobody_named_is_left_out(which_one: Any, more: Any) -> None:
    assert both(UNREAD, which=which(kind="flight", **which_one), **more) == told(UNREAD)
    alone = turn(relation="question", which=which(kind="flight", **which_one), **more)
    assert understood_alone(alone, told(WISH), message=RIDDLE, today=TODAY) is None
    situation = Situation(previous=UnderstoodRequest(told(WISH)))
    assert reading_of_turn(alone, situation, message=RIDDLE, today=TODAY) is None


def test_code_of_an_airline_names_it() -> None:
    said = f"{WISH} with a kotatsu, and the sheen of ba"
    taken = both(said, slots={"flight.airlines": "British Airways"})
    assert taken.flight.airlines == ("British Airways",)
    assert both(said, slots={"flight.airlines": "Lufthansa"}).flight.airlines == ()


def test_place_that_no_name_tells_fills_what_is_open_and_is_told() -> None:
    understood = both(
        "Find flights from Berlin to the city of takoyaki on 10 December",
        slots={"flight.destination": "Osaka"},
    )
    assert understood.flight.destination is not None
    assert understood.flight.destination.city.name == "Osaka"
    assert "I took Osaka" in doubts(understood)


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("ab nach osakatown", "Osaka"),
        ("via the takoyaki of ITM", "Osaka"),
        ("大阪 takoyaki", "Osaka"),
        ("leti tokyosse takoyaki", "Tokyo"),
    ],
)
def test_place_that_was_named_is_the_models_to_read(said: str, value: str) -> None:
    alone = understood_alone(
        turn("flight", slots={"flight.destination": value}), None, message=said, today=TODAY
    )
    assert alone is not None
    assert alone.flight.destination is not None
    assert alone.flight.destination.city.name == value


def test_assumed_day_of_a_stay_is_taken_from_the_model() -> None:
    said = (WISH, "and a hotel there with the sheen of a takoyaki")
    understood = both(*said, agents=("flight", "hotel"), slots={"hotel.check_in": "2026-12-11"})
    assert (understood.hotel.check_in, understood.missing) == (date(2026, 12, 11), ())


def test_unused_wishes_are_what_the_model_quotes_and_nothing_it_invents() -> None:
    said = f"{ROME} with a sea view, it should be chic"
    unused = ["with a sea view", "a private pool"]
    understood = both(said, agents=("hotel",), slots={"hotel.stars": "4"}, unused=unused)
    assert [one.said for one in understood.refused] == ["with a sea view"]
    assert understood.unused == ("with a sea view",)
    silenced = both(said, agents=("hotel",))
    assert silenced.refused == told(said).refused


SAID = st.sampled_from([
    (WISH,), (UNREAD,), (ROME,), (WISH, "business class please"), (WISH, "make it the city of takoyaki"),
    (f"{WISH} under 900 euros, nonstop", "scrap the shekel ceiling"), (WISH, "and a hotel there"), ("hello",),
    (WISH, "book the cheapest flight"), ("a car in Rome from 3 May to 6 May with the sheen of a takoyaki",),
])  # fmt: skip
VALUES = {
    "city": ["Rome", "Osaka", "Nowhereville", "BER"],
    "day": ["2026-12-10", "2026-12-24", "2020-01-01", "later"],
    "other": ["1", "0", "7", "true", "business", "09:00", "pool", "Lufthansa", ""],
}


@st.composite
def turns(draw: Any) -> Turn:
    names = st.sampled_from([*SLOTS_READ, "boat.name"])
    values = st.sampled_from([each for some in VALUES.values() for each in some])
    slots = draw(st.lists(st.tuples(names, values), max_size=9))
    return Turn(
        relation=draw(st.sampled_from(["new", "refine", "add", "answer", "act", "undo", "stop", "other"])),
        agents=draw(st.lists(st.sampled_from(["flight", "hotel", "car"]), max_size=3)),
        slots=[f"{name}: {value}" for name, value in slots],
        cleared=draw(st.lists(names, max_size=9)),
        act=draw(st.sampled_from([None, "book", "hold", "cancel"])),
        question=draw(st.sampled_from([None, "price", "stops"])),
        which=draw(st.sampled_from([None, Turn.model_validate_json(reading(which=which(number=-1))).which])),
        unused=draw(st.lists(st.sampled_from(["takoyaki", "Berlin", "a moat"]), max_size=3)),
    )


@pytest.mark.requirement("RULES-STAND-AND-MODELS-FILL-GAPS")
@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(said=SAID, model=turns())
def test_no_turn_takes_a_certain_slot_from_the_rules(said: tuple[str, ...], model: Turn) -> None:
    rules = told(*said)
    understood = agreed(rules, model, message=said[-1], today=TODAY)
    sure, still = certain(rules), certain(understood)
    assert {name: still.get(name) for name in sure} == sure
    assert len(still) >= len(sure)
    assert set(understood.missing) <= {*rules.missing, *(f"{agent}." for agent in SLOTS)} | {
        name for name in understood.missing if name.partition(".")[0] not in rules.agents
    }
    assert set(rules.agents) <= set(understood.agents)
    assert rules.booking is None or understood.booking == rules.booking


@pytest.mark.parametrize("said", ["book the cheapest flight", "what have I booked?", "hello"])
def test_model_is_not_asked_about_what_the_rules_read_whole(said: str) -> None:
    assert not is_for_model(told(WISH, said))
    assert is_for_model(told(WISH, "make it business class"))
    assert is_for_model(told(WISH))


# --- beside the searches -------------------------------------------------------------------------------


@pytest.mark.virtual_time
@pytest.mark.requirement("OFFERS-DO-NOT-WAIT-FOR-MODELS")
async def test_search_starts_at_once_and_ends_for_another_where_the_model_reads_otherwise() -> None:
    gate = Gate()
    model = ScriptedModel({"reading": [[gate, reading("flight", slots={"flight.cabin_class": "business"})]]})
    model.script["reply"] = [[BROKEN]]
    async with started(parts(model)) as core:
        task_id = await core.post(UNREAD)
        await core.bus.published.until(lambda event: event.get("state") == "running")
        gate.open()
        await core.settled(task_id)
        calls = await core.store.get_tool_calls("ann", 1)
        reply = (await core.history())[-1][1]
    assert [(call.outcome, call.arguments["cabin_class"]) for call in calls] == [
        ("cancelled", "economy"),
        ("completed", "business"),
    ]
    assert "business" in reply


@pytest.mark.virtual_time
async def test_correction_that_offers_shown_already_contradict_is_left_out() -> None:
    gate = Gate()
    model = ScriptedModel({"reading": [[gate, reading("flight", slots={"flight.max_price": "600"})]]})
    model.script["reply"] = [[BROKEN]]
    async with started(parts(model, read_within_s=5.0)) as core:
        task_id = await core.post(f"{UNREAD} at coin600")
        await core.bus.published.until(lambda event: event["type"] == "partial_result")  # for 612.40
        gate.open()
        await core.settled(task_id)
        [call] = await core.store.get_tool_calls("ann", 1)
        assert call.arguments["max_price"] is None
        assert "I did nothing with" in (await core.history())[-1][1]
        assert (await core.receipt(task_id))["partial_results"] == {"flight": 2}


@pytest.mark.virtual_time
async def test_correction_that_narrows_to_what_was_shown_is_kept_for_later_messages() -> None:
    gate = Gate()
    model = ScriptedModel(
        {"reading": [[gate, reading("flight", slots={"flight.max_price": "650"})], [BROKEN]]}
    )
    model.script["reply"] = [[BROKEN], [BROKEN]]
    async with started(parts(model, read_within_s=5.0)) as core:
        task_id = await core.post(f"{UNREAD} at coin650")
        await core.bus.published.until(lambda event: event["type"] == "partial_result")
        gate.open()
        await core.settled(task_id)
        await core.settled(await core.post("make it two passengers"))
        *_, call = await core.store.get_tool_calls("ann", 2)
    assert str(call.arguments["max_price"]["amount"]) == "650"


@pytest.mark.virtual_time
async def test_agent_that_the_model_adds_searches_too() -> None:
    slots = {"hotel.city": "Tokyo", "hotel.check_in": "2026-12-10", "hotel.nights": "1"}
    model = ScriptedModel({"reading": [[reading("flight", "hotel", slots=slots)]], "reply": [[BROKEN]]})
    async with started(parts(model)) as core:
        task_id = await core.post(UNREAD)
        await core.settled(task_id)
        assert (await core.receipt(task_id))["partial_results"] == {"flight": 2, "hotel": 1}
        assert "1 hotel" in (await core.history())[-1][1]


@pytest.mark.virtual_time
async def test_question_for_what_is_missing_waits_for_the_model_that_may_know_it() -> None:
    slots = {"flight.departure_date": "2026-12-01"}
    model = ScriptedModel({"reading": [[reading("flight", slots=slots)]], "reply": [[BROKEN]]})
    async with started(parts(model)) as core:
        await core.settled(await core.post("Find flights from Berlin to Tokyo on 31 November"))
        [call] = await core.store.get_tool_calls("ann", 1)
    assert call.arguments["departure_date"] == "2026-12-01"


@pytest.mark.virtual_time
async def test_request_interrupts_at_once_while_the_model_still_reads_it() -> None:
    model = ScriptedModel({"reading": [[reading("flight")], [Gate()]]})
    async with started(parts(model, offers(flights="hang"))) as core:
        first = await core.post(FLIGHTS)
        await core.bus.published.until(lambda event: event["type"] == "partial_result")
        before = core.clock()
        accepted = await core.runner.handle_user_message("ann", "actually to Osaka")
        assert accepted.interrupted_task_id == first
        assert (core.clock() - before).total_seconds() < 0.1
        await core.runner.stop("ann")
        await core.settled(first, accepted.task_id)


FOREIGN = "hallo, toch liever naar Tokio graag"


TRIP = {"flight.origin": "Berlin", "flight.destination": "Tokyo", "flight.departure_date": "2026-12-10"}


def a_model(*readings: list[Piece]) -> ScriptedModel:
    return ScriptedModel({"reading": list(readings), "reply": [[BROKEN]] * 3})


async def at_work(core: Parts) -> str:
    """Post a request whose search goes on for ever, and return its task once it does."""
    task_id = await core.post(FLIGHTS)
    await core.bus.published.until(lambda event: event["type"] == "partial_result")
    return task_id


@pytest.mark.virtual_time
@pytest.mark.parametrize("said", [RIDDLE, FOREIGN])
async def test_message_that_the_model_takes_for_a_request_interrupts(said: str) -> None:
    model = a_model([reading("flight")], [reading("flight", relation="refine", slots=TRIP)])
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
    "read",
    [[reading(relation="talk")], [BROKEN], ["Hm."], [Gate()]],
    ids=["nothing", "broken", "mute", "slow"],
)
async def test_message_that_nobody_takes_for_a_request_interrupts_nothing(read: list[Piece]) -> None:
    model = a_model([reading("flight")], read)
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
        for message in ("hello", "thanks", "stop", "what have I booked?"):
            await core.settled(await core.post(message))
    assert "reading" not in [role for role, _ in model.asked]


@pytest.mark.virtual_time
async def test_stop_does_not_wait_for_the_model_and_later_messages_keep_their_order() -> None:
    model = a_model([reading("flight")], [Gate()], [reading("flight")])
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
    slots = {**TRIP, "flight.destination": "Oslo"}
    model = ScriptedModel({"reading": [[reading("flight", relation="refine", slots=slots)]]})
    provider: Any = Provider([])
    workflow = TravelWorkflow(provider, Travel(provider).ledger, today=lambda: TODAY, model=model)
    said = "Leti Berliinist Oslosse kümnendal detsembril"
    advised = await workflow.advise(said, Situation(previous=request))
    assert advised is not None
    return advised.request


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


def reader(*readings: list[Piece], together: bool = False) -> ReadWithModel:
    ticks = iter(range(10_000))
    model = ScriptedModel({"reading": list(readings)})
    return ReadWithModel(model, lambda: float(next(ticks)), within_s=5, together=together)


ODD = "flights from Berlin to Rome on 10 December with a kotatsu for the pair of lovebirds"


async def test_replay_predicts_what_the_model_returned_and_nothing_of_the_rules() -> None:
    slots = {"flight.origin": "Rome", "flight.passengers": "2"}
    predicted = await reader([reading("flight", relation="add", slots=slots)]).predict(record(ODD))
    assert predicted["slots"]["flight"] == {"origin": "Rome", "passengers": 2}
    assert (predicted["intent"], predicted["relation"]) == (["flight"], "add")


async def test_replay_together_predicts_what_a_server_makes_of_both() -> None:
    slots = {"flight.origin": "Oslo", "flight.passengers": "2"}
    predicted = await reader([reading("flight", slots=slots)], together=True).predict(record(ODD))
    assert predicted["slots"]["flight"]["origin"] == "Berlin"
    assert predicted["slots"]["flight"]["passengers"] == 2


async def test_replay_with_a_failing_model_predicts_nothing_or_the_rules_and_counts_it() -> None:
    for together, predicted in ((True, Replay(lambda: 0.0).predict(record(ODD))), (False, {"id": "0"})):
        read = reader([BROKEN], together=together)
        assert (await read.predict(record(ODD))).items() >= predicted.items()
    trip = ("user", "flights from Berlin to Rome on 10 December")
    read = reader([BROKEN])
    predicted = await read.predict(record("to Oslo", trip))
    assert (predicted["intent"], predicted["relation"]) == (["other"], "other")
    assert predicted["slots"]["flight"]["destination"] == "Rome"
    assert read.told().startswith("1 messages by the model, 1 of them failed; of one: ")


async def test_replay_tells_how_often_the_model_took_a_message_as_the_rules_did() -> None:
    trip = ("user", "flights from Berlin to Rome on 10 December")
    told_by = [
        reading(relation="question", question="stops"),
        reading(relation="undo"),
        reading(relation="undo"),
    ]
    read = reader(*([each] for each in told_by))
    for said in ("how many stops does the second one have?", "undo that", "make it business class"):
        await read.predict(record(said, trip))
    assert read.told().endswith("as the rules: relation 2 of 3, question 1 of 1, undo 1 of 1 and 1 more")


async def test_replay_shows_the_model_the_turns_before() -> None:
    read = reader([reading("flight")])
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


def test_predictions_stand_alone_where_a_reading_fails(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["read_with_model", "--model", "scripted:model"])
    monkeypatch.setattr(
        read_with_model, "load_model", lambda *_args, **_more: ScriptedModel({"reading": [[BROKEN]]})
    )
    said = b'{"id":"a","history":[],"utterance":"flights to Rome"}\n'
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(said)))
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written))
    before = structlog.get_config()
    try:
        read_with_model.main()
    finally:
        sys.stdout.flush()
        structlog.configure(**before)
    assert [json.loads(line)["id"] for line in written.getvalue().splitlines()] == ["a"]
    assert "1 of them failed" in capsys.readouterr().err
