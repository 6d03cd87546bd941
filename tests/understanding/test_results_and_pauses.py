"""What is said while a search runs: questions about its results, pauses, ends, and the way back."""

from datetime import date, time

import pytest

from backend.travel.understanding.english.talk.small_talk import small_talk
from tests.understanding.conversation import flight, hotel, told

LIMA = "flights from Oslo to Lima on 3 May"


@pytest.mark.parametrize(
    "said",
    [
        *("which of them is the cheapest?", "show me the best one", "the fastest first please"),
        *("what have you found so far?", "how many results are there?", "which flight is the shortest?"),
    ],
)
def test_question_about_what_is_found_interrupts_nothing(said: str) -> None:
    assert (told(LIMA, said).relation, told(LIMA, said).agents) == ("other", ())
    assert small_talk(said).startswith("What I have found so far is in the list")


@pytest.mark.parametrize(
    "said", ["something cheaper", "any other options?", "show me more", "cheapest under 300 euros"]
)
def test_wish_for_other_results_searches_again(said: str) -> None:
    assert (told(LIMA, said).relation, told(LIMA, said).agents) == ("refine", ("flight",))


def test_cheapest_of_what_is_not_searched_yet_is_searched() -> None:
    assert told(LIMA, "show me the cheapest hotels in Cusco").agents == ("hotel",)
    assert told(LIMA, "show me the cheapest hotels").agents == ("hotel",)
    assert told("show me the cheapest flights").relation == "new"


@pytest.mark.parametrize("said", ["I don't want to go anymore", "we do not want to travel any more"])
def test_cancelled_journey_needs_no_search(said: str) -> None:
    assert told(LIMA, said).relation == "stop"


@pytest.mark.parametrize(
    "said", ["I don't want to go that early", "I don't want to go to Lima, make it Quito"]
)
def test_other_means_of_travel_stop_nothing(said: str) -> None:
    assert told(LIMA, said).relation != "stop"


@pytest.mark.parametrize("said", ["wait", "one moment", "just a moment please"])
def test_pause_is_told_that_only_a_stop_ends_a_search(said: str) -> None:
    assert (told(LIMA, said).relation, told(LIMA, said).agents) == ("other", ())
    assert "say stop" in small_talk(said)


@pytest.mark.parametrize("said", ["ok, also check Quito", "yes, try Quito", "okay, look at Quito"])
def test_behind_a_yes_another_city_is_still_read(said: str) -> None:
    understood = told(LIMA, said)
    assert (understood.relation, flight(understood)["destination"]) == ("refine", "Quito")


def test_yes_with_a_wish_that_is_not_understood_is_not_taken_for_praise() -> None:
    assert small_talk("ok, also check the trolls").startswith("I did not understand that.")


@pytest.mark.parametrize(
    ("said", "hour"), [("morning if possible", 5), ("evening would be better", 18), ("evening is best", 18)]
)
def test_time_of_day_that_is_preferred_is_searched_by(said: str, hour: int) -> None:
    for understood in (told(f"{LIMA}, {said}"), told(LIMA, said)):
        assert (understood.flight.departs_after, understood.refused) == (time(hour), ())


@pytest.mark.parametrize("said", ["night if possible", "early would be better"])
def test_time_of_day_without_an_hour_is_told_not_to_be_searched_by(said: str) -> None:
    for understood in (told(f"{LIMA}, {said}"), told(LIMA, said)):
        assert [(one.said, one.reason) for one in understood.refused] == [(said, "not_searched_by")]


def test_greeting_is_no_time_to_fly() -> None:
    assert told(f"good morning if possible {LIMA}").refused == ()


@pytest.mark.parametrize("said", ["return on the 9th", "back on the 9th", "fly back on the 9th"])
def test_day_back_is_for_flight_and_stay(said: str) -> None:
    understood = told(LIMA, "and a hotel", said)
    assert (understood.relation, understood.agents) == ("refine", ("flight", "hotel"))
    assert flight(understood)["return_date"] == hotel(understood)["check_out"] == date(2027, 5, 9)


def test_end_of_a_stay_is_no_day_back() -> None:
    understood = told(LIMA, "and a hotel", "until the 9th")
    assert (understood.agents, understood.flight.return_date) == (("hotel",), None)
