"""Decides who may do what, and to which conversation: the one place that does.

| act | needs | with somebody else's conversation | with an unknown one |
|---|---|---|---|
| `READ` | `read` | as unknown; `operate` may | unknown |
| `FOLLOW` | `read` | as unknown; `operate` may | becomes one's own with `chat`, else unknown |
| `SPEAK` | `chat` | as unknown | becomes one's own |
| `CHANGE` | `chat` | as unknown | unknown |
| `END` | `chat` | as unknown; `operate` may | unknown |
| `OPERATE` | `operate` | | |

Any scope includes `read`. A server without persons has one party, which owns all conversations. One that
becomes somebody's counts as a new one of the address, whatever it begins with: it is stored from then on.
"""

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from enum import Enum
from typing import Any, Literal, NamedTuple

import structlog
from starlette.routing import BaseRoute, Match, Route
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as AsgiScope

from ...domain.encoding import Clock
from ...domain.errors import DetourError, Forbidden, NotFound
from ...store.persons import Persons
from ..edge import headers as client_address
from ..edge.refusals import ErrorForms, RefusalLog, send_error
from .principal import CALLER, Principal, Scope

# --- audit ---------------------------------------------------------------------------------------------
# Log lines of who did what: `signed in`, `signed out`, `a conversation was deleted`, `an operator acted`,
# `an operator ended sessions`. They hold ids, never words. `RefusalLog` logs refusals.


_log = structlog.get_logger("detour.audit")


def note(event: str, *, principal: Principal | None = None, **about: str) -> None:
    """Log what the present caller has done, or `principal`; `about` says to what."""
    caller = CALLER.get()
    who = (principal or caller.principal).person
    _log.info(event, person=who or "one party", address=caller.address, **about)


MOST_REMEMBERED = 20_000
"""Tokens, each with an address, that have a line: some 3 MB."""

AGAIN_AFTER_S = 3600.0
"""Seconds after which a token that is still used gets a line again."""


class SignIns:
    """Logs each token, and each person whom a proxy names, once an hour for each address they come from.

    They come with every request. `monotonic` returns seconds that never go back.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._logged: dict[bytes, float] = {}  # the oldest comes first

    def note(self, principal: Principal, address: str, by: str, token: bytes) -> None:
        """Log a sign-in with a token, or by a proxy, unless it was logged within the hour."""
        # Not the token itself, which memory need not hold.
        key = hashlib.blake2b(
            b"\0".join((token, (principal.person or "").encode(), address.encode())), digest_size=16
        ).digest()
        now = self._monotonic()
        logged = self._logged.get(key)
        if logged is not None and now - logged < AGAIN_AFTER_S:
            return
        self._logged.pop(key, None)
        if len(self._logged) >= MOST_REMEMBERED:
            del self._logged[next(iter(self._logged))]
        self._logged[key] = now
        _log.info("signed in", person=principal.person or "one party", address=address, by=by)


# --- access --------------------------------------------------------------------------------------------


_LOCKS = 64


class _Asked(NamedTuple):
    scope: Scope
    operators: bool = False
    begins: bool = False


class Act(Enum):
    """What is done; the module's table says who may."""

    READ = _Asked("read", operators=True)
    FOLLOW = _Asked("read", operators=True, begins=True)
    SPEAK = _Asked("chat", begins=True)
    CHANGE = _Asked("chat")
    END = _Asked("chat", operators=True)
    OPERATE = _Asked("operate")


BY_ROUTE = None
"""In the place of an act: its route finds what a call does, and to which conversation, and checks it."""

BY_METHOD: Literal["by method"] = "by method"
"""In the place of an act: to read, end or change something, as the method of the call says."""

WhichAct = Act | Literal["by method"] | None
_ACTS = {"GET": Act.READ, "HEAD": Act.READ, "DELETE": Act.END}


