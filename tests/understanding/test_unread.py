"""What no reader made anything of is told in the user's own words, and stays with the request."""

from dataclasses import replace

import pytest

from backend.travel.understanding.dialogue.search_requests import understand_search
from backend.travel.understanding.dialogue.whole_requests import MOST_UNUSED
from backend.travel.understanding.english.reader import read_message
from backend.travel.understanding.english.wording import refusals
from backend.travel.understanding.requested import requested, unused_of
from tests.understanding.conversation import TODAY, told

STAY = "a hotel in Rome from 5 to 8 December"
FLIGHT = "flights from Berlin to Lisbon on 10 December"


def unread(*messages: str) -> list[str]:
    return [one.said for one in told(*messages).refused if one.reason == "not_understood"]


@pytest.mark.requirement("NOTHING-SAID-IS-LOST-IN-SILENCE")
@pytest.mark.parametrize(
    ("said", "wish"),
    [
        (f"{STAY} with a sea view", "with a sea view"),
        ("hotel rome 5-8 december balcony", "balcony"),
        ("hotel in Rome 5 to 8 December, king bed please", "king bed"),
        (f"Hi there! I'd love {STAY} that has a library :)", "that has a library"),
        (f"{STAY}, on the beach!", "on the beach"),
        (f"i want {STAY} and it should have a crib and a bathtub", "a crib, a bathtub"),
        (f"{STAY} with vegan breakfast", "vegan"),
        (f"we need {STAY}. quiet please", "quiet"),
        (f"my wife needs a lift, we want {STAY}", "a lift"),
        (f"{STAY}, moderately priced", "moderately"),
        (f"{FLIGHT} with my cat", "with my cat"),
        (f"{FLIGHT}, vegetarian meal", "vegetarian meal"),
        (f"{FLIGHT} for 2 with a stroller", "with a stroller"),
        (f"{FLIGHT} and I want wifi on board", "on board"),
        (f"{FLIGHT}, carbon neutral", "carbon neutral"),
        (f"{FLIGHT} on an A380", "on an A380"),
        (f"{FLIGHT}, I need the reference number too", "the reference number"),
        (f"{FLIGHT} pls, oxygen bottle needed", "oxygen bottle"),
        (f"{FLIGHT} - my daughter must have a bassinet", "a bassinet"),
    ],
)
def test_wish_that_fills_no_slot_is_named_in_the_users_words(said: str, wish: str) -> None:
    assert ", ".join(unread(said)) == wish


def test_unused_words_are_told_in_one_sentence() -> None:
    assert refusals(told(f"{STAY} with a sea view")) == 'I did nothing with "with a sea view".'
    several = refusals(told(f"{STAY}, with a sea view, a crib and a bathtub"))
    assert several == 'I did nothing with "with a sea view", "a crib" and "a bathtub".'


def test_request_keeps_the_latest_dozen_of_its_unused_wishes() -> None:
    wishes = ["a crib", "a bathtub", "a balcony", "a sea view", "a lift", "a library", "a terrace"]
    wishes += [
        "a fireplace",
        "a piano",
        "a minibar",
        "a trouser press",
        "a kettle",
        "a hammock",
        "a telescope",
    ]
    unused = told(STAY, *(f"4 stars and {wish}" for wish in wishes)).unused
    assert unused == tuple(wishes[-MOST_UNUSED:])


@pytest.mark.parametrize(
    "said",
    [
        f"{STAY}, it's our anniversary",
        f"{STAY}, because my sister is getting married there",
        f"Hi! I'm planning a surprise for my wife, so we want {STAY}",
        f"Hello, my name is Angela. I need {STAY} please, thank you so much!",
        f"{STAY}. I've never been there and my friend says it is wonderful",
        f"well hmm let me think, ok so maybe {STAY} I guess",
        f"{FLIGHT} for a conference",
        f"{FLIGHT} to see my mum",
        f"We just got married! {FLIGHT}, for two adults, business class, nonstop, under 900 EUR",
        f"Could you please help me to find {FLIGHT}, returning on the 17th, for 2 adults and a child?",
        f"Angela here. {FLIGHT}",
        "Fly from Puerto Vallarta, Jalisco, MX to Berlin on 10 December",
        "flights from Atlanta, Ga to Chicago on 10 December",
        "A 4 star hotel in Rome with free wifi from 5 to 8 December",
        "economy class seats from Berlin to Lisbon on 10 December",
        "Book me a cheap return flight Berlin Lisbon 10 to 17 December, thanks a bunch",
    ],
)
def test_reasons_courtesies_and_what_was_read_are_not_named(said: str) -> None:
    assert unread(said) == []


