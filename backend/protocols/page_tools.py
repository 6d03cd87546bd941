"""Tools that a page executes: reads what it offers, and takes the results of calls that wait for it.

A call waits as an open question that nobody is asked (`domain/questions.py`); its answer is the result.
"""

import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import orjson

from ..domain.encoding import encode
from ..domain.errors import BadInput, Conflict, NotOpen
from ..domain.questions import PageCall, page_call_of
from ..tasks.input_schema import schema_fault
from .bodies import object_in
from .thread.state import Frame, Run, TaskState, ThreadState
from .threads import Threads

MOST_TOOLS = 128
"""Tools of one page: model services take no more."""

MOST_BYTES = 64 * 1024
"""The most that a page's tools take as JSON, and again its context: both are stored with each message."""

LONGEST_DESCRIPTION = 4096

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What all model services take as the name of a tool."""

NOT_TOLD = "The page has told no result."
"""The result of a call whose page goes on without one."""


# --- what a page offers --------------------------------------------------------------------------------


def page_of(tools: Any, context: Any) -> dict[str, Any]:
    """Return what a page has sent for the graph; nothing if it has neither tools nor a context.

    `tools` are as AG-UI has them, `{name, description, parameters}`, and `context` is `{description, value}`.
    Raises `BadInput` that names the field.
    """
    page = {"tools": _tools(tools), "context": _context(context)}
    return {"page": {name: each for name, each in page.items() if each}} if any(page.values()) else {}


def _tools(sent: Any) -> list[dict[str, Any]]:
    tools: dict[str, dict[str, Any]] = {}
    for number, each in enumerate(_objects(sent, "tools", most=MOST_TOOLS)):
        tool = _tool(each, f"tools.{number}")
        if tool["name"] in tools:
            raise BadInput.of_fields((f"tools.{number}.name", "an earlier tool has this name"))
        tools[tool["name"]] = tool
    return [*tools.values()]


def _tool(sent: Mapping[str, Any], field: str) -> dict[str, Any]:
    name, description = sent.get("name"), sent.get("description") or ""
    parameters: Any = sent.get("parameters") or {"type": "object", "properties": {}}
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise BadInput.of_fields((f"{field}.name", "should be 1 to 64 letters, digits, _ and -"))
    if not isinstance(description, str) or len(description) > LONGEST_DESCRIPTION:
        fault = f"should be text of at most {LONGEST_DESCRIPTION} characters"
        raise BadInput.of_fields((f"{field}.description", fault))
    schema = object_in(parameters)
    fault = "should be an object" if not schema else _fault_of(encode(schema))
    if fault is None and schema.get("type", "object") != "object":
        fault = "should be the JSON Schema of an object"
    if fault is not None:
        raise BadInput.of_fields((f"{field}.parameters", fault))
    return {"name": name, "description": description, "parameters": dict(schema)}


@functools.lru_cache(maxsize=1024)
def _fault_of(schema: bytes) -> str | None:
    # A page sends the same tools with every message, and a check may take a third of a second.
    fault = schema_fault(orjson.loads(schema))
    return None if fault is None else f"is no JSON Schema: {fault}"


def _context(sent: Any) -> list[dict[str, Any]]:
    context: list[dict[str, Any]] = []
    for number, each in enumerate(_objects(sent, "context")):
        if not isinstance(each.get("description"), str):
            raise BadInput.of_fields((f"context.{number}.description", "should be text"))
        context.append({"description": each["description"], "value": each.get("value")})
    return context


def _objects(sent: Any, field: str, *, most: int | None = None) -> Sequence[Mapping[str, Any]]:
    """Return a list of objects, an empty one for null. Raises `BadInput` for anything else, and too much."""
    if sent is None:
        return ()
    if not isinstance(sent, list):
        raise BadInput.of_fields((field, "should be a list"))
    found = cast("list[Any]", sent)
    if most is not None and len(found) > most:
        raise BadInput.of_fields((field, f"should be at most {most}"))
    for number, each in enumerate(found):
        if not isinstance(each, Mapping):
            raise BadInput.of_fields((f"{field}.{number}", "should be an object"))
    if len(encode(found)) > MOST_BYTES:
        raise BadInput.of_fields((field, f"should take at most {MOST_BYTES // 1024} KiB"))
    return found


# --- what it has told ----------------------------------------------------------------------------------


class ToolResult(NamedTuple):
    """A result in a conversation that a page has sent, in `field`; `is_new` if it is sent for the first time.

    It may be a result that the server has told the page before.
    """

    call_id: str
    message_id: str
    text: str
    field: str
    is_new: bool


class CallClosed(Conflict):
    """The call waits for no result any more."""

    code = "not_open"


def call_of(request: Frame) -> PageCall | None:
    """Return the call that a question leaves to the page; None if it asks the user."""
    return page_call_of(request.get("value"))


async def take_results(
    threads: Threads, user_id: str, results: Sequence[ToolResult], page: Mapping[str, Any]
) -> Run | None:
    """Take the results of calls that wait for the page; return the run that goes on with the last new one.

    `page` is what `page_of` has made of what came with them.

    That is the run of its first sending if it came before. None if none of the new ones is of a page's call.
    Raises `BadInput` for a new result of an unknown call, `CallClosed`, and as `Threads.answer`.
    """
    state = await threads.state(user_id)
    waiting = _waiting(state)
    told = {each.call_id: each for each in results if each.call_id in waiting}
    new = [each for each in results if each.is_new]
    for each in new:
        if not _may_know(state, each.call_id):
            raise BadInput.of_fields((f"{each.field}.toolCallId", "no tool call has this id"))
    if told and state is not None:
        *_, last = told.values()
        request = waiting[last.call_id]
        answer = _answer(state.tasks[request["task_id"]], results)
        try:
            return await threads.answer(
                user_id, request["request_id"], answer=answer, page=page.get("page", {})
            )
        except NotOpen:
            # Another sending of the same result may have come first.
            return _run_of_told(await threads.state(user_id), last)
    runs = [_run_of_told(state, each) for each in new]
    return next((each for each in reversed(runs) if each is not None), None)


def _answer(task: TaskState, results: Sequence[ToolResult]) -> dict[str, Any]:
    """Return the answer for all calls of a task: a page that goes on has executed what it can.

    Also for those that the graph has not come to: a plain node asks for one result after another.
    """
    told = {each.call_id: each for each in results}
    left = [call_id for call_id, is_told in task.for_page.items() if not is_told]
    return {
        call_id: {"message_id": told[call_id].message_id, "text": told[call_id].text}
        if call_id in told
        else {"message_id": f"{call_id}.result", "text": NOT_TOLD}
        for call_id in left
    }


def _waiting(state: ThreadState | None) -> dict[str, Frame]:
    """Return the questions that are calls for the page, by the ids of the calls."""
    asked = [(call_of(each), each) for each in (state.requests.values() if state is not None else ())]
    return {call.call_id: each for call, each in asked if call is not None}


def _may_know(state: ThreadState | None, call_id: str) -> bool:
    """Return whether a call was told; also where the first events of the thread are not stored any more."""
    if state is None:
        return False
    is_told = any(call_id in task.asked or call_id in task.for_page for task in state.tasks.values())
    return is_told or any("seq" not in each for each in state.messages.values())


def _run_of_told(state: ThreadState | None, result: ToolResult) -> Run | None:
    """Return the run that has a page's result already; None for a call that was not the page's."""
    tasks = state.tasks.values() if state is not None else ()
    task = next((each for each in reversed([*tasks]) if result.call_id in each.for_page), None)
    if task is None or state is None:
        return None
    if not task.for_page[result.call_id]:
        fault = "the call waits for no result any more: something else came in between"
        raise CallClosed(f"{result.field}.toolCallId: {fault}")
    return state.run_of(task.task_id)
