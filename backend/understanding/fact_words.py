"""The words for how many, how good and how dear, in English."""

from backend.domain.travel import CabinClass
from backend.understanding.text import Phrases, phrases, word_set

PEOPLE = word_set(
    """
    people persons person pax passengers passenger adults adult travellers traveller travelers traveler
    guests guest tickets ticket seats seat children child kids kid infants infant babies baby toddlers
    toddler teenagers seniors students friends folks individuals peoples
    """
)
GROUPS = word_set("party group family team total")
ROOMS = word_set("room rooms bedroom bedrooms suite suites")
STARS = word_set("star stars *")
STOPS = word_set("stop stops layover layovers stopover stopovers connection connections")
BETWEEN = word_set(
    """
    - more other additional single double twin separate king queen hotel adjoining young the extra
    economy business first premium class coach flight plane airline one way round trip return
    """
)
AFTER_FOR_TWO = word_set(
    """
    . , ; ! ? and in on from to at with please next this by leaving returning departing under
    """
)
JUST_ME = phrases(
    "just me", "only me", "just myself", "by myself", "alone", "solo", "just for me", "for me only",
    "single traveler", "single traveller",
)  # fmt: skip
RELATIVES = (
    "wife husband girlfriend boyfriend partner friend son daughter mother father mom mum dad sister brother"
)
TWO_OF_US = phrases(
    *(f"my {relative} and i" for relative in RELATIVES.split()),
    *(f"my {relative} and me" for relative in RELATIVES.split()),
    *(f"me and my {relative}" for relative in RELATIVES.split()),
    *(f"with my {relative}" for relative in RELATIVES.split()),
    "both of us",
)
NONSTOP = phrases(
    "nonstop", "non-stop", "non stop", "direct flight", "direct flights", "direct only", "direct",
    "directly", "no stops", "without stops", "no layover", "no layovers", "without layovers",
    "no connections", "no stopovers", "zero stops",
)  # fmt: skip
CABINS: tuple[tuple[CabinClass, Phrases], ...] = (
    ("premium_economy", phrases("premium economy", "economy premium", "premium-economy")),
    (
        "business",
        phrases("business class", "in business", "business-class", "business seats", "fly business"),
    ),
    ("first", phrases("first class", "first-class", "in first")),
    ("economy", phrases("economy", "economy class", "coach", "coach class")),
)
AT_MOST = phrases(
    "under", "below", "less than", "max", "max.", "maximum", "maximum of", "up to", "at most",
    "no more than", "not more than", "cheaper than", "within", "budget of", "budget is", "budget:",
    "budget", "for under", "less then", "not over", "spend", "limit of", "limit is", "costs of",
    "budget is set at", "budget of around", "budget is around", "budget is approximately",
)  # fmt: skip
OR_LESS = phrases(
    "max", "maximum", "or less", "at most", "tops", "budget", "or cheaper", "or under", "or below"
)
SYMBOLS = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY"}
CURRENCY_WORDS = {
    "euro": "EUR", "euros": "EUR", "eur": "EUR", "dollar": "USD", "dollars": "USD", "usd": "USD",
    "bucks": "USD", "pound": "GBP", "pounds": "GBP", "gbp": "GBP", "quid": "GBP", "yen": "JPY",
    "jpy": "JPY", "francs": "CHF", "chf": "CHF", "sek": "SEK", "nok": "NOK", "dkk": "DKK",
    "pln": "PLN", "czk": "CZK", "aud": "AUD", "cad": "CAD",
}  # fmt: skip
PER_NIGHT = phrases(
    "per night", "a night", "/ night", "each night", "nightly", "pn", "per room", "a room", "/night"
)
NOT_MONEY = PEOPLE | ROOMS | STARS | STOPS | word_set(
    """
    years year yrs old hours hour hrs minutes min km miles mile nights night days day weeks bags % am pm
    """
)  # fmt: skip
AIRLINES = (
    "Aegean", "Aer Lingus", "Air Canada", "Air France", "Air India", "Air New Zealand",
    "Alaska Airlines", "All Nippon Airways", "American Airlines", "Austrian Airlines",
    "British Airways", "Brussels Airlines", "Cathay Pacific", "Delta Airlines", "easyJet", "Emirates",
    "Etihad", "Eurowings", "Finnair", "Frontier Airlines", "Hawaiian Airlines", "Iberia", "Icelandair",
    "ITA Airways", "Japan Airlines", "JetBlue", "KLM", "Korean Air", "LATAM", "LOT", "Lufthansa",
    "Norwegian", "Qantas", "Qatar Airways", "Ryanair", "SAS", "Singapore Airlines",
    "Southwest Airlines", "Spirit Airlines", "Swiss", "TAP", "Turkish Airlines", "United Airlines",
    "Virgin Atlantic", "Vueling", "Wizz Air",
)  # fmt: skip
AIRLINE_ALSO_WORD = word_set("lot tap swiss sas norwegian")
CARRIED_BY = word_set("with on by via prefer only fly flying")
AMENITIES = {
    "wifi": phrases("wifi", "wi-fi", "wi fi", "internet", "wireless"),
    "breakfast": phrases("breakfast", "breakfast included"),
    "pool": phrases("pool", "swimming pool"),
    "parking": phrases("parking", "car park"),
    "gym": phrases("gym", "fitness", "fitness centre", "fitness center"),
    "spa": phrases("spa", "sauna"),
    "air_conditioning": phrases("air conditioning", "aircon", "air-conditioning", "ac"),
    "pets": phrases("pet friendly", "pet-friendly", "pets allowed", "pets", "dog friendly"),
}


def _airline_names() -> dict[str, Phrases]:
    names: dict[str, Phrases] = {}
    for airline in AIRLINES:
        stem = airline.removesuffix(" Airlines").removesuffix(" Airways")
        names[airline] = phrases(airline, stem + " airlines", stem + " airways")
    return names


AIRLINE_NAMES = _airline_names()
ENDS_A_LIMIT = word_set(". ; ! ? and for with from to on in")
"""Behind one of these a word such as "under" no longer limits the number."""
CHILDREN = phrases("children", "child", "kids", "kid", "aged", "age")
