"""The words for what is asked about an offer, in English: its facts, and what a house or a plane may have."""

from collections.abc import Mapping

from ....values.offers import By
from ...found import Topic
from ..language.text import Phrases, phrases

TOPICS: tuple[tuple[Topic, Phrases], ...] = (
    (
        "difference",
        phrases(
            "difference", "differences", "compare", "comparison", "versus", "vs", "differ", "which is better",
            "which one is better", "which is cheaper", "which one is cheaper", "which is faster",
            "which one is faster", "how do they differ", "distinguishes", "side by side", "which is nearer",
            "which one is closer", "which is closer", "diff", "how much more is the",
            "how much cheaper is the",
            "how much more does the", "how much more expensive is the", "how much less is the",
            "whats better", "which of the two is better", "how different", "different between",
            "whats different",
            "what is different", "is different", "different is", "different from",
        ),
    ),
    (
        "total",
        phrases(
            "in all", "in total", "total", "altogether", "all together", "all in all", "all in", "add up to",
            "add up", "grand total", "total cost", "total price", "whole trip", "whole thing",
            "everything together", "come to", "sum", "for everything", "for both", "both together",
            "together", "whole lot", "the lot", "for the trip", "overall price", "overall cost",
            "sum total", "everything",
        ),
    ),
    (
        "layover",
        phrases(
            "layover", "layovers", "stopover", "stopovers", "lay over", "stop over", "connection time",
            "transfer time", "connecting time", "how long is the stop", "how long do i wait",
            "how long do we wait", "how long does it stop", "waiting time", "changeover",
            "time between flights", "how long between flights", "how much time to change",
            "to wait between flights", "how long to change planes", "connection", "how much time between",
            "wait between flights", "time to change", "layower", "layour", "how long is the connection",
            "how long are the stops",
        ),
    ),
    (
        "stops",
        phrases(
            "it stop", "flight stop", "one stop", "they stop", "we stop", "stops", "direct", "nonstop",
            "non - stop", "non stop", "change planes", "changes", "via", "connections", "transfers",
            "do i change", "do we change", "have to change", "need to change", "stopping", "the stop",
        ),
    ),
    (
        "bags",
        phrases(
            "bag", "bags", "luggage", "baggage", "suitcase", "suitcases", "checked bag", "checked bags",
            "lugage", "checked luggage", "checked baggage", "luggages", "baggages", "hand luggage",
            "carry - on", "carry on", "cabin bag", "cabin bags", "cabin luggage", "cabin baggage",
            "hold luggage", "bagage", "carry - ons", "backpack", "handbag", "hand bag",
            *(
                f"{bags} {rule}"
                for bags in ("bag", "baggage", "luggage", "check - in baggage", "checked baggage")
                for rule in ("allowance", "policy", "limit", "rules", "rule")
            ),
        ),
    ),
    (
        "refund",
        phrases(
            "refund", "refundable", "refunded", "money back", "be cancelled", "be canceled", "cancellation",
            "free cancellation", "cancellable", "cancelable", "cancellation policy", "refunds",
            "free cancelation", "cancelation", "cancelation policy",
            "cancel for free", "be cancelled for free", "cancel it for free", "free to cancel",
            "non refundable", "cancel later", "cancel it later", "free of charge",
            "be cancelled free of charge",
            "be canceled free of charge", "cancelled free of charge", "cancel free of charge",
            "cancel it free of charge", "be cancelled at no cost", "be cancelled at no charge",
            "be cancelled without charge", "be cancelled without a fee",
        ),
    ),
    (
        "change",
        phrases(
            "changeable", "be changed", "rebooked", "rebook", "be moved", "change it later", "flexible",
            "change the flight later", "rebookable", "be rebooked", "change it for free",
            "change it afterwards",
        ),
    ),
    (
        "duration",
        phrases(
            "how long is the flight", "how long does it take", "how long does", "duration", "flight time",
            "travel time", "how many hours", "how long is it", "how long", "how long will it take",
            "journey time", "flying time", "hours", "length", "long",
        ),
    ),
    (
        "arrival",
        phrases(
            "land", "lands", "landing", "arrive", "arrives", "arrival", "get there", "get in", "gets in",
            "arriving", "gets there", "arrival time", "be there", "landing time", "get to", "touch down",
        ),
    ),
    (
        "departure",
        phrases(
            "leave", "leaves", "departure airport", "airport of departure", "airport is departure",
            "airport is the departure", "airport is it from", "airport is the departure from",
            "airport is the first flight", "airport is the flight",
            "depart", "departs", "departure", "take off", "takes off", "takeoff",
            "leaving", "departure time", "departing", "does it go", "do we go",
            "what time is the flight", "when is it", "when is the flight", "when is my flight",
            "when is our flight", "it start", "set off",
        ),
    ),
    (
        "carrier",
        phrases(
            "airline", "airlines", "carrier", "carriers", "operates", "operated", "operates it", "operating",
            "flies it", "company", "fly with", "flown by", "who flies", "airline company", "runs it",
        ),
    ),
    ("aircraft", phrases("aircraft", "plane", "airplane", "aeroplane", "what kind of plane", "jet")),
    (
        "cabin",
        phrases(
            "cabin", "class", "cabin class", "economy", "business class", "business", "premium economy",
            "first class", "economy class", "premium economy class", "in first",
        ),
    ),
    (
        "distance",
        phrases(
            "how far", "distance", "far", "how close", "how near", "close", "near", "central",
            "walking distance", "walk", "how far away", "away", "far away", "how central",
        ),
    ),
    ("stars", phrases("stars", "how many stars")),
    (
        "rating",
        phrases(
            "rating", "ratings", "score", "scores", "reviews", "review", "rated", "guest rating", "how good",
            "any good", "review score",
        ),
    ),
    (
        "place",
        phrases(
            "located", "location", "district", "area", "neighbourhood", "neighborhood", "part of town",
            "address", "part of the city", "where is it", "wheres it", "where is", "wheres", "quarter",
            "where are they",
        ),
    ),
    (
        "price",
        phrases(
            "price", "prices", "cost", "costs", "how much", "the damage", "fare", "fares", "rate",
            "per night", "a night", "per person", "each", "how expensive", "how much is it",
            "how much does it cost", "how dear",
            "pay", "per room", "per head", "per traveller", "per passenger", "per ticket", "for the room",
            *(
                f"{price} {parts}"
                for price in ("fare", "price", "cost")
                for parts in ("breakup", "break up", "break - up", "breakdown", "break down", "split",
                              "split up", "details")
            ),
        ),
    ),
    (
        "details",
        phrases(
            "more about", "tell me more", "details", "detail", "info", "more info", "more details",
            "information", "more information", "describe", "tell me about", "all about", "know more", "facts",
            "whats special about", "more on",
        ),
    ),
    ("dates", phrases("which days", "what days", "what dates", "which dates", "how many nights")),
)  # fmt: skip
"""What is asked about an offer: the first whose words a message has."""

