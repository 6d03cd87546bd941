"""Which offer we would take, and by what: "which one would you recommend?"."""

from collections.abc import Sequence
from decimal import Decimal

from ...understanding.found import Kind
from ...values.offers import Offer, has, in_order, price, stops, told
from . import facts
from .found_offers import Answer
from .wording import counted, name, plural, total


def recommended(offers: Sequence[Offer], kind: Kind) -> Answer:
    """Return the offer that we would take, with the reason for it.

    Of hotels it is the best rated among those that cost no more than the middle price; of flights the first
    in order of price, hours and stops together; of rental cars, which nobody rates, the cheapest.
    """
    if kind == "hotel":
        return _hotel(offers)
    known = [offer for offer in offers if has(offer, "best")]
    if not known:
        return _nothing_told(kind)
    first = in_order(known, "best")[0]
    reason = "it is the cheapest, and nobody rates them" if kind == "car" else _why_that_flight(first, known)
    return f"Of the {counted(len(offers), kind)} I would take {facts.headline(first)}: {reason}.", [first]


def _nothing_told(kind: Kind) -> Answer:
    return f"The {plural(kind)} do not tell what I could choose by.", []


def _why_that_flight(first: Offer, flights: Sequence[Offer]) -> str:
    reason = "it comes first if I weigh price, hours and stops together"
    nonstop = [flight for flight in flights if told(stops, flight) == 0]
    alone = {"cheapest": in_order(flights, "price")[0], "fastest": in_order(flights, "duration")[0]}
    if nonstop:
        alone["cheapest that is nonstop"] = in_order(nonstop, "price")[0]
    most = [words for words, one in alone.items() if one["offer_id"] == first["offer_id"]]
    if "cheapest" in most:
        most = [words for words in most if words != "cheapest that is nonstop"]
    return f"{reason}, and is the {' and the '.join(most)}" if most else reason


def _hotel(hotels: Sequence[Offer]) -> Answer:
    known = [hotel for hotel in hotels if has(hotel, "score") and has(hotel, "price")]
    if not known:
        return _nothing_told("hotel")
    middle = in_order(known, "price")[len(known) // 2]
    limit: Decimal = price(middle)
    first = in_order([hotel for hotel in known if price(hotel) <= limit], "score", descending=True)[0]
    of_all = in_order(known, "score", descending=True)[0]
    reason = f"it is the best rated of those that cost no more than the middle price, {total(middle)}"
    rest = ""
    if of_all["offer_id"] != first["offer_id"] and of_all["score"] != first["score"]:
        rest = f" The best rated of all is {name(of_all)} ({of_all['score']}) for {total(of_all)}."
    return f"Of the {counted(len(hotels), 'hotel')} I would take {facts.headline(first)}: {reason}.{rest}", [
        first
    ]
