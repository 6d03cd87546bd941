"""Airlines, by name: those that shall carry somebody, and those that shall not."""

import pytest

from backend.travel.providers.demo.world import CARRIERS
from backend.travel.understanding.english.details.airlines import DEMO, DEMO_AIRLINES, find_airlines
from backend.travel.understanding.english.language.text import Text
from backend.travel.understanding.english.wording import describe, refusals
from backend.travel.understanding.queries import fits
from tests.understanding.conversation import flight, told

FLIGHT = "flights from Berlin to Rome on 3 May"


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("with Lufthansa", ["Lufthansa"]),
        ("on United Airlines or british airways", ["United Airlines", "British Airways"]),
        ("I'd like Delta, please", ["Delta Airlines"]),
        ("fly with Swiss", ["Swiss"]),
        ("Swiss or BA only", ["Swiss", "British Airways"]),
        ("only egypt air", ["EgyptAir"]),
        ("with linden or Pogo Demo", ["Linden Demo", "Pogo Demo"]),
        ("a Swiss hotel in the Mississippi delta", []),
        ("a lot of luggage", []),
        ("from London by tap and train", []),
        ("under the linden trees", []),
        ("flights to Qatar", []),
        ("via Qatar", []),
        ("my ba is in french", []),
        ("the british are coming, or the americans", []),
    ],
)
def test_airlines_are_found_by_name(said: str, names: list[str]) -> None:
    assert [one.name for one in find_airlines(Text(said))] == names


def test_airlines_of_the_demo_inventory_are_known_by_name() -> None:
    assert [name + DEMO for name in DEMO_AIRLINES] == [carrier.name for carrier in CARRIERS]


def test_airline_is_no_place() -> None:
    understood = told("Find flights from Berlin to Rome with Alaska Airlines")
    assert flight(understood) == {
        "origin": "Berlin",
        "destination": "Rome",
        "airline": "Alaska Airlines",
        "airlines": ("Alaska Airlines",),
    }


@pytest.mark.parametrize(
    ("said", "airlines"),
    [
        ("just Lufthansa", ("Lufthansa",)),
        ("only with Egyptair", ("EgyptAir",)),
        ("ok continue but only with Egyptair", ("EgyptAir",)),
        ("Swiss or BA only", ("Swiss", "British Airways")),
        ("lufthansa, swiss or austrian airlines", ("Lufthansa", "Swiss", "Austrian Airlines")),
        ("can you find KLM flights?", ("KLM",)),
        ("i prefer ryanair", ("Ryanair",)),
        ("only linden", ("Linden Demo",)),
    ],
)
def test_airlines_that_are_wanted_are_a_limit(said: str, airlines: tuple[str, ...]) -> None:
    understood = told(FLIGHT, said)
    assert (understood.agents, understood.flight.airlines) == (("flight",), airlines)
    assert understood.flight.not_airlines == ()
    assert refusals(understood) == ""


@pytest.mark.parametrize(
    ("said", "airlines"),
    [
        ("no Ryanair", ("Ryanair",)),
        ("not Lufthansa", ("Lufthansa",)),
        ("anything but Air France", ("Air France",)),
        ("no ryanair or easyjet please", ("Ryanair", "easyJet")),
        ("without Ryanair and without Wizz", ("Ryanair", "Wizz Air")),
        ("please avoid Turkish Airlines", ("Turkish Airlines",)),
        ("I don't want to fly with Ryanair", ("Ryanair",)),
        ("never again with easyjet, any airline except easyjet", ("easyJet",)),
        ("I hate Ryanair", ("Ryanair",)),
        ("everything but Pogo Demo", ("Pogo Demo",)),
    ],
)
def test_airlines_that_are_not_wanted_are_left_out(said: str, airlines: tuple[str, ...]) -> None:
    for understood in (told(FLIGHT, said), told(f"{FLIGHT}, {said}")):
        assert (understood.flight.airlines, understood.flight.not_airlines) == ((), airlines)
        assert understood.agents == ("flight",)
        assert refusals(understood) == ""


def test_what_is_left_out_adds_up_until_it_is_fine_again() -> None:
    said = [FLIGHT, "not Ryanair", "no Lufthansa either"]
    assert told(*said).flight.not_airlines == ("Ryanair", "Lufthansa")
    fine = told(*said, "ok ryanair is fine")
    assert (fine.flight.not_airlines, fine.flight.airlines) == (("Lufthansa",), ())
    assert told(*said, "any airline is fine").flight.not_airlines == ()


def test_last_word_about_an_airline_holds() -> None:
    wanted = told(FLIGHT, "not Ryanair", "ok, only Ryanair then")
    assert (wanted.flight.airlines, wanted.flight.not_airlines) == (("Ryanair",), ())
    unwanted = told(FLIGHT, "Swiss or Lufthansa only", "no, not Lufthansa")
    assert (unwanted.flight.airlines, unwanted.flight.not_airlines) == (("Swiss",), ("Lufthansa",))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("Swiss or BA only", "with Swiss or British Airways only"),
        ("no Ryanair or easyJet", "not with Ryanair or easyJet"),
    ],
)
def test_reply_tells_which_airlines_are_looked_for(said: str, words: str) -> None:
    assert describe(told(FLIGHT, said)).endswith(words)


