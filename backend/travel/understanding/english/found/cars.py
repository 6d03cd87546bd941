"""Questions about rental cars that were found: seats, bags, mileage, gearbox, where they are picked up."""

from collections.abc import Collection

from ...found import FoundQuestion, Topic, Which
from ..language.tables import phrases_of, words_of
from ..language.text import Phrases, Text, phrases
from .coverage import Coverage
from .which import means_all, take_counts, take_numbers, take_pick

_SAID = phrases_of("found")
_WORDS = words_of("found")

_LONGEST = 18
_TOPICS: tuple[tuple[Topic, Phrases], ...] = (
    (
        "mileage",
        phrases(
            "mileage", "unlimited mileage", "unlimited km", "unlimited kilometres", "unlimited kilometers",
            "unlimited miles", "km limit", "mileage limit", "kilometre limit", "kilometer limit",
            "miles included", "kilometres included", "kilometers included", "km included", "free kilometres",
            "how many km", "how many kilometres", "how many kilometers", "how many miles",
            "how far can i drive",
            "how far can we drive",
        ),
    ),
    (
        "bags",
        phrases(
            "bag", "bags", "luggage", "baggage", "suitcase", "suitcases", "boot", "trunk", "boot space",
            "trunk space", "luggage space", "cases",
        ),
    ),
    (
        "seats",
        phrases(
            "seats", "how many seats", "how many people", "fit", "fits", "big enough", "seat", "how big",
            "how large", "spacious", "passengers", "people fit", "room for", "enough room", "how small",
            "enough space",
        ),
    ),
    (
        "gearbox",
        phrases(
            "automatic", "manual", "automatic or manual", "manual or automatic", "gearbox", "transmission",
            "stick", "stick shift", "what class", "which class", "what kind of car", "what type of car",
            "what sort of car", "what car is it", "what size", "which category", "what category",
        ),
    ),
    (
        "station",
        phrases(
            "pick it up", "pick up", "pick the car up", "pick up the car", "collect it", "collect the car",
            "collect", "picked up", "pickup", "pick - up", "drop it off", "drop off", "return it",
            "return the car", "where is it", "wheres it", "where are they", "located", "location", "where is",
            "at the airport", "station", "get it", "get the car", "bring it back",
        ),
    ),
    (
        "refund",
        phrases(
            "refund", "refundable", "free cancellation", "cancel for free", "cancel it for free", "cancel it",
            "cancel", "cancellation", "be cancelled", "be canceled", "money back", "free to cancel",
            "cancellation policy",
        ),
    ),
    (
        "price",
        phrases(
            "how much", "price", "prices", "cost", "costs", "per day", "a day", "each day", "rate", "pay",
            "for the week", "how expensive", "in total", "in all", "total", "altogether", "daily",
        ),
    ),
    (
        "details",
        phrases(
            "details", "more about", "tell me more", "tell me about", "info", "information", "more info",
            "describe", "whats included", "what is included", "whats in the price", "included in the price",
            "what do i get", "what brand", "which brand", "what make", "which make", "what model",
            "which model",
            "which company", "what company", "supplier", "which supplier", "who rents it",
        ),
    ),
)  # fmt: skip
_UNTOLD: tuple[tuple[str, Phrases], ...] = (
    (
        "insurance",
        phrases(
            "insurance", "insured", "cdw", "full cover", "full coverage", "excess", "collision damage",
            "covered", "coverage", "theft protection", "scratch", "accident",
        ),
    ),
    ("fuel", phrases("fuel", "petrol", "diesel", "gas", "full tank", "tank", "full to full", "electric",
    "hybrid",
                     "charge it")),
    ("deposits", phrases("deposit", "deposits", "security deposit", "blocked on my card")),
    (
        "one-way fees",
        phrases(
            "one way fee", "one - way fee", "one way fees", "one - way fees", "one way charge",
            "one - way charge", "one way surcharge", "one way supplement", "drop fee", "drop charge",
            "drop off fee", "drop - off fee", "drop off charge", "drop - off charge", "dropoff fee",
            "dropoff charge", "return it elsewhere", "return it somewhere else", "drop it elsewhere",
            "drop it off elsewhere", "drop it somewhere else", "drop it off somewhere else",
            "different drop off", "another drop off", "return it to another",
        ),
    ),
    (
        "the age of drivers",
        phrases("how old do", "minimum age", "under 25", "young driver", "age limit", "im 21", "driver age",
                "i am 21", "im 22", "im 23", "old enough", "years old", "age requirement", "senior driver"),
    ),
    (
        "licences and papers",
        phrases("licence", "license", "driving licence", "drivers license", "international licence",
                "international permit", "which documents", "what documents", "documents do", "passport"),
    ),
    (
        "further drivers",
        phrases("second driver", "additional driver", "extra driver", "another driver", "two drivers",
                "both drive", "my wife drive", "my husband drive", "other drivers", "additional drivers"),
    ),
    (
        "extras",
        phrases("child seat", "child seats", "car seat", "car seats", "baby seat", "booster", "gps",
        "sat nav",
                "satnav", "navigation", "snow chains", "winter tyres", "winter tires", "roof rack",
                "air conditioning", "aircon", "ac", "bluetooth", "carplay", "apple carplay", "heated seats"),
    ),
    (
        "the hours of the counters",
        phrases("opening hours", "open at", "what time can", "open late", "close", "closes", "24 hours",
                "after hours", "at night", "late at night", "desk open", "counter open", "office open"),
    ),
    ("driving abroad", phrases("abroad", "cross the border", "across the border", "other countries",
                               "another country", "ferry")),
    ("tolls", phrases("toll", "tolls", "motorway fees", "vignette")),
    ("doors and model years", phrases("doors", "how many doors", "how old is the car", "how new", "new car",
                                      "colour", "color")),
    ("delivery", phrases("deliver", "delivered", "delivery", "shuttle", "bring the car to",
    "meet and greet")),
)  # fmt: skip


