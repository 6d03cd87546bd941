"""The events of the wire contract: one function for each type; nothing else makes an event.

An event is encoded once, without its number. The store numbers it in the transaction that stores it, so no
number that a client has seen is ever lost, and none is skipped.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from .clock import to_wire
from .encoding import embedded, encode
from .event_views import TakenInAfter
from .fates import SortedResults
from .inputs import InputRequest
from .model_step import Usage
from .partials import PartialBatch, PartialResults
from .receipt import ReceiptAnswer
from .task import AgentProgress, Message, Steer, Task, current_agent


class ResultsShown(NamedTuple):
    """The results in an event: `counts` are the items of each agent, in the order in which they are shown.

    `without` is the body of a `status_update` with no results in it; None for a `partial_result`. `final` if
    the task has ended.
    """

    counts: Mapping[str, int]
    without: bytes | None = None
    final: bool = False


class Event(NamedTuple):
    """An event without its number; `body` is its JSON object, `results` tells which results are in it."""

    type: str
    task_id: str
    body: bytes
    results: ResultsShown | None = None


class StoredEvent(NamedTuple):
    """An event with its number; `frame` is the whole JSON object, as sent."""

    seq: int
    frame: bytes


def stored(seq: int, body: bytes) -> StoredEvent:
    """Return the event of a body and its number."""
    # Spliced into the encoded object, since encoding a large event a second time would cost as much again.
    return StoredEvent(seq, b'{"seq":%d,%b' % (seq, body[1:]))


def _event(kind: str, task_id: str, at: datetime, fields: Mapping[str, Any]) -> Event:
    body = encode({"type": kind, "task_id": task_id, "at": to_wire(at), **fields})
    return Event(type=kind, task_id=task_id, body=body)


def status_update(
    task: Task,
    partials: PartialResults,
    agents: Mapping[str, AgentProgress] | None = None,
    *,
    usage: Usage | None = None,
) -> Event:
    """A task changed its status; `partials` are all its results, `agents` its agents' progress.

    `usage` is what language models have used for it, published once it has ended.
    """
    fields: dict[str, Any] = {
        "status": task.status,
        "reason": task.reason if task.status.terminal or task.status == "cancelling" else None,
        "message": task.message,
        **({} if task.graph is None else {"graph": task.graph}),
        "current_agent": current_agent(agents or {}),
        "partial_results": {},
        **({} if usage is None else {"usage": usage.to_wire()}),
    }
    event = _event("status_update", task.task_id, task.updated_at, fields)
    if not (counts := partials.counts()):
        return event
    shown = ResultsShown(counts, without=event.body, final=task.status.terminal)
    return event._replace(body=with_results(event.body, partials), results=shown)


def with_results(body: bytes, results: PartialResults) -> bytes:
    """Return the body of a `status_update` that has no results with these in their place."""
    # Only numbers and strings precede the key. Within a string a quote has a backslash before it, so neither
    # a message nor an agent's name is taken for the key; `batch_in` relies on that, too.
    before, _, after = body.partition(b',"partial_results":{}')
    return b"".join((before, b',"partial_results":', results.encoded(), after))


def agent_update(
    task_id: str, agent: str, progress: AgentProgress, *, with_request: bool, at: datetime
) -> Event:
    """An agent started, progressed or ended; `with_request` if its request is new."""
    fields = {"agent": agent, **progress.to_wire(with_request=with_request)}
    return _event("agent_update", task_id, at, fields)


def partial_result(task_id: str, batch: PartialBatch, *, count: int, at: datetime) -> Event:
    """An agent found results; `count` is how many in all."""
    items = embedded(b"[" + batch.items + b"]")
    fields = {"agent": batch.agent, "items": items, "count": count, "source": batch.source}
    event = _event("partial_result", task_id, at, fields)
    return event._replace(results=ResultsShown({batch.agent: batch.count}))


def batch_in(body: bytes) -> PartialBatch:
    """Return the agent and the items in the body of a `partial_result`; `count` is 0 if there are none."""
    # Cut out rather than decoded: only numbers and strings precede the items, and follow them.
    before, _, rest = body.partition(b',"items":[')
    items, _, _ = rest.rpartition(b'],"count":')
    return PartialBatch(agent=orjson.loads(before + b"}")["agent"], items=items, count=1 if items else 0)


class Speaker(NamedTuple):
    """Whose text it is: the node whose model says it, the message it is part of, and whether that replies."""

    node: str
    message_id: str
    is_reply: bool


def text_delta(task_id: str, text: str, *, offset: int, at: datetime, by: Speaker | None = None) -> Event:
    """A piece of text; `offset` is the number of characters before it, of the reply or of its message."""
    fields: dict[str, Any] = {"text": text, "offset": offset}
    if by is not None:
        fields |= {"node": by.node, "message_id": by.message_id, "reply": by.is_reply}
    return _event("text_delta", task_id, at, fields)


def message(entry: Message) -> Event:
    """A message entered the history."""
    fields = {
        "message_id": entry.message_id,
        "role": entry.role,
        "text": entry.text,
        "interrupted": entry.interrupted,
        "client_id": entry.client_id,
        **({"suggestions": entry.suggestions} if entry.suggestions else {}),
        **({"steer": entry.steer} if entry.steer is not None else {}),
    }
    return _event("message", entry.task_id, entry.at, fields)


def steer(
    task_id: str,
    message: Task,
    fate: Steer,
    *,
    at: datetime,
    after: TakenInAfter | None = None,
) -> Event:
    """What became of a message that was to steer, or that it was edited; `task_id` is whose run it is in.

    `message` is the task that waits for its turn with it. `after` tells of a message that was taken in where
    it stands: the `nodes` of the step before it, and the `calls` that have been made.
    """
    fields = {
        "message_id": message.message_id,
        "steer": fate,
        "text": message.message,
        "revision": message.revision,
        **({} if after is None else {"after": after}),
    }
    return _event("steer", task_id, at, fields)


def tool_update(task_id: str, call: Mapping[str, Any], *, at: datetime) -> Event:
    """A tool call changed its state; `call` holds call_id, tool, state, effect and summary."""
    return _event("tool_update", task_id, at, call)


def input_request(request: InputRequest) -> Event:
    """A task needs its user."""
    return _event("input_request", request.task_id, request.asked_at, request.to_wire())


def input_resolved(request: InputRequest, *, at: datetime) -> Event:
    """A question was answered, withdrawn, or has expired."""
    fields = {"request_id": request.request_id, "outcome": request.resolution}
    return _event("input_resolved", request.task_id, at, fields)


def task_resting(task_id: str, *, at: datetime) -> Event:
    """A task only waits for its user from now on: nothing of it runs until a question is resolved."""
    return _event("task_resting", task_id, at, {})


def context_transfer(
    task_id: str,
    *,
    from_task_id: str,
    relation: str | None,
    carried: Mapping[str, Any],
    dropped: Sequence[str],
    adopted: Sequence[str] = (),
    at: datetime,
) -> Event:
    """A task took over slots, results or calls of an earlier one."""
    fields: dict[str, Any] = {
        "from_task_id": from_task_id,
        "relation": relation,
        "carried": carried,
        "adopted": adopted,
        "dropped": dropped,
    }
    return _event("context_transfer", task_id, at, fields)


def results_sorted(
    task_id: str, *, from_task_id: str, results: Mapping[str, SortedResults], at: datetime
) -> Event:
    """The request of a task makes this of the results that an earlier task found."""
    return _event("results_sorted", task_id, at, {"from_task_id": from_task_id, "results": results})


def offers_pointed_out(task_id: str, agent: str, offer_ids: Sequence[str], *, at: datetime) -> Event:
    """The reply of a task speaks of these offers of an agent."""
    return _event("offers_pointed_out", task_id, at, {"agent": agent, "offer_ids": offer_ids})


def offers_ordered(task_id: str, agent: str, by: str, *, descending: bool, at: datetime) -> Event:
    """The user wants the offers of an agent in this order."""
    fields = {"agent": agent, "by": by, "descending": descending}
    return _event("offers_ordered", task_id, at, fields)


def receipt(task_id: str, account: ReceiptAnswer, *, at: datetime) -> Event:
    """An interruption has settled."""
    return _event("receipt", task_id, at, {"receipt": account})
