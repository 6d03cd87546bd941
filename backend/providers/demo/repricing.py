"""Offers read again: what an offer found earlier is sold for now, and the seats or rooms it takes.

Computed from the flights or the hotel named in it, not from its id or its price, which are those of the day
on which it was found.
"""

from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple

from backend.domain.booking import Offer
from backend.domain.travel import FlightOffer, FlightQuery, FlightSlice, HotelOffer, HotelQuery, Money
from backend.errors import NotOnSale
from backend.providers.demo.carriers import CARRIERS
from backend.providers.demo.currencies import HOME_CURRENCY
from backend.providers.demo.flight_offers import PROVIDER_NAME, flight_offer
from backend.providers.demo.flight_search import fare_of
from backend.providers.demo.hotel_search import HotelMarket, cities_meant, priced_stay
from backend.providers.demo.hotels import Hotel
from backend.providers.demo.journeys import Journey, Leg, TicketCounter, journey_of
from backend.providers.demo.noise import fingerprint
from backend.providers.demo.room_rates import rooms_on_sale
from backend.providers.demo.sales_rules import MOST_ROOMS, check_flight_query, check_hotel_query
from backend.providers.demo.store import Inventory

NOT_OFFERED = "That is not offered any more."
SOLD_OUT = "That is sold out by now."


class Claim(NamedTuple):
    """So many places, seats of a flight or rooms of a night, of those there are. `day` is an ordinal."""

    item: str
    day: int
    places: int
    of: int


class Sale(NamedTuple):
    """An offer as it is sold now, and what booking it takes."""

    offer: Offer
    claims: tuple[Claim, ...]

    @property
    def subject(self) -> str:
        """What is the same for all offers of the same to as many people, at any price in one currency."""
        taken = [(claim.item, claim.day, claim.places) for claim in self.claims]
        kind = self.offer.guests if isinstance(self.offer, HotelOffer) else self.offer.cabin_class
        return fingerprint(taken, kind, self.offer.price_total.currency)


def sale_of(offer: Offer, inventory: Inventory, *, today: date) -> Sale:
    """Return an offer of the demo inventory as it is sold today, whether or not there is room for it.

    Raises `NotOnSale` where it is no longer sold, or never was.
    """
    if offer.provider != PROVIDER_NAME:
        raise NotOnSale(NOT_OFFERED)
    if isinstance(offer, HotelOffer):
        return _stay(offer, inventory, today=today)
    return _flights(offer, inventory, today=today)


def _flights(offer: FlightOffer, inventory: Inventory, *, today: date) -> Sale:
    first, last = offer.slices[0].segments, offer.slices[-1].segments
    query = FlightQuery(
        origins=(first[0].origin,),
        destinations=(offer.slices[0].segments[-1].destination,),
        departure_date=first[0].departs_at.date(),
        return_date=last[0].departs_at.date() if len(offer.slices) > 1 else None,
        passengers=offer.passengers,
        cabin_class=offer.cabin_class,
        max_price=_in_currency_of(offer),
    )
    check_flight_query(query, today=today)
    counter = TicketCounter(
        inventory, today=today.toordinal(), cabin=offer.cabin_class, passengers=offer.passengers
    )
    journeys = tuple(_journey(each, counter) for each in map(_names, offer.slices))
    legs = [leg for journey in journeys for leg in journey.legs]
    sold = flight_offer(
        journeys, fare_of(journeys), query=query, source=offer.source, inventory=inventory, today=today
    )
    return Sale(sold, tuple(_seats(leg, offer, seed=inventory.seed) for leg in legs))


def _journey(names: list[tuple[str, str, str, str, date]], counter: TicketCounter) -> Journey:
    legs: list[Leg] = []
    for carrier, number, origin, destination, day in names:
        leg = counter.flight(carrier, number, origin=origin, destination=destination, day=day.toordinal())
        if leg is None:
            raise NotOnSale(NOT_OFFERED)
        legs.append(leg)
    return journey_of(tuple(legs))


def _names(flights: FlightSlice) -> list[tuple[str, str, str, str, date]]:
    return [
        (each.carrier, each.number, each.origin, each.destination, each.departs_at.date())
        for each in flights.segments
    ]


def _seats(leg: Leg, offer: FlightOffer, *, seed: int) -> Claim:
    item = f"seat {seed} {CARRIERS[leg.pattern.carrier].id} {leg.pattern.number}"
    return Claim(item, leg.day, offer.passengers, leg.seats)


def _stay(offer: HotelOffer, inventory: Inventory, *, today: date) -> Sale:
    query = HotelQuery(
        city=offer.city,
        country=offer.country,
        check_in=offer.check_in,
        check_out=offer.check_out,
        guests=offer.guests,
        rooms=offer.rooms,
        max_price=_in_currency_of(offer),
    )
    check_hotel_query(query, today=today)
    hotel = _hotel(offer, query, inventory)
    if hotel is None or hotel.sleeps * offer.rooms < offer.guests:
        raise NotOnSale(NOT_OFFERED)
    market: HotelMarket = "hotel chains" if hotel.chain else "independent hotels"
    sold = priced_stay(hotel, query, market=market, today=today, seed=inventory.seed)
    if sold is None:
        raise NotOnSale(SOLD_OUT)
    nights = [offer.check_in + timedelta(days=night) for night in range(query.nights)]
    return Sale(sold, tuple(_rooms(hotel, night, offer, seed=inventory.seed) for night in nights))


def _hotel(offer: HotelOffer, query: HotelQuery, inventory: Inventory) -> Hotel | None:
    """Return the hotel that is offered; among cities of one name, the place on the map tells which."""
    place = (offer.name, offer.latitude, offer.longitude)
    for city in cities_meant(query):
        for chain in (True, False):
            for hotel in inventory.hotels(city, chain=chain):
                if (hotel.name, hotel.latitude, hotel.longitude) == place:
                    return hotel
    return None


def _rooms(hotel: Hotel, night: date, offer: HotelOffer, *, seed: int) -> Claim:
    item = f"room {seed} {hotel.city} {hotel.name}"
    return Claim(
        item, night.toordinal(), offer.rooms, rooms_on_sale(hotel, night, most=MOST_ROOMS, seed=seed)
    )


def _in_currency_of(offer: Offer) -> Money | None:
    """Return a price limit that asks for the offer's currency, as a search would be given it."""
    currency = offer.price_total.currency
    return None if currency == HOME_CURRENCY else Money(amount=Decimal(0), currency=currency)
