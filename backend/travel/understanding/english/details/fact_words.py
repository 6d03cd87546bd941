"""The words for how many, how good and how dear, in English."""

from ....values.travel import CabinClass
from ..language.text import Phrases, phrases, word_set
from .people_words import PEOPLE

ROOMS = word_set("room rooms bedroom bedrooms suite suites")
ONE_ROOM = word_set("room bedroom suite")
STARS = word_set("star stars * starred")
JOINS_STARS = word_set("and or to - / &")
OURS = word_set("my our")
STAR_RATING = phrases("star", "stars", "star rating", "stars rating", "star ratings", "rating", "rated")
BEFORE_A_RATING = word_set("of : is at be should to - a")
STOPS = word_set("stop stops layover layovers stopover stopovers connection connections")
ROOM_KINDS = word_set(
    """
    single double twin triple quadruple family king queen deluxe honeymoon en suite ensuite executive
    accessible adjoining joined connecting standard superior vip
    """
)
ROOMS_BY_KIND = word_set("double doubles twin twins triples")
BEHIND_A_ROOM = word_set("please and for with in or instead then")
BETWEEN = ROOM_KINDS | word_set(
    """
    - more other additional separate hotel young the extra biggest best bed economy business first premium
    class coach flight plane airline round trip return pet friendly smoking non nonsmoking accessible quiet
    """
)
"""What may stand between a number and what it counts: "two double rooms"."""
NONSTOP = phrases(
    "nonstop", "non-stop", "non stop", "direct flight", "direct flights", "direct only", "direct",
    "directly", "no stops", "without stops", "no layover", "no layovers", "without layovers",
    "no connections", "no stopovers", "zero stops", "not change planes", "not have to change planes",
    "not to change planes", "without changing planes", "don't want to change planes", "no change of planes",
    "no plane changes", "no changing planes", "not want to change planes", "avoid changing planes",
    "don't want any layovers", "without changing", "without a change", "no changes of plane",
    "without a stop",
)  # fmt: skip
CABINS: tuple[tuple[CabinClass, Phrases], ...] = (
    ("premium_economy", phrases("premium economy", "economy premium", "premium-economy")),
    (
        "business",
        phrases(
            "business class",
            "in business",
            "business-class",
            "business seats",
            "fly business",
            "flying business",
            "biz class",
            "upgrade to business",
            "switch to business",
            "make it business",
            "make that business",
            "change to business",
            "change it to business",
            "upgrade me to business",
            "upgrade us to business",
            "upgrade it to business",
            "go for business",
            "go with business",
            "prefer business",
            "take business",
            "want business",
            "business then",
        ),
    ),
    ("first", phrases("first class", "first-class", "in first")),
    ("economy", phrases("economy", "economy class", "coach", "coach class")),
)
AROUND_A_CLASS = frozenset(
    {"", ",", ".", "!", "?", ";", "please", "only", "instead", "fly", "and", "about", "but", "in"}
)
"""Between two of these "business" alone is a class to fly in."""

AT_MOST = phrases(
    "under", "below", "less than", "max", "max.", "maximum", "maximum of", "up to", "at most",
    "nothing over", "nothing above", "not above", "no higher than", "not exceeding", "no dearer than",
    "no more than", "not more than", "cheaper than", "within", "budget of", "budget is", "budget:",
    "budget", "for under", "less then", "not over", "spend", "limit of", "limit is", "costs of",
    "budget is set at", "sub", "<", "no greater than", "never more than",
    "budget of around", "budget is around", "budget is approximately",
)  # fmt: skip
OR_LESS = phrases(
    "max", "maximum", "or less", "at most", "tops", "budget", "or cheaper", "or under", "or below"
)
PUTS_RIGHT = phrases("i mean", "i meant", "sorry", "i mean to say", "make it", "make that")
SYMBOLS = {
    "€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "₹": "INR", "rs": "INR",
    **{
        code.lower(): code
        for code in (
            "EUR", "USD", "GBP", "JPY", "CHF", "SEK", "NOK", "DKK", "PLN", "CZK", "AUD", "CAD", "INR", "NZD",
            "SGD", "HKD", "AED",
        )
    },
    "euro": "EUR",
}  # fmt: skip
"""What may stand before an amount: "$450", "USD 450"."""
CURRENCY_WORDS = {
    "euro": "EUR", "euros": "EUR", "eur": "EUR", "dollar": "USD", "dollars": "USD", "usd": "USD",
    "bucks": "USD", "pound": "GBP", "pounds": "GBP", "gbp": "GBP", "quid": "GBP", "yen": "JPY",
    "jpy": "JPY", "francs": "CHF", "chf": "CHF", "sek": "SEK", "kr": "SEK", "kronor": "SEK",
    "nok": "NOK", "dkk": "DKK", "pln": "PLN", "czk": "CZK", "aud": "AUD", "cad": "CAD",
    "rupee": "INR", "rupees": "INR", "inr": "INR", "zloty": "PLN", "zlotys": "PLN", "nzd": "NZD",
    "sgd": "SGD", "hkd": "HKD", "dirham": "AED", "dirhams": "AED", "aed": "AED",
}  # fmt: skip
ROUGHLY = word_set("around about roughly approximately approx circa")
PER_NIGHT = phrases(
    "per night", "a night", "/ night", "each night", "nightly", "pn", "per room", "a room", "/night"
)
BESIDE_A_PRICE = word_set(
    """
    please ok okay then rather maximum max say something like ish maybe i we can could do pay spend it should
    be my our price prices budget for to of anything in the range is would well yes hmm sorry i'd we'd are
    us me looking thinking thanks a from up really afford between and - so more or less per person
    """
)
NOT_MONEY = PEOPLE | ROOMS | STARS | STOPS | word_set(
    """
    years year yrs old hours hour hrs minutes min km miles mile nights night days day weeks bags % am pm
    """
)  # fmt: skip
ENDS_A_LIMIT = word_set(". ; ! ? and for with from to on in")
"""Behind one of these a word such as "under" no longer limits the number."""
CHILDREN = phrases("children", "child", "kids", "kid", "aged", "age")
