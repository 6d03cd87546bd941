"""The words that tell whom a message is for, in English."""

from ...result import Agent
from ..language.text import any_of, phrases, word_set

FLIGHT = phrases(
    "flight", "flights", "fly", "flying", "flies", "plane", "planes",
    "airplane", "plane ticket", "plane tickets", "airfare", "airfares", "air fare", "air ticket",
    "air tickets", "airline ticket", "airline tickets", "one way", "oneway", "one-way", "round trip",
    "round-trip", "roundtrip", "nonstop", "non-stop", "layover", "layovers", "business class",
    "economy class", "premium economy", "economy ticket", "economy tickets", "economy seat",
    "economy seats", "first class", "get there from", "get there by plane", "how would i get there",
    "how do i get there", "how can i get there", "how would we get there", "how do we get there",
    "return ticket", "return tickets", "airline", "airlines",
)  # fmt: skip
HOTEL = phrases(
    "hotel", "hotels", "hostel", "hostels", "motel", "motels", "room", "rooms", "suite", "inn",
    "accommodation", "accommodations", "gueshouse", "guest-house", "place to sleep", "somewhere to sleep",
    "place to crash", "somewhere to crash", "somewhere to kip", "place to bed down",
    "someplace to stay", "place to stay", "places to stay", "somewhere to stay", "lodging", "lodgings",
    "b&b", "bed and breakfast", "guesthouse", "guesthouses", "guest house", "guest houses", "resort",
    "resorts", "apartment", "apartments", "airbnb", "a flat", "flat to rent", "studio flat", "villa",
    "villas", "cottage", "cottages", "chalet", "chalets", "riad", "riads", "bungalow", "bungalows",
    "holiday home",
    "holiday homes", "holiday let", "holiday lets", "holiday rental", "a cabin", "log cabin",
    "looking for a place in", "find a place in", "find me a place in", "need a place in", "want a place in",
    "rent a place", "place to rent",
)  # fmt: skip
OURS = any_of(FLIGHT, HOTEL)
HOUSES = word_set("house houses")
BEFORE_A_HOUSE = phrases(
    "find", "search", "searching", "rent", "need", "want", "looking", "look", "like", "book", "reserve",
    "stay", "staying", "other", "another", "a different", "any", "there are", "there is", "found",
    "have",
)  # fmt: skip
"""Before a house these make it one to stay in."""

BAGS = word_set("bag bags luggage baggage suitcase suitcases")
"""What is checked in at an airport, not at a hotel."""

STAY = phrases(
    "stay", "staying", "check in", "check-in", "checkin", "checking in", "check into", "checking into",
    "check out", "check-out", "stars", "star",
)  # fmt: skip
TRIP = phrases(
    "trip", "trips", "vacation", "holiday", "holidays", "getaway", "itinerary", "travel plan",
    "city break", "weekend break", "traveling plan", "travelling plan", "journey", "visit",
    "travel package",
)  # fmt: skip
MOTION = phrases(
    "travel", "traveling", "travelling", "go to", "going to", "get to", "head to", "heading to",
    "go from", "going from", "go in", "get from",
)  # fmt: skip
FLIES_BACK = phrases(
    "return",
    "returning",
    "fly back",
    "flying back",
    "flight back",
    "come back",
    "coming back",
    "go back",
    "going back",
    "back on",
    "back home",
    "be back",
    "home on",
    "fly home",
    "flying home",
)
"""With a last day these tell of the journey back, and not only of the end of a stay."""
NIGHTS = word_set("night nights days week weeks weekend")
PLANS = phrases(
    "travel plan", "travel plans", "itinerary", "travel itinerary", "trip itinerary", "trip plan",
    "plan a trip", "plan my trip", "plan our trip", "plan a vacation", "plan a holiday",
)  # fmt: skip
NOT_WANTED_TO = phrases(
    "don't want to", "do not want to", "dont want to", "don't wish to", "do not wish to",
    "don't need to", "do not need to", "not ready to", "not looking to", "rather not",
)  # fmt: skip
NEEDS = phrases(
    "find", "finding", "search", "searching", "need", "book", "booking", "looking for", "look for",
    "get", "want", "reserve", "buy",
)  # fmt: skip
"""Before the word for a flight or a hotel these ask for one."""

