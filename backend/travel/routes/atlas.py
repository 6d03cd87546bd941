"""Where the world's airports are, for maps: one by one, and as the dots that stand for land.

There is no coastline in it: people live, and so fly, nearly everywhere on land, so that the cells of a coarse
grid which have an airport show the continents well enough to find one's way. The figures are airportsdata's,
read when they are first asked for; the names of cities are those that the assistant uses itself.
"""

import asyncio
import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass

import airportsdata

from ..understanding.places.gazetteer import load_gazetteer

STEP_DEGREES = 1
"""The side of a cell. Cells of two degrees are too coarse for a map of one country, and smaller ones than
this leave holes between airports."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Atlas:
    """All airports by their codes, and the rows of land from south to north."""

    airports: dict[str, AirportView]
    land: tuple[LandRowView, ...]


async def open_atlas() -> Atlas:
    """Return the atlas; the first time it is read in a thread, which takes some 200 ms.

    May be cancelled: what was begun is then finished for the next one who asks.
    """
    return await asyncio.to_thread(_read_atlas)


@functools.cache
def _read_atlas() -> Atlas:
    known = load_gazetteer().codes
    rows = airportsdata.load("IATA")
    airports = {
        code: AirportView(
            code=code,
            name=row["name"],
            city=known[code].city.name if code in known else row["city"],
            country=row["country"],
            latitude=round(row["lat"], 4),
            longitude=round(row["lon"], 4),
        )
        for code, row in rows.items()
    }
    # Many more airports have no IATA code: they fill in the land between those that have one.
    everywhere = [*rows.values(), *airportsdata.load("ICAO").values()]
    return Atlas(airports=airports, land=tuple(_land((each["lat"], each["lon"]) for each in everywhere)))


def _land(points: Iterable[tuple[float, float]]) -> Iterable[LandRowView]:
    rows: dict[int, set[int]] = {}
    for latitude, longitude in points:
        rows.setdefault(_edge(latitude), set()).add(_edge(longitude))
    for latitude in sorted(rows):
        yield LandRowView(latitude=latitude, longitudes=tuple(sorted(rows[latitude])))


def _edge(degrees: float) -> int:
    return math.floor(degrees / STEP_DEGREES) * STEP_DEGREES
