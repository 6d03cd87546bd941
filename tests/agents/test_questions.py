"""What the travel agents ask, and what they make of the answer, be it a form or a message."""

import asyncio
from typing import Any

import pytest

from backend.domain.errors import BadInput
from backend.domain.task import TaskStatus
from backend.travel.agents.response import NOT_FOR_US
from backend.travel.stored_requests import understanding_in
from backend.travel.workflow import TravelWorkflow
from tests.agents.sources import TODAY, Provider, Source, a_flight, a_hotel
from tests.interruption.parts import Parts

pytestmark = pytest.mark.virtual_time


FROM_WHERE_AND_WHEN = (
    "Please tell me where you would like to fly from and on which day you would like to leave."
)


class Ann:
    """A server with the travel graph, and user ann."""

    def __init__(self) -> None:
        provider = Provider(
            [Source("one", [a_flight("590.00"), a_flight("610.00")])],
            [Source("chains", [a_hotel("120.00")])],
        )
        self.parts = Parts(
            workflow=lambda ledger, _owner: TravelWorkflow(provider, ledger, today=lambda: TODAY)
        )

    async def say(self, message: str, **more: Any) -> Any:
        accepted = await self.parts.runner.handle_user_message("ann", message, **more)
        await asyncio.sleep(5)
        return accepted

    async def answer(self, **fields: Any) -> Any:
        [question, *_] = await self.questions()
        answered = await self.parts.runner.answer("ann", question["request_id"], answer=fields)
        await asyncio.sleep(5)
        return answered

    async def questions(self) -> list[dict[str, Any]]:
        snapshot = await self.parts.store.snapshot("ann", history=0)
        return [each.to_wire() for each in snapshot.inputs]

    async def reply(self) -> str:
        return (await self.parts.history())[-1][1]


async def test_an_agent_asks_for_all_that_it_lacks_at_once_with_what_is_known_filled_in(ann):
    await ann.say("find me a flight to Tokyo")
    [question] = await ann.questions()
    assert question["agent"] == "flight"
    assert "where you would like to fly from and on which day" in question["prompt"]
    assert list(question["schema"]["properties"]) == ["origin", "destination", "departure_date"]
    assert question["schema"]["required"] == ["origin", "departure_date"]
    assert question["defaults"] == {"destination": "Tokyo, Japan"}


async def test_a_form_that_is_filled_in_lets_the_search_begin(ann):
    await ann.say("find me a flight to Tokyo")
    await ann.answer(origin="Berlin", departure_date="2026-12-10")
    searched = "flights from Berlin to Tokyo on Thu 10 December 2026, 1 passenger, economy:"
    assert (await ann.reply()).startswith(f"I found 2 {searched}")
    answered = "From: Berlin; To: Tokyo, Japan; Leaving on: 10 December 2026"
    assert [text for role, text in await ann.parts.history() if role == "user"] == [
        "find me a flight to Tokyo",
        answered,
    ]


async def test_what_an_answer_tells_is_told_of_the_agents_that_search_by_it(ann):
    task_id = (await ann.say("flight and hotel in Tokyo for three nights")).task_id
    agents = await ann.parts.agents(task_id)
    assert agents["flight"].request["origin"] is None
    await ann.answer(origin="Berlin", departure_date="2026-12-10")
    agents = await ann.parts.agents(task_id)
    flight, hotel = agents["flight"].request, agents["hotel"].request
    assert (flight["origin"]["codes"], flight["departure_date"]) == (["BER"], "2026-12-10")
    assert (hotel["check_in"], hotel["check_out"]) == ("2026-12-10", "2026-12-13")


