"""What we use of LangGraph without its documentation promising it works, and stands in one module.

After an upgrade each test fails with `WHAT_TO_DO`, whether a name is gone or does something else.
"""

import ast
import contextlib
import importlib
import importlib.metadata
from collections.abc import Generator
from types import ModuleType
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, interrupt

from tests.conventions import ROOT, our_files
from tests.graphs.building import State, chain

ADAPTER = "backend/graphs/langgraph_internals.py"

WHAT_TO_DO = (
    f"langgraph {importlib.metadata.version('langgraph')} does not do what {ADAPTER} uses without its being "
    "documented. Either pin the version before, or find in langgraph/pregel/main.py how `astream` hands "
    "stream, writer and checkpointer to a subgraph now, and do the same there; the documented way, and what "
    "it costs, is in docs/decisions/0003-run-hosted-graphs-with-one-ainvoke-call.md."
)


@contextlib.contextmanager
def telling_what_to_do() -> Generator[ModuleType]:
    """Yield the adapter; whatever is raised within fails with what to do about it."""
    try:
        yield importlib.import_module("backend.graphs.langgraph_internals")
    except Exception as error:  # noqa: BLE001 - an upgrade may raise anything
        pytest.fail(f"{WHAT_TO_DO}\n\n{type(error).__name__}: {error}")


async def run(graph: Any, given: Any, **options: Any) -> tuple[list[Any], list[Any]]:
    """Run a graph that is followed; return what it streamed, and what its nodes wrote."""
    streamed: list[Any] = []
    written: list[Any] = []
    with telling_what_to_do() as internals:
        keys = internals.followed(streamed=streamed.append, written=written.append, store=InMemoryStore())
        configuration = {"configurable": {"thread_id": "1", **keys, **options}}
        await graph.ainvoke(given, configuration, stream_mode=[])
    return streamed, written


async def test_run_streams_nodes_updates_and_states_to_a_function():
    async def greet(state: State) -> State:
        return {"answer": "Hello"}

    streamed, _ = await run(chain(greet), {"message": "hi"})
    with telling_what_to_do():
        modes = [mode for _, mode, _ in streamed]
        assert modes == ["values", "tasks", "updates", "tasks", "values"], modes
        [begun, ended] = [payload for _, mode, payload in streamed if mode == "tasks"]
        assert begun["name"] == ended["name"] == "greet"
        assert begun["id"] == ended["id"]
        assert "triggers" in begun
        assert "triggers" not in ended
        assert (ended["error"], ended["interrupts"]) == (None, [])
        assert streamed[-1][2]["answer"] == "Hello"


async def test_run_takes_a_checkpointer_hands_it_interrupts_and_resumes():
    class Saver(InMemorySaver):
        interrupts: tuple[Any, ...] = ()

        def put_writes(self, config: Any, writes: Any, *place: Any) -> None:
            super().put_writes(config, writes, *place)
            self.interrupts += tuple(internals.interrupts_among(writes))

    async def ask(state: State) -> State:
        return {"answer": interrupt("Which city?")}

    with telling_what_to_do() as internals:
        saver = Saver()
        keys = internals.checkpointed(saver)
    streamed, _ = await run(chain(ask), {"message": "hi"}, **keys)
    with telling_what_to_do():
        assert [each.value for each in saver.interrupts] == ["Which city?"]
        assert [internals.is_paused(each) for _, mode, each in streamed if mode == "updates"] == [True]
    streamed, _ = await run(chain(ask), Command(resume={saver.interrupts[0].id: "Rome"}), **keys)
    with telling_what_to_do():
        assert streamed[-1][2]["answer"] == "Rome"
        assert [internals.is_paused(each) for _, mode, each in streamed if mode == "updates"] == [False]


async def test_function_called_between_steps_can_write_to_the_next_state():
    async def say(state: MessagesState) -> Any:
        return {"messages": [AIMessage("so")]}

    inner = chain(("one", say), ("two", say), state=MessagesState)
    builder = StateGraph(MessagesState)
    builder.add_sequence([("first", say), ("inner", inner), ("last", say)])
    builder.add_edge(START, "first")
    seen: list[tuple[Any, ...]] = []
    with telling_what_to_do() as internals:

        def between(boundary: Any) -> None:
            following = sorted(boundary.following)
            seen.append((boundary.path, boundary.nodes, following, len(boundary.value("messages"))))
            if following == ["last"]:
                assert boundary.adds_to("messages")
                assert len(boundary.value("messages", [AIMessage("tried")])) == 5
                boundary.write("messages", [AIMessage("written")])
                boundary.grant_steps()

        keys = internals.called_between_steps(between)
        graph: Any = builder.compile()
        configuration = {"configurable": {"thread_id": "1", **keys}, "recursion_limit": 3}
        state = await graph.ainvoke({"messages": [("user", "hello")]}, configuration)
    assert seen == [
        ((), ["__start__"], ["first"], 1),
        ((), ["first"], ["inner"], 2),
        (("inner",), ["__start__"], ["one"], 2),
        (("inner",), ["one"], ["two"], 3),
        (("inner",), ["two"], [], 4),
        ((), ["inner"], ["last"], 4),
        ((), ["last"], [], 6),
    ]
    assert [each.text for each in state["messages"]] == ["hello", "so", "so", "so", "written", "so"]


@pytest.mark.parametrize("is_plain", [True, False])
async def test_graph_without_a_checkpointer_runs_within_one_that_stores_steps(is_plain: bool):
    def greet(state: State) -> State:
        return {"answer": f"Hello {state['message']}"}

    child = chain(greet, checkpointer=False)

    def blocks(state: State) -> Any:
        return child.invoke(state)

    async def awaits(state: State) -> Any:
        return await child.ainvoke(state)

    with telling_what_to_do():
        graph = chain(blocks if is_plain else awaits, checkpointer=InMemorySaver())
        ran = await graph.ainvoke({"message": "you"}, {"configurable": {"thread_id": "1"}}, durability="sync")
    assert ran["answer"] == "Hello you"


def test_failure_says_what_to_do():
    with pytest.raises(pytest.fail.Exception) as failure, telling_what_to_do():
        raise ImportError("cannot import name 'CONFIG_KEY_STREAM'")
    assert ADAPTER in str(failure.value)
    assert "0003" in str(failure.value)
    assert "CONFIG_KEY_STREAM" in str(failure.value)


def test_private_names_of_langgraph_are_used_in_one_module():
    found = {
        path.relative_to(ROOT).as_posix()
        for path in our_files(".py")
        if path.is_relative_to(ROOT / "backend") and any(map(is_private, names_in(path.read_text("utf-8"))))
    }
    assert found == {ADAPTER}


@pytest.mark.parametrize(
    "source",
    [
        "from langgraph._internal._constants import INTERRUPT",
        "from langgraph import _internal",
        "from langchain_core.runnables.config import _set_config_context",
        "import langgraph._internal",
        "configurable['__pregel_stream'] = stream",
    ],
)
def test_private_name_is_found(source):
    assert any(map(is_private, names_in(source)))


def names_in(source: str) -> set[str]:
    """Return what a source imports of LangGraph and LangChain, with dots, and its strings."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{each.name}" for each in node.names}
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found


def is_private(name: str) -> bool:
    package, _, rest = name.partition(".")
    foreign = package.startswith(("langgraph", "langchain")) and any(
        part.startswith("_") for part in rest.split(".")
    )
    return foreign or name.startswith("__pregel")
