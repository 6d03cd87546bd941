"""Offers of all kinds as lines, and the best few of many. Times are local to their airport."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any, cast

Offer = Mapping[str, Any]
_NO_PRICE = (True, "", Decimal(0))
NO_OFFER = (AttributeError, KeyError, TypeError, ValueError, IndexError)
"""What reading a part of an offer raises where another graph has found something else."""


def best(offers: Iterable[Offer], count: int) -> list[Offer]:
    """Return the cheapest, cheapest first. What has no price comes last, in its order.

    Prices of two currencies cannot be compared: those of each stand together, as on the page.
    """
    return sorted(offers, key=_price)[:count]


def offer_line(offer: Any) -> str:
    """Return an offer in a line: "403.09 EUR  Larch Demo, Thu 10 Dec BER 16:35 to KIX 13:25 +1, 1 stop".

    Whatever is none, as another graph may find anything, is told field by field.
    """
    try:
        return f"{money(offer['price_total'])}  {_what(offer)}"
    except NO_OFFER:
        pass
    if isinstance(offer, dict):
        fields = cast(dict[str, Any], offer)
        return ", ".join(f"{name}: {value}" for name, value in fields.items())
    return str(offer)


def _what(offer: Offer) -> str:
    if "slices" in offer:
        return f"{carriers(offer)}, {'; '.join(slice_words(one) for one in offer['slices'])}"
    if "legs" in offer:
        days = f"{day(offer['first_day'])} to {day(offer['last_day'])}"
        return f"{_route(offer)}, {len(offer['legs'])} flights, {days}"
    if "pick_up" in offer:
        each = f"{money(offer['price_per_day'])} a day"
        return f"{offer['model']}, {offer['supplier']}, {car_words(offer)}, {each}"
    stay = f"{day(offer['check_in'])} to {day(offer['check_out'])}"
    stars, place = f"{offer['stars']} stars", offer.get("district") or offer["city"]
    return f"{offer['name']}, {stars}, {place}, {stay}, {money(offer['price_per_night'])} a night"


def car_words(offer: Offer) -> str:
    """Return what a rental car is: "compact, automatic, at the airport, Thu 10 Dec to Tue 15 Dec"."""
    where = "at the airport" if offer["station"] == "airport" else f"in the {offer['station']}"
    days = f"{day(offer['pick_up'])} to {day(offer['drop_off'])}"
    return f"{offer['car_class']}, {offer['transmission']}, {where}, {days}"


def slice_words(one: Mapping[str, Any]) -> str:
    """Return one direction of a flight: "Thu 10 Dec BER 16:35 to KIX 13:25 +1, 12 h 50, 1 stop"."""
    segments: Sequence[Mapping[str, Any]] = one["segments"]
    first, last = segments[0], segments[-1]
    leaves, arrives = str(first["departs_at"]), str(last["arrives_at"])
    later = (date.fromisoformat(arrives[:10]) - date.fromisoformat(leaves[:10])).days
    shift = f" {later:+d}" if later else ""
    hours, minutes = divmod(int(one["duration_minutes"]), 60)
    stops = len(segments) - 1
    via = "direct" if not stops else "1 stop" if stops == 1 else f"{stops} stops"
    ways = f"{first['origin']} {leaves[11:16]} to {last['destination']} {arrives[11:16]}{shift}"
    return f"{day(leaves)} {ways}, {hours} h {minutes:02d}, {via}"


def money(value: Mapping[str, Any]) -> str:
    """Return "403.09 EUR"."""
    return f"{value['amount']} {value['currency']}"


def carriers(offer: Offer) -> str:
    """Return who flies, each once: "Larch Demo, Alder Demo"."""
    segments = [segment for one in offer["slices"] for segment in one["segments"]]
    return ", ".join(dict.fromkeys(str(each.get("carrier_name") or each["carrier"]) for each in segments))


def _route(offer: Offer) -> str:
    cities = [*filter(None, [offer.get("start")]), *offer["order"]]
    return " - ".join([*cities, *(cities[:1] if offer.get("returns") else [])])


def day(iso: str) -> str:
    """Return a date, or the day of a time, as "Thu 10 Dec"."""
    on = date.fromisoformat(iso[:10])
    return f"{on:%a} {on.day} {on:%b}"


def _price(offer: Any) -> tuple[bool, str, Decimal]:
    try:
        amount, currency = Decimal(offer["price_total"]["amount"]), str(offer["price_total"].get("currency"))
    except (AttributeError, KeyError, TypeError, ValueError, InvalidOperation):
        return _NO_PRICE
    return (False, currency, amount) if amount.is_finite() else _NO_PRICE
