"""Questions put together of an offer, a fact and a form, and what looks alike but is none."""

import pytest

from backend.travel.understanding.found import RECOMMENDED, FoundQuestion, Which
from tests.understanding.conversation import told

pytestmark = pytest.mark.requirement("FOUND-ANSWERS-QUESTIONS")

BOTH = "flights and hotels from Berlin to Lisbon, 10 to 14 December, 2 people"
ALL = "flights, a hotel and a rental car from Berlin to Lisbon, 10 to 14 December, 2 people"
CHEAPEST = Which(by="price")

OF_AN_OFFER = [
    ("how many bags fit in the cheapest one?", "bags", "car", CHEAPEST),
    ("how many seats", "seats", "car", Which()),
    ("which of these has free breakfast?", "those_with", "hotel", Which(is_all=True)),
    ("wich hotel have parking", "those_with", "hotel", Which(is_all=True)),
    ("which hotels have free cancelation", "those_with", "hotel", Which(is_all=True)),
    ("and with breakfast?", "has", "hotel", Which()),
    ("does 1st hotel include breakfast", "has", "hotel", Which(numbers=(1,))),
    ("can i park my car at the hotel", "has", "hotel", Which()),
    ("do they have baby cots", "has", "hotel", Which(is_all=True)),
    ("first flight out", "which", "flight", Which(by="departure")),
    ("which gets me there earliest", "which", "flight", Which(by="arrival")),
    ("whats the earliest i can be in lisbon", "which", "flight", Which(by="arrival")),
    ("where exactly is the first hotel", "place", "hotel", Which(numbers=(1,))),
    ("hw far is the cheapest hotel frm the center", "distance", "hotel", CHEAPEST),
    ("does the fastest one leave in the morning", "departure", "flight", Which(by="duration")),
    ("at what time is landing the cheapest flight", "arrival", "flight", CHEAPEST),
    ("and going home what time", "departure", "flight", Which()),
    ("and the return flight?", "departure", "flight", Which()),
    ("how long we wait in the airport between the flights", "layover", "flight", Which(is_all=True)),
    ("is the layover enough", "layover", "flight", Which()),
    ("is the cheapest one direct or with stop", "stops", "flight", CHEAPEST),
    ("is the stop in frankfurt", "stops", "flight", Which()),
    ("can i bring 2 bags", "bags", "flight", Which()),
    ("until when can i cancel the hotel", "refund", "hotel", Which()),
    ("is it lufthansa", "carrier", "flight", Which()),
    ("whats the flight number", "carrier", "flight", Which()),
    ("do we fly with the same airline both ways", "carrier", "flight", Which(is_all=True)),
    ("is the room for 2 people", "price", "hotel", Which()),
    ("tell me something about the first hotel", "details", "hotel", Which(numbers=(1,))),
    ("what do you know about hotel number 2", "details", "hotel", Which(numbers=(2,))),
    ("whats the name of the cheapest hotel", "which", "hotel", CHEAPEST),
    ("flight plus hotel how much?", "total", None, Which()),
    ("so how much would we pay for the cheapest flight and cheapest hotel", "total", None, CHEAPEST),
    ("total for flight hotel and car?", "total", None, Which()),
    ("what does the whole trip cost per person", "total", None, Which()),
]  # fmt: skip
COMPARED = [
    ("which flight is faster, 1 or 2", "duration", False, Which(numbers=(1, 2))),
    ("whats cheaper the first hotel or the second one", "price", False, Which(numbers=(1, 2))),
    ("is the second hotel cheaper than the first", "price", False, Which(numbers=(2, 1))),
    ("is the second hotel better than the third", "score", True, Which(numbers=(2, 3))),
    ("how much more is the direct one?", "price", True, Which(is_nonstop=True)),
]
RECOMMENDATIONS = [
    "Which one would you recommend?", "which would you pick", "what's the best value", "what would you do",
    "any tips which one to take", "which one is good value", "which is the safest choice",
    "which hotel is best for its price", "give me your honest opinion which flight should i take",
]  # fmt: skip
FIRST_OF_SOME = [
    ("whats the cheapest direct flight", "flight", "stops"),
    ("cheapest direct?", "flight", "stops"),
    ("cheapest hotel with a pool?", "hotel", "pool"),
    ("cheapest with breakfast?", "hotel", "breakfast"),
]
IN_TURN = [
    ("Which is cheapest and does it include a bag?", ("which", "bags"), CHEAPEST),
    ("how long is the cheapest flight and can I change it?", ("duration", "change"), CHEAPEST),
    ("does the cheapest one have a bag? and can I still get money back?", ("bags", "refund"), CHEAPEST),
    ("which flight is the fastest and which is the cheapest", ("which", "which"), Which(by="duration")),
    ("is the second flight direct, and when does it land?", ("stops", "arrival"), Which(numbers=(2,))),
    ("whats the cheapest hotel, is it central? and how many stars", ("which", "distance", "stars"), CHEAPEST),
    ("how long is the layover, and where?", ("layover",), Which()),
    ("the second flight looks good, who flies it?", ("carrier",), Which(numbers=(2,))),
    ("is it refundable or not?", ("refund",), Which()),
    ("is the room for 2 people and is it quiet", ("price", "untold"), Which()),
]
UNTOLD = [
    ("how long is the drive", "the way between airport and hotel"),
    ("how long is the transfer", "the way between airport and hotel"),
    ("how do i get from the airport to the hotel", "the way between airport and hotel"),
    ("how far in advance must I be at the airport", "the hours of check-in at the airport"),
    ("how many kilos", "how heavy bags may be"),
    ("how heavy can my bag be", "how heavy bags may be"),
    ("why is the first one so cheap", "why they cost what they do"),
    ("how come the second is more expensive", "why they cost what they do"),
    ("how many doors has it", "doors and model years"),
    ("is insurance in the price", "insurance"),
    ("what is the time difference", "the time difference"),
]  # fmt: skip
FILTERS = [
    "can you find one with breakfast", "I need free breakfast", "can we get a hotel with pool",
    "do you have something with a pool", "show me hotels with parking", "could you look for direct flights",
    "any with parking and a gym?", "which ones leave before noon", "is there any hotel with rating over 9",
    "with breakfast", "direct?", "we're bringing our dog",
]  # fmt: skip
CHANGES = [
    "how about a week later?", "what if we leave on the 12th", "can we stay 2 more nights",
    "is it cheaper on sunday?", "how much is it for 4 people", "what about porto",
    "are there flights from hamburg", "is it cheaper from hamburg?", "until the 13th",
]  # fmt: skip
OTHERS = ["is lisbon warm in december", "how are you", "is there a train instead", "do i need a visa"]


