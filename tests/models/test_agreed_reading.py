"""What rules and a model make of a message between them: certain, taken, asked for, or told as a doubt."""

from datetime import date

import pytest

from backend.travel.agents.agreed_reading import agreed
from backend.travel.agents.model_reading import is_certain, read_by_both
from backend.travel.agents.questions import question_about
from backend.travel.understanding.english.wording import doubts
from backend.travel.understanding.result import Understanding
from tests.fakes import Gate
from tests.interruption.parts import started
from tests.models.journeys import FLIGHTS, offers, parts
from tests.models.scripted_model import ScriptedModel, search_flights, understand
from tests.understanding.conversation import TODAY, told

WISH = "Find flights from Berlin to Tokyo on 10 December"
ROME = "a hotel in Rome from 5 to 8 December"


def both(*said: str, agents: tuple[str, ...] = ("flight",), **slots: object) -> Understanding:
    return read_by_both(told(*said), [understand(*agents, **slots)], message=said[-1], today=TODAY)


def test_what_both_say_is_certain() -> None:
    known = {"origin": "Berlin", "destination": "Tokyo", "departure_date": "2026-12-10"}
    understood = both(WISH, flight=known)
    assert (understood.flight, understood.missing, understood.alternatives) == (told(WISH).flight, (), ())
    assert understood.flight.destination is not None


def test_an_airport_that_the_rules_read_is_kept_where_the_model_names_its_city() -> None:
    understood = both("fly BER to HND on 10 December", flight={"destination": "Tokyo"})
    assert understood.flight.destination is not None
    assert (understood.flight.destination.airport, understood.missing) == ("HND", ())


def test_what_the_model_alone_says_is_taken() -> None:
    understood = both(WISH, flight={"passengers": 2, "return_date": "2026-12-17"})
    assert (understood.flight.passengers, understood.flight.return_date) == (2, date(2026, 12, 17))
    assert understood.alternatives == ()


def test_what_the_rules_alone_say_is_kept() -> None:
    assert both(f"{WISH} for two", flight={"origin": "Berlin"}).flight.passengers == 2


@pytest.mark.requirement("RULES-AND-MODEL-AGREE-OR-ASK")
def test_a_place_in_dispute_is_asked_for_with_both_as_choices() -> None:
    understood = both(WISH, flight={"origin": "Hamburg"})
    assert (understood.flight.origin, understood.missing) == (None, ("flight.origin",))
    asked = question_about("flight", understood, today=TODAY)
    assert asked is not None
    choices = [one["const"] for one in asked["schema"]["properties"]["origin"]["oneOf"]]
    assert choices == ["Berlin, Germany", "Hamburg, Germany"]
    assert "(Berlin or Hamburg)" in asked["prompt"]


@pytest.mark.requirement("RULES-AND-MODEL-AGREE-OR-ASK")
def test_a_day_in_dispute_is_asked_for_with_both_as_choices() -> None:
    understood = both(WISH, flight={"departure_date": "2026-12-12"})
    asked = question_about("flight", understood, today=TODAY)
    assert asked is not None
    choices = [one["const"] for one in asked["schema"]["properties"]["departure_date"]["oneOf"]]
    assert choices == ["2026-12-10", "2026-12-12"]
    assert "(Thu 10 December 2026 or Sat 12 December 2026)" in asked["prompt"]


@pytest.mark.requirement("RULES-AND-MODEL-AGREE-OR-ASK")
def test_of_what_no_search_needs_the_rules_reading_is_taken_and_the_other_is_told() -> None:
    understood = both(f"{WISH} for two", flight={"passengers": 3})
    assert (understood.flight.passengers, understood.missing) == (2, ())
    assert doubts(understood).startswith("I took 2")
    assert doubts(understood).endswith("did you mean 3?")


def test_a_known_fact_may_change_by_words_that_the_rules_could_not_read() -> None:
    said = (WISH, "business class with a detour via the city of takoyaki")
    assert {one.reason for one in told(*said).refused} == {"not_understood"}
    understood = both(*said, flight={"destination": "Osaka"})
    assert understood.flight.destination is not None
    assert understood.flight.destination.city.name == "Osaka"


def test_a_known_fact_that_the_message_has_no_word_left_for_is_in_dispute() -> None:
    understood = both(WISH, "business class please", flight={"destination": "Osaka"})
    assert understood.missing == ("flight.destination",)


def test_what_a_stay_only_assumed_is_taken_from_the_model_without_a_question() -> None:
    understood = both(WISH, "and a hotel there", agents=("flight", "hotel"), hotel={"check_in": "2026-12-11"})
    assert (understood.hotel.check_in, understood.missing) == (date(2026, 12, 11), ())


def test_unused_wishes_are_what_the_model_quotes_and_nothing_that_it_invents() -> None:
    said = f"{ROME} with a sea view, it should be chic"
    understood = both(said, agents=("hotel",), unused=["with a sea view", "a private pool"])
    assert [one.said for one in understood.refused] == ["with a sea view"]
    assert understood.unused == ("with a sea view",)
    later = told(f"{ROME} with a sea view", "4 stars")
    assert agreed(later, later, (), unused=()).unused == ("with a sea view",)


def test_a_model_that_tells_nothing_of_what_is_unused_leaves_the_rules_word() -> None:
    assert both(f"{ROME} with a sea view", agents=("hotel",)).unused == ("with a sea view",)


@pytest.mark.parametrize("said", ["book the cheapest flight", "book number 2", "what have I booked?"])
def test_the_model_is_not_asked_about_acts_of_which_the_rules_read_every_word(said: str) -> None:
    assert is_certain(told(WISH, said))
    assert not is_certain(told(WISH, "make it business class"))
    assert not is_certain(told(WISH))


@pytest.mark.virtual_time
async def test_a_reading_in_dispute_is_asked_over_the_server_and_its_answer_is_searched() -> None:
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
async def test_a_request_interrupts_at_once_while_the_model_still_reads_it() -> None:
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
