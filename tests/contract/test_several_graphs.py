"""One server serves several graphs: each message, answer and retry leads to the right one."""

import asyncio
import operator
from collections.abc import Mapping
from typing import Annotated, Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.config import get_store, get_stream_writer
from langgraph.graph import MessagesState
from langgraph.types import interrupt
from typing_extensions import TypedDict

from backend.domain.errors import BadInput, NotFound
from backend.domain.task import TaskStatus
from backend.graphs.history_repair import CUT_SHORT
from backend.graphs.hosted_graph import HostedGraph
from backend.graphs.hosted_tools import tool, use
from backend.graphs.several_graphs import SeveralGraphs
from backend.graphs.state.user_stores import UserStores
from backend.store.base import StateStore
from tests.graphs.building import Graph, chain
from tests.graphs.scripted_chat import ScriptedChat
from tests.interruption.disk import DiskStore
from tests.interruption.parts import Parts, started
from tests.records import a_task
from tests.stored import change

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("SEVERAL-GRAPHS")]


class Notes(TypedDict, total=False):
    message: str
    kept: Annotated[list[str], operator.add]
    depth: int
    answer: str


class Needed(TypedDict):
    tone: str


def taker(name: str) -> Graph:
    """A graph that keeps each message in its thread, asks at `ask`, and waits for ever at `wait`."""

    async def take(state: Notes, config: RunnableConfig) -> Notes:
        said = state["message"]
        if said == "wait":
            get_stream_writer()({"by": name})
            await asyncio.get_running_loop().create_future()
        if said == "ask":
            said = interrupt(f"{name} asks")
        kept = [*state.get("kept", []), said]
        thread: str = config["configurable"]["thread_id"]
        return {"kept": [said], "answer": f"{name} {thread}: {' '.join(kept)}"}

    return chain(take, state=Notes)


def parts_of(
    graphs: Mapping[str, Graph],
    store: StateStore | None = None,
    like: Parts | None = None,
    *,
    default: str = "",
    continues: str | None = None,
) -> Parts:
    def several(ledger: Any, owner: Any) -> SeveralGraphs:
        stores = UserStores()
        hosted = {
            name: HostedGraph(
                graph,
                ledger=ledger,
                owner=owner,
                name=name if len(graphs) > 1 else "",
                continues=[""] if name == continues else [],
                stores=stores,
            )
            for name, graph in graphs.items()
        }
        return SeveralGraphs(hosted, default or next(iter(graphs)))

    return Parts(store, workflow=several, new_id=like.new_id if like else None)


TWO = {"one": taker("one"), "two": taker("two")}


async def reply(parts: Parts, message: str, graph: str | None = None, **given: Any) -> str:
    named = {"graph": graph} if graph else {}
    await parts.settled(await parts.post(message, given={**named, **given}))
    return (await parts.history())[-1][1]


async def test_message_goes_to_the_graph_it_names_else_to_the_last_each_with_its_thread() -> None:
    async with started(parts_of(TWO)) as parts:
        assert await reply(parts, "a") == "one ann:one: a"
        assert await reply(parts, "b", "two") == "two ann:two: b"
        assert await reply(parts, "c") == "two ann:two: b c"
        assert await reply(parts, "d", "one") == "one ann:one: a d"
        assert await reply(parts, "e", input={"depth": 1}) == "one ann:one: a d e"


async def test_unknown_graph_is_refused_and_interrupts_nothing() -> None:
    async with started(parts_of(TWO)) as parts:
        with pytest.raises(BadInput) as refused:
            await parts.post("a", given={"graph": "three"})
        assert refused.value.message == "graph: there is no graph three; the graphs are: one, two."
        assert await parts.events() == []


async def test_tasks_and_acceptances_name_the_graph() -> None:
    async with started(parts_of(TWO)) as parts:
        accepted = await parts.runner.handle_user_message("ann", "a", given={"graph": "two"}, client_id="x")
        await parts.settled(accepted.task_id)
        assert accepted.to_wire().get("graph") == "two"
        again = await parts.runner.handle_user_message("ann", "a", client_id="x")
        assert (again.graph, again.duplicate) == ("two", True)
        assert (await parts.task(accepted.task_id)).graph == "two"
        updates = [each for each in await parts.events() if each["type"] == "status_update"]
        assert {each["graph"] for each in updates} == {"two"}


async def test_single_graph_is_not_named_and_may_be_chosen() -> None:
    async with started(parts_of({"one": TWO["one"]})) as parts:
        assert await reply(parts, "a", "one") == "one ann: a"
        [task] = await parts.store.recent_tasks("ann", limit=1)
        assert task.request is None


