"""What the travel agents ask, and what they make of the answer, be it a form or a message."""

from datetime import date

import pytest

from backend.domain.errors import BadInput
from backend.domain.task import TaskStatus
from backend.travel.agents.questions import with_answer
from backend.travel.read_in_situation import answer_of
from backend.travel.stored_requests import UnderstoodRequest, understanding_in
from tests.agents.ann import Ann, opened
from tests.agents.sources import TODAY, Source, a_flight, a_hotel
from tests.understanding.conversation import told

pytestmark = pytest.mark.virtual_time
FROM_WHERE_AND_WHEN = "Please tell me where to fly from and on which day to leave."


@pytest.fixture
async def ann():
    flights = Source("one", [a_flight("590.00"), a_flight("610.00")])
    async with opened(Ann(flights, Source("chains", [a_hotel("120.00")]))) as ann:
        yield ann


async def test_question_asks_for_all_that_is_missing_with_what_is_known_filled_in(ann):
    await ann.send("find me a flight to Tokyo")
    [question] = await ann.questions()
    assert question["agent"] == "flight"
    assert "where to fly from and on which day" in question["prompt"]
    assert list(question["schema"]["properties"]) == ["origin", "destination", "departure_date"]
    assert question["schema"]["required"] == ["origin", "departure_date"]
    assert question["defaults"] == {"destination": "Tokyo, Japan"}


async def test_form_that_is_filled_in_starts_the_search(ann):
    await ann.send("find me a flight to Tokyo")
    await ann.answer(origin="Berlin", departure_date="2026-12-10")
    searched = "flights from Berlin to Tokyo on Thu 10 December:"
    assert (await ann.reply()).startswith(f"I found 2 {searched}")
    answered = "From: Berlin; To: Tokyo, Japan; Leaving on: 10 December 2026"
    assert [text for role, text in await ann.parts.history() if role == "user"] == [
        "find me a flight to Tokyo",
        answered,
    ]


async def test_answer_is_shown_in_the_request_of_each_agent_that_searches_by_it(ann):
    task_id = (await ann.send("flight and hotel in Tokyo for three nights")).task_id
    agents = await ann.parts.agents(task_id)
    assert agents["flight"].request["origin"] is None
    await ann.answer(origin="Berlin", departure_date="2026-12-10")
    agents = await ann.parts.agents(task_id)
    flight, hotel = agents["flight"].request, agents["hotel"].request
    assert (flight["origin"]["codes"], flight["departure_date"]) == (["BER"], "2026-12-10")
    assert (hotel["check_in"], hotel["check_out"]) == ("2026-12-10", "2026-12-13")


@pytest.mark.parametrize("message", ["from Berlin on 10 December", "BER 2026-12-10"])
async def test_message_that_answers_continues_the_same_task(ann, message):
    first = await ann.send("find me a flight to Tokyo")
    accepted = await ann.send(message)
    assert (accepted.task_id, accepted.relation, accepted.interrupted_task_id) == (
        first.task_id,
        "answer",
        None,
    )
    assert "from Berlin" in await ann.reply()
    assert (await ann.parts.task(first.task_id)).status is TaskStatus.COMPLETED


class TestWhileALaterMessageIsQueued:
    """The queued message is the last request; the questions are about the one before it."""

    ASKS = "find me a flight to Tokyo"
    QUEUED = "hotels in Lisbon from 11 to 13 December"

    async def test_answer_is_read_against_the_request_that_asks(self, ann):
        first = await ann.send(self.ASKS)
        second = await ann.send(self.QUEUED, policy="enqueue")
        accepted = await ann.send("from Berlin on 10 December")
        assert (accepted.task_id, accepted.relation) == (first.task_id, "answer")
        await ann.parts.quiet()
        said = " ".join(text for role, text in await ann.parts.history() if role == "assistant")
        assert "I found 2 flights from Berlin to Tokyo on Thu 10 December" in said
        assert "I found 1 hotel in Lisbon, Fri 11 to Sun 13 December" in said
        assert (await ann.parts.task(second.task_id)).status is TaskStatus.COMPLETED

    async def test_other_message_is_read_against_the_queued_request(self, ann):
        await ann.send(self.ASKS)
        await ann.send(self.QUEUED, policy="enqueue")
        third = await ann.send("only 4-star hotels", policy="enqueue")
        assert (third.status, third.relation) == (TaskStatus.QUEUED, "refine")
        hotel = understanding_in((await ann.parts.task(third.task_id)).request).hotel
        assert (hotel.city.city.label, hotel.stars) == ("Lisbon, PT", 4)

    async def test_small_talk_repeats_the_question(self, ann):
        first = await ann.send(self.ASKS)
        await ann.send(self.QUEUED, policy="enqueue")
        await ann.send("thank you")
        assert "where to fly from and on which day" in await ann.reply()
        assert (await ann.parts.task(first.task_id)).status is TaskStatus.INPUT_REQUIRED


