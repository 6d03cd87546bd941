"""`detour check` reports what of a graph is supported, by its parts and by the code of its nodes."""

import json
from pathlib import Path
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
from tests.graphs.checked import cached, unasked
from tests.graphs.reaching import BLOCKING, FOLLOWED, UNFOLLOWED, alone

CHECKED = """\
note  loading:         its factory is called once, when the server starts: all users share the graph
yes   kind:            state graph with 2 nodes
yes   input:           gets messages, user_id
note  input:           never given: topic; nodes must do without
yes   reply:           the last message, else the only text of the final state but the message
yes   context:         none declared; context and configurable have user_id
yes   store:           its own InMemoryStore, where each user's items lie apart
note  checkpointer:    its own InMemorySaver is not used: the server has another
yes   steering:        takes messages in after a step, before a node that asks a model
yes   interrupt():     asks the user, and resumes with the answer
yes   breakpoints:     asks the user whether to go on before answer
yes   breakpoints:     asks the user whether to go on after block of inner
yes   subgraphs:       inner; what they do belongs to the node of each
note  plain functions: inner|block, the tool book: an interruption does not end what runs in a thread
"""


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The settings are those of the test alone, and so is the path."""
    monkeypatch.delenv("DETOUR_GRAPH", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)


def test_each_part_of_a_graph_has_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tests.graphs.checked:everything"]) == 0
    assert capsys.readouterr().out == CHECKED


@pytest.mark.parametrize(
    ("graph", "settings", "line"),
    [
        ("checked:unasked", {}, "note  checkpointer:    checkpointer=False: begins anew each time"),
        ("checked:cached", {}, "note  cache:           forecast, trip|plan: what one user's run has "),
        ("checked:unasked", {}, "no    breakpoints:     a task fails when its run stops before any node: "),
        ("shapes:research", {}, "yes   message:         goes to the field research_topic"),
        ("shapes:wanting_class", {"CONTEXT": '{"model": "fast"}'}, "yes   context:         model "
         "(DETOUR_GRAPH_CONTEXT), user_id (the user's id), tone (its own default)"),
        ("shapes:conversation", {"INPUT": "title", "REPLY": "note"}, "yes   reply:           the key note"),
        ("functional:agent", {}, "yes   input:           gets the conversation"),
        ("functional:plain", {}, "note  plain functions: plain: an interruption does not end what"),
        ("functional:untyped", {}, "yes   reply:           what the function returns: a text, a message, "),
        ("shapes:network", {}, "yes   plain functions: none: an interruption cancels every node"),
        ("shapes:wanting_class", {}, "note  context:         model (each message must bring it, or DETOUR_"),
        ("checked:everything", {"STORE": "shared"}, "note  store:           its own InMemoryStore, which all "
         "users share, as DETOUR_GRAPH_STORE says"),
    ],
)  # fmt: skip
def test_line_names_the_setting_that_fills_a_part(
    graph: str,
    settings: dict[str, str],
    line: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(f"DETOUR_GRAPH_{name}", value)
    assert main([f"tests.graphs.{graph}"]) == 0
    assert [each for each in capsys.readouterr().out.splitlines() if each.startswith(line)]


@pytest.mark.parametrize(
    ("arguments", "settings", "sentence"),
    [
        (["tests.graphs.shapes:email"], {}, "DETOUR_GRAPH=tests.graphs.shapes:email has no input "),
        (["tests.graphs.factories:entered_in_vain"], {}, "made no graph: ConnectionError: no tools\n"),
        ([], {}, "Name a graph: detour check module:attribute, or the path of a langgraph.json\n"),
        (["a:b"], {"GRAHP": "c:d"}, "DETOUR_GRAHP is no setting; did you mean DETOUR_GRAPH?\n"),
        (["a:b"], {"GRAPH_CONTEXT": "{"}, "DETOUR_GRAPH_CONTEXT: it is no JSON: "),
        (["a:b"], {"GRAPH_CONTEXT": "[]"}, 'DETOUR_GRAPH_CONTEXT: it must be a JSON object, such as {'),
        ([], {"GRAPH": "a:b"}, "DETOUR_GRAPH=a:b cannot be imported: ModuleNotFoundError: "),
    ],
)  # fmt: skip
def test_graph_that_the_server_would_refuse_is_refused_alike(
    arguments: list[str],
    settings: dict[str, str],
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(f"DETOUR_{name}", value)
    assert main(arguments) == 1
    said = capsys.readouterr().out
    assert sentence in said
    assert said.count("\n") == 1


def test_graphs_of_a_project_have_their_lines_and_a_bad_one_its_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DETOUR_GRAPH_DEFAULT", "workflow")
    graphs = {name: f"tests.graphs.functional:{name}" for name in ("agent", "workflow")}
    write_project(tmp_path, graphs=graphs)
    assert main(["."]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [each for each in lines if each.startswith("graph ")] == [
        "graph agent",
        "graph workflow, the default",
    ]
    assert lines.count("yes   input:           gets the message") == 1
    assert lines[-1] == "all 2 graphs can be served"
    write_project(tmp_path, graphs={**graphs, "clock": "tests.graphs.shapes:clock"})
    assert main(["."]) == 1
    said = capsys.readouterr().out
    assert "\nDETOUR_GRAPH=.:clock has no input field for a message; " in said
    assert said.endswith("\n2 of 3 graphs can be served, without the others: DETOUR_GRAPH=.:agent,workflow\n")
    monkeypatch.delenv("DETOUR_GRAPH_DEFAULT")
    write_project(tmp_path, graphs={each: f"tests.graphs.shapes:{each}" for each in ("clock", "email")})
    assert main(["."]) == 1
    assert capsys.readouterr().out.endswith("\nnone of the 2 graphs can be served\n")


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("DEFAULT", "clock", "DETOUR_GRAPH_DEFAULT=clock is none of the graphs: agent, workflow\n"),
        ("INPUT", "topic", "DETOUR_GRAPH_INPUT=topic is a field of none of the graphs\n"),
    ],
)
def test_setting_that_fits_none_of_several_graphs_is_refused(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    value: str,
    sentence: str,
) -> None:
    monkeypatch.setenv(f"DETOUR_GRAPH_{name}", value)
    write_project(
        tmp_path, graphs={each: f"tests.graphs.functional:{each}" for each in ("agent", "workflow")}
    )
    assert main(["."]) == 1
    assert capsys.readouterr().out.endswith(sentence)


def test_setting_of_several_graphs_holds_where_its_field_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DETOUR_GRAPH_INPUT", "research_topic")
    monkeypatch.setenv("DETOUR_GRAPH_REPLY", "note")
    monkeypatch.setenv("DETOUR_GRAPH_CONTEXT", '{"model": "fast", "speed": 1}')
    graphs = {name: f"tests.graphs.shapes:{name}" for name in ("research", "conversation", "wanting_class")}
    write_project(tmp_path, graphs=graphs)
    assert main(["."]) == 0
    said = capsys.readouterr().out
    assert said.count("message:         goes to the field research_topic\n") == 1
    assert said.count("reply:           the key note") == 1
    assert "context:         model (DETOUR_GRAPH_CONTEXT), user_id (the user's id), tone (its own def" in said


def write_project(folder: Path, **said: Any) -> None:
    (folder / "langgraph.json").write_text(json.dumps(said), "utf-8")


def test_missing_and_unused_parts_of_a_project_are_noted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graphs = {"agent": "tests.graphs.functional:agent"}
    unused = {"python_version": "3.12", "store": {}, "auth": {"path": "./auth.py:auth"}}
    write_project(tmp_path, graphs=graphs, env="./keys.env", dependencies=["no-such-package"], **unused)
    assert main(["."]) == 0
    said = capsys.readouterr().out
    assert "note  loading:         langgraph.json: not used: store, auth\n" in said
    assert "note  loading:         langgraph.json: its env names ./keys.env, which does not exist\n" in said
    assert "langgraph.json: not installed, to be had by: python -m pip install no-such-package\n" in said


def test_cache_shared_by_users_is_logged_at_the_start() -> None:
    with capture_logs() as logs:
        log_start("agent", GraphInterface(cached, GraphOptions()))
        log_start("other", GraphInterface(unasked, GraphOptions()))
    [line] = [each for each in logs if each["event"] == "all users share what a graph's cache holds"]
    assert (line["graph"], line["nodes"]) == ("agent", ["forecast", "trip|plan"])


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
@pytest.mark.parametrize(("text", "made"), [(text, each) for text in UNFOLLOWED for each in UNFOLLOWED[text]])
def test_tool_that_no_callback_follows_is_named_with_its_node(text: str, made: Any) -> None:
    [reach] = reach_of(alone(made))
    assert (reach.node, [*reach.unfollowed]) == ("node", [text])
    assert reach.unfollowed[text].startswith("reaching.py:")
    assert not reach.blocking


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
@pytest.mark.parametrize(("text", "made"), [(text, each) for text in BLOCKING for each in BLOCKING[text]])
def test_call_that_blocks_the_event_loop_is_named_with_its_node(text: str, made: Any) -> None:
    [reach] = reach_of(alone(made))
    assert (reach.node, [*reach.blocking]) == ("node", [text])
    assert not reach.unfollowed


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
@pytest.mark.parametrize("made", FOLLOWED)
def test_node_that_is_followed_has_no_reach(made: Any) -> None:
    assert reach_of(alone(made)) == []


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
def test_task_of_a_functional_graph_belongs_to_its_entrypoint() -> None:
    [reach] = reach_of(reaching.flow)
    assert (reach.node, [*reach.unfollowed]) == ("flow", ["pay in a ThreadPoolExecutor"])


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
def test_unreadable_code_keeps_no_graph_from_its_start() -> None:
    class Odd:
        @property
        def func(self) -> Any:
            raise OSError("not here")

        async def __call__(self, state: Any) -> Any:
            return None

    namespace: dict[str, Any] = {}
    exec("async def made(state): return {}", namespace)
    assert reach_of(alone(Odd())) == reach_of(alone(namespace["made"])) == []


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
def test_check_names_unfollowed_tools_and_blocking_calls(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tests.graphs.reaching:graph"]) == 0
    said = capsys.readouterr().out
    assert "note  blocking calls:  asks calls agent.invoke() (reaching.py:" in said
    assert "note  not followed:    pays runs pay in a ThreadPoolExecutor (reaching.py:" in said


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
def test_start_logs_unfollowed_tools_and_blocking_calls() -> None:
    with capture_logs() as logs:
        log_start("agent", GraphInterface(reaching.graph, GraphOptions()))
    told = [(each["part"], each["log_level"]) for each in logs if "part" in each]
    assert told == [("blocking calls", "warning"), ("not followed", "warning")]


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
def test_remote_graph_as_a_node_is_reported() -> None:
    remote: Any = RemoteGraph("far", url="http://127.0.0.1:1")
    graph: Any = StateGraph(MessagesState).add_node("far", remote).add_edge(START, "far").compile()
    lines = {each.part: each.text for each in support_of(GraphInterface(graph, GraphOptions()))}
    assert lines["remote graphs"].startswith("far: ")