async def test_answer_resumes_the_graph_that_asked() -> None:
    async with started(parts_of(TWO)) as parts:
        for given in ({}, {"graph": "two"}):
            task = await parts.post("ask", given={"graph": "two"})
            await parts.settled(task)
            answered = await parts.post("yes", given=given)
            assert answered == task
            await parts.settled(task)
            assert (await parts.history())[-1][1].endswith("yes")
        assert (await parts.history())[-1][1] == "two ann:two: yes yes"


async def test_message_for_another_graph_withdraws_the_question() -> None:
    async with started(parts_of(TWO)) as parts:
        asking = await parts.post("ask", given={"graph": "two"})
        await parts.settled(asking)
        assert await reply(parts, "yes", "one") == "one ann:one: yes"
        assert (await parts.task(asking)).status is TaskStatus.INTERRUPTED


@pytest.mark.parametrize("by_form", [False, True])
async def test_answer_resumes_the_graph_that_asked_beside_a_queued_message(
    by_form: bool,
) -> None:
    async with started(parts_of(TWO)) as parts:
        asking = await parts.post("ask", given={"graph": "two"})
        await parts.settled(asking)
        queued = await parts.post("later", given={"graph": "one"}, policy="enqueue")
        [asked] = [each for each in await parts.events() if each["type"] == "input_request"]
        if by_form:
            await parts.runner.answer("ann", asked["request_id"], answer="yes")
        else:
            assert await parts.post("yes") == asking
        await parts.settled(asking, queued)
        said = [text for role, text in await parts.history() if role == "assistant"]
        assert {*said[-2:]} == {"two ann:two: yes", "one ann:one: later"}


async def test_message_that_answers_nothing_is_read_for_its_own_graph() -> None:
    async def ask(state: Notes) -> Notes:
        return {"answer": str(interrupt("What?"))}

    needing = chain(ask, state=Notes, schemas={"context_schema": Needed})
    async with started(parts_of({"one": TWO["one"], "needing": needing})) as parts:
        asking = await parts.post("hi", given={"graph": "needing", "context": {"tone": "warm"}})
        await parts.settled(asking)
        queued = await parts.post("a", given={"graph": "one"}, policy="enqueue")
        # It is for the graph of the queued message, which needs no context; the one that asks does.
        calls_off = await parts.post("never mind", policy="enqueue")
        assert (await parts.task(calls_off)).graph == "one"
        await parts.runner.stop("ann", asking)
        await parts.settled(queued, calls_off)


async def test_message_for_another_graph_keeps_what_was_found_and_hands_it_on() -> None:
    async with started(parts_of(TWO)) as parts:
        waiting = await parts.post("wait", given={"graph": "two"})
        await asyncio.sleep(1)
        accepted = await parts.runner.handle_user_message("ann", "a", given={"graph": "one"})
        await parts.settled(waiting, accepted.task_id)
        assert accepted.interrupted_task_id == waiting
        assert (await parts.receipt(waiting))["reason"] == "superseded"
        [transfer] = [each for each in await parts.events() if each["type"] == "context_transfer"]
        assert transfer["carried"]["partial_results"] == {"take": 1}


class Chat(MessagesState):
    pass


def speaker(model: ScriptedChat, name: str) -> Graph:
    async def speak(state: Chat) -> Any:
        return {"messages": [await model.ainvoke(state["messages"])]}

    return chain((name, speak), state=Chat)


async def test_half_an_answer_is_completed_when_its_graph_is_spoken_to_again() -> None:
    first, second = ScriptedChat(script=["Half of it ...", "The rest."]), ScriptedChat(script=["Other."])
    async with started(parts_of({"one": speaker(first, "a"), "two": speaker(second, "b")})) as parts:
        interrupted = await parts.post("Hi")
        await asyncio.sleep(1)
        assert await reply(parts, "Stop", "two") == "Other."
        await parts.settled(interrupted)
        assert await reply(parts, "Again", "one") == "The rest."
        assert [(each.type, each.text) for each in first.given[-1]] == [
            ("human", "Hi"),
            ("ai", f"Half of it\n\n{CUT_SHORT}"),
            ("human", "Again"),
        ]


async def test_killed_task_of_the_second_graph_is_retried_by_it() -> None:
    disk = DiskStore()
    async with started(parts_of(TWO, disk)) as parts:
        assert await reply(parts, "a", "two") == "two ann:two: a"
        await parts.post("wait", given={"graph": "two", "input": {"depth": 2}})
        await asyncio.sleep(1)
        disk.lose_process()
        await parts.die()
    async with started(parts_of(TWO, disk, like=parts)) as again:
        [retried] = await again.store.recent_tasks("ann", limit=1)
        assert retried.attempt == 2
        assert retried.request == {"graph": "two", "input": {"depth": 2}}
        assert await reply(again, "b") == "two ann:two: a b"