def carried_by(*carriers: tuple[str, str]) -> dict[str, object]:
    flights = [{"carrier_name": name, "carrier": code} for name, code in carriers]
    return {"slices": [{"segments": flights}]}


@pytest.mark.parametrize(
    ("said", "carriers", "is_fitting"),
    [
        ("with British Airways only", [("British Airways", "BA")], True),
        ("with BA only", [("BRITISH AIRWAYS", "BA")], True),
        ("with Linden only", [("Linden Demo", "demo-linden")], True),
        ("with Linden Demo only", [("Linden Demo", "demo-linden"), ("Pogo Demo", "demo-pogo")], False),
        ("with Linden or Pogo", [("Linden Demo", "demo-linden"), ("Pogo Demo", "demo-pogo")], True),
        ("with Lufthansa only", [("Linden Demo", "demo-linden")], False),
        ("not with Pogo", [("Linden Demo", "demo-linden"), ("Pogo Demo", "demo-pogo")], False),
        ("not with Pogo", [("Linden Demo", "demo-linden")], True),
    ],
)
def test_journey_fits_by_all_its_airlines(
    said: str, carriers: list[tuple[str, str]], is_fitting: bool
) -> None:
    assert fits("flight", told(FLIGHT, said).flight, carried_by(*carriers)) is is_fitting


@pytest.mark.parametrize(
    ("said", "airlines"),
    [
        ("are there any with lufthansa", ("Lufthansa",) ), ("do you have any with ANA?",
        ("All Nippon Airways",) ),
        ("got any with KLM?", ("KLM",)), ("are there any Lufthansa ones", ("Lufthansa",)),
        ("is there any Finnair flight", ("Finnair",)), ("any Lufthansa?", ("Lufthansa",)),
        ("is there any with Lufthansa or Swiss", ("Lufthansa", "Swiss")), ("any chance of KLM?", ("KLM",)),
        ("any flights by KLM?", ("KLM",)),
    ],
)  # fmt: skip
def test_question_for_an_airline_is_a_wish_for_it(said: str, airlines: tuple[str, ...]) -> None:
    slots = told(FLIGHT, said).flight
    assert (slots.airlines, slots.not_airlines) == (airlines, ())


def test_any_direct_flight_is_still_a_direct_one() -> None:
    slots = told("are there any direct flights with KLM from Oslo to Rome on 4 may").flight
    assert (slots.airlines, slots.max_stops) == (("KLM",), 0)
    assert told(FLIGHT, "only nonstop", "any number of stops").flight.max_stops is None


@pytest.mark.parametrize(
    "said",
    [
        "stop suggesting Ryanair", "stop showing me Ryanair", "stop offering ryanair flights",
        "enough of Ryanair",
        "please don't suggest Ryanair again", "my friend Sydney said Ryanair is awful", "Ryanair is terrible",
        "ryanair sucks", "Ryanair is always late", "Ryanair was the worst", "I dislike Ryanair",
        "I detest ryanair",
        "not a fan of Ryanair", "I'm not a fan of Ryanair", "I don't trust Ryanair", "sick of Ryanair",
        "I don't want any Ryanair flights", "not any with Ryanair", "without any Ryanair flights",
        "any airline but Ryanair", "don't show me any with Ryanair", "I can't stand Ryanair",
    ],
)  # fmt: skip
def test_disliked_airline_is_excluded(said: str) -> None:
    slots = told(FLIGHT, said).flight
    assert (slots.airlines, slots.not_airlines) == ((), ("Ryanair",))


@pytest.mark.parametrize(
    "said", ["without lufthansa or swiss", "no lufthansa, no swiss", "not Lufthansa or Swiss"]
)
def test_airline_beside_another_is_left_out_as_well(said: str) -> None:
    assert told(FLIGHT, said).flight.not_airlines == ("Lufthansa", "Swiss")


@pytest.mark.parametrize(
    "said",
    ["I don't mind Ryanair", "I wouldn't mind ryanair", "Ryanair is fine too", "no problem with Ryanair",
     "I have nothing against Ryanair", "Ryanair is ok", "I'm okay with Ryanair"],
)  # fmt: skip
def test_tolerated_airline_limits_nothing(said: str) -> None:
    slots = told(FLIGHT, said).flight
    assert (slots.airlines, slots.not_airlines) == ((), ())
    assert told(FLIGHT, "not Ryanair", said).flight.not_airlines == ()


@pytest.mark.parametrize(
    "said", ["I like KLM", "KLM is great", "I prefer KLM", "KLM please", "KLM is the best"]
)
def test_liked_airline_is_wanted(said: str) -> None:
    assert told(FLIGHT, said).flight.airlines == ("KLM",)
