"""`POST /session`: a page trades the server's token for a cookie, as it can't put a header on a WebSocket."""

from fastapi import APIRouter, Request, Response

from ...errors import Unauthorized
from ..edge.credentials import Credentials
from ..wire import schemas
from ..wire.output import errors_for


def session_router(credentials: Credentials | None) -> APIRouter:
    """Return the route; with `credentials` None it accepts any token and sets nothing, as none is needed."""
    router = APIRouter(tags=["Operating"])

    @router.post(
        "/session",
        status_code=204,
        summary="Sign a page in",
        responses=errors_for(400, 401, 413, 415, 422),
    )
    async def sign_in(body: schemas.SessionRequest, request: Request) -> Response:
        """Set the session cookie if the token is right. Raises Unauthorized otherwise."""
        response = Response(status_code=204)
        if credentials is not None:
            if not credentials.accept_token(body.token.encode()):
                raise Unauthorized("That is not this server's token.")
            response.headers["Set-Cookie"] = credentials.set_cookie(secure=request.url.scheme == "https")
        return response

    return router
