"""What the code of a node tells before it runs: tools that no callback follows, calls that block the loop."""

from typing import Any

import pytest
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.pregel.remote import RemoteGraph
from structlog.testing import capture_logs

from backend.check import main
from backend.graphs.graph_options import GraphOptions
from backend.graphs.node_code import reach_of
from backend.graphs.support import GraphInterface, log_start, support_of
from tests.graphs import reaching
from tests.graphs.reaching import BLOCKING, FOLLOWED, UNFOLLOWED, alone

pytestmark = pytest.mark.requirement("TOOLS-NOBODY-DECLARED")


def cases(of: dict[str, list[Any]]) -> list[Any]:
    found = [(text, node) for text, nodes in of.items() for node in nodes]
    return [
        pytest.param(text, node, id=f"{getattr(node, '__name__', type(node).__name__)}")
        for text, node in found
    ]


@pytest.mark.parametrize(("text", "made"), cases(UNFOLLOWED))
def test_tool_that_no_callback_follows_is_named_with_its_node(text: str, made: Any) -> None:
    [reach] = reach_of(alone(made))
    assert (reach.node, [*reach.unfollowed]) == ("node", [text])
    assert reach.unfollowed[text].startswith("reaching.py:")
    assert not reach.blocking


@pytest.mark.parametrize(("text", "made"), cases(BLOCKING))
def test_call_that_blocks_the_event_loop_is_named_with_its_node(text: str, made: Any) -> None:
    [reach] = reach_of(alone(made))
    assert (reach.node, [*reach.blocking]) == ("node", [text])
    assert not reach.unfollowed


@pytest.mark.parametrize("made", FOLLOWED)
def test_nothing_is_said_of_a_node_that_is_followed(made: Any) -> None:
    assert reach_of(alone(made)) == []


def test_task_of_a_functional_graph_belongs_to_its_entrypoint() -> None:
    [reach] = reach_of(reaching.flow)
    assert (reach.node, [*reach.unfollowed]) == ("flow", ["pay in a ThreadPoolExecutor"])


def test_code_that_cannot_be_read_keeps_no_graph_from_its_start() -> None:
    class Odd:
        @property
        def func(self) -> Any:
            raise OSError("not here")

        async def __call__(self, state: Any) -> Any:
            return None

    namespace: dict[str, Any] = {}
    exec("async def made(state): return {}", namespace)
    assert reach_of(alone(Odd())) == reach_of(alone(namespace["made"])) == []


def test_check_names_both(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tests.graphs.reaching:graph"]) == 0
    said = capsys.readouterr().out
    assert "note  blocking calls:  asks calls agent.invoke() (reaching.py:" in said
    assert "note  not followed:    pays runs pay in a ThreadPoolExecutor (reaching.py:" in said


def test_start_of_a_server_logs_both() -> None:
    with capture_logs() as logs:
        log_start("agent", GraphInterface(reaching.graph, GraphOptions()))
    told = [(each["part"], each["log_level"]) for each in logs if "part" in each]
    assert told == [("blocking calls", "warning"), ("not followed", "warning")]


def test_remote_graph_as_a_node_is_told_of() -> None:
    remote: Any = RemoteGraph("far", url="http://127.0.0.1:1")
    graph: Any = StateGraph(MessagesState).add_node("far", remote).add_edge(START, "far").compile()
    lines = {each.part: each.text for each in support_of(GraphInterface(graph, GraphOptions()))}
    assert lines["remote graphs"].startswith("far: ")