class Access:
    """Checks callers against the owners of conversations; `knows_persons` is whether people are told apart.

    `admit` counts a conversation that begins from an address, or raises `TooManyRequests`.
    """

    def __init__(
        self,
        persons: Persons,
        clock: Clock,
        *,
        knows_persons: bool,
        admit: Callable[[str], Awaitable[None]],
    ) -> None:
        self._persons = persons
        self._clock = clock
        self._admit = admit
        # Conversations share locks, so that these need not be created and dropped.
        self._beginning = [asyncio.Lock() for _ in range(_LOCKS)]
        self.knows_persons = knows_persons
        self._refusals = RefusalLog(time.monotonic)

    def check_scope(self, act: Act) -> None:
        """Raise `Forbidden` if the caller may not do that to any conversation."""
        principal, asked = CALLER.get().principal, act.value
        if not (asked.operators and principal.may("operate")):
            try:
                principal.need(asked.scope)
            except Forbidden as error:
                self._note(error, act)
                raise

    async def check(self, user_id: str, act: Act) -> None:
        """Raise unless the caller may do that to a conversation, which may become the caller's own by it.

        Raises `Forbidden`, `NotFound` as for an unknown one, `TooManyRequests` if it would be one new
        conversation too many of the address, and `StoreUnavailable`. Then nothing has changed.
        """
        self.check_scope(act)
        if not self.knows_persons:
            return
        principal, asked = CALLER.get().principal, act.value
        if principal.person is None:
            raise unknown_user(user_id)
        whose = await self._persons.person_of(user_id)
        if whose is None and asked.begins and principal.may("chat"):
            whose = await self._begin(principal.person, user_id)
        if whose == principal.person and principal.may(asked.scope):
            return
        if not (asked.operators and principal.may("operate")):
            error = unknown_user(user_id)
            if whose is not None:  # one who looks for a conversation that does not exist gets no line
                self._note(error, act, user_id=user_id)
            raise error
        note("an operator acted", act=act.name.lower(), user_id=user_id)

    async def check_again(self, user_id: str, act: Act) -> None:
        """Check once more, after a wait in which a conversation may have been deleted, and begun by another.

        Operators, who may read all conversations, are not checked again: it would be logged twice. Raises as
        `check`.
        """
        if not (act.value.operators and CALLER.get().principal.may("operate")):
            await self.check(user_id, act)

    async def _begin(self, person: str, user_id: str) -> str | None:
        """Make a conversation of which nothing is known a person's; return whose it is then."""
        # A page makes several calls of a new conversation at once: the second finds it begun.
        async with self._beginning[hash(user_id) % _LOCKS]:
            whose = await self._persons.person_of(user_id)
            if whose is None:
                await self._admit(client_address.of_request.get())
                whose = await self._persons.give_to(person, user_id, self._clock())
            return whose

    def _note(self, error: DetourError, act: Act, **about: str) -> None:
        caller = CALLER.get()
        who = {"person": caller.principal.person or "one party", "address": caller.address}
        self._refusals.note(error, **who, act=act.name.lower(), **about)

    @property
    def person(self) -> str | None:
        """The person who asks, None for the one party: whose threads a search may find."""
        return CALLER.get().principal.person if self.knows_persons else None


def unknown_user(user_id: str) -> NotFound:
    """Return the error for an unknown user, or one whose conversation is somebody else's."""
    return NotFound(f"Nothing is known of a user {user_id!r}.", code="unknown_user")


class OwnConversations:
    """ASGI application around another one: lets a call through whose caller may make it.

    It checks a conversation in the path; one in a body is the route's to check. So a route that is added is
    closed to strangers before anybody thinks of it. `names` are the parameters of paths that name a
    conversation, each with what makes a user id of it.
    """

    def __init__(
        self,
        app: ASGIApp,
        access: Access,
        routes: Iterable[BaseRoute],
        names: Mapping[str, Callable[[str], str]],
        open_to_all: Callable[[str], bool],
        error_forms: ErrorForms,
    ) -> None:
        self._app = app
        self._access = access
        self._routes = [each for each in routes if isinstance(each, Route)]
        self._names = names
        self._open_to_all = open_to_all
        self._error_forms = error_forms

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Serve one request; a WebSocket is its route's to check."""
        if scope["type"] == "http" and not self._open_to_all(scope["path"]):
            try:
                await self._check(scope)
            except DetourError as error:
                await send_error(send, error, self._error_forms.body(scope["path"], error))
                return
        await self._app(scope, receive, send)

    def _check(self, scope: AsgiScope) -> Awaitable[None]:
        for route in self._routes:
            match, found = route.matches(scope)
            if match is Match.FULL:
                return self._check_call(route, scope["method"], found["path_params"])
        return _nothing()  # there is no such call: the application answers

    async def _check_call(self, route: Route, method: str, params: Mapping[str, Any]) -> None:
        act: WhichAct = getattr(route, "act", BY_METHOD)
        if act == BY_METHOD:
            act = _ACTS.get(method, Act.CHANGE)
        if act is None:  # BY_ROUTE, and for none who may do nothing
            self._access.check_scope(Act.READ)
            return
        self._access.check_scope(act)
        for name, user_of in self._names.items():
            if name in params:
                await self._access.check(user_of(params[name]), act)


async def _nothing() -> None:
    return