@pytest.mark.parametrize(
    "said", ["tell me a joke about penguins", "purple elephants", "my aunt is a dentist"]
)
def test_message_that_asks_for_nothing_is_not_taken_apart(said: str) -> None:
    assert (told(said).relation, unread(said)) == ("other", [])
    assert (told(STAY, said).relation, unread(STAY, said)) == ("other", [])


@pytest.mark.requirement("NOTHING-SAID-IS-LOST-IN-SILENCE")
def test_unused_wishes_stay_with_the_request_until_it_is_a_new_one() -> None:
    wish = f"{STAY} with a sea view"
    assert told(wish, "4 stars").unused == ("with a sea view",)
    assert told(wish, "4 stars and a crib").unused == ("with a sea view", "a crib")
    assert told(wish, "thanks").unused == ("with a sea view",)
    assert told(wish, "and flights from Berlin").unused == ("with a sea view",)
    assert told(wish, "book the cheapest").unused == ("with a sea view",)
    assert told(wish, "with a sea view", "4 stars").unused == ("with a sea view",)
    assert told(wish, "flights from Berlin to Paris on 3 January").unused == ()


@pytest.mark.parametrize(
    "said",
    [
        "forget the sea view",
        "no sea view needed",
        "never mind the sea view, but 4 stars",
        "without a sea view",
    ],
)
def test_unused_wish_can_be_taken_back(said: str) -> None:
    understood = told(f"{STAY} with a sea view and a crib", said)
    assert understood.unused == ("a crib",)
    understood = told(f"{STAY} with a sea view", said)
    assert (understood.relation, understood.unused, unread(f"{STAY} with a sea view", said)) == (
        "refine",
        (),
        [],
    )


def test_wishes_beside_an_act_and_a_tour_are_told() -> None:
    assert [one.said for one in told(STAY, "book the cheapest with a sea view").refused] == ["a sea view"]
    tour = "Rome, Athens and Lisbon from Berlin in any order in May, 3 nights each"
    assert unread(tour) == []
    assert unread(f"{tour}, with a sea view") == ["with a sea view"]


def test_clients_are_shown_what_is_not_used_and_what_is_assumed() -> None:
    understood = told(f"{FLIGHT} for 2 with a stroller, and a hotel there")
    flight, stay = requested("flight", understood), requested("hotel", understood)
    assert flight["unused"] == stay["unused"] == ["with a stroller"]
    assert flight["assumed"] == ["cabin_class"]
    assert stay["assumed"] == ["check_in", "check_out", "guests", "rooms"]
    assert unused_of(told(f"{STAY} near my aunt")) == ("my aunt",)


@pytest.mark.parametrize(
    ("said", "is_request"),
    [
        (f"{STAY} with a sea view", True),
        ("in Naples instead, with a sea view", True),
        ("what kind of weather can I expect there on the 1st?", False),
        ("could you reserve a table for 6 at Lucille's under the name Tom at 5pm", False),
    ],
)
def test_unread_words_are_looked_for_in_requests_only(said, is_request):
    looked_for = []

    def read(message, background):
        return replace(read_message(message, background), unread=lambda: looked_for.append(message) or ())

    before = told(STAY)
    understood = understand_search(said, read, previous=before, today=TODAY)
    assert (understood.relation not in ("other", "stop")) == is_request
    assert looked_for == ([said] if is_request else [])


@pytest.mark.requirement("NOTHING-SAID-IS-LOST-IN-SILENCE")
@pytest.mark.parametrize(
    "messages",
    [
        (STAY, "LCY pref, and 4 stars tho"),
        (FLIGHT, "nonstop btw, gracias"),
        (FLIGHT, "ouch okay what if we went a week later"),
        (FLIGHT, "ooh nice, make it business class pls"),
        ("8 lads golf trip from dublin to faro 6-10 may",),
        ("we're 6 friends, want to go skiing 20-27 feb, brussels to geneva",),
        ("Flight for Dr Brandt FRA to JFK, Tue 12 Jan",),
        ("hotel in malaga 3-6 jan, two separate rooms please",),
        (STAY, "ooh Sue's just messaged, make it 4 stars"),
        (FLIGHT, "make it 3 of us, Dana just texted she is in"),
        ("flights from Toronto to Kochi, arrive by the 14th of january latest",),
    ],
)
def test_chat_names_and_what_was_read_are_not_named(messages: tuple[str, ...]) -> None:
    assert unread(*messages) == []


@pytest.mark.parametrize(
    ("said", "wish"),
    [
        ("2 cars in Geneva 3-6 december, or one big one", "2 cars"),
        ("a hotel in Rome 5-8 december with 3 balconies", "with 3 balconies"),
    ],
)
def test_number_is_told_with_what_it_counts(said: str, wish: str) -> None:
    assert wish in unread(said)
