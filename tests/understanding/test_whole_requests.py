"""Requests taken up again, repeated, or gone on with without one of their agents."""

from datetime import date

import pytest

from backend.travel.read_in_situation import with_agents_cut_short
from backend.travel.understanding.places.gazetteer import in_full
from backend.travel.understanding.result import Understanding
from backend.travel.understanding.understand import understand
from tests.understanding.conversation import BERLIN_TO_TOKYO, LISBON, TODAY, flight, hotel, told

SEOUL = told(BERLIN_TO_TOKYO, "what about Seoul?")
TOKYO = told(BERLIN_TO_TOKYO)
ROME = told("a hotel in Rome from 3 to 7 May")
RECENT = (ROME, TOKYO)


def after(said: str, previous: Understanding = SEOUL) -> Understanding:
    return understand(said, previous=previous, today=TODAY, recent=RECENT)


@pytest.mark.parametrize(
    ("said", "index"),
    [
        ("go back to the Tokyo flights", 1),
        ("back to Tokyo please", 1),
        ("Tokyo was better", 1),
        ("the first one again", 1),
        ("back to what I asked first", 1),
        ("show me the first search again", 1),
        ("go back to the previous search", 0),
        ("back to the hotel in Rome", 0),
    ],
)
def test_interrupted_request_is_taken_up_again(said: str, index: int) -> None:
    understood, before = after(said), RECENT[index]
    assert (understood.relation, understood.resumes, understood.agents) == ("refine", index, before.wanted)
    assert (flight(understood), hotel(understood)) == (flight(before), hotel(before))
    held = {f"flight.{name}" for name in flight(understood)} | {f"hotel.{name}" for name in hotel(understood)}
    assert set(understood.carried) == held


def test_what_is_taken_up_again_may_be_changed_in_the_same_breath() -> None:
    understood = after("back to the Tokyo flights, but for 3 people")
    assert understood.resumes == 1
    assert flight(understood) == flight(TOKYO) | {"passengers": 3}


def test_what_the_request_left_behind_held_is_dropped() -> None:
    assert after("back to the hotel in Rome").dropped == (
        "flight.departure_date",
        "flight.destination",
        "flight.origin",
    )


@pytest.mark.parametrize(
    "said", ["back to Oslo", "return on 17 December", "make it Rome", "thanks again", "again"]
)
def test_nothing_is_taken_up_again_without_being_named(said: str) -> None:
    assert after(said).resumes is None


def test_without_interrupted_requests_there_is_nothing_to_go_back_to() -> None:
    assert understand("back to the Tokyo flights", previous=SEOUL, today=TODAY).resumes is None


@pytest.mark.parametrize("said", ["try again", "go on", "please continue", "again please", "ok, keep going"])
@pytest.mark.parametrize("before", [(LISBON,), (LISBON, "stop"), (LISBON, "thanks")])
def test_last_request_is_repeated(said: str, before: tuple[str, ...]) -> None:
    understood = told(*before, said)
    assert (understood.relation, understood.agents) == ("refine", ("flight", "hotel"))
    assert (flight(understood), hotel(understood)) == (flight(told(LISBON)), hotel(told(LISBON)))
    assert understood.dropped == ()


def test_only_what_is_named_is_repeated() -> None:
    assert told(LISBON, "stop", "please continue with the flights").agents == ("flight",)


@pytest.mark.parametrize("said", ["don't continue", "thank you again", "try again"])
def test_nothing_is_repeated_where_nothing_was_wanted_or_it_is_not_asked_for(said: str) -> None:
    before = () if said == "try again" else (LISBON,)
    assert told(*before, said).agents == ()


@pytest.mark.parametrize(
    "said",
    [
        "forget the hotel, just flights",
        "just the flights please",
        "flights only",
        "don't show me hotels",
        "no hotel",
        "stop looking for hotels",
        "I don't need a hotel",
    ],
)
def test_one_agent_is_called_off_and_the_other_goes_on(said: str) -> None:
    understood, before = told(LISBON, said), told(LISBON)
    assert (understood.relation, understood.agents, understood.wanted) == ("refine", ("flight",), ("flight",))
    assert flight(understood) == flight(before)
    assert set(understood.dropped) == {f"hotel.{name}" for name in hotel(before)}


@pytest.mark.parametrize(
    "said",
    ["forget the flights, only hotels with at least 4 stars", "no flights, a hotel there with 4 stars"],
)
def test_hotel_in_the_place_of_the_flights_keeps_city_and_day(said: str) -> None:
    understood = told(BERLIN_TO_TOKYO, said)
    assert (understood.agents, understood.wanted) == (("hotel",), ("hotel",))
    assert hotel(understood) == {"city": "Tokyo", "check_in": date(2026, 12, 10), "stars": 4}
    assert flight(understood) == {}


@pytest.mark.parametrize(
    "said", ["just hotels please", "forget the flights, only hotels with at least 4 stars"]
)
@pytest.mark.parametrize("before", [BERLIN_TO_TOKYO, LISBON, "find me flights"])
def test_search_that_was_called_off_is_not_added_again(before: str, said: str) -> None:
    understood = with_agents_cut_short(told(before, said), told(before))
    assert understood.agents == ("hotel",)


def test_search_cut_short_that_is_still_wanted_is_made_again() -> None:
    understood = with_agents_cut_short(told(BERLIN_TO_TOKYO, "and hotels there"), told(BERLIN_TO_TOKYO))
    assert understood.agents == ("flight", "hotel")


def test_calling_off_the_only_agent_stops() -> None:
    understood = told(BERLIN_TO_TOKYO, "no flights")
    assert (understood.relation, understood.agents, understood.wanted) == ("stop", (), ())


@pytest.mark.parametrize(
    ("before", "said", "slot", "value"),
    [
        ("hotels in Saint Petersburg tomorrow", "Florida", "hotel.city", "Saint Petersburg, Florida"),
        ("hotels in Springfield tomorrow", "illinois", "hotel.city", "Springfield, Illinois"),
        ("hotels in San Jose tomorrow", "the other one", "hotel.city", "San José, Costa Rica"),
        ("hotels in San Jose tomorrow", "the one in Costa Rica", "hotel.city", "San José, Costa Rica"),
        ("hotels in Tuscany tomorrow", "the second one", "hotel.city", "Pisa, Italy"),
        ("hotels in Tuscany tomorrow", "Pisa", "hotel.city", "Pisa, Italy"),
    ],
)
def test_answer_may_choose_among_the_readings_that_were_told(
    before: str, said: str, slot: str, value: str
) -> None:
    understood = told(before, said)
    city = understood.hotel.city
    assert city is not None
    assert in_full(city.city) == value
    assert understood.hotel.check_in == date(2026, 11, 21)
    assert [one for one in understood.alternatives if one.slot == slot and not one.taken] == []


@pytest.mark.parametrize(
    ("said", "day"), [("the later one", date(2027, 10, 12)), ("the earlier one", date(2026, 12, 10))]
)
def test_answer_may_choose_among_days(said: str, day: date) -> None:
    assert told("flights from Oslo to Rome on 10/12", said).flight.departure_date == day


def test_first_one_again_chooses_a_request_and_no_city_that_it_left_open() -> None:
    japan = told("flights from Berlin to Japan")
    understood = understand("the first one again", previous=SEOUL, today=TODAY, recent=(japan,))
    assert (understood.resumes, understood.flight.destination) == (0, None)
    assert understood.alternatives == japan.alternatives
