"""What the orders of offers are called: of a list, of its first offer, of an offer beyond another."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...values.offers import By


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderWords:
    """The words for one order, the lesser first in each pair.

    `fact` is what it is in order of, and `ends` what a list begins with: "in order of price, the cheapest
    first". `superlatives` name its first offer. `beyond` names one that is further than another in it; ""
    where nobody asks so.
    """

    fact: str
    ends: tuple[str, str]
    superlatives: tuple[str, str]
    beyond: tuple[str, str] = ("", "")


_ORDERS: Mapping[By, OrderWords] = {
    "price": OrderWords(
        fact="price",
        ends=("the cheapest", "the most expensive"),
        superlatives=("cheapest", "most expensive"),
        beyond=("cheaper", "dearer"),
    ),
    "duration": OrderWords(
        fact="duration",
        ends=("the shortest", "the longest"),
        superlatives=("fastest", "slowest"),
        beyond=("faster", "slower"),
    ),
    "departure": OrderWords(
        fact="departure",
        ends=("the earliest", "the latest"),
        superlatives=("earliest", "latest"),
        beyond=("earlier", "later"),
    ),
    "arrival": OrderWords(
        fact="arrival",
        ends=("the earliest", "the latest"),
        superlatives=("first to arrive", "last to arrive"),
    ),
    "stops": OrderWords(
        fact="stops",
        ends=("the fewest", "the most"),
        superlatives=("one with the fewest stops", "one with the most stops"),
    ),
    "layover": OrderWords(
        fact="layover",
        ends=("the shortest", "the longest"),
        superlatives=("one with the shortest layover", "one with the longest layover"),
    ),
    "stars": OrderWords(
        fact="stars",
        ends=("the fewest", "the most"),
        superlatives=("one with the fewest stars", "one with the most stars"),
    ),
    "score": OrderWords(
        fact="rating",
        ends=("the lowest", "the best"),
        superlatives=("lowest rated", "best rated"),
        beyond=("", "better rated"),
    ),
    "distance": OrderWords(
        fact="distance from the centre",
        ends=("the nearest", "the farthest"),
        superlatives=("nearest to the centre", "farthest from the centre"),
        beyond=("nearer to the centre", "farther from the centre"),
    ),
    "best": OrderWords(fact="value", ends=("the best", "the last"), superlatives=("best", "last in value")),
    "size": OrderWords(
        fact="size",
        ends=("the smallest", "the biggest"),
        superlatives=("smallest", "biggest"),
        beyond=("smaller", "bigger"),
    ),
}


def order_in_words(by: By, *, descending: bool) -> str:
    """Return what a list is in: "in order of price, the cheapest first"."""
    words = _ORDERS[by]
    return f"in order of {words.fact}, {words.ends[descending]} first"


def superlative(by: By, *, descending: bool) -> str:
    """Return the word for the first of an order: "cheapest"."""
    return _ORDERS[by].superlatives[descending]


def comparative(by: By, *, descending: bool) -> str:
    """Return the word for what is beyond an offer in an order, as its first is: "cheaper", "later"."""
    return _ORDERS[by].beyond[descending]
