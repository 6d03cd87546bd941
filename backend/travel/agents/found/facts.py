"""What an offer tells of what is asked about it, a sentence each."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ...understanding.found import AMENITIES, KINDS, FoundQuestion, Kind, Topic
from ...values.offers import Offer, fact, free_until, in_order, layovers, stops, told, ways
from . import wording

SHARED: frozenset[Topic] = frozenset({"bags", "refund", "change", "has", "stops", "mileage"})
"""What some offers have and others have not: of all of them it is counted."""

_HAVE: Mapping[str, str] = {
    "pool": "a pool", "gym": "a gym", "spa": "a spa", "restaurant": "a restaurant", "bar": "a bar",
    "kitchen": "a kitchen", "pets allowed": "room for pets",
}  # fmt: skip
_Holds = Callable[[Offer], bool]
_CONDITIONS: Mapping[str, tuple[str, _Holds]] = {
    "stops": ("are nonstop", lambda flight: not stops(flight)),
    "bags": ("include a checked bag", lambda each: fact(each, "checked_bags") > 0),
    "mileage": ("have unlimited mileage", lambda car: bool(fact(car, "unlimited_mileage"))),
    "change": ("can be changed", lambda flight: fact(flight, "changeable")),
    "refund": (
        "can be cancelled for a refund",
        lambda offer: bool(fact(offer, "refundable") if "slices" in offer else free_until(offer)),
    ),
}


def headline(offer: Offer) -> str:
    """Return the name of an offer with what it is compared by, and its price."""
    short = wording.in_short(offer)
    return f"{wording.name(offer)}{f' ({short})' if short else ''} for {wording.price(offer)}"


def condition(question: FoundQuestion, kind: Kind) -> tuple[str, _Holds | None]:
    """Return what offers are to have, in words for several, and what tells whether one has it, if any.

    That raises one of `UNTOLD` for an offer that does not tell.
    """
    wanted = question.wanted if question.topic in ("those_with", "has") else question.topic
    if wanted in _CONDITIONS:
        return _CONDITIONS[wanted]
    several = FoundQuestion(topic="has", wanted=wanted).all_wanted
    known = [each for each in several if each in AMENITIES] or several
    words = f"have {wording.listed([_HAVE.get(each, each) for each in known])}"
    if kind == "hotel" and AMENITIES.issuperset(known):
        return words, lambda hotel: set(known) <= set(fact(hotel, "amenities"))
    return words, None


def not_told(question: FoundQuestion, kind: Kind) -> str:
    """Return a sentence that names what hotels are to have and never tell, "" if they tell all or nothing."""
    wanted = question.all_wanted if kind == "hotel" else ()
    unknown = [each for each in wanted if each not in (*AMENITIES, *_CONDITIONS)]
    if not unknown or len(unknown) == len(wanted):
        return ""
    return f" The offers do not tell which have {wording.listed(unknown, 'or')}."


def telling(offers: Sequence[Offer], reader: Callable[[Offer], object] | None) -> tuple[list[Offer], str]:
    """Return the offers that tell what is read of them, and a sentence that counts the others."""
    those = [offer for offer in offers if told(reader, offer) is not None] if reader is not None else []
    others = len(offers) - len(those)
    return those, f" {others} more {'does' if others == 1 else 'do'} not tell." if others else ""


def denied(words: str) -> str:
    """Return that offers do not have what `condition` tells: "cannot be changed", "are not nonstop"."""
    first, _, rest = words.partition(" ")
    return {"are": f"are not {rest}", "can": f"cannot {rest}"}.get(first, f"do not {words}")


def singular(words: str) -> str:
    """Return what `condition` tells of several as it is told of one: "is nonstop", "has a pool"."""
    first, _, rest = words.partition(" ")
    return f"{ {'are': 'is', 'have': 'has', 'include': 'includes'}.get(first, first) } {rest}"


def of_all(offers: Sequence[Offer], question: FoundQuestion, kind: Kind) -> str:
    """Return how many of the offers have what is asked about, and whether the first does."""
    words, holds = condition(question, kind)
    offers, not_telling = telling(offers, holds)
    not_telling += not_told(question, kind)
    if holds is None or not offers:
        return f"The offers do not tell whether the {wording.plural(kind)} {words}."
    first, count = in_order(offers, "price")[0], sum(map(holds, offers))
    all_of_them = wording.counted(len(offers), kind)
    is_of_stops = question.topic == "stops" and not holds(first)
    of_first = f"the cheapest{wording.in_its_currency(first, offers)}"
    tells_stops = f" {sentence(question, first, of_first)}" if is_of_stops else ""
    if count in (0, len(offers)):
        return f"{'All' if count else 'None of the'} {all_of_them} {words}.{tells_stops}{not_telling}"
    does = "does" if not words.startswith(("are", "can")) else words.split()[0].replace("are", "is")
    verb = does if holds(first) else f"{does} not"
    best = in_order([offer for offer in offers if holds(offer)], "price")[0]
    others = ""
    if not holds(first):
        of_them = wording.in_its_currency(best, [offer for offer in offers if holds(offer)])
        others = f"; the cheapest of them{of_them} is {wording.name(best)} for {wording.price(best)}"
    cheapest = tells_stops or f" {of_first[:1].upper()}{of_first[1:]}, {wording.name(first)}, {verb}."
    return f"{count} of the {all_of_them} {words}{others}.{cheapest}{not_telling}"


def sentence(question: FoundQuestion, offer: Offer, subject: str) -> str:
    """Return what an offer tells of what is asked, or that it does not tell that."""
    topic, kind = question.topic, wording.kind_of(offer)
    if kind not in _TOLD_OF.get(topic, KINDS) or not any(topic in some for some in _TELLERS):
        return f"The offers of {wording.plural(kind)} do not tell that."
    words = told(lambda each: _told(question, each), offer)
    return wording.sentence(subject, offer, words or "does not tell that in its offer")


def _told(question: FoundQuestion, offer: Offer) -> str:
    if question.topic in _OF_AN_OFFER:
        return _OF_AN_OFFER[question.topic](offer)
    if question.topic in _AS_ASKED:
        return _AS_ASKED[question.topic](question, offer)
    begun, teller = _OF_A_WAY[question.topic]
    return f"{begun}{_each_way(question, offer, teller)}"


def _ways(question: FoundQuestion, flight: Offer) -> list[tuple[str, Any]]:
    """The directions that are asked about, each with the words for it: all, unless one is told."""
    named = list(zip(("out", "back"), ways(flight), strict=False))
    asked = [(way, each) for way, each in named if question.way in (None, way)]
    if len(asked) == 1 and len(named) == 1:
        return [("", asked[0][1])]
    return [({"out": "on the way out", "back": "on the way back"}[way], each) for way, each in asked]


def _each_way(question: FoundQuestion, flight: Offer, teller: Callable[[Any], str]) -> str:
    asked = _ways(question, flight)
    if not asked:
        return "is a one-way flight, with no way back"
    return wording.listed([f"{teller(way)} {label}".strip() for label, way in asked])


def _layover(question: FoundQuestion, flight: Offer) -> str:
    asked = _ways(question, flight)
    if asked and not any(layovers(way) for _, way in asked):
        return "is nonstop, so there is no layover"
    return _each_way(question, flight, _waits)


def _waits(way: Any) -> str:
    waits = layovers(way)
    if not waits:
        return "is nonstop"
    return f"has {wording.listed([f'a layover of {wording.span(wait)} in {where}' for where, wait in waits])}"


def _stops(way: Any) -> str:
    return f"has {wording.ways_with_stops(way)}" if layovers(way) else "is nonstop"


def _duration(way: Any) -> str:
    return f"takes {wording.span(way['duration_minutes'])} ({wording.ways_with_stops(way)})"


def _departure(way: Any) -> str:
    first = way["segments"][0]
    leaves = f"{wording.clock(first['departs_at'])} on {wording.day(first['departs_at'])}"
    return f"leaves {fact(first, 'origin')} at {leaves} and lands at {wording.landing(way)}"


def _arrival(way: Any) -> str:
    return f"lands at {wording.landing(way)} on {wording.day(way['segments'][-1]['arrives_at'])}"


def _carriers(way: Any) -> str:
    return wording.listed([f"{fact(leg, 'carrier_name')} {fact(leg, 'number')}" for leg in way["segments"]])


def _aircraft(way: Any) -> str:
    return wording.listed([f"a {fact(leg, 'aircraft')} ({fact(leg, 'number')})" for leg in way["segments"]])


def _cabin(flight: Offer) -> str:
    return f"is in {fact(flight, 'cabin_class').replace('_', ' ')}"


def _bags(flight: Offer) -> str:
    if "pick_up" in flight:
        return f"has {fact(flight, 'seats')} seats and {wording.bags_of_a_car(flight)}"
    return f"includes {wording.bags(flight)}; the offer does not tell of cabin bags"


def _refund(offer: Offer) -> str:
    if "slices" in offer:
        may = "can be changed" if fact(offer, "changeable") else "cannot be changed"
        return f"is {wording.conditions(offer)}, and {may}"
    return f"is {wording.conditions(offer)}"


def _has(question: FoundQuestion, offer: Offer) -> str:
    several = [each for each in question.all_wanted if each in AMENITIES and "slices" not in offer]
    unknown = [_HAVE.get(each, each) for each in question.all_wanted if each not in several]
    untold = f"does not tell in its offer whether there is {wording.listed(unknown, 'or')}" if unknown else ""
    if not several:
        return untold
    amenities = fact(offer, "amenities")
    had = wording.listed([_HAVE.get(each, each) for each in several if each in amenities])
    lacking = [_HAVE.get(each, each).removeprefix("a ") for each in several if each not in amenities]
    lists_any = f"; it lists {wording.listed(list(amenities))}" if amenities and lacking else ""
    lacks = f"lists no {' and no '.join(lacking)}" if lacking else ""
    known = ", but ".join(filter(None, [f"has {had}" if had else "", lacks]))
    return f"{known}{lists_any}{f', and {untold}' if untold else ''}"


def _distance(question: FoundQuestion, hotel: Offer) -> str:
    words = f"is {fact(hotel, 'distance_km')} km from the centre, in {fact(hotel, 'district')}"
    where = question.wanted if question.wanted[:1].isupper() else f"the {question.wanted}"
    return f"{words}; its offer does not tell how far {where} is" if question.wanted else words


def _rating(hotel: Offer) -> str:
    return f"is rated {fact(hotel, 'score')} of 10 by guests, and has {fact(hotel, 'stars')} stars"


def _place(hotel: Offer) -> str:
    district, city, km = (fact(hotel, name) for name in ("district", "city", "distance_km"))
    where = f"{district}, {city}, {km} km from the centre"
    return f"is in {where}; its offer tells no address"


def _price(question: FoundQuestion, offer: Offer) -> str:
    kind = wording.kind_of(offer)
    people = 1 if kind == "car" else fact(offer, "passengers" if kind == "flight" else "guests")
    who = f" for {people} people" if people > 1 else ""
    when = "" if kind == "flight" else f" {_nights(offer)}"
    untold = f"; its offer tells nothing about {question.wanted}" if question.wanted else ""
    return f"costs {wording.price(offer)} in all{who}{when}{untold}"


def _nights(hotel: Offer) -> str:
    if "pick_up" in hotel:
        return f"from {wording.day(hotel['pick_up'])} to {wording.day(hotel['drop_off'])}"
    return f"from {wording.day(hotel['check_in'])} to {wording.day(hotel['check_out'])}"


def _dates(offer: Offer) -> str:
    if "slices" in offer:
        days = [wording.day(way["segments"][0]["departs_at"]) for way in ways(offer)]
        return f"leaves on {' and returns on '.join(days)}"
    return f"is {_nights(offer)}"


def _details(question: FoundQuestion, offer: Offer) -> str:
    terms = [
        *wording.all_told(offer, lambda each: f"is {wording.conditions(each)}"),
        f"costs {wording.price(offer)}",
    ]
    if "slices" in offer:
        takes = wording.all_told(
            offer,
            lambda each: f"takes {wording.takes(each)} ({wording.stops_in_short(each)})",
            lambda each: f"includes {wording.bags(each)}",
        )
        hours = told(lambda each: _each_way(question, each, _departure), offer) or "does not tell its hours"
        return f"{hours}. It {_in_turn([*takes, *terms])}"
    if "pick_up" in offer:
        car = wording.all_told(offer, _gearbox, _bags, _mileage)
        where = told(_station, offer) or "does not tell where it is picked up"
        return f"{where}. It {_in_turn([*car, *terms])}"
    lists = wording.all_told(offer, lambda each: f"lists {_amenities(each)}")
    where = told(lambda each: f"is in {fact(each, 'district')}", offer) or "does not tell where it is"
    short = wording.in_short(offer)
    return f"{where}{f': {short}' if short else ''}. It {_in_turn([*lists, *terms])}"


def _gearbox(car: Offer) -> str:
    return f"is {fact(car, 'transmission')}, of the class {fact(car, 'car_class').replace('_', ' ')}"


def _mileage(car: Offer) -> str:
    return "has unlimited mileage" if fact(car, "unlimited_mileage") else "has limited mileage"


def _station(car: Offer) -> str:
    where = "at the airport" if fact(car, "station") == "airport" else "in the centre"
    return f"is picked up and returned {where} of {fact(car, 'city')}"


def _amenities(hotel: Offer) -> str:
    return wording.listed(list(fact(hotel, "amenities"))) or "no amenities"


def _in_turn(parts: Sequence[str]) -> str:
    """Return "a", or "a, b, and c"."""
    return ", and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


_OF_A_WAY: Mapping[Topic, tuple[str, Callable[[Any], str]]] = {
    "stops": ("", _stops), "duration": ("", _duration), "departure": ("", _departure),
    "arrival": ("", _arrival), "carrier": ("is operated as ", _carriers),
    "aircraft": ("is flown with ", _aircraft),
}  # fmt: skip
"""What each direction that is asked about tells, and what leads to that."""
_OF_AN_OFFER: Mapping[Topic, Callable[[Offer], str]] = {
    "cabin": _cabin, "bags": _bags, "seats": _bags, "refund": _refund, "change": _refund, "rating": _rating,
    "stars": _rating, "place": _place, "dates": _dates, "mileage": _mileage, "gearbox": _gearbox,
    "station": _station,
}  # fmt: skip
_AS_ASKED: Mapping[Topic, Callable[[FoundQuestion, Offer], str]] = {
    "layover": _layover, "has": _has, "distance": _distance, "price": _price, "total": _price,
    "details": _details,
}  # fmt: skip
_TELLERS = (_OF_A_WAY, _OF_AN_OFFER, _AS_ASKED)
_TOLD_OF: Mapping[Topic, Collection[Kind]] = {
    **dict.fromkeys(
        ("layover", "stops", "duration", "departure", "arrival", "carrier", "aircraft", "cabin", "change"),
        ("flight",),
    ),
    "bags": ("flight", "car"),
    **dict.fromkeys(("distance", "rating", "stars", "place"), ("hotel",)),
    **dict.fromkeys(("seats", "mileage", "gearbox", "station"), ("car",)),
    "has": ("flight", "hotel"),
}