PLAN = word_set("plan arrange organise organize create devise draft design prepare")
PLANNED = word_set("trip journey vacation holiday getaway tour")
WITH_A_BED = phrases(
    "with hotel", "with a hotel", "with hotels", "including hotel", "including a hotel", "incl hotel",
    "incl. hotel", "hotel included", "with accommodation", "including accommodation", "with a place to stay",
)  # fmt: skip
BREAKS = phrases(
    "a weekend in", "a week in", "a few days in", "a couple of days in", "a long weekend in", "a break in",
    "the weekend in", "some days in", "a short break in",
)  # fmt: skip
WISH = phrases(
    "want", "wanna", "would like", "id like", "i'd like", "we'd like", "need", "plan", "planning",
    "book", "find", "help", "looking for", "looking to", "let's", "lets", "organise", "organize",
    "arrange", "create", "prepare", "hoping", "thinking of", "devise", "formulate", "provide",
    "going on", "wish", "come up with", "suggest", "please", "love to", "like to", "search", "get me",
    "put together", "we are", "i am", "make", "show",
)  # fmt: skip
ELSEWHERE = phrases(
    "place to visit", "places to visit", "place to see", "places to see", "landmark", "landmarks",
    "sightseeing", "sites to see", "see the sites", "see the sights", "sights to see",
    "something to do", "interesting to do", "things to see", "place i can visit", "places i can visit",
    "transportation", "games", "vehicle", "vehicles", "weather", "weather's", "ferry", "ferries",
    "a boat", "cruise", "hire car", "car hire", "pizza", "metro", "subway", "tram", "forecast",
    "temperature", "restaurant", "restaurants", "taxi", "cab", "uber", "lyft", "rental car",
    "rent a car", "car rental", "a car", "the car", "this car", "compact car", "small car",
    "standard car", "full-size car", "car to rent", "cars", "train", "trains", "bus", "buses", "bank",
    "account", "visa", "visas", "passport", "currency", "exchange rate", "vaccine", "vaccines",
    "vaccination", "shots", "plug", "socket", "adapter", "language", "movie", "movies", "concert",
    "concerts", "event", "events", "tickets to see", "attraction", "attractions", "museum", "museums",
    "park", "joke", "jokes", "song", "music", "playlist", "alarm", "calendar", "meeting", "reminder",
    "traffic", "timezone", "time zone", "insurance", "credit card", "luggage", "lost", "carry on",
    "carry-on", "travel alert", "travel alerts", "travel notification", "doctor", "dentist", "salon",
    "therapist", "apartment to rent", "bill", "spa", "dinner", "lunch", "breakfast at", "table for",
    "a table", "meal", "food", "recipe", "translate", "how do you say", "how to say", "safe", "tourist",
    "things to do", "to do list", "shopping list", "gas", "mileage", "distance", "directions", "map",
    "safely", "danger", "dangerous", "outlet", "outlets", "notified", "tables", "theatre", "theater",
    "cinema", "nightclub", "nightclubs", "college", "colleges", "church", "churches", "entertainment",
    "gallery", "galleries", "admission", "entrance fee", "places to go", "place to go",
    "someplace to go", "someplace to eat", "someplace i can", "someplace i could", "place to dine",
    "to dine", "a ride", "ubers", "taxis", "rsvp", "room service", "housekeeping", "meeting room",
    "conference room", "living room", "dining room", "classroom", "appointment", "symptoms", "degrees",
    "temperatures", "sunny", "cloudy", "rain", "raining", "snow", "snowing", "to eat",
    "dinner reservation", "alert my", "notify", "inform my", "note that", "financial institution",
    "how long will it take", "how long it will take", "how far", "time is it", "the time in", "rental",
    "restuarant", "restuarants",
)  # fmt: skip
OCCASIONS = word_set("meeting meetings appointment concert event dinner lunch")
"""Before any of these "for a" tells why one travels."""

BEFORE_AN_OCCASION = word_set("a an the my our client business work team board important big")
LOOKED_FOR = word_set(
    "look looking search searching tickets ticket table ask asking book booking pay time room rooms is"
    " place somewhere restaurant spot space hall want need reservation reserve"
)
SERVICES = phrases(
    "table", "restaurant", "restaurants", "taxi", "cab", "train", "trains", "bus", "rental car",
    "a car", "dinner", "lunch", "ride", "ferry", "hire car", "car hire", "pizza",
)  # fmt: skip
"""What else can be asked for in a sentence of its own; a meeting or a concert is rather why one travels."""

