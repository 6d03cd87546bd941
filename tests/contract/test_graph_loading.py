"""`DETOUR_GRAPH` leads to a graph of any kind and shape, or a sentence says why it does not."""

from collections.abc import Iterator
from typing import Any

import pytest

from backend.graphs.graph_options import GraphNotFoundError, GraphOptions
from tests.contract.hosting import Hosting, load_graph
from tests.contract.serving import Served
from tests.conventions import ROOT
from tests.graphs import functional
from tests.graphs.factories import EVENTS
from tests.records import a_message

pytestmark = pytest.mark.requirement("ANY-GRAPH-LOADS")

LOADABLE = "tests.graphs.loadable"

NOT_LOADED = [
    ("", "must be module:attribute"),
    ("..graphs:graph", "must be module:attribute"),
    ("no_such_module:graph", "cannot be imported: ModuleNotFoundError: No module named 'no_such_module'"),
    (
        f"{LOADABLE}:no_such_graph",
        f"names no_such_graph, which {LOADABLE} does not have; graphs in it: graph, stubborn, blocking",
    ),
    ("tests.graphs.broken:graph", "cannot be imported: KeyError: 'MODEL_KEY'"),
    (f"{LOADABLE}:number", "is a int, not a compiled LangGraph graph"),
    (f"{LOADABLE}:remote", "is a RemoteGraph, which runs on another server: call it in a node of a graph"),
    (f"{LOADABLE}:State", "is the class State, not a compiled LangGraph graph"),
    (f"{LOADABLE}:build_nothing", "made a NoneType, not a compiled LangGraph graph"),
    (f"{LOADABLE}:build_from", "made no graph: TypeError: build_from() takes settings, number; only config"),
    (f"{LOADABLE}:build_in_vain", "made no graph: KeyError: 'MODEL_KEY'"),
    ("./tests/loadable.py:graph", "not './tests/loadable.py:graph'; try tests.loadable:graph."),
    ("loadable.py", "not 'loadable.py'; try loadable:graph."),
    (f"{ROOT}/tests/loadable.py:graph", "try tests.loadable:graph."),
    ("/no-such/trip.py:graph", "try trip:graph in the folder /no-such."),
    ("../trip.py", f"try trip:graph in the folder {ROOT.parent}."),
    ("my-trip.py:graph", "not 'my-trip.py:graph'."),
    ("tests.graphs.no_such:graph", "'tests.graphs.no_such'; modules are looked for from /"),
    (
        "tests.graphs.unfinished:graph",
        "No module named 'no_such_package'; install the package that has no_suc",
    ),
    ("tests.graphs.ending:graph", "cannot be imported: SystemExit: no key was given"),
]


@pytest.mark.parametrize("attribute", ["graph", "uncompiled", "build", "with_defaults", "with_lenient_dict"])
async def test_graph_and_what_a_function_returns_are_served(attribute: str) -> None:
    async with load_graph(f"{LOADABLE}:{attribute}").opened() as loaded:
        assert await Hosting(loaded.graph, message="you").reply() == "Hello to you"


@pytest.mark.parametrize(("path", "sentence"), NOT_LOADED)
def test_setting_that_leads_to_no_graph_is_refused_in_one_sentence(path: str, sentence: str) -> None:
    with pytest.raises(GraphNotFoundError) as refusal:
        load_graph(path)
    assert sentence in refusal.value.message
    assert refusal.value.message.startswith("DETOUR_GRAPH")


FACTORIES = "tests.graphs.factories"


@pytest.fixture(autouse=True)
def nothing_opened_before() -> Iterator[None]:
    EVENTS.clear()
    yield
    EVENTS.clear()


@pytest.mark.parametrize(
    "factory",
    [
        "later",
        "awaitable",
        "with_config",
        "with_config_later",
        "with_config_by_another_name",
        "with_runtime",
        "with_both",
        "with_a_default",
        "entered",
        "generated",
        "entered_plainly",
    ],
)
async def test_factory_of_each_kind_makes_the_graph(factory: str) -> None:
    async with load_graph(f"{FACTORIES}:{factory}").opened() as loaded:
        assert await Hosting(loaded.graph, message="you").reply() == "Hello to you"


@pytest.mark.parametrize(
    "factory", ["with_config", "with_config_later", "with_runtime", "with_both", "entered"]
)
async def test_factory_gets_the_context_of_the_setting(factory: str) -> None:
    options = GraphOptions(context={"model": "Greetings"})
    async with load_graph(f"{FACTORIES}:{factory}", options).opened() as loaded:
        assert await Hosting(loaded.graph, message="you").reply() == "Greetings to you"


async def test_context_manager_is_entered_once_and_exited_in_its_own_task() -> None:
    source = load_graph(f"{FACTORIES}:entered")
    assert EVENTS == []
    async with source.opened() as loaded:
        for _ in range(2):
            await Hosting(loaded.graph).reply()
        assert EVENTS == ["opened"]
    assert EVENTS == ["opened", "closed by the task that opened it"]


@pytest.mark.parametrize(
    ("factory", "sentence"),
    [
        ("entered_in_vain", "made no graph: ConnectionError: no tools"),
        ("entered_for_nothing", "made a int, not a compiled LangGraph graph"),
    ],
)
async def test_factory_entered_in_vain_is_refused_and_exited(factory: str, sentence: str) -> None:
    with pytest.raises(GraphNotFoundError) as refusal:
        async with load_graph(f"{FACTORIES}:{factory}").opened():
            pass
    assert refusal.value.message == f"DETOUR_GRAPH={FACTORIES}:{factory} {sentence}"
    assert EVENTS in ([], ["opened", "closed"])