def find_car_question(text: Text, places: Collection[str], agents: Collection[str]) -> FoundQuestion | None:
    """Return what a message asks about rental cars that were found, None if it does not ask about them.

    `places` are folded words of the request's places; `agents` are those whose offers there may be.
    """
    if "car" not in agents or not 0 < text.length <= _LONGEST:
        return None
    is_named = not _WORDS.cars.isdisjoint(text.vocabulary) or _is_of_cars_alone(text)
    is_of_others = not _WORDS.others.isdisjoint(text.vocabulary)
    if (tuple(agents) != ("car",) and not is_named) or (is_of_others and not is_named) or not _asks(text):
        return None
    untold = next((wanted for wanted, said in _UNTOLD if text.has(said)), None)
    if untold is not None:
        return FoundQuestion(topic="untold", agent="car", wanted=untold)
    if not text.vocabulary.isdisjoint(_WORDS.wishes - {"with", "without"}) or text.find(_SAID.searches) >= 0:
        return None
    coverage = Coverage(text, places)
    coverage.take_all(_SAID.courtesy)
    pick = take_pick(coverage)
    topic = _topic(coverage)
    take_counts(coverage)
    numbers = take_numbers(coverage)
    if pick is not None and pick[0] not in ("price", "best", "size"):
        return None
    if topic is None and pick is None:
        return None
    if topic == "price" and is_of_others:
        return None  # "total for flight, hotel and car"
    if topic == "station" and not text.vocabulary.isdisjoint(_WORDS.clock):
        return FoundQuestion(topic="untold", agent="car", wanted="the hours of the counters")
    if any(text.norm(at) not in _WORDS.fillers and not text[at].is_number for at in coverage.unread()):
        return None
    by, descending = pick or (None, False)
    is_all = not numbers and pick is None and means_all(text)
    which = Which(numbers=numbers, by=by, descending=descending, is_all=is_all)
    return FoundQuestion(topic=topic or "which", agent="car", which=which)


def _is_of_cars_alone(text: Text) -> bool:
    return _WORDS.of_sales.isdisjoint(text.vocabulary) and text.has(_SAID.of_cars_alone)


def _topic(coverage: Coverage) -> Topic | None:
    for topic, said in _TOPICS:
        if coverage.take(said):
            for _, others in _TOPICS:  # "does it fit 4 people and 3 suitcases?"
                coverage.take_all(others)
            return topic
    return None


def _asks(text: Text) -> bool:
    """Whether a message is put as a question."""
    first = next((at for at in range(text.length) if text.norm(at) not in _WORDS.openers), 0)
    is_marked = text.norm(text.length - 1) == "?"
    return text.norm(first) in _WORDS.cars_asking or (is_marked and text.length > 1)
