"""`detour check` tells what of a graph is supported, and loads it exactly as the server does."""

import json
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from backend.check import main
from backend.graphs.graph_options import GraphOptions
from backend.graphs.support import GraphInterface, log_start
from tests.graphs.checked import cached, unasked

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


def test_every_part_of_a_graph_has_its_line(capsys: pytest.CaptureFixture[str]) -> None:
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
        ("functional:workflow", {}, "yes   input:           gets the message"),
        ("functional:plain", {}, "note  plain functions: plain: an interruption does not end what"),
        ("functional:untyped", {}, "yes   reply:           what the function returns: a text, a message, "),
        ("shapes:network", {}, "yes   store:           the server's, durable"),
        ("shapes:network", {}, "yes   plain functions: none: an interruption cancels every node"),
        ("factories:entered", {}, "yes   input:           gets message"),
        ("shapes:wanting_class", {}, "note  context:         model (each message must bring it, or DETOUR_"),
        ("checked:everything", {"STORE": "shared"}, "note  store:           its own InMemoryStore, which all "
         "users share, as DETOUR_GRAPH_STORE says"),
    ],
)  # fmt: skip
def test_what_is_filled_by_which_setting_is_told(
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
def test_a_graph_that_the_server_would_refuse_is_refused_with_the_same_sentence(
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


def test_every_graph_of_a_project_has_its_lines_and_a_bad_one_its_sentence(
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
    write_project(tmp_path, graphs={**graphs, "clock": "tests.graphs.shapes:clock"})
    assert main(["."]) == 1
    said = capsys.readouterr().out
    assert "\nDETOUR_GRAPH=.:clock has no input field for a message; " in said
    assert said.endswith("\n2 of 3 graphs can be served, without the others: DETOUR_GRAPH=.:agent,workflow\n")


def test_the_last_line_and_the_exit_code_tell_whether_all_of_several_graphs_can_be_served(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(
        tmp_path, graphs={each: f"tests.graphs.functional:{each}" for each in ("agent", "workflow")}
    )
    assert main(["."]) == 0
    assert capsys.readouterr().out.endswith("\nall 2 graphs can be served\n")
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
def test_a_setting_that_fits_none_of_several_graphs_is_refused(
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


def test_a_setting_of_several_graphs_holds_for_those_that_have_its_field(
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


def test_what_of_a_project_is_missing_is_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graphs = {"agent": "tests.graphs.functional:agent"}
    write_project(tmp_path, graphs=graphs, env="./keys.env", dependencies=["no-such-package"])
    assert main(["."]) == 0
    said = capsys.readouterr().out
    assert "note  loading:         langgraph.json: its env names ./keys.env, which does not exist\n" in said
    assert "langgraph.json: not installed, to be had by: python -m pip install no-such-package\n" in said


def write_project(folder: Path, **said: Any) -> None:
    (folder / "langgraph.json").write_text(json.dumps(said), "utf-8")


def test_a_project_is_checked_by_its_file_and_what_is_not_used_of_it_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graphs = {"agent": "tests.graphs.functional:agent"}
    said = {"python_version": "3.12", "graphs": graphs, "store": {}, "auth": {"path": "./auth.py:auth"}}
    (tmp_path / "langgraph.json").write_text(json.dumps(said), "utf-8")
    assert main(["."]) == 0
    assert "note  loading:         langgraph.json: not used: store, auth\n" in capsys.readouterr().out


def test_cache_that_users_share_is_logged_at_the_start() -> None:
    with capture_logs() as logs:
        log_start("agent", GraphInterface(cached, GraphOptions()))
        log_start("other", GraphInterface(unasked, GraphOptions()))
    [line] = [each for each in logs if each["event"] == "all users share what a graph's cache holds"]
    assert (line["graph"], line["nodes"]) == ("agent", ["forecast", "trip|plan"])
