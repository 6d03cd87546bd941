"""Functional graphs are served: what their function takes decides what they are given."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest

from backend.graphs.graph_options import GraphNotFoundError, GraphOptions
from tests.contract.hosting import Hosting, load_graph
from tests.contract.serving import Served, hosting
from tests.graphs import functional
from tests.interruption.parts import Parts
from tests.records import a_message

pytestmark = pytest.mark.requirement("ANY-GRAPH-LOADS")

FUNCTIONAL = "tests.graphs.functional"


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("agent", "after human hello"),
        ("untyped", "after human hello"),
        ("chatbot", "after human hello"),
        ("workflow", "about hello"),
        ("plain", "hello about hello"),
        ("typed", "ann asks hello"),
        ("pregel", "hello!"),
        ("pregel_of_message", "hello!"),
    ],
)
async def test_a_function_gets_what_its_type_asks_for_and_replies_with_what_it_returns(
    name: str, reply: str
) -> None:
    async with load_graph(f"{FUNCTIONAL}:{name}").opened() as loaded:
        assert await Hosting(loaded.graph, message="hello").reply() == reply


@pytest.mark.parametrize("name", ["agent", "untyped", "chatbot"])
async def test_the_conversation_takes_the_place_of_what_a_function_saved(name: str) -> None:
    said = [a_message(text="Rome"), a_message(role="assistant", text="Nice.", position=1)]
    async with load_graph(f"{FUNCTIONAL}:{name}").opened() as loaded:
        reply = await Hosting(loaded.graph, said=said, turn=2, message="And Paris?").reply()
    assert reply == "after human Rome, ai Nice., human And Paris?"


async def test_what_a_task_writes_is_a_partial_result_of_the_function() -> None:
    async with load_graph(f"{FUNCTIONAL}:workflow").opened() as loaded:
        hosting = Hosting(loaded.graph, message="Rome")
        await hosting.reply()
    assert hosting.found == [("workflow", [{"title": "Rome"}])]
    assert hosting.updates == [("workflow", "working"), ("workflow", "done")]


async def test_the_setting_names_the_field_of_a_function_whose_input_has_no_type() -> None:
    options = GraphOptions(input_field="question")
    async with load_graph(f"{FUNCTIONAL}:any_question", options).opened() as loaded:
        assert await Hosting(loaded.graph, message="why?", options=options).reply() == "asked why?"


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("numbers", {}, "takes int as its input, which no message can be"),
        ("typed", {"input_field": "topic"}, "has no input field topic as DETOUR_GRAPH_INPUT says"),
    ],
)
def test_a_function_that_no_message_can_be_given_to_is_refused(
    name: str, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(GraphNotFoundError, match=sentence):
        load_graph(f"{FUNCTIONAL}:{name}", GraphOptions(**options))


@contextlib.asynccontextmanager
async def serving(graph: Any) -> AsyncIterator[Served]:
    """A whole server but for its routes."""
    parts = Parts(workflow=hosting(graph))
    await parts.open()
    yield Served(parts)
    await parts.close()


@pytest.mark.virtual_time
async def test_a_functional_graph_asks_and_continues_within_its_run() -> None:
    async with serving(functional.multi_turn) as served:
        await served.post("Rome")
        [question] = await served.questions()
        assert (question["prompt"], question["agent"]) == ("And then?", "multi_turn")
        await served.answer(answer="Paris")
        assert await served.reply() == "after human Rome, ai after human Rome, human Paris"


@pytest.mark.virtual_time
@pytest.mark.parametrize("name", ["agent", "untyped", "chatbot"])
async def test_a_functional_graph_hears_each_message_of_the_conversation_once(name: str) -> None:
    async with serving(getattr(functional, name)) as served:
        await served.post("Rome")
        await served.post("Paris")
        assert await served.reply() == "after human Rome, ai after human Rome, human Paris"
