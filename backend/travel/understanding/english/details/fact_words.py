"""The words for how many, how good and how dear, in English."""

from ....values.travel import CabinClass
from ..language.text import Phrases, phrases

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