async def test_answer_that_leaves_something_open_is_asked_again(ann):
    await ann.send("find me a flight to Tokyo")
    await ann.send("from Berlin")
    [question] = await ann.questions()
    assert question["schema"]["required"] == ["departure_date"]
    assert question["defaults"] == {"origin": "Berlin, Germany", "destination": "Tokyo, Japan"}
    await ann.send("10 December")
    assert "from Berlin" in await ann.reply()


@pytest.mark.requirement("ASKING-HOLDS-UP-NOTHING")
async def test_other_agent_searches_while_one_asks(ann):
    first = await ann.send("flights to Tokyo, and a hotel there from 10 to 12 December")
    assert [question["agent"] for question in await ann.questions()] == ["flight"]
    assert (await ann.parts.agents(first.task_id))["hotel"].state == "done"
    await ann.send("from Berlin")
    assert "I found 2 flights" in await ann.reply()
    assert "; 1 hotel for €120.00" in await ann.reply()
    searches = [event for event in await ann.parts.events() if event["type"] == "tool_update"]
    assert [event["tool"] for event in searches if event["state"] == "running"].count("search_hotels") == 1


async def test_hotel_agent_does_not_ask_what_the_flight_agent_asks(ann):
    first = await ann.send("flights and a hotel in Tokyo")
    assert [question["agent"] for question in await ann.questions()] == ["flight"]
    assert (await ann.parts.agents(first.task_id))["hotel"].state == "waiting"
    await ann.answer(origin="Berlin", departure_date="2026-12-10")
    assert "; 1 hotel for €120.00" in await ann.reply()


async def test_ambiguous_place_is_a_choice_and_the_reply_names_the_one_taken(ann):
    await ann.send("Flights to San Jose on 3 December")
    [question] = await ann.questions()
    choices = [each["const"] for each in question["schema"]["properties"]["destination"]["oneOf"]]
    assert choices == ["San Jose, California", "San José, Costa Rica"]
    assert question["defaults"]["destination"] == choices[0]
    await ann.answer(origin="Berlin")
    assert "I took San Jose, California; did you mean San José, Costa Rica?" in await ann.reply()


@pytest.mark.parametrize("how", ["you decide", "form"])
async def test_day_within_a_named_period_can_be_left_to_the_agent(ann, how):
    await ann.send("Hotel in Lisbon in March")
    [question] = await ann.questions()
    assert question["schema"]["required"] == []
    assert question["defaults"]["check_in"] == "2027-03-01"
    if how == "form":
        await ann.answer()
    else:
        assert (await ann.send(how)).relation == "answer"
    assert "Mon 1 to Tue 2 March 2027" in await ann.reply()


@pytest.mark.requirement("NO-MESSAGE-IS-SWALLOWED")
@pytest.mark.parametrize(
    ("message", "relation"),
    [
        ("Any day is fine, thanks!", "answer"),
        ("it's up to you, please", "answer"),
        ("whatever, forget it", "stop"),
        ("skip that, go to Perth", "refine"),
        ("any flights there?", "add"),
    ],
)
async def test_only_a_message_that_says_no_more_leaves_the_day_to_the_agent(ann, message, relation):
    await ann.send("Hotel in Lisbon in March")
    assert (await ann.send(message)).relation == relation
    assert ("Mon 1 to Tue 2 March 2027" in await ann.reply()) == (relation == "answer")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"origin": "Xyzzyville"}, "origin: I do not know a place called 'Xyzzyville'."),
        (
            {"origin": "Tokyo"},
            "destination: Start and destination are both Tokyo. Where would you like to go?",
        ),
        ({"origin": "Berlin", "departure_date": "2026-11-19"}, "departure_date: that day has passed."),
        ({}, "origin: Field required."),
    ],
)
async def test_impossible_answer_is_refused_with_the_name_of_its_field(ann, fields, sentence):
    await ann.send("Flights to Tokyo on 3 December")
    with pytest.raises(BadInput) as refused:
        await ann.answer(**fields)
    assert refused.value.message == sentence
    assert [f"{each['field']}: {each['message']}".rstrip(".") for each in refused.value.details] == [
        sentence.rstrip(".")
    ]
    assert len(await ann.questions()) == 1


