"""Which of the offers that were found a question is about, and how the answer calls them."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...understanding.english.bookings.offers import ORDINALS
from ...understanding.found import Kind, Which
from ...values.offers import Offer, in_order
from ..choosing import is_called
from .found_offers import Found
from .orders_in_words import superlative
from .pointing import pointed_at
from .wording import counted, in_its_currency, noun

_ORDINALS = {number: word for word, number in ORDINALS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """The offers that a question is about, and the words for each; `is_named` unless nothing told which."""

    offers: Sequence[Offer]
    subjects: Sequence[str]
    is_named: bool = True


def meant(found: Found, agent: Kind, which: Which) -> Meant | str:
    """Return the offers that are meant, or a sentence that says why there are none.

    Without a word for them that is the one spoken of last, else the cheapest, which a search's reply names.
    """
    shown = found.of(agent)
    special = pointed_at(shown, which, agent, found.spoken)
    if special is not None:
        return special if isinstance(special, str) else Meant(offers=[special[0]], subjects=[special[1]])
    if which.name:
        named = [offer for offer in shown if is_called(offer, which.name)]
        if not named:
            kind = "is with" if agent == "flight" else "is called"
            return f"None of the {counted(len(shown), agent)} {kind} {which.name}."
        called = f"the flight of {which.name}" if agent == "flight" else which.name
        return Meant(offers=named[:1], subjects=[called])
    if which.numbers:
        if which.by is not None:
            shown = in_order(shown, which.by, descending=which.descending)
        beyond = [number for number in which.numbers if not 0 < number <= len(shown)]
        if beyond:
            return f"There is no number {beyond[0]}: there {_are(len(shown), agent)}."
        return Meant(
            offers=[shown[number - 1] for number in which.numbers],
            subjects=[_called(number, which) for number in which.numbers],
        )
    if which.by is not None:
        best = in_order(shown, which.by, descending=which.descending)[0]
        subject = superlative(which.by, descending=which.descending)
        return Meant(offers=[best], subjects=[f"the {subject}{in_its_currency(best, shown, which.by)}"])
    ids = found.spoken.offer_ids.get(agent, ())
    spoken = [offer for offer in shown if offer["offer_id"] in ids]
    if spoken and not which.is_all:
        return Meant(offers=spoken, subjects=["" for _ in spoken])
    cheapest = in_order(shown, "price")[0]
    return Meant(
        offers=[cheapest], subjects=[f"the cheapest{in_its_currency(cheapest, shown)}"], is_named=False
    )


def _are(count: int, agent: str) -> str:
    return f"is only one {noun(agent)}" if count == 1 else f"are only {counted(count, agent)}"


def _called(number: int, which: Which) -> str:
    """How one is called: by its number in the list, or in the order that was asked for."""
    if which.by is None:
        return f"number {number}"
    order = superlative(which.by, descending=which.descending)
    return f"the {order}" if number == 1 else f"the {_ORDINALS[number]} {order}"
