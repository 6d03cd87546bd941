"""What the calls about airports, fares and bookings answer, as pydantic models for the OpenAPI document."""

from typing import Any, Literal

from pydantic import ConfigDict

from ...serving.wire.schemas import Output
from . import recorded_examples


class AirportView(Output):
    """An airport: `country` is ISO 3166 alpha-2; degrees, north and east positive."""

    code: str
    name: str
    city: str
    country: str
    latitude: float
    longitude: float


class AirportsAnswer(Output):
    """The airports that are known, by their codes."""

    model_config = ConfigDict(json_schema_extra={"examples": [recorded_examples.AIRPORTS_ANSWER]})

    airports: dict[str, AirportView]


class LandRowView(Output):
    """The cells of one row that have an airport: their southern edge, and the western edge of each."""

    latitude: int
    longitudes: list[int]


class LandAnswer(Output):
    """A grid of cells with sides of `step` degrees: the rows that have any, from south to north."""

    model_config = ConfigDict(json_schema_extra={"examples": [recorded_examples.LAND_ANSWER]})

    step: int
    rows: list[LandRowView]


class MoneyView(Output):
    """An amount as a decimal number, of a currency (ISO 4217)."""

    amount: str
    currency: str


class DayFareView(Output):
    """A day of departure and the least that the whole journey costs then; null where nothing is found."""

    date: str
    price_total: MoneyView | None


class FaresAnswer(Output):
    """The days on which flights are sold, in order."""

    model_config = ConfigDict(json_schema_extra={"examples": [recorded_examples.FARES_ANSWER]})

    days: list[DayFareView]


class BookingView(Output):
    """What is held or booked: `kind` is "hold" as long as it is only held, and after it has expired.

    `expires_at` is when a hold ends, null for all else; `refund` what a cancellation has given back; `demo`
    tells that nothing was really bought. `offer` is what was booked, as it stood among the results.
    """

    reference: str
    kind: Literal["flight", "hotel", "hold"]
    title: str
    state: Literal["held", "booked", "cancelled", "expired"]
    price_total: MoneyView
    expires_at: str | None
    cancellable: bool
    refund_rule: str
    refund: MoneyView | None
    travellers: list[str]
    made_at: str
    provider: str
    demo: bool
    offer: dict[str, Any]


class BookingsAnswer(Output):
    """What a user holds, has booked and has cancelled, the latest first; 100 at most."""

    model_config = ConfigDict(json_schema_extra={"examples": [recorded_examples.BOOKINGS_ANSWER]})

    bookings: list[BookingView]
