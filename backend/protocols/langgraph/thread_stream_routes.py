"""The thread protocol: commands, and the events of a thread over its runs."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast

from fastapi import APIRouter, Request, Response

from ...domain.task import Policy
from ...errors import BadInput, Conflict, DetourError, NotFound
from ...serving.event_stream import EventStream
from ...serving.services import Services
from ...serving.wire.output import json_response
from ...serving.wire.policy import policy_in
from ..agents import Agents
from ..thread.reading import ThreadReader
from ..thread.state import Frame, Run
from ..threads import Threads
from .checkpoints import Checkpoints, Rests
from .index import Index
from .replies import add_route
from .starting import Starting
from .streams import HEARTBEAT_S
from .thread_rendering import PER_EVENT, ThreadRenderer
from .wire import body_of, mapping, names, run_request, text, thread_id_of

Params = Mapping[str, Any]


class ThreadStreams:
    """Answers what clients of the thread protocol ask."""

    def __init__(
        self,
        services: Services,
        threads: Threads,
        agents: Agents,
        index: Index,
        checkpoints: Checkpoints,
        starting: Starting,
    ) -> None:
        self._services = services
        self._threads = threads
        self._agents = agents
        self._index = index
        self._checkpoints = checkpoints
        self._starting = starting

    async def command(self, request: Request) -> Response:
        """Carry out a command; what it cannot do is said with 200 as well."""
        thread_id = thread_id_of(request)
        body = await body_of(request)
        command_id = body.get("id")
        try:
            method, params = text(body, "method") or "", mapping(body, "params")
            result, run = await self._carry_out(thread_id, method, params, policy_in(request.headers))
        except (BadInput, Conflict, NotFound) as error:
            refused = {"type": "error", "id": command_id, "error": _code(error), "message": error.message}
            return json_response(refused)
        # What a client has not seen of the run must come after this number.
        meta = {"applied_through_seq": run.began_seq * PER_EVENT - 1}
        return json_response({"type": "success", "id": command_id, "result": result, "meta": meta})

    async def _carry_out(
        self, thread_id: str, method: str, params: Params, header: Policy | None
    ) -> tuple[dict[str, Any], Run]:
        if method == "run.start":
            state = await self._threads.state(thread_id)
            request = _as_request(params)
            if state is not None and _is_answer(request["input"], state.requests):
                resume = run_request({"assistant_id": None, "command": {"resume": request["input"]}})
                wanted = replace(resume, resume_fields={"": "input"})
            else:
                wanted = run_request(request, header).in_new_thread()
            begun = await self._starting.begin(thread_id, wanted)
            return {"run_id": begun.run.run_id, **(begun.steering or {})}, begun.run
        if method == "input.respond":
            answers, fields = _answers(params)
            state = await self._threads.state(thread_id)
            if state is None or not answers.keys() <= state.requests.keys():
                raise Conflict("A question that this answers is not open.", code="not_open")
            resume = run_request({"assistant_id": None, "command": {"resume": answers}})
            begun = await self._starting.begin(thread_id, replace(resume, resume_fields=fields))
            return {}, begun.run
        raise _NotSupportedError(f"This server has no command {method!r}.")

    async def events(self, request: Request) -> Response:
        """Stream the events of a thread from a number on, over its runs, until the client leaves."""
        thread_id = thread_id_of(request)
        body = await body_of(request)
        channels = names(body, "channels") or ()
        namespaces: Any = body.get("namespaces")
        since = body.get("since")
        if since is not None and (not isinstance(since, int) or isinstance(since, bool)):
            raise BadInput("since: it should be a whole number.")
        if namespaces is not None and not isinstance(namespaces, list):
            raise BadInput("namespaces: it should be a list.")
        if namespaces is not None and [] not in namespaces:
            channels = ()  # of subgraphs, of which nothing is told
        asked = await self._checkpoints.asked(thread_id, await self._index.get(thread_id))
        renderer = ThreadRenderer(channels, asked, self._agent_of)
        rests = await self._checkpoints.rests(thread_id)
        reader = await self._threads.reader(thread_id)
        return EventStream(
            self._services,
            thread_id,
            _pieces(reader, renderer, rests, -1 if since is None else since),
            heartbeat_s=min(self._services.heartbeat_s, HEARTBEAT_S),
        )

    def _agent_of(self, run: Run) -> str:
        return run.graph or self._agents.default


class _NotSupportedError(BadInput):
    """The thread protocol has the command, and this server does not."""


async def _pieces(
    reader: ThreadReader, renderer: ThreadRenderer, rests: Rests, since: int
) -> AsyncGenerator[bytes, None]:
    yield b""
    async with aclosing(reader.follow()) as batches:
        async for steps in batches:
            out: list[bytes] = []
            anew = True
            for step in steps:
                anew = False
                if step.ended is not None and renderer.shows_values:
                    renderer.rest = await rests.at_end_of(step.ended)
                out += [frame for number, frame in renderer.step(step, reader.state) if number > since]
            if anew:
                last = next(reversed(reader.state.runs.values()), None)
                if last is not None and last.ended and renderer.shows_values:
                    renderer.rest = await rests.at_end_of(last)
                out += [frame for number, frame in renderer.present(reader.state) if number > since]
            if out:
                yield b"".join(out)


def _as_request(params: Params) -> dict[str, Any]:
    """Return the parameters of `run.start` as the body of a request for a run."""
    strategy = params.get("multitask_strategy") or params.get("multitaskStrategy")
    taken = {name: params.get(name) for name in ("assistant_id", "input", "config", "metadata", "context")}
    return {**taken, "multitask_strategy": strategy}


def _is_answer(given: Any, requests: Mapping[str, Frame]) -> bool:
    """Return whether the input of a run is answers by question, or the fields of a question that is open.

    `RemoteGraph` sends what it resumes with as the input of a run. Text is a message, which answers as well.
    """
    if not isinstance(given, Mapping) or not given:
        return False
    named = set(cast("Mapping[str, Any]", given))
    fields = (set[str](each["schema"].get("properties", ())) for each in requests.values())
    return named <= set(requests) or any(named <= each for each in fields)


def _answers(params: Params) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the answers of `input.respond`, by question, and the field of each. Raises `BadInput`."""
    several: Any = params.get("responses")
    sent = (
        [(f"responses[{number}].", each) for number, each in enumerate(cast("list[Any]", several))]
        if isinstance(several, list)
        else [("", params)]
    )
    answers: dict[str, Any] = {}
    fields: dict[str, str] = {}
    for within, each in sent:
        response: Params = cast("Params", each) if isinstance(each, Mapping) else {}
        interrupt_id: Any = response.get("interrupt_id")
        if not isinstance(interrupt_id, str):
            raise BadInput(f"{within}interrupt_id: name the question that this answers.")
        answers[interrupt_id] = response.get("response")
        fields[interrupt_id] = f"{within}response"
    return answers, fields


def _code(error: DetourError) -> str:
    if isinstance(error, _NotSupportedError):
        return "not_supported"
    return "no_such_interrupt" if isinstance(error, Conflict | NotFound) else "invalid_argument"


def thread_stream_router(streams: ThreadStreams) -> APIRouter:
    """Return the routes."""
    router = APIRouter()
    add_route(router, "/threads/{thread_id}/commands", streams.command, "POST")
    add_route(router, "/threads/{thread_id}/stream/events", streams.events, "POST")
    return router