async def test_factory_that_fails_on_exit_does_not_keep_the_server_running() -> None:
    async with load_graph(f"{FACTORIES}:closed_in_vain").opened() as loaded:
        assert await Hosting(loaded.graph, message="you").reply() == "Hello to you"


def test_factory_that_insists_on_a_user_is_refused() -> None:
    with pytest.raises(GraphNotFoundError, match="made no graph: PermissionError: No authenticated user"):
        load_graph(f"{FACTORIES}:for_users_only")


SHAPES = "tests.graphs.shapes"


async def reply_of_shape(name: str, **said: Any) -> str:
    """The reply of a graph that is loaded as the server does it."""
    options = GraphOptions(**said)
    async with load_graph(f"{SHAPES}:{name}", options).opened() as loaded:
        return await Hosting(loaded.graph, message="Rome", options=options).reply()


@pytest.mark.parametrize(
    ("name", "options", "reply"),
    [
        ("research", {}, "All about Rome"),
        ("report", {}, "On Rome"),
        ("starter", {}, "Rome again"),
        ("plan_and_execute", {}, "I did Rome"),
        ("network", {}, "The chart is ready."),
        ("email", {"input_field": "draft"}, "ignore: Rome"),
        ("conversation", {"input_field": "conversation"}, "Done."),  # none of its several texts
    ],
)
async def test_only_text_field_gets_the_message_and_the_only_other_text_is_the_reply(
    name: str, options: dict[str, Any], reply: str
) -> None:
    assert await reply_of_shape(name, **options) == reply


async def test_list_field_gets_the_conversation_and_the_setting_names_the_reply() -> None:
    options = GraphOptions(input_field="conversation", reply_key="output")
    said = [a_message(text="Oslo"), a_message(role="assistant", text="Nice.", position=1)]
    async with load_graph(f"{SHAPES}:conversation", options).opened() as loaded:
        reply = await Hosting(loaded.graph, said=said, turn=2, message="Rome", options=options).reply()
    assert reply == "Oslo | Nice. | Rome"


@pytest.mark.parametrize("name", ["wanting_dict", "wanting_class", "wanting_model"])
async def test_context_has_the_settings_values_and_the_users_id(name: str) -> None:
    reply = await reply_of_shape(name, context={"model": "fast", "user_id": "another"})
    tone = "" if name == "wanting_dict" else "('tone', 'kind'), "
    assert reply == f"[('model', 'fast'), {tone}('user_id', 'ann')] fast ann"


NO_CONVERSATION: list[tuple[str, dict[str, Any], str]] = [
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


@pytest.mark.parametrize(("name", "options", "sentence"), NO_CONVERSATION)
def test_graph_that_no_message_can_reach_is_refused_with_what_to_change(
    name: str, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(GraphNotFoundError) as refusal:
        load_graph(f"{SHAPES}:{name}", GraphOptions(**options))
    assert refusal.value.message == f"DETOUR_GRAPH={SHAPES}:{name} {sentence}"


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
async def test_function_gets_what_its_type_asks_for_and_replies_what_it_returns(
    name: str, reply: str
) -> None:
    async with load_graph(f"{FUNCTIONAL}:{name}").opened() as loaded:
        assert await Hosting(loaded.graph, message="hello").reply() == reply


@pytest.mark.parametrize("name", ["agent", "untyped", "chatbot"])
async def test_conversation_replaces_what_a_function_saved(name: str) -> None:
    said = [a_message(text="Rome"), a_message(role="assistant", text="Nice.", position=1)]
    async with load_graph(f"{FUNCTIONAL}:{name}").opened() as loaded:
        reply = await Hosting(loaded.graph, said=said, turn=2, message="And Paris?").reply()
    assert reply == "after human Rome, ai Nice., human And Paris?"


async def test_write_of_a_task_is_a_partial_result_of_its_function() -> None:
    async with load_graph(f"{FUNCTIONAL}:workflow").opened() as loaded:
        hosting = Hosting(loaded.graph, message="Rome")
        await hosting.reply()
    assert hosting.found == [("workflow", [{"title": "Rome"}])]
    assert hosting.updates == [("workflow", "working"), ("workflow", "done")]


async def test_setting_names_the_field_of_an_untyped_input() -> None:
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
def test_function_that_no_message_fits_is_refused(name: str, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(GraphNotFoundError, match=sentence):
        load_graph(f"{FUNCTIONAL}:{name}", GraphOptions(**options))


@pytest.mark.virtual_time
async def test_functional_graph_asks_and_continues(serve: Any) -> None:
    served: Served = await serve(functional.multi_turn)
    await served.post("Rome")
    [question] = await served.questions()
    assert (question["prompt"], question["agent"]) == ("And then?", "multi_turn")
    await served.answer(answer="Paris")
    assert await served.reply() == "after human Rome, ai after human Rome, human Paris"


@pytest.mark.virtual_time
@pytest.mark.parametrize("name", ["agent", "untyped", "chatbot"])
async def test_functional_graph_gets_each_message_once(serve: Any, name: str) -> None:
    served: Served = await serve(getattr(functional, name))
    await served.post("Rome")
    await served.post("Paris")
    assert await served.reply() == "after human Rome, ai after human Rome, human Paris"
