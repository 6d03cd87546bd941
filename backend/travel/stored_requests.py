"""Requests as tasks keep them: what they ask for, search, have spoken of, and what was found for them.

They may be stored by an earlier version of the server. What earlier versions left out is filled in. A request
that still cannot be read is dropped, and its user is told: none is worth refusing a message for, and none may
be guessed at.

A user goes back and forth along the requests of a conversation: "undo that", "redo". A request that is taken
up by going back stands for an earlier one, so that going back once more leads to the one before that, and not
to and fro between the two.

A request makes the searches of the one before it, where they find all that is wanted. Sources are asked by
places, days, people and class, and by what narrows these when they are asked first. A message that only
narrows further keeps the search: its offers are there already, or still arrive, and those that do not fit are
left out. Only where a source had cut its answer short is it asked for the rest.
"""

from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, TypeAlias

import structlog
from pydantic import TypeAdapter, ValidationError

from ..domain.partials import PartialResults
from ..domain.task import ResultSorter, Task, Validity
from ..domain.tool_call import ToolCall
from ..store.base import StateStore
from ..tasks.workflow import Situation
from .understanding.codec import from_json, to_json
from .understanding.found import KINDS
from .understanding.queries import QUERIES, QUERY_TYPES, Query, base_query, covers, fits
from .understanding.result import (
    Agent,
    Bookable,
    BookingWish,
    Place,
    ShownDirection,
    ShownRental,
    ShownStay,
    Understanding,
)
from .understanding.slot_table import SLOTS, rows_of
from .values.offers import By, Offer, to_the_minute, told

Request = Mapping[str, Any]

DROPPED = "The server was updated and can no longer read the earlier request; this one was read by itself."
"""Enters the conversation after a message that was read without the request before it."""

SAY_IT_AGAIN = "The server was updated and can no longer read what this was about; please ask for it again."
"""Said if a task cannot resume without its request."""


class UnderstoodRequest(dict[str, Any]):
    """A request as it is stored, which remembers what it means.

    The core hands the same object to each of the workflow's methods, so that a message is decoded once: by
    whoever understood it. One that was read back from the store is a plain mapping, and decoded when asked.
    """

    __slots__ = ("understanding",)

    def __init__(self, understanding: Understanding, **more: Any) -> None:
        super().__init__(understanding=to_json(understanding), **more)
        self.understanding = understanding


_LANGUAGE = "language"
_log = structlog.get_logger(__name__)


def renewed(
    request: Request | None, understanding: Understanding, *, without: Collection[str], **anew: Any
) -> UnderstoodRequest:
    """Return a request as one that means something else now, with the fields that are made `anew`.

    All its other fields are kept, whoever added them, but those `without` which it is to be stored.
    """
    kept = {name: value for name, value in (request or {}).items() if name not in ("understanding", *without)}
    return UnderstoodRequest(understanding, **{**kept, **anew})


def understanding_in(request: Request | None) -> Understanding | None:
    """Return what a stored request asks for; None if there is none, or none that this version can read."""
    if request is None or isinstance(request, UnderstoodRequest):
        return request.understanding if request is not None else None
    try:
        return from_json(_completed(request["understanding"]))
    except (KeyError, TypeError, ValueError) as error:
        # The error's kind alone: its text may quote what a user said, which does not belong in a log.
        _log.warning("a stored request cannot be read and is dropped", error=type(error).__name__)
        return None


def spoken_in(request: Request | None) -> str:
    """Return the language that was spoken when a request was made, "" for English."""
    return (request or {}).get(_LANGUAGE, "")


def in_language(request: Request, language: str) -> Request:
    """Return a request as one that was made in a language, "" for English."""
    if spoken_in(request) == language:
        return request
    understanding = understanding_in(request)
    if understanding is None:
        return request
    told = {_LANGUAGE: language} if language else {}
    return renewed(request, understanding, without=[_LANGUAGE], **told)


