"""Turns events into the lines that they add to the conversation on the screen.

No I/O and no clock. `hear` takes a frame and returns the lines to keep; `live` returns the present state of
the active task. A repeated frame shows nothing.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, NamedTuple, cast

import orjson

from ..story import Agent, Frame, Story, Task

# --- offers --------------------------------------------------------------------------------------------
# Offers of all kinds as lines, and the best few of many. Times are local to their airport.


Offer = Mapping[str, Any]
_NO_PRICE = (True, "", Decimal(0))


def best(offers: Iterable[Offer], count: int) -> list[Offer]:
    """Return the cheapest, cheapest first. Offers without a price come last, in their order.

    Prices of two currencies cannot be compared, so each currency stands together, as on the page.
    """
    return sorted(offers, key=_price)[:count]


class OfferWords(NamedTuple):
    """An offer in words: the `lines` say what it is, and `more` has what only a card has room for."""

    price: str
    title: str
    lines: Sequence[str]
    more: Sequence[str] = ()


def offer_words(offer: Any) -> OfferWords | None:
    """Return an offer in words, None for a result that another graph has made up."""
    try:
        return OfferWords(money(offer["price_total"]), *_what(offer))
    except (AttributeError, KeyError, TypeError, ValueError, IndexError):
        return None


def offer_line(offer: Any) -> str:
    """Return an offer in a line: "403.09 EUR  Larch Demo, Thu 10 Dec BER 16:35 to KIX 13:25 +1, 1 stop".

    A result of another graph is written field by field.
    """
    if words := offer_words(offer):
        return f"{words.price}  {words.title}, {'; '.join(words.lines)}"
    if isinstance(offer, dict):
        fields = cast(dict[str, Any], offer)
        return ", ".join(f"{name}: {value}" for name, value in fields.items())
    return str(offer)


def _what(offer: Offer) -> tuple[str, Sequence[str], Sequence[str]]:
    if offer.get("slices"):
        terms = [_terms(offer)] if "cabin_class" in offer else []
        return _carriers(offer), [*map(slice_words, offer["slices"]), *_seller(offer)], terms
    if "legs" in offer:
        days = f"{day(offer['first_day'])} to {day(offer['last_day'])}"
        return _route(offer), [f"{len(offer['legs'])} flights, {days}"], []
    cancelled = [_cancelling(offer)]
    if "pick_up" in offer:
        where = "at the airport" if offer["station"] == "airport" else f"in the {offer['station']}"
        days = f"{day(offer['pick_up'])} to {day(offer['drop_off'])}"
        car = f"{offer['car_class']}, {offer['transmission']}, {where}, {days}"
        price = f"{money(offer['price_per_day'])} a day"
        return f"{offer['model']}, {offer['supplier']}", [car, price], cancelled
    where = offer.get("district") or offer["city"]
    place = where if offer["stars"] is None else f"{offer['stars']} stars, {where}"
    stay = f"{day(offer['check_in'])} to {day(offer['check_out'])}, {money(offer['price_per_night'])} a night"
    terms = _told_terms(offer)
    due = [f"{money(terms['paid_there'])} more at the hotel"] if terms.get("paid_there") else []
    room = [str(terms["name"])] if terms.get("name") else []
    guests = [f"{offer['guests']} people{_children(terms)}"] if terms.get("children") else []
    return str(offer["name"]), [place, stay, *_seller(offer)], [*room, *guests, *cancelled, *due]


def _told_terms(offer: Offer) -> Mapping[str, Any]:
    return offer.get("terms") or {}


def _terms(offer: Offer) -> str:
    """Return what an offer of flights includes; what its seller does not tell is left out."""
    bags, people, terms = offer["checked_bags"], int(offer["passengers"]), _told_terms(offer)
    fee = f" for {money(terms['refund_fee'])}" if terms.get("refund_fee") else ""
    each = "a person on average" if terms.get("children") else "each"
    parts = [
        f"{people} people{_children(terms)}, {money(offer['price_per_person'])} {each}" if people > 1 else "",
        str(offer["cabin_class"]).replace("_", " "),
        str(terms.get("name", "")),
        "" if bags is None else {0: "no checked bag", 1: "1 checked bag"}.get(bags, f"{bags} checked bags"),
        {None: "", True: f"refundable{fee}", False: "not refundable"}[offer["refundable"]],
    ]
    return ", ".join(filter(None, parts))


def _children(terms: Mapping[str, Any]) -> str:
    """Return the ages of the children whom a price takes for such: " (children of 4 and 9 among them)"."""
    ages = [str(age) for age in terms.get("children", ())]
    if not ages:
        return ""
    listed = " and ".join(filter(None, [", ".join(ages[:-1]), ages[-1]]))
    return f" ({'a child' if len(ages) == 1 else 'children'} of {listed} among them)"


def _cancelling(offer: Offer) -> str:
    """Return until when cancelling is free, and what it costs then."""
    until, terms = offer.get("free_cancellation_until"), _told_terms(offer)
    fees = [f"{money(each['fee'])} from {day(each['since'])}" for each in terms.get("cancelling", ())]
    if not until and fees:
        return f"cancelling costs {', '.join(fees)}"
    if not until:
        is_told = not terms or terms.get("refundable") is False
        return "no free cancellation" if is_told else "what cancelling costs is told later"
    return f"free cancellation until {day(until)}" + (f", then {', '.join(fees)}" if fees else "")


def _seller(offer: Offer) -> list[str]:
    """Return who sells an offer: nobody sells one of the demo."""
    if offer.get("provider", "demo") == "demo":
        return []
    return [f"via {offer['source']}" if offer["live"] else f"via {offer['source']} (test)"]


def slice_words(one: Mapping[str, Any]) -> str:
    """Return one direction of a flight: "Thu 10 Dec BER 16:35 to KIX 13:25 +1, 12 h 50, 1 stop"."""
    segments: Sequence[Mapping[str, Any]] = one["segments"]
    first, last = segments[0], segments[-1]
    leaves, arrives = str(first["departs_at"]), str(last["arrives_at"])
    later = (date.fromisoformat(arrives[:10]) - date.fromisoformat(leaves[:10])).days
    shift = f" {later:+d}" if later else ""
    hours, minutes = divmod(int(one["duration_minutes"]), 60)
    stops = len(segments) - 1
    via = "direct" if not stops else "1 stop" if stops == 1 else f"{stops} stops"
    ways = f"{first['origin']} {leaves[11:16]} to {last['destination']} {arrives[11:16]}{shift}"
    return f"{day(leaves)} {ways}, {hours} h {minutes:02d}, {via}"


def money(value: Mapping[str, Any]) -> str:
    """Return "403.09 EUR"."""
    return f"{value['amount']} {value['currency']}"


def _carriers(offer: Offer) -> str:
    """Return who flies, each once: "Larch Demo, Alder Demo"."""
    segments = [segment for one in offer["slices"] for segment in one["segments"]]
    return ", ".join(dict.fromkeys(str(each.get("carrier_name") or each["carrier"]) for each in segments))


def _route(offer: Offer) -> str:
    cities = [*filter(None, [offer.get("start")]), *offer["order"]]
    return " - ".join([*cities, *(cities[:1] if offer.get("returns") else [])])


def day(iso: str) -> str:
    """Return a date, or the day of a time, as "Thu 10 Dec"."""
    on = date.fromisoformat(iso[:10])
    return f"{on:%a} {on.day} {on:%b}"


def _price(offer: Any) -> tuple[bool, str, Decimal]:
    try:
        amount, currency = Decimal(offer["price_total"]["amount"]), str(offer["price_total"].get("currency"))
    except (AttributeError, KeyError, TypeError, ValueError, InvalidOperation):
        return _NO_PRICE
    return (False, currency, amount) if amount.is_finite() else _NO_PRICE


# --- words ---------------------------------------------------------------------------------------------
# States, progress and receipts in words.


TASK = {
    "queued": "Waiting its turn",
    "running": "Working on it",
    "input_required": "Needs you",
    "cancelling": "Stopping once started work is finished",
    "completed": "Done",
    "failed": "Failed",
    "interrupted": "Interrupted",
}
OUTCOME_OF_REQUEST = {
    "allowed": "Allowed.",
    "denied": "Not allowed.",
    "withdrawn": "The question was withdrawn.",
    "expired": "That was not answered in time.",
}
OUTCOME_OF_STEERING = {
    "taken_in": "Taken in; it is read next.",
    "own_task": "It is now a message of its own.",
    "merged": "It is read before the newer message.",
}
INSTEAD_OF_STEERING = {
    "enqueue": "This agent cannot be steered: your message waits for the end.",
    "interrupt": "This agent cannot be steered: your message interrupted it, and what still fits is kept.",
}
"""Explains a steering message that got another policy."""
_AGENT = {"input_required": "needs you"}
_TOOL = {
    "search_flights": "Flight search",
    "search_hotels": "Hotel search",
    "search_cars": "Car search",
    "plan_itinerary": "Itinerary",
    "hold_flight": "Holding the flight",
    "book_flight": "Booking the flight",
    "book_hotel": "Booking the hotel",
    "book_car": "Booking the car",
    "cancel_booking": "Cancellation",
    "list_bookings": "List of bookings",
}
_OUTCOME = {
    "completed": "had already ended",
    "adopted": "continues for the next message",
    "cancelled": "cut short",
    "not_started": "was not started",
    "denied": "not allowed",
    "completed_after_interrupt": "had begun, and was completed",
    "failed": "failed",
    "unknown": "not yet known whether it went through",
}
_SUMMARY_SAYS_MORE = {"completed", "completed_after_interrupt", "failed"}
_OF_SOURCES = re.compile(r"^\d+ \w+ from (\d+ of \d+ sources)$")


def agent_words(name: str, agent: Agent) -> str:
    """Return "Flight: working, 2 of 3 sources, 41 found"."""
    parts = [_AGENT.get(agent.state, agent.state)]
    if agent.state == "interrupted":
        parts += [f"{agent.count} kept"] if agent.count else []
    elif agent.state != "input_required":
        parts += _progress(agent)
    return f"{name[:1].upper()}{name[1:]}: {', '.join(parts)}"


def _progress(agent: Agent) -> list[str]:
    if of_sources := _OF_SOURCES.match(agent.detail):
        return [of_sources[1], f"{agent.count} found"]
    if agent.detail:
        return [agent.detail]
    return [*([f"{agent.done} of {agent.total}"] if agent.total else []), *_found(agent.count)]


def _found(count: int) -> list[str]:
    return [f"{count} found"] if count else []


def tool_name(tool: str) -> str:
    """Return a tool's title, "Flight search"; of an unknown tool, its name in words."""
    words = tool.replace("_", " ")
    return _TOOL.get(tool) or f"{words[:1].upper()}{words[1:]}"


