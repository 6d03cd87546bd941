"""The words of questions about what was found, in English: what is asked, and of which offers."""

from collections.abc import Mapping

from ....values.offers import By
from ..language.text import Phrases, any_of, phrases, word_set

PICKS: tuple[tuple[By, bool, Phrases], ...] = (
    (
        "price", False,
        phrases(
            "cheapest", "least expensive", "lowest price", "lowest priced", "lowest fare", "lowest rate",
            "most affordable", "most cheap", "more cheap", "best price", "cheapes", "chepest", "cheepest",
            "cheapest price", "lowest cost", "minimum price", "most economical",
        ),
    ),
    (
        "price", True,
        phrases(
            "most expensive", "priciest", "dearest", "highest price", "costliest", "most luxurious",
            "highest priced", "expensive first",
        ),
    ),
    (
        "duration", False,
        phrases(
            "fastest", "quickest", "shortest", "shortest duration", "shortest flight", "shortest travel time",
            "shortest flight time", "least time", "fastes", "most fast", "shortest trip", "shortest journey",
            "most quick", "takes the least",
        ),
    ),
    ("duration", True, phrases("longest", "slowest", "longest flight")),
    (
        "layover", False,
        phrases(
            "shortest layover", "shortest stopover", "shortest connection", "shortest wait",
            "shortest waiting time", "shortest transfer", "least waiting", "fastest connection",
            "shortest layovers", "shortest stop",
        ),
    ),
    ("layover", True, phrases("longest layover", "longest stopover", "longest connection", "longest wait")),
    (
        "stops", False,
        phrases("fewest stops", "least stops", "fewest changes", "least changes", "fewest connections"),
    ),
    (
        "departure", False,
        phrases(
            "earliest", "leaves first", "leaves earliest", "departs first", "departs earliest",
            "earliest departure", "leaves the earliest", "earliest flight", "goes first",
        ),
    ),
    (
        "departure", True,
        phrases(
            "latest", "leaves last", "leaves latest", "departs last", "departs latest", "latest departure",
            "leaves the latest", "latest flight", "last flight", "last plane", "very last flight",
        ),
    ),
    (
        "arrival", False,
        phrases(
            "arrives first", "arrives earliest", "earliest arrival", "lands first", "lands earliest",
            "gets there first", "gets there earliest", "gets in first", "gets in earliest",
            "gets me there first", "arrives the earliest", "gets us there first", "arrive first",
            "arrive earliest",
        ),
    ),
    ("arrival", True, phrases("arrives last", "latest arrival", "lands last", "arrives latest")),
    (
        "distance", False,
        phrases(
            "nearest", "closest", "most central", "nearest to the centre", "closest to the centre",
            "nearest to the center", "closest to the center", "best located", "best location", "centralest",
            "nearest the centre", "nearest the center", "most near", "closest to center", "closest to centre",
            "closest to the city centre", "closest to the city center", "closest to town",
            "closest to downtown", "nearest to the city centre", "nearest to the city center",
            "shortest walk",
        ),
    ),
    ("distance", True, phrases("furthest", "farthest", "most remote", "furthest out")),
    (
        "score", True,
        phrases(
            "best rated", "best - rated", "top rated", "top - rated", "highest rated", "highest - rated",
            "best reviewed", "best rating", "highest rating", "best score", "highest score", "best reviews",
            "best ratings", "top rating", "rated best", "rated highest", "scores best", "best review",
            "most highly rated", "highest ratings",
        ),
    ),
    ("score", False, phrases("worst rated", "lowest rated", "worst rating", "lowest rating")),
    (
        "size", True,
        phrases("biggest", "largest", "roomiest", "most spacious", "most seats", "most space", "most room",
                "biggest boot", "biggest trunk", "most bags", "most luggage"),
    ),
    ("size", False, phrases("smallest", "tiniest")),
    ("stars", True, phrases("most stars", "highest stars", "highest category", "best category")),
    ("best", False, phrases("best", "nicest", "best one", "best value", "best deal", "top", "best overall",
                            "would you pick", "would you choose", "would you take", "you recommend",
                            "would you book",
                            "should i pick", "should i choose", "should i take", "should we take",
                            "should we pick",
                            "your favourite", "your favorite", "would you go for", "your recommendation",
                            "you suggest", "should we choose", "should i go for", "your pick", "most sense",
                            "do you advise")),
)  # fmt: skip
"""What an offer has most or least of; the longest phrase at a place counts."""

