"""What narrows hotels: stars, scores, parts of the city, distance, amenities, names, conditions, prices."""

from collections.abc import Mapping, Sequence
from typing import Any

from .filters import (
    CANCELLED_FREE,
    PRICE_IN_ALL,
    Filter,
    at_least,
    at_most,
    costs_at_most,
    leaves_out,
    plain,
)
from .offer_facts import Offer

AMENITIES: Mapping[str, str] = {
    **{
        name: name
        for name in ("wifi", "breakfast", "pool", "parking", "gym", "spa", "kitchen", "restaurant", "bar")
    },
    "air_conditioning": "air conditioning",
    "pets": "pets allowed",
    "step_free": "step-free access",
}
"""Amenities as requests name them, with their names in offers."""


def _distance(offer: Offer) -> float:
    return offer["distance_km"]


def _has_all(offer: Offer, amenities: Sequence[str]) -> bool:
    return all(AMENITIES.get(name, name) in offer["amenities"] for name in amenities)


def _is_called(offer: Offer, name: str) -> bool:
    """Whether all words of a name are in that of a hotel, but for the article and the kind of house."""
    words = set(plain(name).split()) - {"the", "hotel"} or set(plain(name).split())
    return words <= set(plain(offer["name"]).split())


def _stars(offer: Offer) -> int:
    return offer["stars"]


def _score(offer: Offer) -> float:
    return offer["score"]


PRICE_OF_A_NIGHT = costs_at_most("price_per_night")
AT_LEAST_STARS = at_least(_stars)
AT_LEAST_SCORE = at_least(_score)
IN_DISTRICT: Filter[str] = Filter(
    lambda offer, district: plain(offer["district"]) == plain(district),
    lambda district, other: other is None or plain(district) == plain(other),
)
NOT_IN_DISTRICTS: Filter[Sequence[str]] = leaves_out(
    lambda offer, districts: plain(offer["district"]) in map(plain, districts)
)
WITHIN_KILOMETRES = at_most(_distance)
HAS_AMENITIES: Filter[Sequence[str]] = Filter(
    _has_all, lambda limit, other: other is None or set(other) <= set(limit)
)
CALLED: Filter[str] = Filter(_is_called, lambda name, other: other is None or plain(name) == plain(other))
NOT_CALLED: Filter[Sequence[str]] = leaves_out(
    lambda offer, names: any(_is_called(offer, name) for name in names)
)

HOTEL_LIMITS: Mapping[str, Filter[Any]] = {
    "district": IN_DISTRICT,
    "stars": AT_LEAST_STARS,
    "max_price": PRICE_OF_A_NIGHT,
    "max_total": PRICE_IN_ALL,
    "name": CALLED,
    "not_names": NOT_CALLED,
    "min_score": AT_LEAST_SCORE,
    "amenities": HAS_AMENITIES,
    "not_districts": NOT_IN_DISTRICTS,
    "max_km": WITHIN_KILOMETRES,
    "free_cancellation": CANCELLED_FREE,
}
"""The limits of a `HotelQuery` by its fields."""
