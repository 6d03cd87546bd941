"""What a conversation has last spoken of among what was found: what "it" and "the second" mean.

It is kept with a request, under its own name: a question about the offers leaves the rest as it is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from pydantic import TypeAdapter, ValidationError

from .stored_requests import Request
from .understanding.found import KINDS
from .understanding.result import (
    Bookable,
    BookingWish,
    ShownDirection,
    ShownRental,
    ShownStay,
    Understanding,
)
from .values.offers import By, Offer, to_the_minute, told

_NAME = "spoken_of"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An order that the user wants offers shown in."""

    by: By = "price"
    descending: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenOf:
    """The offers spoken of last, by agent, the `agent` of the very last, and the orders they are shown in.

    `compared` are several spoken of at once, of which single ones may have been spoken of since.
    With `is_proposed` the reply asked whether to book the very last.
    `wishes` tell the one offer of each kind that was spoken of last as it is shown, for "book it" and "book
    both".
    """

    agent: Bookable | None = None
    offer_ids: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    orders: Mapping[str, Order] = field(default_factory=dict[str, Order])
    wishes: Mapping[str, BookingWish] = field(default_factory=dict[str, BookingWish])
    compared: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    is_proposed: bool = False

    def order(self, agent: str) -> Order:
        """Return the order that an agent's offers are shown in."""
        return self.orders.get(agent, Order())

    def of(self, agent: Bookable, offers: list[Offer]) -> "SpokenOf":
        """Return the same after these offers of an agent were spoken of."""
        ids = tuple(offer["offer_id"] for offer in offers)
        wishes = {kind: wish for kind, wish in self.wishes.items() if kind != agent}
        wish = told(_wish, offers[0]) if len(offers) == 1 else None
        if wish is not None:
            wishes[agent] = wish
        compared = dict(self.compared)
        if len(ids) > 1:
            compared[agent] = ids
        elif not {*ids} <= {*compared.get(agent, ())}:
            # Of two that were spoken of in turn either may be "the other one".
            compared[agent] = (*self.offer_ids.get(agent, ())[:1], *ids)
        spoken_of = {**self.offer_ids, agent: ids}
        return SpokenOf(
            agent=agent, offer_ids=spoken_of, orders=self.orders, wishes=wishes, compared=compared
        )

    def offer_id_of(self, wish: BookingWish) -> str | None:
        """Return the id of the one offer spoken of last that a wish tells as it is shown."""
        it = self.wishes.get(wish.kind or "")
        return self.offer_ids[it.kind][0] if it and it.kind and it.shown == wish.shown else None

    def in_order(self, agent: str, order: Order) -> "SpokenOf":
        """Return the same with an agent's offers in another order."""
        return replace(self, orders={**self.orders, agent: order})


NOTHING = SpokenOf()
_ADAPTER = TypeAdapter(SpokenOf)


def spoken_of_in(request: Request | None) -> SpokenOf:
    """Return what was last spoken of by a stored request; nothing where that cannot be read."""
    stored = request.get(_NAME) if request is not None else None
    if stored is None:
        return NOTHING
    try:
        return _ADAPTER.validate_python(stored)
    except ValidationError:
        return NOTHING  # of an earlier version: "it" is then the cheapest again


def to_stored(spoken: SpokenOf) -> dict[str, Any]:
    """Return what is to be stored with a request."""
    return {} if spoken == NOTHING else {_NAME: _ADAPTER.dump_python(spoken, mode="json", exclude_none=True)}


def after(spoken: SpokenOf, understanding: Understanding, before: Understanding | None) -> SpokenOf:
    """Return what of it holds for the next request: the orders, and offers whose search is the same."""
    if understanding.relation in ("other", "stop"):
        return replace(spoken, is_proposed=False)
    if before is None or understanding.relation == "new" or understanding.resumes is not None:
        return SpokenOf(orders=spoken.orders)
    kept = [agent for agent in KINDS if understanding.of(agent) == before.of(agent)]
    others: list[Bookable] = [agent for agent in KINDS if agent not in kept]
    changed: list[Bookable] = [agent for agent in others if agent in understanding.wanted]
    return SpokenOf(
        # A message that changes one kind alone speaks of it: "only nonstop; what are the first two?".
        agent=changed[0] if len(changed) == 1 else spoken.agent if spoken.agent in kept else None,
        offer_ids={agent: ids for agent, ids in spoken.offer_ids.items() if agent in kept},
        orders=spoken.orders,
        wishes={agent: wish for agent, wish in spoken.wishes.items() if agent in kept},
        compared={agent: ids for agent, ids in spoken.compared.items() if agent in kept},
    )


def with_it(wish: BookingWish, spoken: SpokenOf) -> BookingWish:
    """Return a wish to book "it" as one for the offer spoken of last, "both" for the last of each kind."""
    then = with_it(wish.then, spoken) if wish.then else None
    told = wish.pick or wish.number or wish.name or wish.shown or wish.which or wish.reference
    told = told or wish.is_earlier
    it = spoken.wishes.get(wish.kind or spoken.agent or "")
    if wish.action not in ("book", "hold") or told or it is None:
        # Where flights were asked about and none was found, "that one" is no hotel either.
        is_to_book = wish.action in ("book", "hold") and not told and wish.kind is None
        is_of_nothing = is_to_book and not spoken.offer_ids.get(spoken.agent or "")
        return replace(wish, kind=spoken.agent if is_of_nothing else wish.kind, then=then)
    return replace(wish, kind=it.kind, name=it.name, shown=it.shown, then=then)


def with_the_same_hotel(
    understanding: Understanding, before: Understanding | None, spoken: SpokenOf
) -> Understanding:
    """Return a search for hotels as one for the hotel spoken of last, unless its city is another one."""
    it = spoken.wishes.get("hotel")
    shown = it.shown if it is not None else None
    stay = understanding.hotel
    is_there = before is not None and before.hotel.city == stay.city
    if "hotel" not in understanding.agents or not is_there or stay.name or not isinstance(shown, ShownStay):
        return understanding
    return replace(understanding, hotel=replace(stay, name=shown.hotel))


def _wish(offer: Offer) -> BookingWish:
    if "pick_up" in offer:
        car = f"{offer['model']}, {offer['supplier']}"
        rental = ShownRental(car=car, transmission=offer["transmission"], station=offer["station"])
        return BookingWish(action="book", kind="car", name=car, shown=rental)
    if "slices" not in offer:
        check_in, check_out = (date.fromisoformat(offer[day]) for day in ("check_in", "check_out"))
        stay = ShownStay(
            hotel=offer["name"], district=offer["district"], check_in=check_in, check_out=check_out
        )
        return BookingWish(action="book", kind="hotel", name=offer["name"], shown=stay)
    ways = tuple(
        ShownDirection(
            flights=tuple(f"{flight['carrier_name']} {flight['number']}" for flight in way["segments"]),
            leaves=to_the_minute(way["segments"][0]["departs_at"]),
        )
        for way in offer["slices"]
    )
    name = " and ".join(dict.fromkeys(flight["carrier_name"] for flight in offer["slices"][0]["segments"]))
    return BookingWish(action="book", kind="flight", name=name, shown=ways)
