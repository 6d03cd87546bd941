"""The ASGI application: routes, the one error handler, the page, and the guard around all of it."""

import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .. import __version__
from ..domain.encoding import Clock
from ..domain.errors import WENT_WRONG, BadInput, DetourError, NotFound
from .edge.guard import Guard, TracedCallers, is_open_to_all
from .edge.headers import CrossOrigin
from .edge.refusals import AnswersWhatIsCutOff, ErrorForms, note_input, reply_headers
from .identity.access import OwnConversations
from .identity.authentication import NOBODY_SIGNS_IN, Identity
from .plugin import Plugin
from .routes.calls import Group, ProtocolRoute, listed_paths
from .routes.chat import chat_router
from .routes.events import events_router
from .routes.health import health_router
from .routes.lookups import lookup_router, thread_router
from .routes.markdown import markdown_router
from .routes.operate import operate_router
from .routes.page_files import TRAVEL_FACE, Face, PageFiles
from .routes.session import session_router
from .routes.websocket import websocket_router
from .services import Services
from .wire.bodies import describe, json_response
from .wire.document import DocumentedApp
from .wire.examples import EXAMPLES

Lifespan = Callable[[Any], AbstractAsyncContextManager[None]]


class MethodNotAllowed(BadInput):
    """That path does not take that method."""

    code = "method_not_allowed"
    status_code = 405


class InternalError(DetourError):
    """A fault of the program; the log has the details."""


def build_application(
    services: Services,
    *,
    plugin: Plugin,
    lifespan: Lifespan,
    clock: Clock,
    name: str,
    hosts: Iterable[str],
    identity: Identity = NOBODY_SIGNS_IN,
    cross_origin: CrossOrigin | None = None,
    protocols: Sequence[Group] = (),
    face: Face = TRAVEL_FACE,
    is_traced: bool = False,
) -> Guard:
    """Return the guarded application; it serves the plugin's routes and other protocols beside its own.

    If it `is_traced`, tasks belong to the traces of their callers.
    """
    forms = {path: of.error_form for of in protocols if of.error_form is not None for path in of.own_paths}
    error_forms = ErrorForms(forms)

    async def render_http(request: Request, error: Exception) -> Response:
        return _render_http(request, error, error_forms)

    async def render_fault(request: Request, _error: Exception) -> Response:
        return _rendered(request, InternalError(WENT_WRONG), error_forms)

    app = DocumentedApp(
        title="Detour",
        summary="A travel assistant whose users may change their mind at any moment",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        # Exceptions may quote what a user wrote, and are to reach no log but this server's own, which masks.
        telemetry={"tracing": False, "metrics": False, "logs": False},
        exception_handlers={
            DetourError: _render,
            RequestValidationError: _render_invalid,
            HTTPException: render_http,
            Exception: render_fault,
        },
    )
    app.examples = {**EXAMPLES, **plugin.examples}
    app.paths_of_others = listed_paths(protocols)
    app.groups_of_others = {group.name: group.about for group in protocols}
    for router in (
        chat_router(services),
        websocket_router(services, clock),
        lookup_router(services),
        events_router(services, plugin.kept_beside),
        # Before the server's own: one protocol's state of a thread takes the place of `thread_router`'s.
        *(APIRouter(routes=[ProtocolRoute(each, of.refusal) for each in of.calls]) for of in protocols),
        thread_router(services),
        *([markdown_router(services)] if services.graphs else []),
        *plugin.routers,
        health_router(services),
        operate_router(services),
        session_router(identity.authentication, services.limits),
    ):
        # `include_router` would look up each router by itself, which takes 10 us of a message (measured).
        app.router.routes.extend(router.routes)
    files = PageFiles(face=face)
    app.mount("/static", files)

    def page(request: Request) -> Response:
        return files.page(request)

    def other_page(request: Request) -> Response:
        return files.other_page(f"{request.url.path.removeprefix('/')}.html", request)

    for path, serve in (("/", page), ("/docs", other_page), ("/operate", other_page)):
        app.add_api_route(path, serve, methods=["GET", "HEAD"], include_in_schema=False)

    inner: ASGIApp = AnswersWhatIsCutOff(TracedCallers(app) if is_traced else app, error_forms)
    if identity.knows_persons:
        names = {"user_id": str} | {name: user_of for of in protocols for name, user_of in of.names.items()}
        inner = OwnConversations(
            inner, services.access, app.router.routes, names, is_open_to_all, error_forms
        )
    return Guard(
        inner,
        lifespan=_refused_plainly(app),
        name=name,
        hosts=(*hosts, *identity.public_hosts),
        authentication=identity.authentication,
        proxies=identity.proxies,
        https_alone=identity.https_alone,
        cross_origin=cross_origin,
        large_bodies=[prefix for group in protocols for prefix in group.large_bodies],
        error_forms=error_forms,
        limits=services.limits,
    )


def _refused_plainly(app: ASGIApp) -> ASGIApp:
    """Return the application for ASGI's lifespan, without the traceback that the framework reports."""

    async def begin(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_plainly(message: Message) -> None:
            if message["type"] == "lifespan.startup.failed":
                refusal = sys.exception()
                if isinstance(refusal, DetourError):
                    message = {**message, "message": refusal.message}
            await send(message)

        await app(scope, receive, send_plainly)

    return begin


async def _render(_request: Request, error: Exception) -> Response:
    if not isinstance(error, DetourError):
        raise TypeError("only errors of the tree are rendered here")
    note_input(error)
    return json_response(error.to_json(), status=error.status_code, headers=reply_headers(error))


async def _render_invalid(request: Request, error: Exception) -> Response:
    errors: list[Any] = list(error.errors()) if isinstance(error, RequestValidationError) else []
    # The framework names where a value came from first ("query", "path"); people know the field.
    named = [{**each, "loc": each["loc"][1:] or each["loc"]} for each in errors]
    return await _render(request, describe(named))


def _render_http(request: Request, error: Exception, forms: ErrorForms) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 405:
        refusal = MethodNotAllowed(f"{request.url.path} does not take {request.method}.")
        answer = _rendered(request, refusal, forms)
        answer.headers.update(getattr(error, "headers", None) or {})
        return answer
    if status == 404:
        return _rendered(request, NotFound(f"There is nothing at {request.url.path}."), forms)
    return _rendered(request, BadInput("The request could not be understood."), forms)


def _rendered(request: Request, error: DetourError, forms: ErrorForms) -> Response:
    note_input(error)
    body = forms.body(request.url.path, error)
    return json_response(body, status=error.status_code, headers=reply_headers(error))
