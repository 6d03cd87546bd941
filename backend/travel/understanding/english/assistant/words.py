"""The words an assistant asks and confirms with, in English."""

from ..language.text import phrases, word_set

QUESTIONS = word_set("what where when which how who")
CLAUSE_ENDS = word_set("and or , ; also plus")
WHERE = word_set(
    "where city cities town place location airport airports destination destinations area metropolis region"
)
WHEN = word_set("when date dates day days")
LEAVING = phrases(
    "from", "leave", "leaving", "depart", "departing", "departure", "departs", "out of", "origin",
    "originate", "take off", "taking off", "fly out", "flying out", "start", "starting", "head out",
    "outbound", "set out",
)  # fmt: skip
GOING = phrases(
    "go", "going", "destination", "head", "heading", "headed", "visit", "visiting", "arrive",
    "arriving", "arrival", "travel to", "fly to", "flying to", "travelling to", "traveling to", "land",
    "bound",
)  # fmt: skip
RETURNING = phrases(
    "return", "returning", "returns", "come back", "coming back", "back", "retunr", "inbound",
    "fly back", "get back", "flying back", "go back", "come home",
)  # fmt: skip
CHECKING_IN = phrases(
    "check in", "check-in", "checkin", "checking in", "arrive", "arriving", "arrival", "stay from",
    "start", "starting", "begin", "book", "reservation", "reserve", "stay",
)  # fmt: skip
CHECKING_OUT = phrases(
    "check out", "check-out", "checkout", "checking out", "leave", "leaving", "depart", "departure",
    "end",
)  # fmt: skip
EVERYTHING = phrases(
    "flight details", "travel details", "trip details", "give me the details", "your details"
)
HOW_LONG = phrases(
    "how long", "how many nights", "how many days", "number of days", "number of nights", "duration"
)
HOW_MANY = phrases("how many", "number of", "for how many", "how much")
PEOPLE = phrases(
    "people", "persons", "person", "passengers", "passenger", "adults", "travelers", "travellers", "guests",
    "tickets", "ticket", "seats", "seat", "of you", "will be traveling", "will be travelling", "beds",
)  # fmt: skip
TICKETS = phrases(
    "get tickets", "buy tickets", "purchase tickets", "book tickets", "the tickets", "want tickets"
)
"""Whoever is asked whether to buy these may answer how many."""

ROOMS = phrases("rooms", "room")
CABIN = phrases(
    "seating class", "which class", "what class", "class of", "ticket class", "cabin", "economy or",
    "class do you", "class would you", "travel class", "kind of seat", "kind of ticket",
)  # fmt: skip
AIRLINE = phrases("airline", "airlines", "carrier")
HOTEL_NAME = phrases("which hotel", "what hotel", "hotel name", "name of the hotel")
ASKING = phrases(
    "may i have", "need to know", "please tell me", "tell me", "let me know", "narrow", "could you",
    "can you", "please provide", "you can specify", "please specify", "if you provide",
    "if you tell me",
)  # fmt: skip
DETAILS = phrases(
    "which part", "what part", "which side", "your name", "name please", "full name", "first name",
    "last name", "price range", "price", "budget", "area", "part of town", "part of the city",
    "side of town", "location", "star rating", "stars", "star", "parking", "internet", "wifi",
    "type of", "guesthouse or", "hotel or", "or a guesthouse", "preference", "preferences", "prefer",
    "criteria", "narrow", "requirements", "requests", "request", "in mind", "in particular", "specific",
    "details", "flight id", "id", "information", "amenities", "features", "looking for",
    "narrow it down",
)  # fmt: skip
ANYTHING_ELSE = phrases(
    "anything else", "something else", "further assistance", "any more", "else can i", "else i can",
    "else may i", "help you with", "any other questions",
)  # fmt: skip

CONFIRMING = phrases(
    "confirm", "confirming", "confirmation", "correct", "right", "verify", "check that", "double check",
    "to be clear", "to recap", "recap", "let me repeat", "you want", "you'd like", "you would like",
    "you need", "you wish", "you're booking", "you are booking", "i'll book", "i will book",
    "i'll reserve", "i will reserve", "i am booking", "i'm booking", "i am reserving", "shall i book",
    "should i book", "you will be", "you are flying", "you are leaving", "you're leaving", "booking",
    "okay with you", "is that ok", "is that okay", "is that good", "does that sound", "following",
    "to summarize", "details",
)  # fmt: skip
BUYING = phrases(
    "purchase", "buy", "reservation today", "reserve today", "book today", "get tickets",
    "tickets today", "reservation now", "room today",
)  # fmt: skip
CLOSING = phrases(
    "anything else", "something else", "anything more", "anything further", "everything for today",
    "all for today", "be all", "that all", "further assistance", "assist you", "help you with",
    "else for you", "else today",
)  # fmt: skip
"""What an assistant asks when it is done."""

FOUND = phrases(
    "star", "stars", "found", "i have", "i see", "there is", "there are", "there's", "layover",
    "layovers", "stop", "stops", "rated", "rating", "how about", "what about", "costs", "cost", "price",
    "priced", "located", "available", "nice", "results", "options", "$",
)  # fmt: skip
"""What stands in a sentence that offers a result."""
