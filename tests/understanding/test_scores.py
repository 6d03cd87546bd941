"""How well guests must have rated a hotel, and ratings that are stars."""

import pytest

from tests.understanding.conversation import told

STAY = "hotels in Rome from 3 May"


@pytest.mark.parametrize(
    ("said", "score"),
    [
        ("rated 8 or better", 8.0),
        ("rated at least 8.5", 8.5),
        ("with a score above 8.5", 8.5),
        ("with a guest score of 9 or higher", 9.0),
        ("with a rating of at least 7", 7.0),
        ("rating over 9", 9.0),
        ("review score of 8+", 8.0),
        ("8+ rating", 8.0),
        ("8.5 or better guest score", 8.5),
        ("rated 4 out of 10 or better", 4.0),
        ("a score of at least 5", 5.0),
        ("with a minimum score of 8", 8.0),
    ],
)
def test_least_score_is_read(said: str, score: float) -> None:
    for understood in (told(f"{STAY}, {said}"), told(STAY, said)):
        assert understood.hotel.min_score == score
        assert (understood.hotel.stars, understood.hotel.guests, understood.hotel.rooms) == (None, None, None)


@pytest.mark.parametrize(
    ("said", "stars"),
    [
        ("rated 4", 4),
        ("with a star rating of 4", 4),
        ("with 4 stars", 4),
        ("rated 4 stars or better", 4),
        ("I need at least a 3.8 rating", None),
        ("rated below 8", None),
        ("rated 11 or better", None),
        ("for 8 people", None),
    ],
)
def test_stars_and_other_numbers_are_no_score(said: str, stars: int | None) -> None:
    understood = told(f"{STAY}, {said}")
    assert (understood.hotel.min_score, understood.hotel.stars) == (None, stars)


def test_score_joins_with_the_stay_that_it_is_for() -> None:
    understood = told("flights from Berlin to Rome on 3 May", "and a hotel there rated 8+")
    assert (understood.relation, understood.hotel.min_score) == ("add", 8.0)


def test_score_stays_until_it_is_taken_away() -> None:
    rated = f"{STAY}, rated 8 or better"
    assert told(rated, "2 rooms").hotel.min_score == 8.0
    assert told(rated, "with 4 stars").hotel.min_score == 8.0
    after = told(rated, "any rating")
    assert (after.hotel.min_score, after.dropped) == (None, ("hotel.min_score",))


def test_flight_has_no_score() -> None:
    assert told("flights from Berlin to Rome on 3 May rated 8 or better").hotel.min_score is None