@pytest.mark.parametrize("message", ["from Berlin on 10 December", "Berlin, 10 December", "BER 2026-12-10"])
async def test_a_message_that_tells_what_is_missing_lets_the_same_task_go_on(ann, message):
    first = await ann.say("find me a flight to Tokyo")
    accepted = await ann.say(message)
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

    @pytest.mark.parametrize("message", ["from Berlin on 10 December", "Berlin, 10 December"])
    async def test_a_message_that_answers_is_read_against_the_request_that_asks(self, ann, message):
        first = await ann.say(self.ASKS)
        second = await ann.say(self.QUEUED, policy="enqueue")
        accepted = await ann.say(message)
        assert (accepted.task_id, accepted.relation) == (first.task_id, "answer")
        await ann.parts.quiet()
        said = " ".join(text for role, text in await ann.parts.history() if role == "assistant")
        assert "I found 2 flights from Berlin to Tokyo on Thu 10 December 2026" in said
        assert "I found 1 hotel in Lisbon from Fri 11 December 2026" in said
        assert (await ann.parts.task(second.task_id)).status is TaskStatus.COMPLETED

    async def test_any_other_message_is_read_against_the_queued_request(self, ann):
        await ann.say(self.ASKS)
        await ann.say(self.QUEUED, policy="enqueue")
        third = await ann.say("only 4-star hotels", policy="enqueue")
        assert (third.status, third.relation) == (TaskStatus.QUEUED, "refine")
        hotel = understanding_in((await ann.parts.task(third.task_id)).request).hotel
        assert (hotel.city.city.label, hotel.stars) == ("Lisbon, PT", 4)

    async def test_small_talk_still_repeats_the_question(self, ann):
        first = await ann.say(self.ASKS)
        await ann.say(self.QUEUED, policy="enqueue")
        await ann.say("thank you")
        assert "where you would like to fly from and on which day" in await ann.reply()
        assert (await ann.parts.task(first.task_id)).status is TaskStatus.INPUT_REQUIRED


async def test_what_a_message_leaves_open_is_asked_for_again(ann):
    await ann.say("find me a flight to Tokyo")
    await ann.say("from Berlin")
    [question] = await ann.questions()
    assert question["schema"]["required"] == ["departure_date"]
    assert question["defaults"] == {"origin": "Berlin, Germany", "destination": "Tokyo, Japan"}
    await ann.say("10 December")
    assert "from Berlin" in await ann.reply()


@pytest.mark.requirement("ASKING-HOLDS-UP-NOTHING")
async def test_while_one_agent_asks_the_other_searches_and_its_results_stand(ann):
    first = await ann.say("flights to Tokyo, and a hotel there from 10 to 12 December")
    assert [question["agent"] for question in await ann.questions()] == ["flight"]
    assert (await ann.parts.agents(first.task_id))["hotel"].state == "done"
    await ann.say("from Berlin")
    assert "I found 2 flights" in await ann.reply()
    assert "and 1 hotel in Tokyo" in await ann.reply()
    searches = [event for event in await ann.parts.events() if event["type"] == "tool_update"]
    assert [event["tool"] for event in searches if event["state"] == "running"].count("search_hotels") == 1


async def test_the_hotel_agent_does_not_ask_what_the_flight_agent_asks(ann):
    first = await ann.say("flights and a hotel in Tokyo")
    assert [question["agent"] for question in await ann.questions()] == ["flight"]
    assert (await ann.parts.agents(first.task_id))["hotel"].state == "waiting"
    await ann.answer(origin="Berlin", departure_date="2026-12-10")
    assert "and 1 hotel in Tokyo" in await ann.reply()


async def test_a_hotel_agent_alone_asks_for_city_and_day(ann):
    await ann.say("I need a hotel")
    [question] = await ann.questions()
    assert question["schema"]["required"] == ["city", "check_in"]
    await ann.answer(city="Lisbon", check_in="2026-12-10", nights=3)
    assert (
        "1 hotel in Lisbon from Thu 10 December 2026 to Sun 13 December 2026 (3 nights)" in await ann.reply()
    )


async def test_an_ambiguous_place_is_a_choice_and_the_reply_says_what_was_taken(ann):
    await ann.say("Flights to San Jose on 3 December")
    [question] = await ann.questions()
    choices = [each["const"] for each in question["schema"]["properties"]["destination"]["oneOf"]]
    assert choices == ["San Jose, California", "San José, Costa Rica"]
    assert question["defaults"]["destination"] == choices[0]
    await ann.answer(origin="Berlin")
    assert "I took San Jose, California; did you mean San José, Costa Rica?" in await ann.reply()


async def test_an_ambiguous_place_that_was_chosen_is_settled(ann):
    await ann.say("Flights to San Jose on 3 December")
    await ann.answer(origin="Berlin", destination="San José, Costa Rica")
    assert "to San José" in await ann.reply()
    assert "did you mean" not in await ann.reply()


async def test_an_ambiguous_place_in_an_answer_is_taken_and_told(ann):
    await ann.say("Flights from Berlin on 3 December")
    await ann.answer(destination="San Jose")
    assert "I took San Jose, California; did you mean San José, Costa Rica?" in await ann.reply()