def asked(said: str) -> FoundQuestion | None:
    """What a message asks after flights, hotels and cars were found; it must leave the request as it is."""
    before, after = told(ALL), told(ALL, said)
    if after.question is not None:
        assert (after.relation, after.agents) == ("other", ())
        assert (after.flight, after.hotel, after.car) == (before.flight, before.hotel, before.car)
    return after.question


@pytest.mark.parametrize(("said", "topic", "agent", "which"), OF_AN_OFFER)
def test_question_is_put_together_of_an_offer_and_a_fact(said, topic, agent, which):
    question = asked(said)
    assert question is not None
    assert (question.topic, question.agent) == (topic, agent)
    assert question.which == which


@pytest.mark.parametrize(("said", "by", "descending", "which"), COMPARED)
def test_two_offers_are_compared_by_one_fact(said, by, descending, which):
    question = asked(said)
    assert question is not None
    assert (question.topic, question.by, question.descending) == ("difference", by, descending)
    assert question.which == which


@pytest.mark.parametrize("said", RECOMMENDATIONS)
def test_what_we_would_take_is_asked_for(said):
    question = asked(said)
    assert question is not None
    assert (question.topic, question.which.by, question.wanted) == ("which", "best", RECOMMENDED)


@pytest.mark.parametrize(("said", "agent", "wanted"), FIRST_OF_SOME)
def test_first_of_those_that_have_something_is_asked_for(said, agent, wanted):
    question = asked(said)
    assert question is not None
    assert (question.topic, question.which.by) == ("which", "price")
    assert (question.agent, question.wanted) == (agent, wanted)


@pytest.mark.parametrize(("said", "wanted"), UNTOLD)
def test_what_no_offer_tells_is_asked_by_its_name(said, wanted):
    question = asked(said)
    assert question is not None
    assert (question.topic, question.wanted) == ("untold", wanted)


@pytest.mark.parametrize(("said", "topics", "which"), IN_TURN)
def test_questions_one_behind_the_other_are_all_asked(said, topics, which):
    question = asked(said)
    assert question is not None
    assert tuple(one.topic for one in (question, *question.also)) == topics
    assert (question.which, question.wanted) == (which, "")


def test_question_that_is_not_understood_beside_another_is_named():
    question = asked("is it direct and is the pilot nice?")
    assert question is not None
    assert (question.topic, question.unread) == ("stops", ("is the pilot nice?",))


def test_several_amenities_are_asked_for_together():
    question = asked("does the cheapest hotel have a gym and a pool")
    assert question is not None
    assert set(question.all_wanted) == {"gym", "pool"}


@pytest.mark.parametrize("said", FILTERS + CHANGES)
def test_wish_stays_a_search(said):
    after = told(BOTH, said)
    assert after.question is None
    assert after.relation == "refine"


@pytest.mark.parametrize("said", OTHERS)
def test_what_is_about_something_else_is_no_question_about_the_offers(said):
    assert asked(said) is None


@pytest.mark.parametrize("said", ["whats my booking reference", "whats my booking number"])
def test_reference_of_a_booking_lists_what_is_booked(said):
    booking = told(BOTH, said).booking
    assert booking is not None
    assert booking.action == "list"


def test_way_back_of_a_flight_that_has_none_is_a_wish():
    assert told("flights from Berlin to Lisbon, 10 December", "and the return flight?").question is None
