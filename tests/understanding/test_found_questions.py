"""Which messages ask about what was found, and what they ask; and which look alike but do not."""

from datetime import date

import pytest

from backend.travel.understanding.english.found.questions import find_question
from backend.travel.understanding.english.language.text import Text
from backend.travel.understanding.found import Which
from backend.travel.understanding.understand import understand
from tests.understanding.conversation import told

TODAY = date(2026, 11, 20)
BOTH = "flights and hotels in Lisbon from Berlin, 10 to 14 December"

WHICH = {
    "price": ["cheapest?", "which one is the cheapest?", "what's the cheapest flight so far?", "the cheapest",
              "whats the least expensive hotel", "which is the most cheap?",
              "which hotel has the lowest price"], "duration": ["which is the fastest?",
              "and the fastest?", "which flight is the shortest?", "fastest?", "what is the quickest one",
              "which one has the shortest travel time?"], "departure": ["earliest?",
              "which is the earliest flight", "which one leaves first?",
              "which departs earliest?"], "arrival": ["which one gets there first?",
              "which flight arrives first", "which lands earliest?"], "layover": ["shortest layover?",
              "which one has the shortest layover",
              "which has the shortest stopover?"], "distance": ["nearest hotel?",
              "which hotel is nearest to the centre?", "which one is the most central?",
              "which is closest to the city center?"], "score": ["best rated?",
              "which one has the best rating", "which hotel has the best reviews?",
              "what is the highest rated hotel"], "stars": ["which hotel has the most stars?"],
}  # fmt: skip
SORTS = {
    "price": ["cheapest first", "sort by price please", "by price please", "sort them by price",
    "price: sort by cost", "order by price", "most expensive first", "from cheapest to most expensive",
              "can you sort the list by price?"],
    "duration": ["sort by duration", "fastest first", "shortest first please",
    "sort the flights by travel time"], "departure": ["earliest first", "sort them by departure time",
    "order by departure"], "arrival": ["sort by arrival time"],
    "stars": ["by stars", "sort by stars", "sort the hotels by stars"],
    "score": ["order by rating", "best rated first", "sort by reviews", "sorted by rating please"],
    "distance": ["show the nearest first", "sort by distance", "sort by distance from the centre",
                 "put the closest on top"],
    "stops": ["sort by number of stops", "fewest stops first"],
}  # fmt: skip
ASKED = {
    "layover": ["how long is the layover?", "how long layover", "layover?", "how long is the stopover?",
                "thanks, and how long is the layover?", "how long do I have to wait between flights"],
    "stops": ["where does it stop?", "is it nonstop?", "is it direct?", "how many stops does it have?",
              "do I need to change planes?", "is the cheapest one direct?", "are the first two direct?"],
    "duration": ["how long is the flight", "how long is the flight to Lisbon?", "how long does it take?",
                 "how many hours is it", "how long is the flight back?"],
    "bags": ["are bags included", "bags?", "is luggage included in the price?", "does it include baggage?",
             "how many bags are included?", "luggage is included?", "and the bags?"],
    "refund": ["can it be refunded?", "is it refundable", "refundable?", "can I cancel it for free?",
               "what's the cancellation policy?", "do I get my money back?"],
    "change": ["can it be changed?", "is it changeable?", "is it flexible?", "can the second be rebooked?"],
    "arrival": ["when does it arrive", "when does it land?", "what time does it get in?",
    "when do we arrive?", "and when does the second one arrive?"],
    "departure": ["when does it leave?", "what time does it depart?", "when does the return leave",
                  "when is the flight back", "when do we leave?"],
    "carrier": ["which airline is it?", "who operates it?", "what airline is that", "who do we fly with?",
                "the 2nd one looks good, who operates it?"],
    "aircraft": ["what plane is it"],
    "cabin": ["what class is it"],
    "has": ["does it have a pool?", "does that one have wifi", "wifi?", "is breakfast included?",
            "does the second have breakfast", "does the Hilton have a pool?", "do they have a gym",
            "it has pool?", "is there a sauna?", "does the Lanternhouse Demo have parking?",
            "does number 3 take dogs?", "is the hotel wheelchair accessible?", "is there a pool?"],
    "distance": ["how far is it from the centre?", "how far is it from the beach?",
    "is it far from the center", "how far?"],
    "rating": ["what is the score of the Quillon Demo", "what's its rating?", "how is it rated?"],
    "stars": ["how many stars does it have"],
    "place": ["what's the address", "what area is it in", "where is the Blue Anchor?", "where is it?"],
    "price": ["how much is the second one", "price of the second", "what does the cheapest one cost",
              "how much cost the second", "how much is it each", "how much is it?"],
    "total": ["what would it be in all?", "how much is it in total?", "what's the total for flight and hotel",
              "what would it all come to for the two of us?", "whats the total price for everything",
              "how much is all together the most cheap", "what would number 3 be in all for both of us"],
    "difference": ["difference between the first two?",
    "what's the difference between the first and the third", "compare the first two hotels",
    "which is cheaper, the first or the second?", "1 vs 2"], "details": ["tell me more about the second",
    "more about number 3", "details of the first one", "what about the second one?"],
    "those_with": ["which ones are direct?", "which ones have a pool", "which hotels have breakfast?",
                   "are any of them refundable", "how many of them are direct?",
                   "how many hotels have a pool?"], "under": ["is there anything under 200?",
                   "anything under 60?", "do you have anything below 150 euros a night?",
                   "is there any flight under 100",
                   "are there hotels under 80 euros?"], "count": ["how many did you find?",
                   "how many flights are there?",
                   "how many hotels did you find"], "found": ["what did you find?",
                   "what have you found so far?", "so what did you find?", "any results yet?",
                   "what did you find before?", "what did you find for Osaka?",
                   "what did you get"], "best_request": ["which of the three was cheapest",
                   "which city is the cheapest?"], "state": ["what are you doing?",
                   "what are you doing right now?", "are you done?", "still searching?",
                   "how far are you", "how is it going", "are you still looking?", "status?",
                   "what r u doing"],
}  # fmt: skip
NO_QUESTIONS = [
    "only direct ones", "direct?", "with breakfast", "something cheaper", "cheaper?", "what about Osaka?",
    "how about Rome instead", "any other options?", "find me a hotel with a pool",
    "is there a hotel with a pool", "I want the cheapest flight to Rome", "can we fly on Friday", "stop",
    "please stop", "can you stop?", "are there any nonstop flights?", "do you have one with a pool?",
    "under 200", "max 100 a night", "change it to Friday", "can you change the date?",
    "no direct flights", "cheapest flight to Rome", "flights to Rome",
    "which flights go to Rome on Friday?", "is Lisbon nice?", "are you a bot?", "are you human?",
    "can you find me a hotel there?", "thanks for everything", "everything sounds good",
    "how about 3 nights?", "show me a one star place", "I need 3 tickets. what is the arrival time?",
    "any airline", "any airline is fine",
    "any number of stops is fine", "airline does not matter", "how old are you", "thanks", "ok", "yes",
    "what is a layover?", "what does nonstop mean?", "it has to be refundable",
    "breakfast included please", "4 stars", "we are two", "when is Easter",
    "what's the weather in Lisbon?", "do I need a visa?",
    "go back to the Lisbon flights", "a later flight", "earlier flight please", "return on Friday",
    "make it two people", "tell me a joke", "what can you do?", "who are you?", "first class",
    "business class?", "do you speak German?", "how about the 12th?", "the first one again",
    "I need a rental car in Lisbon", "a hotel near the centre", "nearer to the centre please",
    "one more bag please", "without a layover", "flights with one stop at most", "can I bring my wife?",
    "we need breakfast", "and a hotel", "for 3 nights", "not more than 2 stops", "leave on Sunday",
    "arrive before noon", "earlier", "what about a week later?",
]  # fmt: skip


