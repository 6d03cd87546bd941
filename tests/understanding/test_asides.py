"""What is told beside the journey moves it nowhere: the past, birthdays, prices that rose, questions why."""

from datetime import date

import pytest

from backend.travel.understanding.english.language.text import Text
from backend.travel.understanding.english.talk.remarks import is_only_told
from backend.travel.understanding.english.wording import noted
from tests.understanding.conversation import BERLIN_TO_TOKYO, LISBON, name, told


@pytest.mark.parametrize(
    "message",
    [
        *(
            "I lived in Kyoto for 4 years",
            "tokyo is great, i lived in kyoto for 4 years",
            "I'm from Naples originally",
        ),
        *(
            "it's my 30th birthday on the 12th",
            "my wife's birthday is the 14th",
            "our anniversary is on the 13th",
        ),
        *("last year I flew on the 12th", "I was in Rome last year", "we've been to Osaka twice"),
        *(
            "we were in Osaka last May and loved it",
            "we went to Rome for our honeymoon",
            "my parents met in Paris",
        ),
        *(
            "why is there nothing on Friday",
            "why are there no flights on the 12th?",
            "we used to live in Osaka",
        ),
        *("it went up to 900!", "omg it went up to 900!", "the price was 300 yesterday", "it jumped to 450"),
        *(
            "I grew up in Osaka",
            "my wife was born in Kyoto",
            "you're a star",
            "we stayed at the Ritz last time",
        ),
        *("ah we visited kyoto in 2019", "I studied in Osaka for 2 years", "we went there 3 times already"),
    ],
)
def test_what_tells_of_something_else_leaves_the_journey_as_it_is(message):
    before, after = told(BERLIN_TO_TOKYO), told(BERLIN_TO_TOKYO, message)
    assert (after.flight, after.hotel, after.wanted) == (before.flight, before.hotel, before.wanted)


@pytest.mark.parametrize(
    "message",
    [
        "Hiya love, how are you today? Its miserable here in Leeds!",
        "Hi there, it's pouring in Manchester today",
        "hello, hope you're having a good Monday!",
        "hey, how's your day? The weather is grim in Berlin",
        "It's so cold here in Oslo",
        "what a grey Sunday here in Hamburg",
    ],
)
@pytest.mark.parametrize("before", [(), (BERLIN_TO_TOKYO,)])
def test_small_talk_of_the_day_and_the_weather_is_no_journey(before, message):
    after = told(*before, message)
    assert (after.relation, after.agents) == ("other", ())
    assert not before or after.flight == told(*before).flight


def test_weather_beside_a_wish_takes_nothing_from_it():
    after = told("It's grey here in Hamburg, find me a flight from Hamburg to Malaga on 5 May")
    assert (name(after.flight.origin), name(after.flight.destination)) == ("Hamburg", "Málaga")


@pytest.mark.parametrize(
    "message",
    [
        "ok I think about it with my husband, gracias!",
        "let me think it over with my wife",
        "I'll go over it with my sister tonight, merci",
        "need to check with my boss on Friday",
        "let me ask the boys tomorrow, thanks so far",
        "I shall speak with my sister this evening before deciding. Thank you for your patience.",
    ],
)
def test_person_to_ask_first_does_not_travel(message):
    asked = "Flights from Madrid to Rome, 18 to 28 December, 4 adults"
    before, after = told(asked), told(asked, message)
    assert (after.relation, after.agents) == ("other", ())
    assert after.flight == before.flight


@pytest.mark.parametrize(
    ("message", "goal", "day"),
    [
        ("we went to Rome last year so this time Osaka", "Osaka", 10),
        ("we went to Rome last year, now we want Osaka", "Osaka", 10),
        ("I was hoping for the 12th", "Tokyo", 12),
        ("I was thinking of Osaka", "Osaka", 10),
        ("I meant Osaka", "Osaka", 10),
        ("why don't we fly on the 12th", "Tokyo", 12),
        ("my birthday is on the 14th so let's fly on the 12th", "Tokyo", 12),
        ("it's too expensive, make it the 12th", "Tokyo", 12),
        ("we were there in May, but let's go on the 12th", "Tokyo", 12),
        ("I worked out that the 12th is better", "Tokyo", 12),
        ("it was 300 yesterday, change it to the 12th", "Tokyo", 12),
    ],
)
def test_what_is_wanted_beside_it_is_taken(message, goal, day):
    after = told(BERLIN_TO_TOKYO, message).flight
    assert (name(after.destination), after.departure_date) == (goal, date(2026, 12, day))


@pytest.mark.parametrize(
    ("message", "origin", "goal"),
    [
        ("I was born in Rome and want to fly from Oslo to Naples on 5 May", "Oslo", "Naples"),
        ("We went to Paris last year, now we want Rome from Oslo on 5 May", "Oslo", "Rome"),
    ],
)
def test_story_does_not_open_a_journey(message, origin, goal):
    opened = told(message).flight
    assert (name(opened.origin), name(opened.destination)) == (origin, goal)


