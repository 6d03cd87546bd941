"""Offers as cards: a price, a title and a few lines each, in the words of the terminal client."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..cli.lines import clean
from ..cli.offers import NO_OFFER, best, car_words, carriers, day, money, offer_line, slice_words

MOST_CARDS = 30
"""How many cards a page shows at once: all of them are sent anew with each refresh."""


@dataclass(frozen=True, slots=True)
class Card:
    """What is shown of an offer."""

    price: str
    title: str
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it but the price."""
        return "\n".join([self.title, *self.lines])


def cards_of(found: Mapping[str, list[Any]]) -> dict[str, list[Card]]:
    """Return the cheapest of what each agent found, `MOST_CARDS` in all."""
    agents = sorted(agent for agent, offers in found.items() if offers)
    each = MOST_CARDS // max(1, len(agents))
    return {agent: [card(offer) for offer in best(found[agent], each)] for agent in agents}


def card(offer: Any) -> Card:
    """Return an offer's card; whatever is no flight, hotel or car is told in a line."""
    try:
        title, lines = (
            _flight(offer) if "slices" in offer else _car(offer) if "pick_up" in offer else _hotel(offer)
        )
        price = money(offer["price_total"])
    except NO_OFFER:
        return Card("", clean(offer_line(offer)), ())
    return Card(clean(price), clean(title), tuple(clean(line) for line in lines))


def _flight(offer: Mapping[str, Any]) -> tuple[str, list[str]]:
    bags, people = int(offer["checked_bags"]), int(offer["passengers"])
    facts = [
        str(offer["cabin_class"]).replace("_", " "),
        "no checked bag" if not bags else "1 checked bag" if bags == 1 else f"{bags} checked bags",
        "refundable" if offer["refundable"] else "not refundable",
    ]
    if people > 1:
        facts.insert(0, f"{people} people, {money(offer['price_per_person'])} each")
    lines = [*(slice_words(one) for one in offer["slices"]), ", ".join(facts)]
    return carriers(offer), lines


def _car(offer: Mapping[str, Any]) -> tuple[str, list[str]]:
    until = offer.get("free_cancellation_until")
    cancelled = f"free cancellation until {day(until)}" if until else "no free cancellation"
    price = f"{money(offer['price_per_day'])} a day, {cancelled}"
    return f"{offer['model']}, {offer['supplier']}", [car_words(offer), price]


def _hotel(offer: Mapping[str, Any]) -> tuple[str, list[str]]:
    where = f"{offer['stars']} stars, {offer.get('district') or offer['city']}"
    stay = f"{day(offer['check_in'])} to {day(offer['check_out'])}, {money(offer['price_per_night'])} a night"
    until = offer.get("free_cancellation_until")
    return (
        str(offer["name"]),
        [where, stay, f"free cancellation until {day(until)}" if until else "no free cancellation"],
    )