@pytest.mark.parametrize("how", ["you decide", "form"])
async def test_where_a_period_was_said_the_day_can_be_left_to_us_and_the_reply_tells_it(ann, how):
    await ann.say("Hotel in Lisbon in March")
    [question] = await ann.questions()
    assert question["schema"]["required"] == []
    assert question["defaults"]["check_in"] == "2027-03-01"
    if how == "form":
        await ann.answer()
    else:
        assert (await ann.say(how)).relation == "answer"
    assert "from Mon 1 March 2027" in await ann.reply()


@pytest.mark.parametrize(
    "message",
    ["Any day is fine, thanks!", "whatever", "skip", "I don't mind, really", "it's up to you, please"],
)
async def test_what_says_nothing_but_that_we_may_decide_is_taken_so(ann, message):
    await ann.say("Hotel in Lisbon in March")
    assert (await ann.say(message)).relation == "answer"
    assert "from Mon 1 March 2027" in await ann.reply()


@pytest.mark.requirement("NO-MESSAGE-IS-SWALLOWED")
@pytest.mark.parametrize(
    ("message", "relation"),
    [
        ("whatever, forget it", "stop"),
        ("not any more", "other"),
        ("skip that, go to Perth", "refine"),
        ("any flights there?", "add"),
        ("is there anything with a pool?", "refine"),
    ],
)
async def test_what_says_more_than_that_we_may_decide_is_read_as_what_it_says(ann, message, relation):
    await ann.say("Hotel in Lisbon in March")
    assert (await ann.say(message)).relation == relation
    assert "from Mon 1 March 2027" not in await ann.reply()


@pytest.mark.parametrize(
    "message", ["you decide", "surprise me", "I don't care", "I don't know yet", "no idea"]
)
async def test_what_must_be_known_cannot_be_left_to_us_and_is_asked_again(ann, message):
    await ann.say("flight to Tokyo")
    assert (await ann.say(message)).relation == "other"
    assert await ann.reply() == f"{NOT_FOR_US} {FROM_WHERE_AND_WHEN}"


@pytest.mark.parametrize(
    ("message", "reply"),
    [("yes", "All right."), ("thanks", "You are welcome."), ("mumble", 'I did not understand "mumble".')],
)
async def test_small_talk_beside_a_question_ends_with_the_question(ann, message, reply):
    await ann.say("flight to Tokyo")
    await ann.say(message)
    assert await ann.reply() == f"{reply} {FROM_WHERE_AND_WHEN}"


@pytest.mark.parametrize(
    ("before", "message", "relation"),
    [
        (("flights to Rome", "stop"), "Berlin to Rome tomorrow", "new"),
        (("flights from Berlin to Rome", "stop"), "tomorrow", "refine"),
        (("flights to Rome", "stop"), "yes", "other"),
        (("hotel in Rome from 3 to 5 December",), "more expensive hotels are ok", "refine"),
    ],
)
async def test_where_nothing_is_asked_no_message_is_an_answer(ann, before, message, relation):
    for each in before:
        await ann.say(each)
    accepted = await ann.say(message)
    assert accepted.relation == relation
    assert (await ann.parts.task(accepted.task_id)).message == message


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"origin": "Xyzzyville"}, "origin: I do not know a place called 'Xyzzyville'."),
        (
            {"origin": "Tokyo"},
            "destination: Start and destination are both Tokyo. Where would you like to go?",
        ),
        ({"origin": "Berlin", "departure_date": "2026-11-19"}, "departure_date: that day has passed."),
        (
            {"origin": "Berlin", "departure_date": "soon"},
            "departure_date: should be a date, such as 2026-12-10.",
        ),
        (
            {"origin": "Berlin", "departure_date": "2027-11-21"},
            "departure_date: nothing is on sale yet for that day; sales reach to Sat 20 November 2027.",
        ),
        ({}, "origin: Field required."),
    ],
)
async def test_what_cannot_be_is_refused_with_the_name_of_the_field_and_asked_on(ann, fields, sentence):
    await ann.say("Flights to Tokyo on 3 December")
    with pytest.raises(BadInput) as refused:
        await ann.answer(**fields)
    assert refused.value.message == sentence
    assert [f"{each['field']}: {each['message']}".rstrip(".") for each in refused.value.details] == [
        sentence.rstrip(".")
    ]
    assert len(await ann.questions()) == 1