async def test_task_whose_graph_is_not_served_any_more_fails() -> None:
    disk = DiskStore()
    async with started(parts_of(TWO, disk)) as parts:
        task = await parts.post("ask", given={"graph": "two"})
        await parts.settled(task)
    async with started(parts_of({"one": TWO["one"]}, disk, like=parts)) as again:
        await again.settled(await again.post("yes"))
        assert (await again.history())[-1][1] == "The graph two, which this was for, is not served any more."
        assert await reply(again, "a") == "one ann: a"


async def test_user_of_a_server_of_one_graph_stays_with_the_first() -> None:
    async with started(parts_of({"one": TWO["one"]})) as parts:
        assert await reply(parts, "a") == "one ann: a"
        assert await reply(parts, "b", input={"depth": 1}) == "one ann: a b"
        await parts.settled(await parts.post("given", user="bob", given={"input": {"depth": 1}}))
    several = parts_of(TWO, parts.store, parts, default="two", continues="one")
    async with started(several):
        last_request, name_of = several.runner.last_request, several.workflow.name_of
        assert [name_of(await last_request(user)) for user in ("ann", "bob", "eve")] == ["one", "one", "two"]
        assert await reply(several, "c") == "one ann:one: a b c"
        await several.settled(await several.post("d", user="bob"))
        assert (await several.history("bob"))[-1][1] == "one bob:one: given d"
        await several.settled(await several.post("e", user="eve"))
        assert (await several.history("eve"))[-1][1] == "two eve:two: e"


async def test_step_is_looked_for_in_the_thread_of_a_message_and_not_for_an_answer() -> None:
    async with started(parts_of(TWO)) as parts:
        await reply(parts, "a", "one")
        step = await parts.store.get_thread_step("ann", "one")
        assert step is not None
        with pytest.raises(NotFound):
            await parts.post("b", given={"graph": "two", "checkpoint_id": step.step_id})
        asking = await parts.post("ask", given={"graph": "one", "checkpoint_id": step.step_id})
        await parts.quiet()
        change(parts.store, "DELETE FROM thread_steps")
        assert await parts.post("yes", given={"graph": "one"}) == asking


async def test_question_of_a_server_of_one_graph_is_answered_to_the_first() -> None:
    async with started(parts_of({"one": TWO["one"]})) as parts:
        asking = await parts.post("ask")
        await parts.settled(asking)
    several = parts_of(TWO, parts.store, parts, default="two", continues="one")
    async with started(several):
        assert await several.post("yes") == asking
        await several.settled(asking)
        assert (await several.history())[-1][1] == "one ann:one: yes"


async def remember(state: Notes) -> Notes:
    await get_store().aput(("notes",), state["message"], {})
    return {"answer": " ".join(sorted(each.key for each in await get_store().asearch(("notes",))))}


async def test_item_of_one_graph_is_read_by_another() -> None:
    graphs = {"one": chain(remember, state=Notes), "two": chain(remember, state=Notes)}
    async with started(parts_of(graphs)) as parts:
        assert await reply(parts, "a", "one") == "a"
        assert await reply(parts, "b", "two") == "a b"
        await parts.runner.delete_user("ann")
        assert await reply(parts, "c", "one") == "c"


async def test_runs_of_two_graphs_at_once_lose_no_item() -> None:
    graphs = {"one": chain(remember, state=Notes), "two": chain(remember, state=Notes)}
    parts = parts_of(graphs)
    await parts.open()
    contexts = [parts.interruptions.create_task_context(a_task(turn=turn)) for turn in (1, 2)]
    hosted = parts.workflow._graphs.values()
    first, second = (each._stores.of(context) for each, context in zip(hosted, contexts, strict=True))
    await first.aput(("notes",), "a", {})
    await second.aput(("notes",), "b", {})
    assert sorted(each.key for each in await first.asearch(("notes",))) == ["a", "b"]
    await parts.close()


async def test_fresh_read_of_one_graph_answers_no_other() -> None:
    def graph_that_reads(name: str) -> Graph:
        @tool(effect="read", fresh_s=60, name="read")
        async def read() -> str:
            return name

        async def node(_state: Notes) -> Notes:
            return {"answer": str((await use(read)).value)}

        return chain(node, state=Notes)

    async with started(parts_of({each: graph_that_reads(each) for each in TWO})) as parts:
        assert await reply(parts, "a", "one") == "one"
        assert await reply(parts, "b", "two") == "two"