def understandings_in(requests: Sequence[Request], *, first: int = 0) -> dict[int, Understanding]:
    """Return what those of the requests ask for that can be read, by their places, which begin at `first`."""
    read = {place: understanding_in(request) for place, request in enumerate(requests, start=first)}
    return {place: each for place, each in read.items() if each is not None}


def subject_of(understanding: Understanding) -> str | None:
    """Return where a request wants to go, or to stay."""
    if understanding.tour is not None:
        return ", ".join(sorted(place.city.label for place in understanding.tour.cities))
    goal = understanding.flight.destination or understanding.hotel.city
    return goal.city.label if goal is not None else None


def _completed(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored understanding with all that data files of versions 2 and 3 may lack.

    The agents of a message were then all that its request wanted, was about and had searched.
    """
    agents = stored["agents"]
    return {
        "wanted": agents,
        "about": agents,
        "searched": agents,
        "period": None,
        "refused": [],
        "resumes": None,
        "assumed": [],
        "is_elsewhere": False,
        "mentioned": None,
        **stored,
    }


_FIELD = "stands_for"


class PastRequests:
    """The earlier requests of a conversation that can be read, numbered as `understand` counts them.

    Their places are those in `(*situation.recent, *situation.alike)`, by which the core knows them; the two
    differ where a request in between cannot be read.
    """

    def __init__(self, situation: Situation) -> None:
        recent = understandings_in(situation.recent)
        alike = understandings_in(situation.alike, first=len(situation.recent))
        self.recent: Sequence[Understanding] = list(recent.values())
        self.alike: Sequence[Understanding] = list(alike.values())
        self._places = [*recent, *alike]
        self._requests = [*situation.recent, *situation.alike]
        self._turns = situation.turns
        self._now = _turn(situation.previous, None)

    def place(self, number: int) -> int:
        """Return the place of a request."""
        return self._places[number]

    def request(self, number: int) -> Mapping[str, Any]:
        """Return a request as it is stored."""
        return self._requests[self._places[number]]

    def before_the_last(self) -> list[int]:
        """Return the numbers of the requests earlier than the last, latest first."""
        now = self._now
        earlier = [each for each in self._with_turns() if now is None or self._turn_of(each) < now]
        return sorted(earlier, key=lambda each: -self._turn_of(each))

    def after_the_last(self) -> int | None:
        """Return the number of the request after the one that was gone back to; None if none was."""
        now = self._now
        if now is None:
            return None
        later = [
            each
            for each in self._with_turns()
            if self._turn_of(each) > now and _FIELD not in self.request(each)
        ]
        return min(later, key=self._turn_of, default=None)

    def stands_for(self, number: int) -> dict[str, Any]:
        """Return the field of a new request that takes up, by going back or forth, this one."""
        return {_FIELD: _turn(self.request(number), self._turn_of(number))}

    def _with_turns(self) -> list[int]:
        # Situations that are made up, as of a message that is read alone, tell no turns.
        return [number for number, place in enumerate(self._places) if place < len(self._turns)]

    def _turn_of(self, number: int) -> int:
        return self._turns[self._places[number]]


def _turn(request: Mapping[str, Any] | None, turn: int | None) -> int | None:
    """The turn whose request this one stands for; its own `turn` where it stands for itself."""
    return request.get(_FIELD, turn) if request is not None else None


# --- its searches --------------------------------------------------------------------------------------


_ADAPTERS: Mapping[Agent, TypeAdapter[Any]] = {agent: TypeAdapter(QUERY_TYPES[agent]) for agent in SLOTS}


Searches: TypeAlias = Mapping[Agent, Query]
"""The searches that a request makes, by the agents that know enough for one."""


def searches_of(request: Request | None) -> Searches:
    """Return the searches of a stored request."""
    understanding = understanding_in(request)
    if request is None or understanding is None:
        return {}
    kept: Mapping[str, Any] = request.get("searches", {})
    made: dict[Agent, Query] = {agent: query for agent in SLOTS if (query := _read(agent, kept.get(agent)))}
    return {**_wanted(understanding), **made}


def kept_searches(understanding: Understanding, before: Request | None) -> dict[str, Any]:
    """Return the field for the searches of the request `before` that find all that is wanted now.

    Those that are just what is wanted are left out, and so is the field if none is left.
    """
    made, wanted = searches_of(before), _wanted(understanding)
    kept: dict[str, Any] = {
        agent: _ADAPTERS[agent].dump_python(query, mode="json")
        for agent, query in made.items()
        if agent in wanted and query != wanted[agent] and covers(agent, query, wanted[agent])
    }
    return {"searches": kept} if kept else {}


def _wanted(understanding: Understanding) -> Searches:
    return {agent: query for agent, make in QUERIES.items() if (query := make(understanding)) is not None}


def _read(agent: Agent, stored: Any) -> Any:
    if stored is None:
        return None
    try:
        return _ADAPTERS[agent].validate_python(stored)
    except ValidationError:
        return None  # it is then made as the request says


_AGENTS: Mapping[str, Agent] = {agent: agent for agent in SLOTS}


def result_sorter(found_for: Mapping[str, Any] | None, request: Mapping[str, Any] | None) -> ResultSorter:
    """Return what a request makes of the offers for another one; all go if either cannot be read.

    An offer stays if the same search finds it and it fits, and waits if it fits, but its search is made for
    other days or people. What goes is for another place, is not wanted any more, or does not fit.
    """
    before, after = understanding_in(found_for), understanding_in(request)

    def of_agent(agent: str, items: Sequence[Any]) -> Sequence[Validity]:
        if before is None or after is None:
            return _all_go(items)
        if agent == "planner":
            is_same = before.tour is not None and before.tour == after.tour
            return ["stays" for _ in items] if is_same else _all_go(items)
        known = _AGENTS.get(agent)
        if known is None or known not in after.wanted or _cities(known, before) != _cities(known, after):
            return _all_go(items)
        fate: Validity = "stays" if base_query(known, before) == base_query(known, after) else "waits"
        return [fate if fits(known, after.of(known), item) else "goes" for item in items]

    return of_agent


def is_same_search(agent: Agent, found_for: Understanding, request: Understanding) -> bool:
    """Return whether the offers for one request are those of the other, but for what narrows them."""
    is_there = _cities(agent, found_for) == _cities(agent, request)
    return is_there and base_query(agent, found_for) == base_query(agent, request)


class OfferFilter:
    """Which offers a request shows: those that fit, each once. `shown` are those there are already.

    Two searches of one task may find the same offer: one that was made before, and one for the rest.
    `left_out` are those that do not fit, by agent, as long as none of the agent does; those that were so
    `before` the run, of a search that was taken over, count as well.
    """

    def __init__(
        self,
        request: Request | None,
        shown: Mapping[str, Sequence[Any]] | None = None,
        *,
        before: object = None,
    ) -> None:
        self._understanding = understanding_in(request)
        self._seen = {
            item["offer_id"] for items in (shown or {}).values() for item in items if "offer_id" in item
        }
        self._fitting = {agent for agent, items in (shown or {}).items() if items}
        early = before.left_out if isinstance(before, OfferFilter) else dict[str, list[Any]]()
        self.left_out = {agent: [*items] for agent, items in early.items() if agent not in self._fitting}
        self._seen.update(item["offer_id"] for items in self.left_out.values() for item in items)

    def __call__(self, agent: str, item: Any) -> bool:
        """Return whether an offer is shown."""
        known = _AGENTS.get(agent)
        if self._understanding is None or known is None:
            return True
        if item["offer_id"] in self._seen:
            return False
        self._seen.add(item["offer_id"])
        if fits(known, self._understanding.of(known), item):
            self._fitting.add(agent)
            self.left_out.pop(agent, None)
            return True
        if agent not in self._fitting:
            self.left_out.setdefault(agent, []).append(item)
        return False


def _all_go(items: Sequence[Any]) -> Sequence[Validity]:
    return ["goes" for _ in items]


def _cities(agent: Agent, understanding: Understanding) -> Sequence[object]:
    places = (getattr(understanding.of(agent), slot.field) for slot in rows_of(agent) if slot.type is Place)
    return [place.city if place else None for place in places]


# --- what was last spoken of ---------------------------------------------------------------------------


_NAME = "spoken_of"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An order that the user wants offers shown in."""

    by: By = "price"
    descending: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenOf:
    """The offers spoken of last, by agent, the `agent` of the very last, and the orders they are shown in.

    `compared` are several spoken of at once, of which single ones may have been spoken of since.
    With `is_proposed` the reply asked whether to book the very last.
    `wishes` tell the one offer of each kind that was spoken of last as it is shown, for "book it" and "book
    both".
    """

    agent: Bookable | None = None
    offer_ids: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    orders: Mapping[str, Order] = field(default_factory=dict[str, Order])
    wishes: Mapping[str, BookingWish] = field(default_factory=dict[str, BookingWish])
    compared: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    is_proposed: bool = False

    @property
    def are_two(self) -> bool:
        """Whether two offers were spoken of together."""
        return len(self.offer_ids.get(self.agent or "", ())) == 2

    def order(self, agent: str) -> Order:
        """Return the order that an agent's offers are shown in."""
        return self.orders.get(agent, Order())

    def of(self, agent: Bookable, offers: list[Offer]) -> "SpokenOf":
        """Return the same after these offers of an agent were spoken of."""
        ids = tuple(offer["offer_id"] for offer in offers)
        wishes = {kind: wish for kind, wish in self.wishes.items() if kind != agent}
        wish = told(_wish, offers[0]) if len(offers) == 1 else None
        if wish is not None:
            wishes[agent] = wish
        compared = dict(self.compared)
        if len(ids) > 1:
            compared[agent] = ids
        elif not {*ids} <= {*compared.get(agent, ())}:
            # Of two that were spoken of in turn either may be "the other one".
            compared[agent] = (*self.offer_ids.get(agent, ())[:1], *ids)
        spoken_of = {**self.offer_ids, agent: ids}
        return SpokenOf(
            agent=agent, offer_ids=spoken_of, orders=self.orders, wishes=wishes, compared=compared
        )

    def offer_id_of(self, wish: BookingWish) -> str | None:
        """Return the id of the one offer spoken of last that a wish tells as it is shown."""
        it = self.wishes.get(wish.kind or "")
        return self.offer_ids[it.kind][0] if it and it.kind and it.shown == wish.shown else None

    def in_order(self, agent: str, order: Order) -> "SpokenOf":
        """Return the same with an agent's offers in another order."""
        return replace(self, orders={**self.orders, agent: order})


NOTHING = SpokenOf()
_ADAPTER = TypeAdapter(SpokenOf)


def spoken_of_in(request: Request | None) -> SpokenOf:
    """Return what was last spoken of by a stored request; nothing where that cannot be read."""
    stored = request.get(_NAME) if request is not None else None
    if stored is None:
        return NOTHING
    try:
        return _ADAPTER.validate_python(stored)
    except ValidationError:
        return NOTHING  # of an earlier version: "it" is then the cheapest again


def to_stored(spoken: SpokenOf) -> dict[str, Any]:
    """Return what is to be stored with a request."""
    return {} if spoken == NOTHING else {_NAME: _ADAPTER.dump_python(spoken, mode="json", exclude_none=True)}


def after(spoken: SpokenOf, understanding: Understanding, before: Understanding | None) -> SpokenOf:
    """Return what of it holds for the next request: the orders, and offers whose search is the same."""
    if understanding.relation in ("other", "stop"):
        return replace(spoken, is_proposed=False)
    if before is None or understanding.relation == "new" or understanding.resumes is not None:
        return SpokenOf(orders=spoken.orders)
    kept = [agent for agent in KINDS if understanding.of(agent) == before.of(agent)]
    others: list[Bookable] = [agent for agent in KINDS if agent not in kept]
    changed: list[Bookable] = [agent for agent in others if agent in understanding.wanted]
    return SpokenOf(
        # A message that changes one kind alone speaks of it: "only nonstop; what are the first two?".
        agent=changed[0] if len(changed) == 1 else spoken.agent if spoken.agent in kept else None,
        offer_ids={agent: ids for agent, ids in spoken.offer_ids.items() if agent in kept},
        orders=spoken.orders,
        wishes={agent: wish for agent, wish in spoken.wishes.items() if agent in kept},
        compared={agent: ids for agent, ids in spoken.compared.items() if agent in kept},
    )


def with_it(wish: BookingWish, spoken: SpokenOf) -> BookingWish:
    """Return a wish to book "it" as one for the offer spoken of last, "both" for the last of each kind."""
    then = with_it(wish.then, spoken) if wish.then else None
    told = wish.pick or wish.number or wish.name or wish.shown or wish.which or wish.reference
    told = told or wish.is_earlier or wish.is_same
    it = spoken.wishes.get(wish.kind or spoken.agent or "")
    if wish.action not in ("book", "hold") or told or it is None:
        # Where flights were asked about and none was found, "that one" is no hotel either.
        is_to_book = wish.action in ("book", "hold") and wish.kind is None
        is_of_nothing = is_to_book and not told and not spoken.offer_ids.get(spoken.agent or "")
        # "The cheapest one" behind a search that changed the hotels alone is a hotel.
        is_of_them = is_to_book and bool(wish.pick or wish.number) and not (wish.name or wish.shown)
        return replace(wish, kind=spoken.agent if is_of_nothing or is_of_them else wish.kind, then=then)
    return replace(wish, kind=it.kind, name=it.name, shown=it.shown, then=then)


def with_the_same_hotel(
    understanding: Understanding, before: Understanding | None, spoken: SpokenOf
) -> Understanding:
    """Return a search for hotels as one for the hotel spoken of last, unless its city is another one."""
    it = spoken.wishes.get("hotel")
    shown = it.shown if it is not None else None
    stay = understanding.hotel
    is_there = before is not None and before.hotel.city == stay.city
    if "hotel" not in understanding.agents or not is_there or stay.name or not isinstance(shown, ShownStay):
        return understanding
    return replace(understanding, hotel=replace(stay, name=shown.hotel))


def _wish(offer: Offer) -> BookingWish:
    if "pick_up" in offer:
        car = f"{offer['model']}, {offer['supplier']}"
        rental = ShownRental(car=car, transmission=offer["transmission"], station=offer["station"])
        return BookingWish(action="book", kind="car", name=car, shown=rental)
    if "slices" not in offer:
        check_in, check_out = (date.fromisoformat(offer[day]) for day in ("check_in", "check_out"))
        stay = ShownStay(
            hotel=offer["name"], district=offer["district"], check_in=check_in, check_out=check_out
        )
        return BookingWish(action="book", kind="hotel", name=offer["name"], shown=stay)
    ways = tuple(
        ShownDirection(
            flights=tuple(f"{flight['carrier_name']} {flight['number']}" for flight in way["segments"]),
            leaves=to_the_minute(way["segments"][0]["departs_at"]),
        )
        for way in offer["slices"]
    )
    name = " and ".join(dict.fromkeys(flight["carrier_name"] for flight in offer["slices"][0]["segments"]))
    return BookingWish(action="book", kind="flight", name=name, shown=ways)


# --- what was found ------------------------------------------------------------------------------------


_LOOKED_THROUGH = 50
"""How many of a user's tasks are looked through. The store keeps the results of all tasks since the oldest of
the eleven requests that can be resumed, so many of them may have offers."""


Wanted = Callable[[Understanding | None], bool]


def _any_request(_understanding: Understanding | None) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRequest:
    """A request with the offers that are kept for it, by agent; `found_at` is when the oldest were found.

    `understanding` is None where this version cannot read the request.
    """

    task: Task
    understanding: Understanding | None
    offers: Mapping[str, Sequence[Any]]
    found_at: datetime

    def asks_as(self, other: "KeptRequest") -> bool:
        """Return whether both requests ask for the same, whatever their messages say."""
        one, two = self.understanding, other.understanding
        if one is None or two is None:
            return False
        asked, also_asked = [
            (each.wanted, each.tour, *(each.of(agent) for agent in SLOTS)) for each in (one, two)
        ]
        return asked == also_asked


class KeptRequests:
    """Reads the kept requests of any user. Its methods raise `StoreUnavailable` and may be cancelled."""

    def __init__(self, store: StateStore) -> None:
        self._store = store

    async def latest_first(self, user_id: str, *, only: Wanted = _any_request) -> AsyncGenerator[KeptRequest]:
        """Yield the requests for which offers are kept; each is read only once it is asked for.

        `only` tells by what a request asks for whether it is wanted. It is asked first, since that comes with
        the list of tasks, which is one read; the offers of each task are two more.
        """
        for task in await self._store.recent_tasks(user_id, limit=_LOOKED_THROUGH):
            if not only(understanding_in(task.request)):
                continue
            kept = await self._read(task)
            if kept is not None:
                yield kept

    async def of_task(self, user_id: str, task_id: str) -> KeptRequest | None:
        """Return what is kept for a task; None if nothing is, or the task is another user's."""
        task = await self._store.get_task_metadata(user_id, task_id)
        return await self._read(task) if task is not None else None

    async def writes_before(self, user_id: str, task_id: str) -> Sequence[ToolCall]:
        """Return the writes that were asked for by the request before a task, in the order they were made."""
        task = await self._store.get_task_metadata(user_id, task_id)
        # The task before a later attempt at a message is the attempt before it, whose writes it inherits.
        while task is not None and task.asked_in is not None and task.previous_task_id is not None:
            task = await self._store.get_task_metadata(user_id, task.previous_task_id)
        before_id = task.previous_task_id if task is not None else None
        before = await self._store.get_task_metadata(user_id, before_id) if before_id is not None else None
        calls = await self._store.get_tool_calls(user_id, before.turn) if before is not None else ()
        return [call for call in calls if call.effect == "write"]

    async def _read(self, task: Task) -> KeptRequest | None:
        saved = await self._store.get_partials(task.user_id, task.turn)
        found = PartialResults(each.found for each in saved if each.found is not None)
        if not any(found.counts().values()):
            return None
        return KeptRequest(
            task=task,
            understanding=understanding_in(task.request),
            offers=found.to_json(),
            found_at=await self._found_at(task),
        )

    async def _found_at(self, task: Task) -> datetime:
        # Not when the task ended: a search that it took over may have found its prices long before.
        calls = await self._store.get_tool_calls(task.user_id, task.turn)
        ended = (call.ended_at for call in calls if call.effect == "read" and call.done)
        return min((at for at in ended if at is not None), default=task.updated_at)


async def without_repeats(requests: AsyncGenerator[KeptRequest]) -> Sequence[KeptRequest]:
    """Return the requests without those that a later one repeats and has found as much for."""
    kept: list[KeptRequest] = []
    async for each in requests:
        if not any(later.asks_as(each) and _has_as_much(later, each) for later in kept):
            kept.append(each)
    return kept


def _has_as_much(later: KeptRequest, earlier: KeptRequest) -> bool:
    # A search that was made again and cut short has fresher prices, and fewer of them.
    return all(len(later.offers.get(agent, ())) >= len(items) for agent, items in earlier.offers.items())