_AT_ITS_END = phrases("in the evening", "at night", "of the day", "that day", "in the day", "of the evening")
_AT_ITS_BEGINNING = phrases("in the morning", "of the day", "that day", "in the day", "of the morning")
HOURS_OF_THE_DAY: Mapping[tuple[By, bool], Phrases] = {
    ("departure", True): _AT_ITS_END,
    ("arrival", True): _AT_ITS_END,
    ("departure", False): _AT_ITS_BEGINNING,
    ("arrival", False): _AT_ITS_BEGINNING,
}
"""What says of the first or the last of a day only what it is anyway: "leaves last in the evening"."""

SORT_KEYS: tuple[tuple[By, bool, Phrases], ...] = (
    ("price", False, phrases("price", "prices", "cost", "costs", "fare", "total price", "money")),
    (
        "duration", False,
        phrases(
            "duration", "travel time", "flight time", "length", "time", "journey time", "how long", "speed",
            "total time", "travelling time", "how long it takes", "how long they take",
        ),
    ),
    (
        "departure", False,
        phrases("departure", "departure time", "time of departure", "leaving time", "when they leave",
                "take off", "takeoff", "departures"),
    ),
    ("arrival", False, phrases("arrival", "arrival time", "landing time", "when they arrive")),
    ("stops", False, phrases("stops", "number of stops", "changes", "connections")),
    ("layover", False, phrases("layover", "layovers", "layover time")),
    ("stars", True, phrases("stars", "star rating", "category", "number of stars")),
    ("score", True, phrases("rating", "ratings", "score", "scores", "reviews", "review", "guest rating",
                            "guest score", "review score", "quality")),
    ("distance", False, phrases("distance", "location", "distance from the centre", "distance to the centre",
                                "proximity", "distance from centre", "distance to centre",
                                "distance from the center", "distance to the center", "nearness",
                                "closeness", "how close they are", "how near they are", "how far they are",
                                "how central they are", "how close it is", "how far away they are",
                                "how close",
                                "how far", "how central", "walking distance", "centrality")),
    ("best", False, phrases("best", "value", "recommended")),
)  # fmt: skip
SORTS = phrases(
    "sort by", "sorted by", "order by", "ordered by", "rank by", "ranked by", "arrange by", "sort them by",
    "order them by", "sort it by", "sort the list by", "sort these by", "sort those by", "sort this by",
    "rank them by", "list them by", "sort the results by", "sort results by", "list by", "order the list by",
    "sort all by", "put them in order of", "in order of", "sort flights by", "sort hotels by",
    "sort the flights by", "sort the hotels by", "order the hotels by", "order the flights by", "order of",
    "show them by", "rank the hotels by", "rank the flights by", "sort everything by", "sort the offers by",
)  # fmt: skip
FIRST = phrases(
    "first", "on top", "at the top", "at top", "come first", "up top", "to the top", "first please"
)
SORT_WORDS = word_set("sort sorted order ordered rank ranked arrange list reorder resort put show ascending")
UPWARDS = phrases(
    "lowest first", "low to high", "lowest to highest", "ascending", "from low to high", "from cheapest",
    "cheapest to most expensive", "shortest first", "cheap to expensive", "from the cheapest",
    "from cheapest to most expensive", "from the cheapest to the most expensive", "cheapest to priciest",
)  # fmt: skip
DOWNWARDS = phrases(
    "highest first", "high to low", "highest to lowest", "descending", "from high to low", "reverse",
    "most expensive to cheapest", "longest first", "backwards",
)  # fmt: skip

