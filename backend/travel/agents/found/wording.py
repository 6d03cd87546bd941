"""Facts of offers in words: names, prices, spans of time, places and clocks.

What names an offer or sums it up leaves out what the offer does not tell: "Heron (4 stars) for €90.00".
What tells one fact, as `bags`, raises one of `UNTOLD` instead; `all_told` leaves such parts out of a list.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from ...tools.search import SEARCHES
from ...understanding.english.language.tables import rows_of
from ...understanding.english.slot_words import MONTHS, in_words, listed
from ...understanding.found import Kind
from ...values.offers import (
    By,
    Offer,
    clock,
    currencies,
    currency,
    fact,
    free_until,
    is_compared_by_price,
    layovers,
    on_one_line,
    told,
    ways,
)
from ...values.offers import amount as amount_of
from ...values.travel import Money

_NOUNS = {"planner": ("plan", "plans"), **{agent: search.nouns for agent, search in SEARCHES.items()}}
_PARTS = {
    "flight": ("price_per_person", "each"),
    "hotel": ("price_per_night", "a night"),
    "car": ("price_per_day", "a day"),
}
_MINUTES_OF_AN_HOUR = 60
_NONSTOP = "nonstop"
UNKNOWN_PRICE = "an unknown price"


def kind_of(offer: Offer) -> Kind:
    """Return what an offer is of: each kind has fields that no other has."""
    return "flight" if "slices" in offer else "car" if "pick_up" in offer else "hotel"


def counted(count: int, noun: str) -> str:
    """Return a count of what an agent finds, or of any noun: "1 flight", "2 plans", "3 stops"."""
    one, many = _NOUNS.get(noun, (noun, f"{noun}s"))
    return f"{count} {one if count == 1 else many}"


def noun(agent: str) -> str:
    """Return "flight", "hotel" or "rental car"."""
    return _NOUNS[agent][0]


def plural(agent: str) -> str:
    """Return "flights", "hotels" or "rental cars"."""
    return _NOUNS[agent][1]


def all_told(offer: Offer, *tellers: Callable[[Offer], str]) -> list[str]:
    """Return what these tell of an offer, without those that lack a fact."""
    return [words for teller in tellers if (words := told(teller, offer))]


def amount(money: Any) -> str:
    """Return "€1,240.50", or that the price is unknown."""
    return told(_amount, money) or UNKNOWN_PRICE


def _amount(money: Any) -> str:
    return str(Money(amount=amount_of(money), currency=fact(money, "currency")))


def total(offer: Offer) -> str:
    """Return the price in all."""
    return amount(offer.get("price_total") or {})


def for_each(flight: Offer) -> str:
    """Return what the price of a person is, where several fly: children pay less than adults."""
    terms: Mapping[str, Any] = flight.get("terms") or {}
    return "a person on average" if terms.get("children") else "each"


def price(offer: Offer) -> str:
    """Return the price in all, and each person's or each night's where that is another."""
    in_all = offer.get("price_total")
    part, per = _PARTS[kind_of(offer)]
    each = offer.get(part)
    per = for_each(offer) if per == "each" else per
    return total(offer) if each is None or each == in_all else f"{total(offer)} ({amount(each)} {per})"


def in_its_currency(first: Offer, offers: Sequence[Offer], by: By = "price") -> str:
    """Return " in EUR", to stand behind "the cheapest", where others are priced in another currency.

    It is "" where one currency is all there is, or the order is by no price.
    """
    code = told(currency, first) if len(currencies(offers)) > 1 else None
    return f" in {code}" if code and is_compared_by_price(first, by) else ""


def span(minutes_: int) -> str:
    """Return "2 h 35 min"."""
    hours, rest = divmod(minutes_, _MINUTES_OF_AN_HOUR)
    return " ".join(filter(None, [f"{hours} h" if hours else "", f"{rest} min" if rest or not hours else ""]))


def name(offer: Offer) -> str:
    """Return a hotel's name, a car's model and supplier, or the carriers of a flight and when it leaves."""
    if "pick_up" in offer:
        return told(_car, offer) or "a rental car"
    if "slices" not in offer:
        return on_one_line(str(offer.get("name") or "a hotel without a name"))
    carrier, leaves = told(carriers, offer) or "a flight", told(leaves_at, offer)
    return f"{carrier} at {leaves}" if leaves else carrier


def _car(offer: Offer) -> str:
    model, supplier = (on_one_line(fact(offer, each)) for each in ("model", "supplier"))
    return f"{model} of {supplier}"


def airlines(flight: Offer) -> list[str]:
    """Return the carriers of a flight, each once."""
    flights = [leg for way in ways(flight) for leg in way["segments"]]
    return list(dict.fromkeys(on_one_line(fact(leg, "carrier_name")) for leg in flights))


def carriers(flight: Offer) -> str:
    """Return the carriers of a flight in words."""
    return listed(airlines(flight))


def leaves_at(flight: Offer) -> str:
    """Return when a flight leaves, as "09:05". Raises `Untold` if it does not tell."""
    return clock(fact(ways(flight)[0]["segments"][0], "departs_at"))


def times(flight: Offer) -> str:
    """Return when a flight leaves and lands, each way: "09:05-11:20, back 18:30-21:00", "16:35-13:25 +1"."""
    return ", back ".join(_times(way["segments"][0], way["segments"][-1]) for way in ways(flight))


def _times(first: Offer, last: Offer) -> str:
    leaves, lands = fact(first, "departs_at"), fact(last, "arrives_at")
    days = (_day(lands) - _day(leaves)).days
    return f"{clock(leaves)}-{clock(lands)}{f' +{days}' if days > 0 else ''}"


def in_this_year(words: str, today: date) -> str:
    """Return words without the year of days that are in this one: "Thu 10 December"."""
    return re.sub(rf"\b(\d{{1,2}} (?:{'|'.join(MONTHS)})) {today.year}\b", r"\1", words)


def day(moment: str) -> str:
    """Return the day of a moment in words."""
    return in_words(date.fromisoformat(moment[:10]))


def landing(direction: Any) -> str:
    """Return when a direction lands, and how many days later if it is not the same."""
    first, last = direction["segments"][0], direction["segments"][-1]
    days = (_day(last["arrives_at"]) - _day(first["departs_at"])).days
    later = "" if not days else " the next day" if days == 1 else f" {days} days later"
    return f"{clock(last['arrives_at'])}{later} in {fact(last, 'destination')}"


def _day(moment: str) -> date:
    return datetime.fromisoformat(moment).date()


def ways_with_stops(direction: Any) -> str:
    """Return "nonstop", or where a direction stops and for how long."""
    waits = layovers(direction)
    if not waits:
        return "nonstop"
    return f"{counted(len(waits), 'stop')}, {listed([f'{span(wait)} in {where}' for where, wait in waits])}"


def each_way(flight: Offer, teller: Callable[[Any], str]) -> str:
    """Return what each direction tells, as the card does: "3 h out and 2 h 45 min back", "3 h each way"."""
    told_of = [teller(way) for way in ways(flight)]
    if len(told_of) == 1:
        return told_of[0]
    if len(set(told_of)) == 1:
        return told_of[0] if told_of[0] == _NONSTOP else f"{told_of[0]} each way"
    return listed([f"{words} {way}" for words, way in zip(told_of, ("out", "back"), strict=False)])


def takes(flight: Offer) -> str:
    """Return how long each direction takes: "11 h", "3 h out and 2 h 45 min back"."""
    return each_way(flight, lambda way: span(fact(way, "duration_minutes")))


def stops_in_short(flight: Offer) -> str:
    """Return "nonstop", "2 stops", or "1 stop out and nonstop back"."""

    def counted_of(way: Any) -> str:
        count = len(way["segments"]) - 1
        return counted(count, "stop") if count else _NONSTOP

    return each_way(flight, counted_of)


def bags(flight: Offer) -> str:
    """Return what luggage the fare includes."""
    count = fact(flight, "checked_bags")
    return f"{counted(count, 'checked bag')} each" if count else "no checked bag"


def conditions(offer: Offer) -> str:
    """Return what cancelling gives back."""
    if "slices" in offer:
        if not fact(offer, "refundable"):
            return "not refundable"
        terms: Mapping[str, Any] = offer.get("terms") or {}
        fee = terms.get("refund_fee")
        return f"refundable for a fee of {amount(fee)}" if fee and amount_of(fee) else "refundable"
    until = free_until(offer)
    if until is None:
        terms = offer.get("terms") or {}
        return "cancelled only for a fee" if terms.get("cancelling") else "not refundable"
    return f"free to cancel until {in_words(date.fromisoformat(until))}"


def in_short(offer: Offer) -> str:
    """Return the facts by which offers are compared."""
    if "slices" in offer:
        return ", ".join(all_told(offer, takes, stops_in_short))
    if "pick_up" in offer:
        return ", ".join(all_told(offer, *_OF_A_CAR))
    return ", ".join(
        all_told(
            offer,
            lambda hotel: f"{fact(hotel, 'stars')} stars",
            lambda hotel: f"rated {fact(hotel, 'score')}",
            lambda hotel: f"{fact(hotel, 'distance_km')} km from the centre",
        )
    )


def bags_of_a_car(car: Offer) -> str:
    """Return how many bags fit in a car."""
    return f"room for {counted(fact(car, 'bags'), 'bag')}"


_OF_A_CAR: tuple[Callable[[Offer], str], ...] = (
    lambda car: str(fact(car, "car_class")).replace("_", " "),
    lambda car: str(fact(car, "transmission")),
    lambda car: f"{fact(car, 'seats')} seats",
    bags_of_a_car,
)


def layover_in_words(flight: Offer) -> str:
    """Return the layovers of all directions of a flight that stops."""
    return listed([f"{span(wait)} in {where}" for way in ways(flight) for where, wait in layovers(way)])


def subject_of(subject: str, offer: Offer) -> str:
    """Return "Number 2, Larch Demo at 09:05"; without a subject the offer's name."""
    return f"{subject[0].upper()}{subject[1:]}, {name(offer)}" if subject else name(offer)


def sentence(subject: str, offer: Offer, rest: str) -> str:
    """Return "Number 2, Larch Demo at 09:05, is nonstop."."""
    return f"{subject_of(subject, offer)}{',' if subject else ''} {rest}."


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderWords:
    """The words for one order, by a fact of offers; the lesser first in each pair.

    `fact` is what it is in order of, and `ends` what a list begins with: "in order of price, the cheapest
    first". `superlatives` name its first offer. `beyond` names one that is further than another in it; ""
    where nobody asks so.
    """

    by: By
    fact: str
    ends: tuple[str, str]
    superlatives: tuple[str, str]
    beyond: tuple[str, str] = ("", "")


_ORDERS: Mapping[By, OrderWords] = {row.by: row for row in rows_of("found_facts", "order_words", OrderWords)}


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
