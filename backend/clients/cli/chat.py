"""One user and one server: typed lines become messages and answers, events become lines.

While the server is away, messages wait and are sent once it is back; each has an id of its own, so that one
whose answer was lost is not accepted twice.
"""

import asyncio
import uuid
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import Any, Literal, Unpack, cast

import orjson

from ..api import FIRST_WAIT_S, LONGEST_WAIT_S, Api, Connection, Frame, Refused, SendOptions, Unreachable
from ..wire import ChatAnswer
from .narrator import INSTEAD_OF_STEERING, Line, Narrator, Style

# --- forms ---------------------------------------------------------------------------------------------
# A question as a form in words: one field at a time, each with its default for Enter.


_ALLOW = {"allow", "a", "yes", "y"}
_DENY = {"deny", "d", "no", "n"}
_TRUE = {"yes", "y", "true", "1"}
_FALSE = {"no", "n", "false", "0"}
_HINTS = {"date": ", like 2026-12-05", "boolean": ", yes or no"}


class Misfit(Exception):
    """The typed text is invalid; the message says what is valid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field: `choices` are pairs of value and title; Enter alone means `default`."""

    name: str
    title: str
    kind: str
    choices: tuple[tuple[Any, str], ...]
    required: bool
    default: Any

    def label(self) -> str:
        """Return the field's title and what Enter alone means."""
        hint = _HINTS.get(self.kind, "")
        if self.default is not None:
            return f"{self.title}{hint} [Enter: {self._title_of(self.default)}]"
        return f"{self.title}{hint}" if self.required else f"{self.title}{hint} [Enter: leave open]"

    def read(self, text: str) -> Any:
        """Return the value that `text` stands for. Raises `Misfit`."""
        if self.choices:
            return self._chosen(text)
        match self.kind:
            case "boolean":
                return _yes_or_no(text)
            case "date":
                return _day(text)
            case "integer" | "number":
                return _number(text, whole=self.kind == "integer")
            case "array" | "object":
                return _json(text)
            case _:
                return text

    def _chosen(self, text: str) -> Any:
        if text.isdecimal() and 0 < int(text) <= len(self.choices):
            return self.choices[int(text) - 1][0]
        for value, title in self.choices:
            if text.casefold() in {title.casefold(), str(value).casefold()}:
                return value
        raise Misfit(f"Please give a number from 1 to {len(self.choices)}, or one of these in full.")

    def _title_of(self, value: Any) -> str:
        return next((title for choice, title in self.choices if choice == value), str(value))


@dataclass(slots=True)
class Form:
    """A question that is being filled in; `fields` are left in the order in which they are asked."""

    request_id: str
    fields: list[Field]
    values: dict[str, Any] = field(default_factory=dict[str, Any])

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> "Form":
        """Begin the form of an `input_request`: required fields first."""
        schema: Mapping[str, Any] = request.get("schema") or {}
        defaults: Mapping[str, Any] = request.get("defaults") or {}
        required: set[str] = set(_listed(schema, "required"))
        properties: Mapping[str, Any] = schema.get("properties") or {}
        fields = [
            _field(name, about, required=name in required, default=defaults.get(name))
            for name, about in properties.items()
        ]
        fields.sort(key=lambda each: each.default is not None or not each.required)
        return cls(str(request["request_id"]), fields)

    def label(self) -> str:
        """Return the label of the next field."""
        return self.fields[0].label() if self.fields else "Enter to go on"

    def choices(self) -> list[Line]:
        """Return the choices of the next field, numbered."""
        titles = [title for each in self.fields[:1] for _, title in each.choices]
        return [Line("ask", f"  {number}. {title}") for number, title in enumerate(titles, 1)]

    def fill(self, text: str) -> dict[str, Any] | None:
        """Fill in the next field; return the whole answer once it is complete.

        Raises `Misfit`, and asks for the same field again.
        """
        if self.fields:
            asked, typed = self.fields[0], text.strip()
            if typed:
                self.values[asked.name] = asked.read(typed)
            elif asked.required and asked.default is None:
                raise Misfit("This is needed.")
            self.fields.pop(0)
        return None if self.fields else self.values


def decision(text: str) -> Literal["allow", "deny"]:
    """Return `allow` or `deny`. Raises `Misfit` for any other text."""
    word = text.strip().casefold()
    if word in _ALLOW:
        return "allow"
    if word in _DENY:
        return "deny"
    raise Misfit("Please type allow or deny; /say TEXT sends a message and withdraws this.")


def _field(name: str, schema: Any, *, required: bool, default: Any) -> Field:
    about = _object(schema)
    variants = [_object(each) for keyword in ("oneOf", "anyOf") for each in _listed(about, keyword)]
    choices = [(value, str(value)) for value in _listed(about, "enum")]
    choices += [
        (each["const"], str(each.get("title", each["const"]))) for each in variants if "const" in each
    ]
    kind = "date" if about.get("format") == "date" else str(about.get("type", "string"))
    return Field(
        name=name,
        title=str(about.get("title") or name.replace("_", " ")),
        kind=kind,
        choices=tuple(choices),
        required=required,
        default=default if choices or _fits(kind, default) else None,
    )


