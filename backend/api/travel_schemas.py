"""What the calls about airports and fares answer, as pydantic models for the OpenAPI document."""

from pydantic import ConfigDict

from backend.api import examples
from backend.api.schemas import Output


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

    model_config = ConfigDict(json_schema_extra={"examples": [examples.AIRPORTS_ANSWER]})

    airports: dict[str, AirportView]


class LandRowView(Output):
    """The cells of one row that have an airport: their southern edge, and the western edge of each."""

    latitude: int
    longitudes: list[int]


class LandAnswer(Output):
    """A grid of cells with sides of `step` degrees: the rows that have any, from south to north."""

    model_config = ConfigDict(json_schema_extra={"examples": [examples.LAND_ANSWER]})

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

    model_config = ConfigDict(json_schema_extra={"examples": [examples.FARES_ANSWER]})

    days: list[DayFareView]