SEARCHES = phrases(
    "find me", "find us", "find a", "find an", "get me a", "get me one", "get us", "show me a", "looking for",
    "look for", "search for", "check for", "check flights", "check hotels", "i need a", "i need an",
    "i want a", "i want an", "we need a", "we want a", "find one", "find flights", "find hotels", "book",
)  # fmt: skip
"""Who says one of these wants something found."""

ALL_PICKS = any_of(*(names for _, _, names in PICKS))
THERE_IS = phrases("is there", "are there", "do you have", "have you got", "any")
"""Who asks so for what some have wants those shown: "are there any direct ones?"."""

MEANINGS = phrases("mean", "means", "meaning", "what is a", "what is an", "whats a", "whats an", "what are")
ASKED_FOR = phrases(
    *(
        f"what {have} {we} {asked}"
        for have, asked in (
            ("did", "ask for"), ("did", "request"), ("did", "tell you"), ("did", "say"),
            ("did", "search for"),
            ("have", "asked for"), ("have", "told you"), ("have", "requested"), ("have", "said"),
            ("was it", "asked for"), ("did", "ask"), ("did", "ask you"), ("have", "searched for"),
            ("am", "searching for"), ("am", "looking for"), ("did", "look for"),
        )
        for we in ("i", "we")
    ),
    "what are my criteria", "what are my current criteria", "my current criteria", "what is my request",
    "whats my request", "what are my wishes", "summarise my request", "summarize my request",
    "recap my request", "repeat my request", "what are you searching by", "what was my request",
    "what are my filters", "which filters are on", "which filters are set", "what filters are on",
    "what filters are set", "what do you have so far", "what have you noted", "what did you note",
)  # fmt: skip
STATE = phrases(
    "what are you doing", "what r u doing", "what are u doing", "what you doing", "what are you up to",
    "are you still searching", "are you still looking", "are you still there", "still searching",
    "still looking", "are you done", "are you finished", "are you ready", "is it done", "how far are you",
    "how far along", "how much longer", "how long will you need", "whats happening", "what is happening",
    "what is going on", "whats going on", "any progress", "are you working", "did you finish",
    "have you finished", "whats the status", "what is the status", "whats your status",
    "what are you searching", "what are you looking for", "what are you working on", "is the search done",
    "is the search finished", "is the search over", "is it finished", "is it ready",
    "whats taking so long", "what is taking so long", "hows it going", "how is it going",
    "hows it coming along", "is anything running", "is something running", "still busy", "are you busy",
    "still working", "status", "what you do now", "what do you do now", "what do you search",
    "are you stuck", "is it still running", "still running", "are you searching", "are you still working",
    "what have you done", "how is the search going", "hows the search going", "are you there", "done yet",
    "still there", "u still there", "you still there", "are u there", "you there", "anybody there",
    "anyone there", "still with me", "are you alive", "ready yet", "finished yet", "how long do you need",
    "what are you searching for",
)  # fmt: skip
FOUND = phrases(
    "what did you find", "what have you found", "what did you get", "what have you got", "what do you have",
    "have you found", "did you find", "found anything", "any results", "what you found", "what was found",
    "what were the results", "what are the results", "show me the results", "show the results",
    "what you have", "what have you", "what had you found", "whats there", "anything found",
    "what did you have", "what results", "what all did you find",
    "did u find", "what did u find", "anything yet", "where are the results", "the results", "summarise",
    "summarize", "summary", "sum up", "recap", "repeat the results", "repeat the last results",
    "repeat your results", "repeat those results", "repeat what you found", "repeat the list", "last results",
    "results again", "results once more",
)  # fmt: skip
HOW_MANY = phrases("how many", "whats the number of", "number of")
OF_THEM = phrases(
    "which ones", "which of them", "which of these", "which of those", "which flights", "which hotels",
    "which", "what ones", "what flights", "what hotels", "how many of them", "how many of those",
    "how many of these", "are any", "is any", "do any", "does any", "has any", "have any", "any of them",
    "any of these", "any of those", "how many", "are some", "which one", "list the ones", "show me which",
    "how many flights", "how many hotels", "do all", "are all", "do they all", "are they all",
    "is there any of them",
)  # fmt: skip
OF_REQUESTS = phrases(
    "which of the two", "which of the three", "which of the four", "which of the five", "which city",
    "which destination", "which of the cities", "which of the destinations", "which place", "which trip",
    "which search", "of the three", "of the four", "which town", "what city", "what destination", "all three",
    "of all three", "which of both",
)  # fmt: skip
EARLIER = phrases(
    "before", "earlier", "previously", "last time", "the first time", "at first", "before that", "originally",
    "back then", "in the beginning", "first", "the previous search", "the last search", "previous",
)  # fmt: skip
ANYTHING = phrases(
    "is there", "are there", "do you have", "have you got", "anything", "any", "something", "got anything",
    "is anything", "did you find", "have you found", "got any", "which ones", "which ones are", "how many",
    "which", "do you see", "isnt there", "arent there", "nothing", "u have", "you have",
)  # fmt: skip
BELOW = phrases(
    "under", "below", "less than", "cheaper than", "for less than", "within", "up to", "at most",
    "not more than", "max", "maximum", "for under", "lower than", "no more than", "beneath", "less then",
    "cheaper then",
)  # fmt: skip
PER = phrases(
    "a night", "per night", "each", "per person", "a person", "pp", "p p", "in all", "in total", "each night",
    "total", "or less", "nightly", "a head",
)  # fmt: skip