def question(message, agents=("flight", "hotel")):
    """What a message asks, of a trip from Berlin to Lisbon."""
    return find_question(Text(message), {"berlin", "lisbon"}, agents)


@pytest.mark.parametrize(("by", "message"), [(by, each) for by, some in WHICH.items() for each in some])
def test_question_for_the_first_in_an_order_is_read(by, message):
    asked = question(message)
    assert asked is not None
    assert (asked.topic, asked.which.by) == ("which", by)


@pytest.mark.parametrize(("by", "message"), [(by, each) for by, some in SORTS.items() for each in some])
def test_wish_for_another_order_is_read(by, message):
    asked = question(message)
    assert asked is not None
    assert (asked.topic, asked.by) == ("sort", by)
    assert asked.descending == (by in ("stars", "score") or message.startswith("most"))


@pytest.mark.parametrize(
    ("topic", "message"), [(topic, each) for topic, some in ASKED.items() for each in some]
)
def test_question_about_the_offers_is_read(topic, message):
    asked = question(message)
    assert asked is not None
    assert asked.topic == topic


@pytest.mark.parametrize("message", NO_QUESTIONS)
def test_what_wants_something_else_is_no_question_about_the_offers(message):
    assert question(message) is None


@pytest.mark.parametrize(
    ("message", "which"),
    [
        ("does the second have breakfast", Which(numbers=(2,))),
        ("difference between the first two?", Which(numbers=(1, 2))),
        ("compare 1 and 3", Which(numbers=(1, 3))),
        ("how much is number 12?", Which(numbers=(12,))),
        ("does the Hilton have a pool?", Which(name="Hilton")),
        ("where is the Blue Anchor?", Which(name="Blue Anchor")),
        ("when does the cheapest arrive?", Which(by="price")),
        ("do they have wifi?", Which(is_all=True)),
        ("does it have wifi?", Which()),
    ],
)
def test_it_is_read_of_which_offers_is_asked(message, which):
    asked = question(message)
    assert asked is not None
    assert asked.which == which


