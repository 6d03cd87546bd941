"""The HTTP calls about places: for maps, and while a name is typed.

They know nothing of users, and their answers may be kept.
"""

import asyncio
from datetime import date
from functools import cache, lru_cache
from typing import Annotated

from fastapi import Query, Request, Response

from ...http.routes.calls import CallRouter
from ...http.wire.bodies import NOT_CHANGED, kept_response
from ..understanding.places.gazetteer import complete_place, in_full, words_for
from ..understanding.result import Place, Understanding
from ..understanding.understand import understand
from . import travel_schemas
from .atlas import STEP_DEGREES, Atlas, open_atlas
from .travel_schemas import RECORDED_TRAVEL

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
        travel_schemas.AirportsAnswer,
        (422,),
        responses=NOT_CHANGED,
    )
    async def airports(codes: _Codes, request: Request) -> Response:
        """Tell where airports are; codes of none are left out."""
        atlas = await open_atlas()
        asked = dict.fromkeys(codes.upper().split(","))
        found = {code: atlas.airports[code] for code in asked if code in atlas.airports}
        return kept_response(travel_schemas.AirportsAnswer(airports=found), request=request, max_age_s=_DAY_S)

    @router.call(
        "GET /places", "Complete a place's name", travel_schemas.PlacesAnswer, (422,), responses=NOT_CHANGED
    )
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
        return kept_response(travel_schemas.PlacesAnswer(places=views), request=request, max_age_s=_DAY_S)

    @router.call("GET /land", "Get the land for the map", travel_schemas.LandAnswer, responses=NOT_CHANGED)
    async def land(request: Request) -> Response:
        """Tell the cells of a grid that have an airport: drawn as dots, they show the continents.

        Each row has the southern edge of its cells and the western edge of each, in degrees.
        """
        atlas = await open_atlas()
        content = travel_schemas.LandAnswer(step=STEP_DEGREES, rows=atlas.land)
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


def _place_view(place: Place, atlas: Atlas) -> travel_schemas.PlaceView:
    name = words_for(place)
    if name == place.airport and name in atlas.airports:
        title, area, codes = atlas.airports[name].name, in_full(place.city), [name]
    else:
        title, _, area = in_full(place.city).partition(", ")
        codes = list(place.city.airports)
    return {"name": name, "title": title, "area": area, "codes": codes}
