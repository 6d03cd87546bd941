"""The HTTP calls about places: where airports are, for maps, and names of places while they are typed.

They know nothing of users, and their answers may be kept. There is no coastline in them: people live, and so
fly, nearly everywhere on land, so that the cells of a coarse grid which have an airport show the continents
well enough to find one's way. The figures are airportsdata's, read when they are first asked for; the names
of cities are those that the assistant uses itself.
"""

import asyncio
import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from typing import Annotated

import airportsdata
from fastapi import Query, Request, Response

from ...http.routes.calls import CallRouter
from ...http.wire.bodies import NOT_CHANGED, kept_response
from ..understanding.places.gazetteer import complete_place, in_full, load_gazetteer, words_for
from ..understanding.result import Place, Understanding
from ..understanding.understand import understand
from .travel_schemas import (
    RECORDED_TRAVEL,
    AirportsAnswer,
    AirportView,
    LandAnswer,
    LandRowView,
    PlacesAnswer,
    PlaceView,
)

STEP_DEGREES = 1
"""The side of a cell. Cells of two degrees are too coarse for a map of one country, and smaller ones than
this leave holes between airports."""


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


# --- the calls -----------------------------------------------------------------------------------------


MOST_CODES = 50
MOST_PLACES = 8
_LONGEST_NAME = 60
_ANY_DAY = date(2026, 1, 1)
"""A place is read alike on every day; no clock is needed for it."""
_CODES = rf"^[A-Za-z]{{3}}(,[A-Za-z]{{3}}){{0,{MOST_CODES - 1}}}$"
_DAY_S = 24 * 60 * 60

_Codes = Annotated[
    str,
    Query(
        pattern=_CODES,
        description=f"IATA codes with commas between them, {MOST_CODES} at most",
        examples=[RECORDED_TRAVEL["AIRPORT_CODES"]],
    ),
]


def map_router() -> CallRouter:
    """Return the routes."""
    router = CallRouter("Travel")

    @router.call(
        "GET /airports",
        "Find airports by their codes",
        AirportsAnswer,
        (422,),
        responses=NOT_CHANGED,
    )
    async def airports(codes: _Codes, request: Request) -> Response:
        """Tell where airports are; codes of none are left out."""
        atlas = await open_atlas()
        asked = dict.fromkeys(codes.upper().split(","))
        found = {code: atlas.airports[code] for code in asked if code in atlas.airports}
        return kept_response(AirportsAnswer(airports=found), request=request, max_age_s=_DAY_S)

    @router.call("GET /places", "Complete a place's name", PlacesAnswer, (422,), responses=NOT_CHANGED)
    async def places(
        text: Annotated[
            str,
            Query(
                min_length=1,
                max_length=_LONGEST_NAME,
                description="The beginning of a name, or an IATA code",
                examples=[RECORDED_TRAVEL["PLACE_TEXT"]],
            ),
        ],
        request: Request,
    ) -> Response:
        """Tell up to eight places whose name begins so, the likeliest first; none where nobody knows any."""
        atlas = await open_atlas()
        # In a thread: up to 32 names are read for the first letters of one, 40 to 70 ms on a busy machine.
        found = await asyncio.to_thread(complete_place, text, most=MOST_PLACES, accepts=_is_read_as_itself)
        views = [_place_view(place, atlas) for place in found]
        return kept_response(PlacesAnswer(places=views), request=request, max_age_s=_DAY_S)

    @router.call("GET /land", "Get the land for the map", LandAnswer, responses=NOT_CHANGED)
    async def land(request: Request) -> Response:
        """Tell the cells of a grid that have an airport: drawn as dots, they show the continents.

        Each row has the southern edge of its cells and the western edge of each, in degrees.
        """
        atlas = await open_atlas()
        content = LandAnswer(step=STEP_DEGREES, rows=atlas.land)
        return kept_response(content, request=request, max_age_s=_DAY_S)

    return router


@cache
def _any_flight() -> Understanding:
    return understand("Flights from Reykjavik to Ushuaia", previous=None, today=_ANY_DAY)


@lru_cache(maxsize=4096)  # one reading takes about a millisecond, and the first letters of names recur
def _is_read_as_itself(place: Place) -> bool:
    """Return whether a message that names the place is understood so.

    The editor of a fact words its place so. Some names lead elsewhere: "Fort Worth, Texas" to Dallas.
    """
    name = words_for(place)
    after = understand(f"Go to {name} instead.", previous=_any_flight(), today=_ANY_DAY)
    read = after.flight.destination
    return read is not None and words_for(read) == name


def _place_view(place: Place, atlas: Atlas) -> PlaceView:
    name = words_for(place)
    if name == place.airport and name in atlas.airports:
        title, area, codes = atlas.airports[name].name, in_full(place.city), [name]
    else:
        title, _, area = in_full(place.city).partition(", ")
        codes = list(place.city.airports)
    return {"name": name, "title": title, "area": area, "codes": codes}
