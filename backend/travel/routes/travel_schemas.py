"""What the calls about airports, fares and bookings answer: the shapes, and how a value of money is shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from typing_extensions import TypedDict

from ...domain.task import TaskStatus
from ...http.wire.examples import read_examples
from ..values.booking import BookingState
from ..values.travel import Money

RECORDED_TRAVEL = read_examples(__package__, "recorded_answers.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class AirportView:
    """An airport: `country` is ISO 3166 alpha-2; degrees, north and east positive.

    `code` is its IATA code; `city` is "" where none is known.
    """

    code: str
    name: str
    city: str
    country: str
    latitude: float
    longitude: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LandRowView:
    """The cells of one row that have an airport: their southern edge, and the western edge of each."""

    latitude: int
    longitudes: tuple[int, ...]


class AirportsAnswer(TypedDict):
    """The airports that are known, by their codes."""

    airports: Mapping[str, AirportView]


class PlaceView(TypedDict):
    """A place: `name` is what names it, and no other, in a message: "Lisbon, Portugal", "LHR".

    `title` and `area` are what to show of it; `codes` are its airports' IATA codes, most used first.
    """

    name: str
    title: str
    area: str
    codes: Sequence[str]


class PlacesAnswer(TypedDict):
    """The places whose name begins with a text, the likeliest first."""

    places: Sequence[PlaceView]


class LandAnswer(TypedDict):
    """A grid of cells with sides of `step` degrees: the rows that have any, from south to north."""

    step: int
    rows: Sequence[LandRowView]


class MoneyView(TypedDict):
    """An amount as a decimal number, of a currency (ISO 4217)."""

    amount: str
    currency: str


def money_view(money: Money) -> MoneyView:
    """Return an amount's form in an answer."""
    return {"amount": format(money.amount, "f"), "currency": money.currency}


class DayFareView(TypedDict):
    """A day of departure and the least that the whole journey costs then; null where nothing is found."""

    date: str
    price_total: MoneyView | None


class FaresAnswer(TypedDict):
    """The days on which flights are sold, in order."""

    days: Sequence[DayFareView]


class BookingView(TypedDict):
    """What is held or booked: `kind` is "hold" as long as it is only held, and after it has expired.

    `expires_at` is when a hold ends, null for all else; `refund` what a cancellation has given back; `demo`
    tells that nothing was really bought. `offer` is what was booked, as it stood among the results.
    """

    reference: str
    kind: Literal["flight", "hotel", "car", "hold"]
    title: str
    state: BookingState
    price_total: MoneyView
    expires_at: str | None
    cancellable: bool
    refund_rule: str
    refund: MoneyView | None
    travellers: Sequence[str]
    made_at: str
    provider: str
    demo: bool
    offer: Mapping[str, Any]


class BookingsAnswer(TypedDict):
    """What a user holds, has booked and has cancelled, the latest first; 100 at most."""

    bookings: Sequence[BookingView]


class KeptRequestView(TypedDict):
    """A request whose offers are kept: `title` is its name, `found_at` when the oldest were found.

    `from_task_id` is the task whose request it goes on from, or goes back to, and `relation` how it does.
    By agent, `partial_results` counts the offers, `cheapest` is the least that one costs in all,
    which is left out where prices are of several currencies, and `requests` tells what was searched for, as
    `agent_update` does.
    """

    task_id: str
    title: str
    message: str
    status: TaskStatus
    relation: str | None
    from_task_id: str | None
    found_at: str
    partial_results: Mapping[str, int]
    cheapest: Mapping[str, MoneyView]
    requests: Mapping[str, Mapping[str, Any]]


class KeptRequestsAnswer(TypedDict):
    """The requests of a user for which offers are kept, the latest first."""

    user_id: str
    requests: Sequence[KeptRequestView]


class KeptOffersAnswer(KeptRequestView):
    """A request with the `offers` that are kept for it, by agent, in the order in which they were found."""

    offers: Mapping[str, Sequence[Any]]
