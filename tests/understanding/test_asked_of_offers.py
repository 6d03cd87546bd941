"""Questions told by one phrase, and wishes for the next offer; and what looks alike but is neither."""

from datetime import date

import pytest

from backend.travel.understanding.found import FoundQuestion
from backend.travel.understanding.understand import understand
from tests.understanding.conversation import told

TODAY = date(2026, 11, 20)
TRIP = "flights from Berlin to Lisbon, 10 to 14 December, 2 people"
STAY = "hotels in Lisbon, 10 to 14 December"
BOTH = "flights and hotels in Lisbon from Berlin, 10 to 14 December"

UNTOLD = {
    (TRIP, "sports gear"): ["do they take skis", "can I take my skis", "can i bring my surfboard?",
                            "what about my golf clubs"],
    (TRIP, "pets on board"): ["which airlines allow pets", "do they allow pets", "can my dog fly with us",
                              "can I bring my cat on board?", "are pets allowed on the flight"],
    (TRIP, "taxes and fees"): ["does the price include taxes", "are taxes included", "any hidden fees?",
                               "are there extra fees"],
    (TRIP, "wifi on board"): ["is there wifi on board", "does it have wifi on the plane"],
    (TRIP, "the choice of seats"): ["can i choose my seat", "can we pick our seats?", "are seats together"],
    (TRIP, "discounts"): ["is there a discount", "any discounts for students", "got a promo code?"],
    (TRIP, "miles and points"): ["can i use miles", "do i get points", "can i earn avios"],
    (TRIP, "how prices will change"): ["will the price go down", "will it get cheaper", "should i wait?"],
    (TRIP, "why they cost what they do"): ["why so expensive", "why is it so expensive?"],
    (TRIP, "how many are left"): ["how many seats are left", "is it still available?"],
    (TRIP, "terminals and gates"): ["which terminal", "what terminal does it leave from"],
    (STAY, "the hours of check-in and check-out"): [
        "what time is check in", "check-in time", "whats check out time", "when can we check in",
        "what time can i check in", "can I check in early", "which one can i check in after midnight",
        "can we still check in at midnight?", "is check-in at night possible there",
        "where can we check in around midnight"],
    (STAY, "how quiet it is"): ["is it quiet", "is it noisy?", "is the hotel quiet at night"],
    (STAY, "how safe the area is"): ["is it safe", "is the area safe?"],
    (STAY, "the beds"): ["what kind of bed is it", "how many beds"],
    (STAY, "photos"): ["show me pictures", "got any photos", "photos please"],
    (STAY, "deposits"): ["is there a deposit", "do i have to pay a deposit?"],
    (STAY, "what children pay"): ["can kids stay free", "do children pay"],
    (STAY, "whether parking costs extra"): ["is parking free", "do i pay for parking?"],
    (BOTH, "payment"): ["can we pay later", "do i pay now", "can i pay at the hotel", "when do we pay"],
}  # fmt: skip
TOPICS = {
    "bags": ["does it include a cabin bag", "can I take a cabin bag", "is that with bags", "is it with bags?",
             "does it come with bags", "does it include bags? I need two", "are bags extra"],
    "refund": ["can i cancel it if someone gets sick", "what if I get sick", "can we cancel if plans change",
               "what happens if I cancel", "is there a cancellation fee", "what if we change our mind",
               "can i get my money back if i cancel"],
    "change": ["can i change the dates later", "can i change it later if needed"],
    "details": ["whats the catch", "is there a catch?", "whats included", "what do I get for that"],
    "dates": ["is that one way or return", "is that round trip", "is it return or one way?",
              "how many nights is that"],
    "price": ["please share the fare break up", "can you break down the price", "price breakdown please",
              "is that price per room or per person", "is that for both of us", "is it for all nights",
              "is this the total or per person",],
    "departure": ["is it a red eye", "is it overnight?", "is it a night flight"],
    "why": ["why is there nothing", "why are there no flights", "why so few?"],
    "difference": ["so the KLM one is 40 more?", "the KLM flight is only €40 more, right?",
                   "is the second one 20 cheaper?", "how much more is the second one"],
}  # fmt: skip
STEPS = {
    ("departure", True): ["too early", "later", "something later", "thats too early for me",
                     "a bit later please",
                          "is there a later one", "too early for the kids", "nothing later?"],
    ("departure", False): ["too late", "earlier", "earlier one", "do you have anything earlier", "sooner"],
    ("price", False): ["cheaper", "too expensive", "anything cheaper?", "something cheaper", "hmm pricey",
                       "way too expensive", "thats a bit steep", "thats too much",
                       "you have something more cheap?"],
    ("duration", False): ["too long", "anything faster?", "faster one", "any quicker way"],
}  # fmt: skip
NO_STEPS = [
    "not too early please", "a day later", "later in the week", "later date", "cheaper dates",
    "see you later",
    "maybe later", "i'll decide later", "book it later", "remind me later", "thats not expensive",
    "too early, leave after 9", "two hours later", "cheaper than 200", "later flight back", "no later than 9",
    "is it expensive", "why is it cheaper", "a later flight", "an earlier return", "later than planned",
]  # fmt: skip
NO_QUESTIONS = [
    "please find me a hotel with photos", "I need a pet friendly hotel", "any hotel that allows dogs",
    "do you have pet friendly hotels", "we want to pay later so look for refundable ones", "make it one way",
    "is there a quiet hotel near the beach", "find me a red eye", "with bags", "the cheapest with bags",
    "any deals to Rome", "check out on sunday", "check in a day later", "late checkout please",
    "I'd like early check in", "we have 2 dogs", "i changed my mind", "cancel it", "can you cancel it",
    "cancel the flight", "is there a return flight on sunday", "do you have a direct one without bags",
    "change the dates", "make the hotel 40 cheaper", "if the KLM one is 40 more book it", "stop",
]  # fmt: skip