DEFINITE = word_set("the my our your this that his her their its")
COMPARING = word_set("as like near beside around")
INDEFINITE = word_set("a an another some")
KNOWN_BY = word_set("same current new return booked other first second")
"""What may stand between "the" and a hotel or flight that was spoken of before."""
IN_THE_PAST = phrases(
    "booked", "bought", "reserved", "already have", "already got", "got us", "got me", "paid for",
    "invited",
)  # fmt: skip
NOT_YET = word_set("be get want not being needs it")
"""Before "booked" these say that it has still to be done."""
COUPLING = word_set(
    """
    and & + or / , plus a an also the some hotel hotels cheap both as well with flights flight
    rental car
    """
)
BOUNDARY = word_set("and & + , . ; ? ! plus also then with")
WANTED_AGAIN = word_set("find show again want need like same that")
HAVING = word_set("have has got found booked ive weve")
WE = word_set("i we ive weve i've we've")
SETTLED = phrases(
    "is sorted", "is already sorted", "is booked already", "is already booked", "is taken care of",
    "is covered",
    "are sorted", "are already booked", "are booked already", "is sorted already", "is done already",
    "is already done", "we have already", "i have already", "we already have", "i already have",
)  # fmt: skip
NARROWS_WHAT_IS_NOT_WANTED = phrases(
    "after", "before", "later than", "earlier than", "over", "above", "under", "below", "more than",
    "less than", "longer than", "shorter than", "cheaper than", "dearer than", "more expensive than",
    "that leave", "that leaves", "that depart", "that arrive", "that land", "leaving", "departing",
    "arriving", "landing", "with a", "with one", "with two", "with more", "with less", "with stops",
    "with layovers", "with long", "with 1", "with 2", "with 3", "rated", "costing", "outside",
    "further than", "farther than", "which", "that", "where", "at night", "in the morning",
    "in the evening", "in the afternoon", "in the middle", "near", "close to", "next to",
)  # fmt: skip
"""Behind "no flights" or "no hotels" these tell which are not wanted, so that the others are."""
NOT_WANTED = phrases(
    "no", "without", "without a", "without the", "forget the", "forget about the", "forget", "skip the",
    "cancel the", "drop the", "drop", "remove the", "don't need a", "don't need the", "dont need a",
    "not a", "not any", "instead of a", "instead of the", "rather than a", "rather than the",
    "do not need a", "don't need any", "don't need", "do not need", "dont need", "don't want a",
    "don't want the", "don't want any", "don't want", "dont want", "do not want", "not the",
    "cancel my", "leave out the", "don't look for", "don't show me", "do not show me", "don't show",
    "stop the", "stop searching for", "stop looking for", "no more", "not interested in",
    "never mind the", "nevermind the", "don't bother with", "hide the", "ditch the", "scrap the",
    "lose the", "forget my", "scratch", "scratch the", "no need for", "no need for a",
    "no need for the", "no need of a",
    *(
        f"{denied}{article}"
        for denied in (
            "didn't ask for", "did not ask for", "didnt ask for", "never asked for", "haven't asked for",
            "didn't want", "did not want", "never wanted",
        )
        for article in ("", " a", " any", " the")
    ),
    *(
        f"{ends} {searching}"
        for ends in ("stop", "quit", "no more")
        for searching in (
            "looking at", "looking for", "looking up", "searching", "searching for", "showing me", "showing",
            "checking", "finding", "finding me", "sending me", "giving me", "offering", "offering me",
            "suggesting", "with the", "searching for the", "the search for", "listing",
        )
    ),
)  # fmt: skip
TICKETS = word_set("ticket tickets")
ALONE = word_set("just only")
AFTER_A_PART_ALONE = word_set("for from on in the until till with")
"""Behind "hotel only" these tell for what part of the journey one is wanted, beside what else is."""

AMONG = word_set("with at")
ACQUAINTANCES = phrases(
    "my", "our", "a friend", "friends", "family", "mum", "mom", "dad", "mother", "father", "parents",
    "relatives", "grandma", "grandpa", "the in-laws", "home", "the family", "an aunt", "an uncle", "a cousin",
)  # fmt: skip
"""Whoever stays with one of these needs no hotel."""

BEFORE_WHAT_IS_WANTED_ALONE = word_set("the a some show me find give get search for look want need i to see")
FOR_NOW = phrases(
    "for now", "for the moment", "for the time being", "at the moment", "for today", "to start with",
    "to begin with", "at first", "first",
)  # fmt: skip
"""Behind what is wanted alone these say no more than that."""

BEFORE_ALL_THAT_IS_WANTED = word_set(", . ; : ! ? - no ok okay actually please then now so") | {""}
BEFORE_A_PLACE = word_set("in near at around close by")
"""Behind "just a hotel" at the beginning of a clause these tell where, and that all else is off."""

AFTER_WHAT_IS_WANTED_ALONE = word_set(". , ; ! ? please now then thanks instead there only alone")
CAR_NAMES = word_set("car cars")
AGENT_NAMES: dict[str, Agent] = {
    "flight": "flight",
    "flights": "flight",
    "hotel": "hotel",
    "hotels": "hotel",
    "accommodation": "hotel",
}
