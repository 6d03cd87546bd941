"""States that clients write: as `threads.update_state` does, and at the creation of a thread."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

from fastapi import Request, Response

from ...conversation.writing import StateAnswer
from ...domain.errors import BadInput, NotFound
from ...http.wire.bodies import json_response
from ..threads import uuid_of
from .api import Api
from .checkpoints import Fork, with_metadata, with_run
from .messages import conversation_ids, outcome_id
from .views import AFTER, checkpoint, head_of, options_in, undone
from .wire import body_of, mapping, metadata_of, text, thread_id_of, unknown_thread

MOST_UPDATES = 1000
"""Of one write: each is made and stored while the thread's next message waits."""

Updates = Sequence[Mapping[str, Any]]
"""The updates of one step, each with `values` or a `command`, and `as_node`."""


class StateWrites:
    """Answers the calls that write to the state of a thread."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._services = api.services

    async def update(self, request: Request) -> Response:
        """Write values to the state of a thread, as a node of its graph."""
        thread_id = thread_id_of(request)
        body = await body_of(request)
        update = {"values": _values(body, ""), "as_node": text(body, "as_node")}
        given = mapping(body, "checkpoint")
        if given.get("checkpoint_ns"):
            raise BadInput("checkpoint.checkpoint_ns: the state of a graph within cannot be written to.")
        checkpoint_id = text(body, "checkpoint_id") or text(given, "checkpoint_id", within="checkpoint.")
        if not await self._api.knows(thread_id):
            raise unknown_thread(thread_id)
        written = await self.write(thread_id, [[update]], checkpoint_id=checkpoint_id)
        place = checkpoint(thread_id, written["step_id"])
        return json_response(
            {"checkpoint": place, "configurable": place, "checkpoint_id": written["step_id"]}
        )

    async def patch(self, request: Request) -> Response:
        """Put metadata beside that of a thread."""
        thread_id = thread_id_of(request)
        metadata = metadata_of(await body_of(request))
        if not await self._api.knows(thread_id):
            raise unknown_thread(thread_id)
        await self._api.index.change(thread_id, lambda thread: with_metadata(thread, metadata))
        return Response(status_code=204)

    async def write(
        self,
        thread_id: str,
        supersteps: Sequence[Updates],
        *,
        checkpoint_id: str | None = None,
        noted: Mapping[str, Any] = MappingProxyType({}),
    ) -> StateAnswer:
        """Write to the state of a thread, by default to the newest; raises as `AgentManager.write_state`.

        `noted` are the options of a run that is nothing but this write.
        Raises `NotFound` for an unknown checkpoint, and `TooManyRequests`.
        """
        state = await self._api.threads.state(thread_id)
        saved = await self._api.index.get(thread_id)
        fork: Fork | None = None
        head = None
        if state is not None:
            options = await self._api.checkpoints.options(thread_id, saved)
            head = head_of(state, options_in(saved))
            if checkpoint_id is not None:
                fork = await self._api.checkpoints.fork(thread_id, state, options, checkpoint_id)
        elif checkpoint_id is not None:
            raise NotFound(
                f"There is no checkpoint {checkpoint_id!r} in this thread.", code="unknown_checkpoint"
            )
        if fork is not None and fork.after and fork.step_id is None:
            raise NotFound("checkpoint_id: the state is not kept any more.", code="unknown_checkpoint")
        agent = self._agent(saved.metadata if saved is not None else {}, head.graph if head else None)
        known: Mapping[str, str] = conversation_ids(state) if state is not None else {}
        await self._services.admit_message(thread_id)
        step_id = None if fork is None else fork.step_id or ""
        if fork is None and state is not None and (gone := undone(state, options_in(saved))):
            # The newest step is that of messages which were rolled back.
            graph = self._api.agents.graph_of(agent) or ""
            is_newest = next(reversed(state.runs.values())).task_id not in gone
            step_id = await self._api.checkpoints.before(thread_id, graph, gone, unless_newest=is_newest)
        written = await self._services.conversations.write_state(
            thread_id,
            [[_with_ids(each, known) for each in step] for step in supersteps],
            graph=self._api.agents.given_for(agent).get("graph"),
            step_id=step_id,
        )
        options = {**noted, **({} if fork is None else {AFTER: fork.after})}
        named = {"graph_id": agent, "assistant_id": uuid_of(agent)}
        await self._api.index.change(
            thread_id, lambda thread: with_run(thread, written["task_id"], options, named)
        )
        return written

    def _agent(self, metadata: Mapping[str, Any], graph: str | None) -> str:
        """Return the agent whose state is written: of the newest run, else the one that the thread names."""
        named = graph or metadata.get("graph_id")
        try:
            return self._api.agents.named(named if isinstance(named, str) else None)
        except NotFound:
            return self._api.agents.default


def supersteps_in(body: Mapping[str, Any]) -> list[Updates]:
    """Return the steps to write to a new thread; none if the body has none. Raises `BadInput`."""
    supersteps = _objects(body.get("supersteps"), "supersteps")
    found: list[Updates] = []
    for number, step in enumerate(supersteps):
        field = f"supersteps[{number}].updates"
        updates = _objects(step.get("updates"), field)
        if not updates:
            raise BadInput(f"{field}: a step has at least one update.")
        found.append([_update(each, f"{field}[{place}].") for place, each in enumerate(updates)])
    if sum(map(len, found)) > MOST_UPDATES:
        raise BadInput(f"supersteps: a thread begins with at most {MOST_UPDATES} updates.")
    return found


def _update(given: Mapping[str, Any], within: str) -> Mapping[str, Any]:
    as_node = text(given, "as_node", within=within)
    if as_node is None:
        raise BadInput(f"{within}as_node: it is missing.")
    command = mapping(given, "command", within=within)
    if command.get("resume") is not None:
        raise BadInput(f"{within}command.resume: nothing is asked in a new thread.")
    told = {name: command[name] for name in ("update", "goto") if command.get(name)}
    return {"as_node": as_node, **({"command": told} if told else {"values": _values(given, within)})}


def _objects(value: Any, field: str) -> list[Mapping[str, Any]]:
    found = cast("list[Any]", value if value is not None else [])
    if not isinstance(value, list | None) or not all(isinstance(each, Mapping) for each in found):
        raise BadInput(f"{field}: it should be a list of objects.")
    return found


def _values(update: Mapping[str, Any], within: str) -> Any:
    values: Any = update.get("values")
    if values is not None and not isinstance(values, Mapping | list):
        raise BadInput(f"{within}values: it should be an object, a list or null.")
    return cast("Any", values)


# --- ids -----------------------------------------------------------------------------------------------
# A message of the user has in the graph's state the id that the conversation gives it; clients know it by the
# one that they have sent it with.


def _with_ids(update: Mapping[str, Any], known: Mapping[str, str]) -> Mapping[str, Any]:
    return {
        name: _renamed(each, known) if name in {"values", "command"} else each
        for name, each in update.items()
    }


def _renamed(value: Any, known: Mapping[str, str]) -> Any:
    """Return values with the messages in them as the graph knows them, without what the server has added.

    That are markers of interruptions, and outcomes of calls that were cut off.
    """
    if isinstance(value, list):
        return [_renamed(each, known) for each in cast("list[Any]", value) if not _is_added(each)]
    if not isinstance(value, Mapping):
        return value
    given = cast("Mapping[str, Any]", value)
    renamed = {name: _renamed(each, known) for name, each in given.items()}
    message_id = given.get("id")
    if isinstance(message_id, str) and message_id in known and ("type" in given or "role" in given):
        renamed["id"] = known[message_id]
    return renamed


def _is_added(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    message = cast("Mapping[str, Any]", value)
    more: Any = message.get("additional_kwargs")
    own: Any = cast("Mapping[str, Any]", more).get("detour") if isinstance(more, Mapping) else None
    is_marker = isinstance(own, Mapping) and "kind" in own
    call_id = message.get("tool_call_id")
    return is_marker or (isinstance(call_id, str) and message.get("id") == outcome_id(call_id))
