"""What is chosen, as it is sold now: the offer that a search makes of it, and the seats, rooms or
cars it takes.

Computed from the flights, the hotel or the car that the choice names; what they cost is a matter of the day.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple, get_args

from ....domain.encoding import encode_sorted
from ....domain.errors import NotOnSale
from ...values.booking import Choice, Departure, FlightChoice, Offer, RentalChoice, StayChoice, choice_of
from ...values.travel import CarQuery, FlightQuery, HotelQuery, Money
from .car_search import priced_car
from .cars import CarMarket, cars
from .currencies import HOME_CURRENCY
from .flight_offers import flight_offer
from .flight_search import fare_of, market_of
from .hotel_search import HotelMarket, cities_meant, priced_stay
from .hotels import Hotel
from .journeys import Journey, Leg, TicketCounter, journey_of
from .noise import fingerprint
from .room_rates import rooms_on_sale
from .sales_rules import MOST_ROOMS, check_car_query, check_flight_query, check_hotel_query
from .store import Inventory

NOT_OFFERED = "That is not offered."
SOLD_OUT = "That is sold out by now."


class Claim(NamedTuple):
    """So many places, seats of a flight, rooms of a night or cars of a day, of those there are.

    `day` is an ordinal.
    """

    item: str
    day: int
    places: int
    of: int


Place = tuple[str, int]
"""What can run out: a flight, a hotel or a car, and the day or night (an ordinal)."""


class Sale(NamedTuple):
    """An offer as it is sold now, what booking it takes, and `subject`, the same for equal choices only."""

    offer: Offer
    claims: tuple[Claim, ...]
    subject: str


def places_of(choice: Choice, *, seed: int) -> list[Place]:
    """Return all that a choice takes places of, in order."""
    if isinstance(choice, StayChoice):
        item = f"room {seed} {choice.hotel} {choice.latitude} {choice.longitude}"
        return [(item, night) for night in range(choice.check_in.toordinal(), choice.check_out.toordinal())]
    if isinstance(choice, RentalChoice):
        which = (choice.supplier, choice.model, choice.car_class, choice.transmission, choice.station)
        item = f"car {seed} {choice.city} {choice.subdivision} {choice.country} {' '.join(which)}"
        # The day of the return counts: whoever takes the car next gets it the day after.
        return [(item, day) for day in range(choice.pick_up.toordinal(), choice.drop_off.toordinal() + 1)]
    return [
        (f"seat {seed} {flight.carrier} {flight.number}", flight.day.toordinal())
        for direction in choice.directions
        for flight in direction
    ]


def sale_of(choice: Choice, inventory: Inventory, *, today: date) -> Sale:
    """Return what is chosen as it is sold today, whether or not there is room for it.

    Raises `NotOnSale` where it is no longer sold, or never was.
    """
    if isinstance(choice, StayChoice):
        return _stay(choice, inventory, today=today)
    if isinstance(choice, RentalChoice):
        return _rental(choice, inventory, today=today)
    return _flights(choice, inventory, today=today)


def _flights(choice: FlightChoice, inventory: Inventory, *, today: date) -> Sale:
    there, back = choice.directions[0], choice.directions[1:]
    query = FlightQuery(
        origins=(there[0].origin,),
        destinations=(there[-1].destination,),
        departure_date=there[0].day,
        return_date=back[0][0].day if back else None,
        passengers=choice.passengers,
        cabin_class=choice.cabin_class,
        max_price=_limit_in(choice.currency),
    )
    check_flight_query(query, today=today)
    counter = TicketCounter(
        inventory, today=today.toordinal(), cabin=choice.cabin_class, passengers=choice.passengers
    )
    journeys = tuple(_journey(each, counter) for each in choice.directions)
    offer = flight_offer(
        journeys, fare_of(journeys), query=query, source=market_of(journeys), inventory=inventory, today=today
    )
    seats = [leg.seats for journey in journeys for leg in journey.legs]
    return Sale(offer, _claims(choice, choice.passengers, of=seats, seed=inventory.seed), _subject(choice))


def _journey(departures: tuple[Departure, ...], counter: TicketCounter) -> Journey:
    legs: list[Leg] = []
    for flight in departures:
        leg = counter.flight(
            flight.carrier,
            flight.number,
            origin=flight.origin,
            destination=flight.destination,
            day=flight.day.toordinal(),
        )
        if leg is None:
            raise NotOnSale(NOT_OFFERED)
        legs.append(leg)
    return journey_of(tuple(legs))


def _stay(choice: StayChoice, inventory: Inventory, *, today: date) -> Sale:
    query = HotelQuery(
        city=choice.city,
        country=choice.country,
        check_in=choice.check_in,
        check_out=choice.check_out,
        guests=choice.guests,
        rooms=choice.rooms,
        max_price=_limit_in(choice.currency),
    )
    check_hotel_query(query, today=today)
    hotel = _hotel(choice, query, inventory)
    if hotel is None or hotel.sleeps * choice.rooms < choice.guests:
        raise NotOnSale(NOT_OFFERED)
    market: HotelMarket = "hotel chains" if hotel.chain else "independent hotels"
    offer = priced_stay(hotel, query, market=market, today=today, seed=inventory.seed)
    if offer is None:
        raise NotOnSale(SOLD_OUT)
    nights = [choice.check_in + timedelta(days=night) for night in range(query.nights)]
    rooms = [rooms_on_sale(hotel, night, most=MOST_ROOMS, seed=inventory.seed) for night in nights]
    return Sale(offer, _claims(choice, choice.rooms, of=rooms, seed=inventory.seed), _subject(choice))


def _hotel(choice: StayChoice, query: HotelQuery, inventory: Inventory) -> Hotel | None:
    """Return the hotel that is chosen; among cities of one name, the place on the map tells which."""
    place = (choice.hotel, choice.latitude, choice.longitude)
    for city in cities_meant(query):
        for chain in (True, False):
            for hotel in inventory.hotels(city.label, chain=chain):
                if (hotel.name, hotel.latitude, hotel.longitude) == place:
                    return hotel
    return None


def _rental(choice: RentalChoice, inventory: Inventory, *, today: date) -> Sale:
    query = CarQuery(
        city=choice.city,
        country=choice.country,
        subdivision=choice.subdivision,
        pick_up=choice.pick_up,
        drop_off=choice.drop_off,
        max_price=_limit_in(choice.currency),
    )
    check_car_query(query, today=today)
    for market in get_args(CarMarket):
        for city in cities_meant(query):
            for car in cars(city, market=market, seed=inventory.seed):
                offer = priced_car(car, query, market=market, today=today, seed=inventory.seed)
                if choice_of(offer) == choice:
                    of = [car.at_most for _ in places_of(choice, seed=inventory.seed)]
                    return Sale(offer, _claims(choice, 1, of=of, seed=inventory.seed), _subject(choice))
    raise NotOnSale(NOT_OFFERED)


def _claims(choice: Choice, count: int, *, of: Sequence[int], seed: int) -> tuple[Claim, ...]:
    places = places_of(choice, seed=seed)
    return tuple(Claim(item, day, count, there) for (item, day), there in zip(places, of, strict=True))


def _limit_in(currency: str) -> Money | None:
    """Return a price limit that asks for a currency, as a search would be given it."""
    return None if currency == HOME_CURRENCY else Money(amount=Decimal(0), currency=currency)


def _subject(choice: Choice) -> str:
    return fingerprint(encode_sorted(choice))