def test_agent_that_has_not_searched_is_not_asked():
    assert question("does it have a pool?", ("flight",)) is None
    assert question("how long is the layover?", ("hotel",)) is None
    assert question("which one is the cheapest?", ()) is None


@pytest.mark.requirement("FOUND-ANSWERS-QUESTIONS")
@pytest.mark.parametrize(
    "message",
    ["which is the fastest?", "does the second have a pool?", "is there anything under 200?", "by price"],
)
def test_question_changes_nothing_of_the_request(message):
    before = understand(BOTH, previous=None, today=TODAY)
    after = understand(message, previous=before, today=TODAY)
    assert after.question is not None
    assert (after.relation, after.agents) == ("other", ())
    assert (after.flight, after.hotel, after.wanted) == (before.flight, before.hotel, before.wanted)


PEOPLE = {
    3: ["what's the cheapest for 3 people?", "how much for three people?", "whats the price with 3 adults",
        "cheapest for 3", "and how much for 3?", "price for 3?", "how much if we are 3?",
        "total for 3 people?",
        "what would it cost for the three of us plus nobody else, for 3 people?", "what does it cost for 3",
        "how much is the second one for 3 people?", "how much each for 3?", "fastest for 3?"],
    1: ["how much for one person?", "what's the price for 1 adult?"],
}  # fmt: skip
DAYS = {
    12: ["what's the cheapest on the 12th?", "how much would it be on the 12th?", "cheapest on 12 December?",
         "how much is the one on the 12th?", "what's the cheapest flight on December 12",
         "which is cheapest on the 12th?", "how long does it take on the 12th", "what about the 12th?"],
    2: ["how much on the 2nd?", "cheapest on the 2nd?", "whats the price on the 2nd of december"],
    20: ["cheapest on the 20th?", "price on the 20th?", "how much is the 20th?"],
}  # fmt: skip
CABINS = {
    "business": ["what about business class?", "how about business?", "how much is it in business class",
                 "and in business class how much?", "what's the cheapest business class flight?",
                 "can you do business class?", "how much in business?", "what would business class cost?"],
    "first": ["what about first class", "how about first class?", "how much is first class?"],
    "premium_economy": ["how about premium economy", "what's the price in premium economy?"],
}  # fmt: skip
STAYS = [
    ("what about 3 stars?", "stars", 3), ("how about 5 stars?", "stars", 5),
    ("can you do 5 stars?", "stars", 5),
    ("which ones have 4 stars?", "stars", 4), ("more stars", "stars", 4),
    ("what's the price for 2 rooms?", "rooms", 2), ("how much for two rooms?", "rooms", 2),
    ("how much for 5 nights?", "nights", 5), ("whats the total for 3 nights", "nights", 3),
]  # fmt: skip
SAME = [
    ("how much is the 2nd?", "price"), ("how much is the 2nd one?", "price"),
    ("how much is number 12?", "price"),
    ("what's the cheapest for 2 people?", "which"), ("cheapest for 2?", "which"),
    ("what does it cost for the two of us", "price"), ("how much is the flight on 10 December?", "price"),
    ("when does the flight on the 10th leave?", "departure"),
    ("when is the flight on the 14th?", "departure"),
    ("when does it land on the 11th?", "arrival"),
    ("is it business class?", "cabin"), ("is it first class?", "cabin"),
    ("is the first one in first class?", "cabin"), ("is the second in business class?", "cabin"),
    ("what class is it?", "cabin"), ("is it 4 stars?", "stars"), ("how many stars does it have", "stars"),
    ("how much is it in economy class?", "price"), ("what's the price for 4 nights?", "price"),
    ("does the second have breakfast?", "has"), ("difference between 1 and 3?", "difference"),
    ("does the Hilton have a pool?", "has"), ("are the first two nonstop?", "stops"),
]  # fmt: skip