def asked(*said: str) -> FoundQuestion | None:
    """What the last of the messages asks about what was found, if that is all it does."""
    return told(*said).question


@pytest.mark.requirement("FOUND-ANSWERS-QUESTIONS")
@pytest.mark.parametrize(
    ("before", "wanted", "said"), [(*key, said) for key, some in UNTOLD.items() for said in some]
)
def test_what_no_offer_tells_is_asked_by_its_name(before: str, wanted: str, said: str) -> None:
    question = asked(before, said)
    assert question is not None
    assert (question.topic, question.wanted) == ("untold", wanted)
    known, after = told(before), told(before, said)
    assert (after.relation, after.flight, after.hotel) == ("other", known.flight, known.hotel)


@pytest.mark.parametrize(
    ("topic", "said"), [(topic, each) for topic, some in TOPICS.items() for each in some]
)
def test_one_phrase_tells_which_fact_is_asked_for(topic: str, said: str) -> None:
    question = asked(BOTH if topic in ("price", "details") else TRIP, said)
    assert question is not None
    assert question.topic == topic
    assert told(TRIP, said).flight == told(TRIP).flight


@pytest.mark.parametrize(("order", "said"), [(order, each) for order, some in STEPS.items() for each in some])
def test_next_offer_in_an_order_is_asked_for(order: tuple[str, bool], said: str) -> None:
    question = asked(TRIP, said)
    assert question is not None
    assert (question.topic, question.by, question.descending) == ("step", *order)
    assert told(TRIP, said).flight == told(TRIP).flight


def test_cheaper_hotel_is_asked_of_the_hotels() -> None:
    question = asked(BOTH, "the hotel is very expensive, you have something more cheap?")
    assert question is not None
    assert (question.topic, question.by, question.agent) == ("step", "price", "hotel")


@pytest.mark.parametrize("said", NO_STEPS)
def test_what_moves_days_or_hours_asks_for_no_next_offer(said: str) -> None:
    question = asked(TRIP, said)
    assert question is None or question.topic != "step"


@pytest.mark.parametrize("said", NO_QUESTIONS)
def test_what_wants_something_is_no_question(said: str) -> None:
    assert asked(TRIP, said) is None


@pytest.mark.parametrize(
    ("said", "way"),
    [
        ("which one leaves last in the evening", None),
        ("which is the latest flight home", "back"),
        ("which is the last flight home", "back"),
        ("whats the last flight back", "back"),
    ],
)
def test_last_of_a_day_is_asked_for(said: str, way: str | None) -> None:
    question = asked(TRIP, said)
    assert question is not None
    assert (question.topic, question.which.by, question.which.descending) == ("which", "departure", True)
    assert question.way == way


@pytest.mark.parametrize("said", ["which one is closest to the airport", "which is nearest to the beach?"])
def test_how_far_something_else_is_from_the_nearest_is_asked(said: str) -> None:
    question = asked(STAY, said)
    assert question is not None
    assert (question.topic, question.which.by) == ("distance", "distance")
    assert question.wanted in ("airport", "beach")


@pytest.mark.parametrize(
    "said", ["which one would you pick", "what would you recommend", "which do you recommend?"]
)
def test_recommendation_is_the_best_of_them(said: str) -> None:
    question = asked(TRIP, said)
    assert question is not None
    assert (question.topic, question.which.by) == ("which", "best")


@pytest.mark.parametrize(
    "said",
    ["did it go through?", "did my booking go through", "am i booked", "is it booked?", "are we booked?"],
)
def test_whether_a_booking_was_made_lists_what_is_booked(said: str) -> None:
    booking = told(TRIP, said).booking
    assert booking is not None
    assert booking.action == "list"


@pytest.mark.parametrize("said", ["with a cabin bag please", "one cabin bag each", "only a cabin bag"])
def test_bag_for_the_cabin_asks_for_no_hotel(said: str) -> None:
    assert told(TRIP, said).wanted == ("flight",)


def test_question_before_anything_is_searched_changes_nothing() -> None:
    known = understand("flights from Berlin to Lisbon", previous=None, today=TODAY)
    after = understand("How long is the flight?", previous=known, today=TODAY)
    assert (after.relation, after.question) == ("other", None)
