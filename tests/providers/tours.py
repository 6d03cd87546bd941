"""Tours between cities of the demo inventory, and the search's answer by hand: every order, day and stay."""

from datetime import date, timedelta
from itertools import permutations, product

from backend.travel.values.cities import CITIES
from backend.travel.values.tour import Stop, Tour, TourCity

BY_LABEL = {city.label: city for city in CITIES}


def tour_city(label):
    city = BY_LABEL[label]
    return TourCity(name=city.name, country=city.country, airports=city.airports)


def a_tour(*labels, start=None, nights=(1, 2), days=9, earliest=date(2027, 5, 1), returns=True, passengers=1):
    return Tour(
        start=tour_city(start) if start else None,
        stops=tuple(
            Stop(city=tour_city(label), least_nights=nights[0], most_nights=nights[1]) for label in labels
        ),
        earliest=earliest,
        latest=earliest + timedelta(days=days),
        returns=returns,
        passengers=passengers,
    )


def cheapest_by_hand(tour, fares):
    """Return the least cents of all ways to make a tour, or None; tries every one of them."""
    count = len(tour.stops)
    first, last = tour.earliest.toordinal(), tour.latest.toordinal()
    nights = [range(stop.least_nights, stop.most_nights + 1) for stop in tour.stops]

    def costs(origin, day, ahead, stays):
        """Yield what every way to fly on from `origin` on a day costs; `stays` are nights by stop."""
        if not ahead:
            yield 0
            return
        if day > last:
            return
        for hop in fares.hops(origin, ahead[0], day):
            if hop.arrives > last:
                continue
            stay = stays.get(ahead[0], 0) if len(ahead) > 1 or not tour.returns else 0
            if len(ahead) == 1 and hop.arrives + stay > last:
                continue
            for rest in costs(ahead[0], hop.arrives + stay, ahead[1:], stays):
                yield hop.cents + rest

    found = []
    for order in permutations(range(count)):
        start = count if tour.start else order[0]
        ahead = list(order) if tour.start else list(order[1:])
        if tour.returns:
            ahead.append(start)
        for chosen in product(*nights):
            stays = dict(enumerate(chosen))
            for begins in range(first, last + 1):
                day = begins if tour.start else begins + stays[order[0]]
                found.extend(costs(start, day, ahead, stays))
    return min(found, default=None)