def after_both(message):
    """What a message means after flights and hotels for two in economy were found."""
    before = understand(f"{BOTH}, for 2 people in economy", previous=None, today=TODAY)
    return understand(message, previous=before, today=TODAY), before


@pytest.mark.requirement("FOUND-ANSWERS-QUESTIONS")
@pytest.mark.parametrize(("people", "message"), [(n, each) for n, some in PEOPLE.items() for each in some])
def test_price_for_other_people_is_searched_for(people, message):
    after, _ = after_both(message)
    assert (after.relation, after.question) == ("refine", None)
    assert (after.flight.passengers, after.hotel.guests) == (people, people)


@pytest.mark.requirement("FOUND-ANSWERS-QUESTIONS")
@pytest.mark.parametrize(("day", "message"), [(day, each) for day, some in DAYS.items() for each in some])
def test_price_of_another_day_is_searched_for(day, message):
    after, _ = after_both(message)
    assert (after.relation, after.question) == ("refine", None)
    assert after.flight.departure_date == date(2026, 12, day)


@pytest.mark.parametrize(
    ("cabin", "message"), [(name, each) for name, some in CABINS.items() for each in some]
)
def test_another_cabin_is_searched_for(cabin, message):
    after, _ = after_both(message)
    assert (after.relation, after.question, after.flight.cabin_class) == ("refine", None, cabin)


@pytest.mark.parametrize(("message", "slot", "value"), STAYS)
def test_another_stay_is_searched_for(message, slot, value):
    after, _ = after_both(message)
    assert (after.relation, after.question, getattr(after.hotel, slot)) == ("refine", None, value)


@pytest.mark.requirement("FOUND-ANSWERS-QUESTIONS")
@pytest.mark.parametrize(("message", "topic"), SAME)
def test_what_tells_the_request_once_more_is_answered(message, topic):
    after, before = after_both(message)
    assert after.question is not None
    assert after.question.topic == topic
    assert (after.flight, after.hotel) == (before.flight, before.hotel)


def test_number_is_the_name_of_no_hotel():
    for message in ("does 4 have a pool?", "how much for three", "is there wifi for 5"):
        asked = question(message)
        assert asked is None or asked.which.name == ""


def test_need_behind_a_question_is_no_part_of_it():
    assert question("is it nonstop? I need two") is None
    assert question("do I need to change planes?")


DENIED = [
    "which hotels do not have wifi", "which hotels don't have a pool?", "which ones dont have breakfast",
    "which hotels have no pool?", "which hotels are without breakfast?", "which hotels lack a gym?",
    "which flights are not refundable?", "which flights aren't direct?", "which is not nonstop?",
    "which ones can't be cancelled?", "which of them cannot be changed",
    "how many hotels don't have parking?",
    "how many flights are not direct?", "which ones don't include bags?",
]  # fmt: skip
NOT_DENIED = [
    "which hotels have wifi or not?", "no, which ones have wifi?", "no thanks, which hotels have a pool?",
    "which ones are direct?", "are any of them refundable", "aren't any of them refundable?",
]  # fmt: skip


@pytest.mark.parametrize(
    ("message", "is_denied"), [(each, True) for each in DENIED] + [(each, False) for each in NOT_DENIED]
)
def test_question_for_those_without_is_not_taken_for_its_opposite(message, is_denied):
    asked = question(message)
    assert asked is not None
    assert (asked.topic, asked.is_denied) == ("those_with", is_denied)


@pytest.mark.parametrize("message", ["anything not under 103?", "which is not the cheapest?"])
def test_denial_that_no_answer_has_is_no_question(message):
    assert question(message) is None


@pytest.mark.parametrize(
    ("said", "by", "descending"),
    [
        ("drop the price limit tho and sort by departure time", "departure", False),
        ("nonstop only and show the fastest first", "duration", False),
        ("make it business and order them by arrival", "arrival", False),
        ("for 3 people, cheapest first", "price", False),
        ("nonstop, and sort them by price", "price", False),
    ],
)
def test_order_is_kept_beside_what_is_changed(said: str, by: str, *, descending: bool) -> None:
    understood = told("flights from Berlin to Rome on 3 May under 300", said)
    assert understood.relation == "refine"
    assert understood.question is not None
    asked = understood.question
    assert (asked.topic, asked.by, asked.descending) == ("sort", by, descending)
    assert understood.refused == ()


def test_usual_order_of_an_opening_message_is_not_told_again() -> None:
    assert told("flights from Berlin to Rome on 3 May, cheapest first").question is None