AMENITIES: Mapping[str, Phrases] = {
    "wifi": phrases("wifi", "wi - fi", "wi fi", "internet", "wlan", "wireless", "free wifi"),
    "breakfast": phrases("breakfast", "breakfasts", "breakfest"),
    "gym": phrases("gym", "fitness", "fitness room", "fitness centre", "fitness center", "workout room"),
    "pool": phrases("pool", "swimming pool", "pools", "swiming pool", "a place to swim"),
    "spa": phrases("spa", "wellness"),
    "parking": phrases("parking", "car park", "garage", "parking space", "park the car", "park my car",
                       "park our car", "park a car", "parking lot"),
    "air conditioning": phrases("air conditioning", "aircon", "air - conditioning", "ac", "air con", "a / c"),
    "restaurant": phrases("restaurant", "restaurants"),
    "bar": phrases("bar",),
    "kitchen": phrases("kitchen", "kitchenette", "cook"),
    "pets allowed": phrases(
        "pets", "pet", "dog", "dogs", "pet friendly", "pet - friendly", "pets allowed", "dog friendly", "cat",
        "bring my dog", "take dogs", "take pets", "accept dogs", "accept pets", "allow dogs", "allow pets",
    ),
    "step-free access": phrases(
        "step free", "step - free", "step free access", "step - free access", "wheelchair", "accessible",
        "wheelchair accessible", "wheelchair access", "wheelchair friendly",
    ),
}  # fmt: skip
COMPARED: tuple[tuple[By, bool, Phrases], ...] = (
    ("distance", False, phrases("closer", "nearer", "more central", "closest", "nearest")),
    ("distance", True, phrases("further", "farther", "further out", "farther out")),
    ("price", False, phrases("cheaper", "less expensive", "more affordable", "cost less", "costs less")),
    ("price", True, phrases("more expensive", "dearer", "pricier", "cost more", "costs more")),
    ("duration", False, phrases("faster", "quicker", "shorter", "takes less", "take less")),
    ("duration", True, phrases("longer", "slower", "takes longer", "take longer")),
    ("score", True, phrases("better rated", "higher rated", "better", "nicer", "better reviews",
                            "better rating", "higher rating", "better score")),
    ("departure", False, phrases("earlier", "leaves earlier", "leaves first", "leaves sooner")),
    ("departure", True, phrases("later", "leaves later", "leaves last")),
    ("arrival", False, phrases("arrives earlier", "lands earlier", "arrives first", "lands first",
                               "arrives sooner")),
    ("size", True, phrases("bigger", "larger", "roomier")),
    ("size", False, phrases("smaller",)),
)  # fmt: skip