def test_birthday_may_be_the_day_that_is_asked_for():
    assert told("flights from Berlin to Rome", "my birthday, the 5th of May").flight.departure_date == date(
        2027, 5, 5
    )
    assert told("Berlin to Rome", "on my birthday, 5 May").flight.departure_date == date(2027, 5, 5)


@pytest.mark.parametrize("message", ["we loved the pool", "thanks", "is it far?", "Osaka", ""])
def test_other_remarks_are_no_stories(message):
    assert not is_only_told(Text(message))


def test_story_is_told_from_a_wish():
    assert is_only_told(Text("oh, I lived in Kyoto for 4 years"))
    assert not is_only_told(Text("I lived in Kyoto, so Kyoto please"))
    assert told(LISBON, "we stayed in Porto last time").hotel.city == told(LISBON).hotel.city


@pytest.mark.parametrize(
    ("message", "goal"),
    [
        *(
            ("I said Porto", "Porto"),
            ("no, I said Porto", "Porto"),
            ("you got it wrong, I said Porto", "Porto"),
        ),
        *(
            ("i told you Porto not Tokyo", "Porto"),
            ("i asked for porto", "Porto"),
            ("it was supposed to be porto", "Porto"),
        ),
        *(("I said I like Tokyo", "Tokyo"), ("i said tokyo!", "Tokyo"), ("i typed porto", "Porto")),
    ],
)
def test_what_was_said_before_is_where_it_goes(message, goal):
    assert name(told(BERLIN_TO_TOKYO, message).flight.destination) == goal


def test_what_was_said_of_the_start_is_where_it_starts():
    after = told(BERLIN_TO_TOKYO, "I said from Hamburg").flight
    assert (name(after.origin), name(after.destination)) == ("Hamburg", "Tokyo")


@pytest.mark.parametrize(
    "message",
    [
        *(
            "we would rather not change planes",
            "I don't want to change planes",
            "without changing planes please",
        ),
        *("no change of planes", "I'd prefer not to change planes", "no plane changes pls"),
    ],
)
def test_no_change_of_planes_means_nonstop(message):
    assert told("flights from Berlin to Rome in May", message).flight.max_stops == 0


@pytest.mark.parametrize(
    ("message", "bags"),
    [
        *(
            ("add a bag", 1),
            ("2 suitcases", 2),
            ("with 2 bags", 2),
            ("we have 2 bags", 2),
            ("i need a suitcase", 1),
        ),
        *(
            ("one suitcase each please", 1),
            ("can i add a bag?", 1),
            ("I don't need a bag", 0),
        ),
        *(("how much is a bag", None), ("is a bag included?", None), ("and how much for 2 bags?", None)),
        ("2 of us", None),
    ],
)
def test_bags_are_counted_where_they_are_wanted(message, bags):
    after = told("flights from Berlin to Rome on 3 May", message)
    assert after.flight.bags == bags
    assert after.wanted == ("flight",)


@pytest.mark.parametrize(
    ("message", "nights"),
    [("for 5 nights", 5), ("a week", 7), ("7 nights pls", 7), ("10 days", 10), ("two weeks i think", 14)],
)
def test_how_long_a_journey_takes_is_kept_until_its_day_is_told(message, nights):
    asked = told("flights from Toronto to Vancouver in July", message)
    assert asked.relation != "other"
    assert noted(asked) == f"Noted: for {nights} nights."
    left = told("flights from Toronto to Vancouver in July", message, "the 12th").flight
    assert left.return_date == date(2027, 7, 12 + nights)


def test_what_is_called_off_while_a_day_is_asked_is_noted():
    left = told("flights and hotel in Rome from Berlin in May", "only the hotel for now")
    assert noted(left) == "Noted: hotels only."
    assert noted(told("flights and hotel in Rome from Berlin in May", "2 people")) == "Noted: 2 passengers."


@pytest.mark.parametrize("message", ["anywhere warm", "surprise me", "anywhere is fine"])
def test_goal_may_be_left_open_when_it_is_asked_for(message):
    assert told("flights from Leeds on 3 May", message).agents == ("flight",)
    assert told("flights from Leeds to Rome on 3 May", message).flight.destination is not None


@pytest.mark.parametrize(
    ("message", "first", "last"),
    [
        ("no wait the 2nd weekend", 10, 11),
        ("the second weekend", 10, 11),
        ("the 3rd weekend instead", 17, 18),
        ("sorry, the third weekend pls", 17, 18),
    ],
)
def test_another_weekend_is_one_of_the_month_that_was_told(message, first, last):
    moved = told("flights from Milan to Prague 1st weekend of April", message).flight
    assert (moved.departure_date, moved.return_date) == (date(2027, 4, first), date(2027, 4, last))
