"""A graph that knows no `message` and no `answer` gets the message and replies in fields of its own."""

from typing import Any

import pytest

from backend.graphs.graph_options import GraphNotFoundError, GraphOptions
from tests.contract.hosting import Hosting, load_graph
from tests.records import a_message

pytestmark = pytest.mark.requirement("ANY-GRAPH-LOADS")

SHAPES = "tests.graphs.shapes"


async def reply_of(name: str, **said: Any) -> str:
    """The reply of a graph that is loaded as the server does it."""
    options = GraphOptions(**said)
    async with load_graph(f"{SHAPES}:{name}", options).opened() as loaded:
        return await Hosting(loaded.graph, message="Rome", options=options).reply()


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("research", "All about Rome"),
        ("report", "On Rome"),
        ("starter", "Rome again"),
        ("plan_and_execute", "I did Rome"),
        ("network", "The chart is ready."),
    ],
)
async def test_the_only_text_field_gets_the_message_and_the_only_other_text_is_the_reply(
    name: str, reply: str
) -> None:
    assert await reply_of(name) == reply


async def test_the_setting_names_the_field_of_the_message() -> None:
    assert await reply_of("email", input_field="draft") == "ignore: Rome"


async def test_a_field_for_a_list_gets_the_conversation_and_the_setting_names_the_reply() -> None:
    options = GraphOptions(input_field="conversation", reply_key="output")
    said = [a_message(text="Oslo"), a_message(role="assistant", text="Nice.", position=1)]
    async with load_graph(f"{SHAPES}:conversation", options).opened() as loaded:
        reply = await Hosting(loaded.graph, said=said, turn=2, message="Rome", options=options).reply()
    assert reply == "Oslo | Nice. | Rome"


async def test_of_several_texts_none_is_taken_for_the_reply() -> None:
    assert await reply_of("conversation", input_field="conversation") == "Done."


@pytest.mark.parametrize("name", ["wanting_dict", "wanting_class", "wanting_model"])
async def test_a_context_holds_what_the_setting_gives_and_the_id_of_the_user(name: str) -> None:
    reply = await reply_of(name, context={"model": "fast", "user_id": "another"})
    tone = "" if name == "wanting_dict" else "('tone', 'kind'), "
    assert reply == f"[('model', 'fast'), {tone}('user_id', 'ann')] fast ann"


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("email", {}, "has no input field for a message; name one of its own in DETOUR_GRAPH_INPUT: email_input, "
     "classification, draft"),
    ("clock", {}, "has no input field for a message; name one of its own in DETOUR_GRAPH_INPUT: answer"),
    ("email", {"input_field": "text"}, "has no input field text as DETOUR_GRAPH_INPUT says; its fields: "
     "email_input, classification, draft"),
    ("research", {"reply_key": "report"}, "has no key report in its output as DETOUR_GRAPH_REPLY says; its "
     "keys: running_summary"),
    ("wanting_class", {"context": {"model": "fast", "speed": 1}}, "needs another context than "
     "DETOUR_GRAPH_CONTEXT gives: TypeError: WantedClass.__init__() got an unexpected keyword argument "
     "'speed'"),
    ("wanting_model", {"context": {"model": 7}}, "needs another context than DETOUR_GRAPH_CONTEXT gives: "
     "model"),
    ("numbered", {}, "needs another context than DETOUR_GRAPH_CONTEXT gives: user_id"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "options", "sentence"), REFUSED)
def test_a_graph_that_cannot_be_talked_to_is_refused_with_what_to_change(
    name: str, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(GraphNotFoundError) as refusal:
        load_graph(f"{SHAPES}:{name}", GraphOptions(**options))
    assert refusal.value.message == f"DETOUR_GRAPH={SHAPES}:{name} {sentence}"