async def test_all_that_cannot_be_is_told_at_once(ann):
    await ann.say("find me a flight to Tokyo")
    with pytest.raises(BadInput) as refused:
        await ann.answer(origin="Xyzzyville", departure_date="2026-11-19")
    assert [each["field"] for each in refused.value.details] == ["origin", "departure_date"]


@pytest.mark.parametrize("fields", [{"departure_date": "2026-12-20"}, {"destination": "Barcelona"}])
async def test_a_form_cannot_move_a_trip_away_from_what_is_searched_already(ann, fields):
    await ann.say("a hotel in Madrid from 5 to 8 December and flights there")
    with pytest.raises(BadInput) as refused:
        await ann.answer(origin="Berlin", **fields)
    assert [each["field"] for each in refused.value.details] == list(fields)
    assert "hotels in Madrid from Sat 5 December 2026" in refused.value.message
    assert len(await ann.questions()) == 1
    await ann.answer(origin="Berlin")
    assert "from Berlin to Madrid on Sat 5 December 2026" in await ann.reply()


async def test_a_form_moves_the_whole_trip_while_nothing_of_it_is_searched(ann):
    await ann.say("flights and a hotel in Tokyo")
    await ann.answer(origin="Berlin", destination="Osaka", departure_date="2026-12-10")
    assert "from Berlin to Osaka on Thu 10 December 2026" in await ann.reply()
    assert "1 hotel in Osaka from Thu 10 December 2026" in await ann.reply()


@pytest.mark.requirement("NO-MESSAGE-IS-SWALLOWED")
@pytest.mark.parametrize(
    ("message", "relation", "interrupts"),
    [
        ("thanks", "other", False),
        ("yes", "other", False),
        ("flights to Naples", "refine", True),
        ("any hotels there?", "add", True),
        ("make it business class", "refine", True),
        ("hotels in Rome from 3 to 5 December", "new", True),
        ("stop", "stop", True),
    ],
)
async def test_what_is_no_answer_leaves_the_question_or_withdraws_it(ann, message, relation, interrupts):
    first = await ann.say("Flights to Tokyo on 3 December")
    accepted = await ann.say(message)
    assert accepted.relation == relation
    assert (accepted.interrupted_task_id == first.task_id) == interrupts
    open_still = [each["request_id"] for each in await ann.questions() if first.task_id in each["request_id"]]
    assert bool(open_still) != interrupts


async def test_an_answer_that_changes_what_the_other_agent_looks_for_interrupts_instead(ann):
    first = await ann.say("flights to Tokyo, and a hotel there from 10 to 12 December")
    accepted = await ann.say("from Berlin on 20 December")
    assert accepted.interrupted_task_id == first.task_id
    assert "from Sun 20 December 2026" in await ann.reply()


async def test_the_message_after_the_answer_is_read_against_the_completed_request(ann):
    await ann.say("find me a flight to Tokyo")
    await ann.answer(origin="Berlin", departure_date="2026-12-10")
    await ann.say("actually, make it Osaka")
    assert "I found 2 flights to Osaka: " in await ann.reply()


async def test_a_place_nobody_knows_is_named_and_asked_for_again(ann):
    await ann.say("flights from Berlin to Xanadu on 10 December")
    [question] = await ann.questions()
    assert question["prompt"] == (
        "Noted: from Berlin, on Thu 10 December 2026. "
        "I know no place called Xanadu. Please tell me where you would like to go."
    )
    await ann.answer(destination="Rome")
    assert "I found 2 flights from Berlin to Rome" in await ann.reply()
    assert "Xanadu" not in await ann.reply()


async def test_the_cities_of_a_country_are_offered_as_choices(ann):
    await ann.say("flights from Berlin to Poland on 10 December")
    [question] = await ann.questions()
    assert "Please tell me where in Poland you would like to go (Warsaw, Kraków" in question["prompt"]
    choices = [each["const"] for each in question["schema"]["properties"]["destination"]["oneOf"]]
    assert choices[:2] == ["Warsaw, Poland", "Kraków, Poland"]
    await ann.answer(destination=choices[1])
    assert "I found 2 flights from Berlin to Kraków" in await ann.reply()


async def test_a_region_in_an_answer_asks_for_one_of_its_cities(ann):
    await ann.say("flights from Berlin on 10 December")
    with pytest.raises(BadInput, match="destination: Poland has several cities; please name one"):
        await ann.answer(destination="Poland")
