"""The HTTP calls that a map is drawn from: they know nothing of users, and their answers may be kept."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from ...serving.wire.caching import NOT_CHANGED, kept_response
from ...serving.wire.output import errors_for
from . import recorded_examples, travel_schemas
from .atlas import STEP_DEGREES, open_atlas

MOST_CODES = 50
_CODES = rf"^[A-Za-z]{{3}}(,[A-Za-z]{{3}}){{0,{MOST_CODES - 1}}}$"
_DAY_S = 24 * 60 * 60

_Codes = Annotated[
    str,
    Query(
        pattern=_CODES,
        description=f"IATA codes with commas between them, {MOST_CODES} at most",
        examples=[recorded_examples.AIRPORT_CODES],
    ),
]


def map_router() -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["Travel"])

    @router.get(
        "/airports",
        summary="Find airports by their codes",
        response_model=travel_schemas.AirportsAnswer,
        responses=errors_for(422) | NOT_CHANGED,
    )
    async def airports(codes: _Codes, request: Request) -> Response:
        """Tell where airports are; codes of none are left out."""
        atlas = await open_atlas()
        asked = dict.fromkeys(codes.upper().split(","))
        found = {code: atlas.airports[code] for code in asked if code in atlas.airports}
        return kept_response(travel_schemas.AirportsAnswer(airports=found), request=request, max_age_s=_DAY_S)

    @router.get(
        "/land",
        summary="Get the land for the map",
        response_model=travel_schemas.LandAnswer,
        responses=NOT_CHANGED,
    )
    async def land(request: Request) -> Response:
        """Tell the cells of a grid that have an airport: drawn as dots, they show the continents.

        Each row has the southern edge of its cells and the western edge of each, in degrees.
        """
        atlas = await open_atlas()
        content = travel_schemas.LandAnswer(step=STEP_DEGREES, rows=atlas.land)
        return kept_response(content, request=request, max_age_s=_DAY_S)

    return router
