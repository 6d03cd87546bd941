"""The words of questions about what was found, in English: what is asked, and of which offers."""

from collections.abc import Mapping

from ....values.offers import By
from ..language.tables import phrases_of
from ..language.text import Phrases, any_of, phrases, word_set

_SAID = phrases_of("found")

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

HOURS_OF_THE_DAY: Mapping[tuple[By, bool], Phrases] = {
    ("departure", True): _SAID.at_its_end,
    ("arrival", True): _SAID.at_its_end,
    ("departure", False): _SAID.at_its_beginning,
    ("arrival", False): _SAID.at_its_beginning,
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


ALL_PICKS = any_of(*(names for _, _, names in PICKS))

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