def receipt_lines(receipt: Mapping[str, Any]) -> list[str]:
    """Return the outcome of each call of an interrupted task, a line each."""
    lines = [_call_line(call) for call in receipt.get("tool_calls") or ()]
    return [*lines, "What was unknown then is settled now."] if receipt.get("amended_at") else lines


def _call_line(call: Mapping[str, Any]) -> str:
    tool, outcome = tool_name(str(call["tool"])), str(call["outcome"])
    summary = str(call.get("summary") or "")
    if outcome == "cancelled" and summary:
        return f"{tool}: {summary}"
    more = [summary] if summary and outcome in _SUMMARY_SAYS_MORE else []
    return ": ".join([tool, _OUTCOME.get(outcome, outcome), *more])


def permission_lines(request: Mapping[str, Any]) -> list[str]:
    """Return the facts of a permission, and until when it is open."""
    facts: Mapping[str, Any] = request.get("facts") or {}
    lines = [f"{tool_name(str(request.get('tool') or 'this'))} needs your permission:"]
    lines += [f"  {name}: {_fact(value)}" for name, value in facts.items()]
    return [*lines, *open_until(request)]


def _fact(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def open_until(request: Mapping[str, Any]) -> list[str]:
    """Return "  Open until 18:45", in this machine's time; nothing if there is no time."""
    try:
        at = datetime.fromisoformat(str(request["expires_at"])).astimezone()
    except (KeyError, ValueError):
        return []
    return [f"  Open until {at:%a %H:%M}"]


def elapsed(seconds: float) -> str:
    """Return "4.2 s", or "2 min 05 s"."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest:02d} s"


# --- lines ---------------------------------------------------------------------------------------------
# Lines are the only way in which a server's text gets to the screen.
#
# Names of hotels, replies of models and messages of other clients are foreign text. A terminal obeys escape
# sequences in its output, so a `Line` drops them when it is made.


Style = Literal["you", "reply", "note", "offer", "ask", "error", "progress"]

_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f]).*?(?:\x07|\x1b\\|\x9c)"  # OSC and the like: titles, clipboard
    r"|\x1b[ -/]*[0-~]",
    re.DOTALL,
)
_TURNS_TEXT_AROUND = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def clean(text: str) -> str:
    """Return `text` without control sequences; line ends stay, tabs become spaces."""
    unix = _ESCAPE.sub("", text).replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
    return "".join(each for each in unix if each == "\n" or not _is_control(each))


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in {"Cc", "Cs"} or character in _TURNS_TEXT_AROUND


@dataclass(frozen=True, slots=True)
class Line:
    """Text of one kind, which may have line ends in it; always clean."""

    style: Style
    text: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", clean(self.text))


# --- narrator ------------------------------------------------------------------------------------------


BEST = 3
"""How many offers of an agent are shown."""
EARLIER = 8
"""How many earlier messages are shown at the start."""
LONGEST_LIVE_TEXT = 400
"""How many characters of an unfinished line of a reply are shown, the last ones."""


@dataclass(slots=True)
class _Shown:
    """The part of a task that is on the screen: whole lines of its reply, states and progress of agents."""

    text: str = ""
    agents: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])


class Narrator:
    """Tells the story of one user line by line."""

    def __init__(self) -> None:
        self.story = Story()
        self._message_ids: set[str] = set()
        self._numbers: dict[str, int] = {}
        self._offers: list[Line] = []
        self._shown: defaultdict[str, _Shown] = defaultdict(_Shown)
        self._readers: dict[str, Callable[[Frame, Task], list[Line]]] = {
            "status_update": self._status,
            "agent_update": self._agent,
            "text_delta": self._text,
            "message": self._message,
            "input_request": self._asked,
            "input_resolved": self._resolved,
            "context_transfer": self._taken_over,
            "receipt": self._receipt,
        }

    def hear(self, frame: Frame, now_s: float) -> list[Line]:
        """Take a frame, and return the lines that it adds. `now_s` is as for `Story.hear`."""
        if not self.story.hear(frame, now_s):
            return []
        if frame["type"] == "snapshot":
            return self._snapshot(frame)
        if frame["type"] == "steer":
            return self._steered(frame)
        if frame.get("steer") == "pending":
            return []  # shown once it is taken in
        reader = self._readers.get(frame["type"])
        return reader(frame, self.story.tasks[frame["task_id"]]) if reader else []

    def waiting_message(self, number: str) -> Frame | None:
        """Return the pending message with this number, if any."""
        waiting = self.story.pending
        return next((each for each in waiting if str(self._number(each["message_id"])) == number), None)

    def waiting(self) -> list[Line]:
        """Return the pending messages, a line each."""
        return [Line("note", self._waits(each)) for each in self.story.pending]

    def live(self, now_s: float) -> list[Line]:
        """Return the active task's state, agents, best offers, and its reply so far."""
        task = self.story.active_task
        if task is None:
            return []
        state = f"{TASK.get(task.status, task.status)}, {elapsed(max(0.0, now_s - task.began_s))}"
        lines = [Line("note", state)]
        lines += [Line("progress", f"  {agent_words(name, agent)}") for name, agent in task.agents.items()]
        if task.status != "input_required":
            lines += best_of(task)
        lines += self.waiting()
        if rest := task.text[len(self._shown[task.task_id].text) :]:
            lines.append(Line("reply", rest[-LONGEST_LIVE_TEXT:]))
        return lines

    def _snapshot(self, frame: Frame) -> list[Line]:
        self._shown.clear()
        history = [each for each in self.story.messages if each.get("steer") != "pending"]
        lines = [line for message in history[-EARLIER:] for line in self._spoken(message, message["text"])]
        self._message_ids |= {message["message_id"] for message in history}
        unheard = [each for each in self.story.pending if each["message_id"] not in self._numbers]
        lines += [Line("note", self._waits(each)) for each in unheard]
        return lines + [line for request in self.story.requests for line in _permission(request)]

    def _steered(self, frame: Frame) -> list[Line]:
        number, text = self._number(frame["message_id"]), frame["text"]
        match frame["steer"]:
            case "pending" if frame["revision"]:
                return [Line("note", f"({number}) is now: {text}")]
            case "pending":
                return [Line("note", self._waits(frame))]
            case "withdrawn":
                return [Line("note", f"({number}) is withdrawn: {text}")]
            case steer:
                said = self._spoken({**frame, "role": "user"}, text)
                return [*said, Line("note", OUTCOME_OF_STEERING.get(steer) or str(steer))]

    def _waits(self, message: Frame) -> str:
        return f"({self._number(message['message_id'])}) waits to be taken in: {message['text']}"

    def _number(self, message_id: str) -> int:
        return self._numbers.setdefault(message_id, len(self._numbers) + 1)

    def _status(self, _: Frame, task: Task) -> list[Line]:
        if task.is_active:
            waits = task.status in {"queued", "cancelling"}
            return [Line("note", f"{TASK[task.status]}.")] if waits else []
        self._shown.pop(task.task_id, None)
        failed = [Line("error", "That failed.")] if task.status == "failed" else []
        offers = best_of(task)
        if not offers or offers == self._offers:
            return failed
        self._offers = offers
        return [*failed, *offers]

    def _agent(self, frame: Frame, task: Task) -> list[Line]:
        name, agent = frame["agent"], task.agents[frame["agent"]]
        now, shown = (agent.state, agent.done), self._shown[task.task_id].agents
        if shown.get(name) == now:
            return []
        shown[name] = now
        return [Line("progress", agent_words(name, agent))] if agent.state != "waiting" else []

    def _text(self, _: Frame, task: Task) -> list[Line]:
        shown = self._shown[task.task_id]
        begin, end = min(len(shown.text), len(task.text)), task.text.rfind("\n")
        shown.text = task.text[: max(begin, end + 1)]
        return [Line("reply", task.text[begin:end])] if end >= begin else []

    def _message(self, frame: Frame, task: Task) -> list[Line]:
        text = frame["text"]
        if frame["role"] == "assistant":
            shown, self._shown[task.task_id].text = self._shown[task.task_id].text, ""
            if shown and text.startswith(shown.rstrip("\n")):
                text = text[len(shown) :]
        return self._spoken(frame, text)

    def _spoken(self, message: Frame, text: str) -> list[Line]:
        if message["message_id"] in self._message_ids:
            return []
        self._message_ids.add(message["message_id"])
        match message["role"]:
            case "user":
                return [Line("you", f"You: {text}")]
            case "assistant":
                cut = [Line("note", "(interrupted here)")] if message.get("interrupted") else []
                return [*([Line("reply", text)] if text else []), *cut]
            case _:
                return [Line("note", text)]

    def _asked(self, frame: Frame, _: Task) -> list[Line]:
        return _permission(frame)

    def _resolved(self, frame: Frame, _: Task) -> list[Line]:
        words = OUTCOME_OF_REQUEST.get(frame["outcome"])
        return [Line("note", words)] if words else []

    def _taken_over(self, _: Frame, task: Task) -> list[Line]:
        names = ", ".join(tool_name(tool).lower() for tool in task.taken_over)
        return [Line("note", f"Goes on from your previous message: {names}.")] if names else []

    def _receipt(self, frame: Frame, _: Task) -> list[Line]:
        return [Line("note", f"  {line}") for line in receipt_lines(frame["receipt"])]


def best_of(task: Task) -> list[Line]:
    """Return the number of each agent's offers, and the cheapest few."""
    lines: list[Line] = []
    for agent, offers in task.found.items():
        if offers:
            lines.append(Line("note", f"{agent[:1].upper()}{agent[1:]}: {len(offers)} found, the best:"))
            lines += [Line("offer", f"  {offer_line(offer)}") for offer in best(offers, BEST)]
    return lines


def _permission(request: Frame) -> list[Line]:
    if request["kind"] != "permission":
        return []
    return [Line("ask", line) for line in permission_lines(request)]