PRICES = phrases("how much", "price", "cost", "costs", "pay", "how expensive", "be", "each")
BACK = phrases(
    "way back", "the return", "return", "return flight", "returning", "back", "inbound", "coming back",
    "homeward", "flight back", "flight home", "way home", "return leg", "on the way back", "journey home",
    "going home", "home", "return trip", "homebound",
)  # fmt: skip
OUT = phrases(
    "outbound",
    "outward",
    "way there",
    "way out",
    "flight out",
    "first leg",
    "going there",
    "onward",
    "onward flight",
    "departing flight",
    "departure flight",
)

ALL = word_set("they them these those all any flights hotels ones everything offers options both fares")
COURTESY = phrases(
    "for the two of us", "for both of us", "for all of us", "for the three of us", "the two of us",
    "both of us", "for us both", "for the four of us", "all of us", "all the people", "for everyone",
    "for us all", "for all", "thank you", "thanks a lot", "by the way", "looks good", "look good",
    "sounds good", "looks nice", "look nice", "seems good", "is nice", "looks great", "sounds great",
    "just to know", "just curious", "quick question", "one question", "just wondering", "hang on",
    "hold on", "one more thing", "one thing", "remind me", "again", "do you know", "can you tell me",
    "could you tell me", "i wonder", "in the list", "on the list", "i would like to know", "of the list",
    "from the list", "you showed me", "you found", "you have found", "you listed", "so far",
    "id like to know", "right now", "at the moment", "at this moment", "up to now", "until now", "for me",
    "for us", "i want to know", "as well", "flight and hotel", "flights and hotels", "hotel and flight",
    "flight plus hotel",
)  # fmt: skip
"""What is said around a question without asking anything."""

