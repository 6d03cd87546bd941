"""Tours between cities of the demo inventory, and the search's answer by hand: every order, day and stay."""

from datetime import date, timedelta
from itertools import permutations, product

from backend.travel.values.places import CITIES
from backend.travel.values.travel import Stop, Tour, TourCity

BY_LABEL = {city.label: city for city in CITIES}


def tour_city(label):
    city = BY_LABEL[label]
    return TourCity(name=city.name, country=city.country, airports=city.airports)


def a_tour(
    *labels,
    start=None,
    nights=(1, 2),
    days=9,
    earliest=date(2027, 5, 1),
    returns=True,
    passengers=1,
    ordered=False,
    begins=None,
    on=None,
    is_left_then=False,
):
    """A tour of the demo's cities; `begins` is in days after the earliest, and so are those `on` by label."""
    told = on or {}
    return Tour(
        start=tour_city(start) if start else None,
        stops=tuple(
            Stop(
                city=tour_city(label),
                least_nights=nights[0],
                most_nights=nights[1],
                on=earliest + timedelta(days=told[label]) if label in told else None,
                is_left_then=is_left_then and label in told,
            )
            for label in labels
        ),
        earliest=earliest,
        latest=earliest + timedelta(days=days),
        returns=returns,
        passengers=passengers,
        ordered=ordered,
        begins=None if begins is None else earliest + timedelta(days=begins),
    )


def keeps_its_day(stop, arrives, leaves):
    on = stop.on.toordinal() if stop.on else arrives
    return leaves == on if stop.is_left_then else arrives <= on <= leaves


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
        is_home = len(ahead) == 1 and tour.returns
        stay = 0 if is_home else stays[ahead[0]]
        for hop in fares.hops(origin, ahead[0], day) if day <= last else ():
            leaves = hop.arrives + stay
            if hop.arrives > last or (
                not is_home and not keeps_its_day(tour.stops[ahead[0]], hop.arrives, leaves)
            ):
                continue
            if len(ahead) == 1 and leaves > last:
                continue
            for rest in costs(ahead[0], leaves, ahead[1:], stays):
                yield hop.cents + rest

    begins_on = [tour.begins.toordinal()] if tour.begins else range(first, last + 1)
    orders = [tuple(range(count))] if tour.ordered else permutations(range(count))
    found = []
    for order in orders:
        start = count if tour.start else order[0]
        ahead = list(order) if tour.start else list(order[1:])
        if tour.returns:
            ahead.append(start)
        for stays in (dict(enumerate(chosen)) for chosen in product(*nights)):
            for begins in begins_on:
                day = begins if tour.start else begins + stays[order[0]]
                if not tour.start and not keeps_its_day(tour.stops[order[0]], begins, day):
                    continue
                found.extend(costs(start, day, ahead, stays))
    return min(found, default=None)