def _object(schema: Any) -> Mapping[str, Any]:
    """Return a schema's keywords; `true`, which is a schema as well, has none."""
    return cast("Mapping[str, Any]", schema) if isinstance(schema, dict) else {}


def _listed(schema: Mapping[str, Any], keyword: str) -> list[Any]:
    listed: Any = schema.get(keyword)
    return cast("list[Any]", listed) if isinstance(listed, list) else []


def _fits(kind: str, default: Any) -> bool:
    """Whether a default fits its field: a graph may suggest any value."""
    match kind:
        case "date":
            return isinstance(default, str) and _is_day(default)
        case "boolean":
            return isinstance(default, bool)
        case "integer":
            return isinstance(default, int) and not isinstance(default, bool)
        case "number":
            return isinstance(default, int | float) and not isinstance(default, bool)
        case "array" | "object":
            return True
        case _:
            return isinstance(default, str)


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _yes_or_no(text: str) -> bool:
    if text.casefold() in _TRUE | _FALSE:
        return text.casefold() in _TRUE
    raise Misfit("Please type yes or no.")


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise Misfit("Please give a date like 2026-12-05.") from None


def _number(text: str, *, whole: bool) -> float:
    try:
        return int(text) if whole else float(text)
    except ValueError:
        raise Misfit("Please give a whole number." if whole else "Please give a number.") from None


def _json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        raise Misfit("Please give this as JSON.") from None


# --- chat ----------------------------------------------------------------------------------------------


HELP = (
    "Type a message; it interrupts the running task. Ctrl-C stops the task; twice, or Ctrl-D, leaves.\n"
    "If a question is open, a line answers it; /say TEXT sends a message instead.\n"
    "Tab in place of Enter, or /steer TEXT: the running task goes on, and takes the message in.\n"
    "Until then it has a number: /edit N TEXT, /withdraw N, /now N (it interrupts), /later N (it waits\n"
    "for the end). /enqueue TEXT waits for the end, too. /stop stops, and withdraws pending messages.\n"
    "/leave leaves, /help shows this."
)


Outgoing = Callable[[], Coroutine[Any, Any, Mapping[str, Any]]]
"""The call that sends a message or an answer. It may be repeated until it succeeds."""