FILLERS = word_set(
    """
    the a an is are was were it its that thats this these those one ones them they of me us i we you u r do
    does did has have had having can could will would shall should please pls tell show give say know see and
    so ok okay thanks thx hi hello hey then now yet what whats which whichs who whos when whens where wheres
    how hows much many for in on to from at with by there any all list results result options option offer
    offers flight flights hotel hotels room rooms be been am im if or about my our your their his her
    find found get got yes no not well hmm um uh eh oh er btw actually just exactly really again still like
    think want wants need ask asking question check let lets wonder wondering cheap offered available take
    takes taking include includes included including come comes coming needs also too than between next
    as provide provides serve serves left possible free own onsite site allowed allow accept
    accepts bring more bit little very good great nice people person persons adults each every kind type sort
    fly flying flight's trip journey ticket tickets fare place way leg part time times day once only order
    top most least fast two both pay paying back out thing things go hotel's says told long plane
    planes price ? ! . , : - ' " ( ) / & + plus isnt arent doesnt dont hasnt havent wasnt lack lacks cant
    cannot without share kindly specify clarify confirm
    """
) - word_set("sort order only free")
OPENERS = word_set(
    """
    and so ok okay hi hello hey well hmm um uh oh er btw but then now thanks thx great nice good cool yes yeah
    no ah , . ! - please pls kindly
    """
)
ASKING = word_set(
    """
    what whats which whichs who whos when whens where wheres how hows is are do does did can could will would
    has have had tell show share compare describe was were am whose give difference isnt arent doesnt hasnt
    wasnt
    """
)
PLAIN_NOUNS = word_set(
    """
    layover layovers difference details total price prices more cost costs rating distance airline carrier
    status results compare cheapest fastest nearest duration
    """
)
"""What a question may begin with that is no sentence: "price of the second"."""
WISHES = word_set("with only without instead must rather prefer looking another other different")
"""Who uses one of these wants something found; "with" may also be part of a question."""
FLIGHTS = word_set("flight flights fare fares plane planes ticket tickets")
HOTELS = word_set("hotel hotels room rooms stay accommodation hostel place")
NOT_A_NAME = word_set(
    """
    to from on until till in next later today tomorrow tonight monday tuesday wednesday thursday friday
    saturday sunday january february march april may june july august september october november december
    instead another other different adult adults child children kid kids night nights star stars weather
    train trains car cars taxi visa bus restaurant restaurants museum than book find search cheaper
    earlier without week weeks month weekend morning evening afternoon noon midnight years year old
    friend wife husband my we our you your i me us if because but sorry never mind stop forget cancel don
    dont not bot human robot help
    """
)
BEFORE_A_NAME = word_set("the at about of does is in on for with do than has between and or vs versus did it")
IN_NAMES = word_set("of the by at in and & ' - hotel inn house demo")
PROPOSALS = phrases(
    "what about", "how about", "more", "can you do", "could you do", "can we do", "could we do", "can we fly",
    "can i fly", "could i fly", "could we fly", "can we go", "can i get", "can we get", "can you try",
    "do you have", "have you got", "is there", "are there", "and what about", "wouldnt", "why not",
)  # fmt: skip
WEEKDAYS = word_set("monday tuesday wednesday thursday friday saturday sunday")
LEAD_TO_A_CLAUSE = word_set("if that when because as what how")
PRICES_ASKED = phrases(
    "how much", "price", "prices", "cost", "costs", "fare", "fares", "total", "how expensive", "rate",
    "rates",
)  # fmt: skip
COUNTED_PEOPLE_AND_ROOMS = word_set(
    """
    people person persons adult adults passenger passengers traveller travellers traveler travelers guest
    guests child children kid kids night nights room rooms star stars seat seats ticket tickets
    """
)
"""What a search counts, and no list does."""
OFFER_NOUNS = word_set("one ones flight flights hotel hotels option options offer offers result results")
DENIALS = word_set("not no dont doesnt arent isnt cant cannot without lack lacks hasnt havent nothing none")
COUNTED_THINGS = word_set(
    """
    tickets ticket people persons adults passengers nights night rooms room stars star bags pm am days bag
    suitcase suitcases cases luggage seats seat doors kids children friends hours minutes euros euro dollars
    pounds eur km miles stop stops layover layovers connections times percent wheel *
    """
)
"""What a number before one of these counts is no place in a list."""
