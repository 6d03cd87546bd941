"""`GET` and `PUT` of who travels with a user, as sellers want to know it; an empty list forgets them.

These calls are the only way in and out: nothing of it is in a conversation, an event or an export of one.
"""

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any, Literal, NotRequired

from fastapi import Request, Response
from pydantic import BaseModel, ConfigDict, Field, FutureDate, PastDate
from typing_extensions import TypedDict

from ...http.routes.calls import CallRouter
from ...http.wire.bodies import UserIdInPath, json_response, read_body
from ..providers.travellers import MOST_TRAVELLERS, Passport, Traveller, Travellers
from .travel_schemas import RECORDED_TRAVEL

_Name = Annotated[str, Field(pattern=r"^[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ '.-]{0,19}$")]


class PassportBody(BaseModel):
    """The passport of a person."""

    model_config = ConfigDict(extra="forbid")

    number: str = Field(pattern=r"^[A-Z0-9]{5,20}$")
    country: str = Field(pattern=r"^[A-Z]{2}$", description="That issued it, by ISO 3166: DE")
    expires_on: FutureDate


class TravellerBody(BaseModel):
    """One person, named as in the passport; airlines take 20 Latin letters of each name at most."""

    model_config = ConfigDict(extra="forbid")

    title: Literal["mr", "ms", "mrs", "miss", "dr"]
    given_name: _Name
    family_name: _Name
    gender: Literal["m", "f"]
    born_on: PastDate
    email: str = Field(pattern=r"^[^@\s]{1,64}@[^@\s]{1,180}\.[^@\s.]{2,}$", max_length=254)
    phone: str = Field(pattern=r"^\+[1-9][0-9]{6,14}$", description="With its country: +493012345678")
    passport: PassportBody | None = Field(default=None, description="For airlines that want it")


class TravellersBody(BaseModel):
    """All travellers, the user first where they travel themselves."""

    model_config = ConfigDict(extra="forbid")

    travellers: list[TravellerBody] = Field(max_length=MOST_TRAVELLERS)


class PassportView(TypedDict):
    """The passport of a person."""

    number: str
    country: str
    expires_on: str


class TravellerView(TypedDict):
    """One person."""

    title: str
    given_name: str
    family_name: str
    gender: str
    born_on: str
    email: str
    phone: str
    passport: NotRequired[PassportView]


class TravellersAnswer(TypedDict):
    """Who travels, in the order in which they are booked for."""

    travellers: Sequence[TravellerView]


def _documented() -> dict[str, Any]:
    """The body of a PUT for the OpenAPI document, which takes no references of a model's own."""
    told = RECORDED_TRAVEL["TravellersAnswer"]
    one = TravellerBody.model_json_schema()
    many = {"type": "array", "maxItems": MOST_TRAVELLERS, "items": one}
    schema = {
        "title": "TravellersBody",
        "type": "object",
        "description": TravellersBody.__doc__,
        "properties": {"travellers": many},
        "required": ["travellers"],
        "additionalProperties": False,
        "examples": [told],
    }
    content = {"application/json": {"schema": schema}}
    return {"requestBody": {"required": True, "content": content}}


def travellers_router(travellers: Travellers) -> CallRouter:
    """Return the routes."""
    router = CallRouter("Travel")

    @router.call(
        "GET /travellers/{user_id}", "Get who travels with a user", TravellersAnswer, (404, 422, 502, 503)
    )
    async def known(user_id: UserIdInPath) -> Response:
        """Return the travellers that were told last; none is an empty list."""
        return json_response(_answer(await travellers.known(user_id)))

    @router.call(
        "PUT /travellers/{user_id}",
        "Tell who travels with a user",
        TravellersAnswer,
        (400, 404, 413, 415, 422, 502, 503),
        openapi_extra=_documented(),
    )
    async def keep(user_id: UserIdInPath, request: Request) -> Response:
        """Keep these travellers instead of those before.

        Bookings take as many as they are for, in order: adults, and children of the ages searched for.
        """
        body = await read_body(TravellersBody, request)
        told = [_told(each) for each in body.travellers]
        await travellers.keep(user_id, told)
        return json_response(_answer(told))

    return router


def _answer(travellers: Sequence[Traveller]) -> TravellersAnswer:
    return {"travellers": [_view(each) for each in travellers]}


def _view(traveller: Traveller) -> TravellerView:
    born_on: date = traveller.born_on
    view: TravellerView = {
        "title": traveller.title,
        "given_name": traveller.given_name,
        "family_name": traveller.family_name,
        "gender": traveller.gender,
        "born_on": born_on.isoformat(),
        "email": traveller.email,
        "phone": traveller.phone,
    }
    if passport := traveller.passport:
        expires_on = passport.expires_on.isoformat()
        view["passport"] = {"number": passport.number, "country": passport.country, "expires_on": expires_on}
    return view


def _told(body: TravellerBody) -> Traveller:
    passport = Passport(**body.passport.model_dump()) if body.passport else None
    return Traveller(**body.model_dump(exclude={"passport"}), passport=passport)