class Chat:
    """The conversation. `show` gets the lines to keep on the screen."""

    def __init__(self, api: Api, *, show: Callable[[list[Line]], None], now: Callable[[], float]) -> None:
        self.narrator = Narrator()
        self.story = self.narrator.story
        self.connected = False
        self.left = False
        self._api = api
        self._show = show
        self._now = now
        self._form: Form | None = None
        self._unsent: deque[Outgoing] = deque()
        self._shown_connected = True
        self._accepted_seq = 0
        self._news = asyncio.Event()

    # --- events ---------------------------------------------------------------------------------------

    def hear(self, heard: Frame | Connection) -> None:
        """Take and show a frame, or a change of the connection."""
        if isinstance(heard, Connection):
            self._change(heard.is_open)
        else:
            self._show(self.narrator.hear(heard, self._now()))
            self._keep_form()
        self._news.set()

    def _change(self, connected: bool) -> None:
        if not connected and self._shown_connected:
            self._say("note", "No connection to the server; trying again.")
        elif connected and not self._shown_connected:
            self._say("note", "Connected again.")
        self.connected = self._shown_connected = connected

    @property
    def open_request(self) -> str | None:
        """The id of the oldest open request, if any."""
        return self.story.requests[0]["request_id"] if self.story.requests else None

    def label(self) -> str:
        """Return the purpose of the next line; "" for a message."""
        if self._form is not None:
            return Line("ask", self._form.label()).text
        return "allow or deny" if self.story.requests else ""

    @property
    def is_idle(self) -> bool:
        """Whether the server has dealt with everything sent, and waits for the user."""
        heard = self.story.synced and self.story.seq >= self._accepted_seq
        return heard and not self._unsent and self.story.waits_for_user

    async def until_idle(self) -> None:
        """Wait until `is_idle`."""
        while not self.is_idle:
            self._news.clear()
            await self._news.wait()

    # --- typed lines ----------------------------------------------------------------------------------

    def enter(self, text: str, *, begun_for: str | None) -> None:
        """Take a line. It answers `begun_for`, the request that was open when the line was begun."""
        command, _, rest = text.strip().partition(" ")
        match command:
            case "/help":
                self._say("note", HELP)
            case "/leave":
                self.left = True
            case "/say" if rest.strip():
                self._send_message(rest)
            case "/steer" if rest.strip():
                self._unsent.append(partial(self._steer, rest.strip(), uuid.uuid4().hex))
            case "/enqueue" if rest.strip():
                self._send_message(rest, policy="enqueue")
            case "/stop":
                self._unsent.append(partial(self._api.stop, pending="withdraw"))
            case "/edit" | "/withdraw" | "/now" | "/later":
                self._change_pending(command, rest)
            case _ if command.startswith("/"):
                self._say("error", HELP)
            case _ if begun_for is not None:
                self._answer(text, begun_for)
            case _ if self.open_request is not None and self._form is None and _is_decision(text):
                self._say("error", "That was typed before the permission was asked for, and was not sent.")
            case _ if text.strip():
                self._send_message(text)
            case _:
                pass
        self._news.set()

    async def stop(self) -> None:
        """Stop the active task, and drop unsent messages."""
        if self._unsent and not self.connected:
            self._say("note", f"Not sent: {len(self._unsent)}.")
            self._unsent.clear()
        elif self.story.active_task is None and not self._unsent:
            self._say("note", "Nothing is running. Ctrl-C again, or Ctrl-D, leaves.")
            return
        try:
            await self._api.stop()
        except (Refused, Unreachable) as error:
            self._say("error", str(error))

    async def send_all(self) -> None:
        """Send queued messages and answers one by one; never returns."""
        reported: Outgoing | None = None
        while True:
            self._news.clear()
            if not self._unsent:
                await self._news.wait()
                continue
            first = self._unsent[0]
            try:
                await self._send(first)
            except Refused as error:
                self._say("error", str(error))
            except Unreachable as error:
                if first is not reported:
                    self._say("note", f"Not sent yet. {error}")
                reported = first
                await self._wait_to_try_again()
                continue
            if self._unsent and self._unsent[0] is first:
                self._unsent.popleft()
            self._keep_form()
            self._show([])
            self._news.set()  # the events of a message may arrive before its answer

    async def _send(self, item: Outgoing) -> None:
        accepted = await item()
        self._accepted_seq = max(self._accepted_seq, int(accepted.get("seq") or 0))

    async def _wait_to_try_again(self) -> None:
        was = self.connected
        try:
            async with asyncio.timeout(FIRST_WAIT_S if was else LONGEST_WAIT_S):
                while self.connected == was and self._unsent:
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            return

    def _answer(self, text: str, request_id: str) -> None:
        request = next((one for one in self.story.requests if one["request_id"] == request_id), None)
        try:
            if request is None:
                self._say("error", "That question is no longer open; nothing was sent.")
            elif request["kind"] == "permission":
                self._decide(text, request_id)
            elif self._form is not None and self._form.request_id == request_id:
                self._fill(text, self._form)
        except Misfit as misfit:
            self._say("error", str(misfit))

    def _decide(self, text: str, request_id: str) -> None:
        if text.strip():
            self._unsent.append(partial(self._api.decide, request_id, decision(text)))

    def _fill(self, text: str, form: Form) -> None:
        filled = form.fill(text)
        if filled is None:
            self._show(form.choices())
            return
        self._form = None
        self._unsent.append(partial(self._api.answer, form.request_id, filled))

    def _send_message(self, text: str, **options: Unpack[SendOptions]) -> None:
        options["client_id"] = uuid.uuid4().hex
        self._unsent.append(partial(self._api.send, text.strip(), **options))

    async def _steer(self, text: str, client_id: str) -> ChatAnswer:
        accepted = await self._api.send(text, client_id=client_id, policy="steer")
        has_met_a_task = accepted["status"] == "queued" or accepted["interrupted_task_id"] is not None
        if has_met_a_task and (words := INSTEAD_OF_STEERING.get(accepted["policy"])):
            self._say("note", words)
        return accepted

    def _change_pending(self, command: str, rest: str) -> None:
        """Change a pending message, named by its number."""
        number, _, text = rest.strip().partition(" ")
        named = self.narrator.waiting_message(number)
        if named is None:
            self._say("error", f"{command} needs the number of a message that waits to be taken in.")
            self._show(self.narrator.waiting() or [Line("note", "None is waiting.")])
            return
        message_id: str = named["message_id"]
        if command == "/edit" and not text.strip():
            self._say("error", "/edit needs the new text behind the number.")
        elif command == "/edit":
            edit = partial(self._api.edit, message_id, text.strip(), revision=named["revision"])
            self._unsent.append(edit)
        else:
            calls = {"/withdraw": self._api.withdraw, "/now": self._api.now, "/later": self._api.later}
            self._unsent.append(partial(calls[command], message_id))

    def _keep_form(self) -> None:
        """Keep the form of the oldest question, a new one after a refused answer."""
        if self.open_request is None or self.story.requests[0]["kind"] == "permission":
            self._form = None
        elif self._unsent or self.story.seq < self._accepted_seq:
            return
        elif self._form is None or self._form.request_id != self.open_request:
            self._form = Form.of(self.story.requests[0])
            self._show(self._form.choices())

    def _say(self, style: Style, text: str) -> None:
        self._show([Line(style, text)])


def _is_decision(text: str) -> bool:
    try:
        decision(text)
    except Misfit:
        return False
    return True
