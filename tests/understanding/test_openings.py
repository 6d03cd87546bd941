"""Messages that open a conversation without naming flights or hotels, and slips in common words."""

from datetime import date

import pytest

from tests.understanding.conversation import flight, hotel, told

WAY = "flights Berlin to Rome on 10 May"


@pytest.mark.parametrize(
    ("said", "agents"),
    [
        ("Where can I go from Basel on 6 March for 100 quid?", ("flight",)),
        ("from Leeds in May, somewhere nice", ("flight",)),
        ("whats the best way from Pune to Goa", ("flight",)),
        ("How do I get from Leeds to Oslo on 5 May?", ("flight",)),
        ("whats the best way from Pune to Xanadu", ("flight",)),
        ("we'd be leaving Graz on 3 June", ("flight",)),
        ("looking for a place in Lisbon for the whole of February", ("hotel",)),
        ("a flat in Lisbon for a month from 1 February", ("hotel",)),
        ("can you find me a place in Porto 3-9 May", ("hotel",)),
        ("a villa in Faro 2-9 June for 8", ("hotel",)),
        ("a riad in Marrakesh, 3 nights from 5 May", ("hotel",)),
        ("I would like to go in Sicily in the last week of August", ("flight", "hotel")),
    ],
)
def test_place_or_day_alone_starts_a_search(said: str, agents: tuple[str, ...]) -> None:
    understood = told(said)
    assert (understood.relation, understood.agents) == ("new", agents)


@pytest.mark.parametrize(
    "said",
    [
        "I live in Leeds", "what is the weather like in Rome on 2 March", "a table in Rome on Friday",
        "how do I get from the hotel to the airport", "how do i get to the beach", "they told me it rains",
        "is Lisbon nice in May?", "my birthday is on 5 May", "what is on in Rome on 5 May?",
    ],
)  # fmt: skip
def test_other_statement_or_question_starts_no_search(said: str) -> None:
    assert told(said).agents == ()


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ("the whole of February", date(2027, 2, 1), date(2027, 3, 1)),
        ("all of May", date(2027, 5, 1), date(2027, 6, 1)),
        ("the entire month of December 2027", date(2027, 12, 1), date(2028, 1, 1)),
        ("the full month of June", date(2027, 6, 1), date(2027, 7, 1)),
    ],
)
def test_whole_month_is_a_stay_of_all_its_nights(said: str, first: date, last: date) -> None:
    stay = hotel(told(f"a flat in Lisbon for {said}"))
    assert (stay["check_in"], stay["check_out"]) == (first, last)


@pytest.mark.parametrize("said", ["all of us in May", "the full price in May", "all in May"])
def test_all_of_something_else_is_no_whole_month(said: str) -> None:
    assert "check_in" not in hotel(told(f"a hotel in Lisbon for {said}"))


@pytest.mark.parametrize(
    ("before", "said", "leaves"),
    [
        (
            "a flat in Lisbon for February 2027",
            "how would I get there from Berlin on 31 January",
            "2027-01-31",
        ),
        ("flights from Berlin to Rome in March", "the 28th of February", "2027-02-28"),
        ("flights from Berlin to Rome in March", "the 28th", "2027-03-28"),
        ("flights from Berlin to Rome in March 2028", "the 3rd of March", "2028-03-03"),
    ],
)
def test_day_beside_a_period_that_was_told_is_the_nearest_one(before: str, said: str, leaves: str) -> None:
    assert flight(told(before, said))["departure_date"] == date.fromisoformat(leaves)


@pytest.mark.parametrize("said", ["how do we get there from Oslo", "and how would I get there from Oslo"])
def test_question_how_to_get_there_searches_flights(said: str) -> None:
    understood = told("a hotel in Rome from 3 to 6 May", said)
    assert understood.agents == ("flight",)
    assert flight(understood)["origin"] == "Oslo"


@pytest.mark.parametrize(
    ("said", "slots"),
    [
        ("comming bak monday", {"return_date"}),
        ("in the moring", {"departs_after", "departs_before"}),
        ("no layovrs", {"max_stops"}),
        ("no layovers", {"max_stops"}),
        ("evning flight please", {"departs_after"}),
    ],
)
def test_slips_in_common_words_are_read_through(said: str, slots: set[str]) -> None:
    understood = told("flights from Berlin to Rome on 28 November", said)
    assert understood.relation == "refine"
    assert slots <= set(flight(understood))


@pytest.mark.parametrize("said", ["chaepest pls", "cheapset", "fastset one"])
def test_slips_in_a_question_are_read_through(said: str) -> None:
    assert told(WAY, said).question is not None


@pytest.mark.parametrize("said", ["my widow mother", "a mourning dress", "potions"])
def test_words_that_look_like_slips_stay_themselves(said: str) -> None:
    assert told(WAY, said).flight == told(WAY).flight