@pytest.mark.parametrize("fields", [{"departure_date": "2026-12-20"}, {"destination": "Barcelona"}])
async def test_form_cannot_move_a_trip_that_is_partly_searched(ann, fields):
    await ann.send("a hotel in Madrid from 5 to 8 December and flights there")
    with pytest.raises(BadInput) as refused:
        await ann.answer(origin="Berlin", **fields)
    assert [each["field"] for each in refused.value.details] == list(fields)
    assert "hotels in Madrid from Sat 5 December" in refused.value.message
    assert len(await ann.questions()) == 1
    await ann.answer(origin="Berlin")
    assert "from Berlin to Madrid, Sat 5 to Tue 8 December" in await ann.reply()


@pytest.mark.requirement("NO-MESSAGE-IS-SWALLOWED")
@pytest.mark.parametrize(
    ("message", "relation", "interrupts"),
    [
        ("thanks", "other", False),
        ("flights to Naples", "refine", True),
        ("any hotels there?", "add", True),
        ("stop", "stop", True),
    ],
)
async def test_message_that_is_no_answer_leaves_the_question_or_withdraws_it(
    ann, message, relation, interrupts
):
    first = await ann.send("Flights to Tokyo on 3 December")
    accepted = await ann.send(message)
    assert accepted.relation == relation
    assert (accepted.interrupted_task_id == first.task_id) == interrupts
    open_still = [each["request_id"] for each in await ann.questions() if first.task_id in each["request_id"]]
    assert bool(open_still) != interrupts


async def test_answer_that_changes_the_other_agents_search_interrupts(ann):
    first = await ann.send("flights to Tokyo, and a hotel there from 10 to 12 December")
    accepted = await ann.send("from Berlin on 20 December")
    assert accepted.interrupted_task_id == first.task_id
    assert ", Sun 20 to Tue 22 December" in await ann.reply()


async def test_unknown_place_is_named_and_asked_for_again(ann):
    await ann.send("flights from Berlin to Xanadu on 10 December")
    [question] = await ann.questions()
    assert question["prompt"] == (
        "Please tell me where to go.\n\n"
        "Noted: from Berlin, on Thu 10 December. I know no place called Xanadu."
    )
    await ann.answer(destination="Rome")
    assert "I found 2 flights from Berlin to Rome" in await ann.reply()
    assert "Xanadu" not in await ann.reply()


async def test_answer_that_names_a_region_is_asked_for_a_city(ann):
    await ann.send("flights from Berlin on 10 December")
    with pytest.raises(BadInput, match="destination: Poland has several cities; please name one"):
        await ann.answer(destination="Poland")


async def test_question_repeats_only_what_the_last_message_has_changed(ann):
    await ann.send("flight to Tokyo for 2")
    [question] = await ann.questions()
    assert question["prompt"] == f"{FROM_WHERE_AND_WHEN}\n\nNoted: to Tokyo, 2 passengers."
    await ann.send("make it 3 people, nonstop")
    [question] = await ann.questions()
    assert question["prompt"] == f"{FROM_WHERE_AND_WHEN}\n\nNoted: 3 passengers, nonstop."


def test_answered_day_is_assumed_no_longer() -> None:
    asked = told("a hotel in Rome on 5 December", "and flights")
    assert asked.assumed == ("flight.departure_date",)
    given = {"origin": "Berlin", "destination": "Rome", "departure_date": "2026-12-05"}
    assert with_answer(asked, "flight", given, today=TODAY).assumed == ()
    both = told("flights and hotels in Rome")
    answered = with_answer(both, "flight", given, today=TODAY)
    assert (answered.hotel.check_in, answered.assumed) == (date(2026, 12, 5), ("hotel.check_in",))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("spoken_of", {"orders": {"flight": {"by": "duration", "descending": True}}}),
        ("of a later version", {"any": ["value"]}),
    ],
)
def test_answer_keeps_the_other_fields_of_the_stored_request(field: str, value: object) -> None:
    request = UnderstoodRequest(told("flights to Tokyo on 10 December"), **{field: value})
    answered = answer_of(told("flights from Berlin to Tokyo on 10 December"), {}, before=request).request
    assert answered is not None
    assert answered[field] == value
    assert answered["understanding"] != request["understanding"]


def test_answer_drops_searches_and_prompts_of_the_stored_request() -> None:
    before = {"asks_on": ["From where?"], "searches": {"flight": {"origins": ["OSL"]}}}
    request = UnderstoodRequest(told("flights to Tokyo on 10 December"), **before)
    answered = answer_of(told("flights from Berlin to Tokyo on 10 December"), {}, before=request).request
    assert answered is not None
    assert {"asks_on", "searches"}.isdisjoint(answered)
