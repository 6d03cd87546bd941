"""Whatever LangGraph's own server takes as the factory of a graph makes one here, once for all runs."""

from collections.abc import Iterator

import pytest

from backend.graphs.graph_options import GraphNotFoundError, GraphOptions
from tests.contract.hosting import Hosting, load_graph
from tests.graphs.factories import EVENTS

pytestmark = pytest.mark.requirement("ANY-GRAPH-LOADS")

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
async def test_a_factory_of_any_kind_makes_the_graph(factory: str) -> None:
    async with load_graph(f"{FACTORIES}:{factory}").opened() as loaded:
        assert await Hosting(loaded.graph, message="you").reply() == "Hello to you"


@pytest.mark.parametrize(
    "factory", ["with_config", "with_config_later", "with_runtime", "with_both", "entered"]
)
async def test_a_factory_gets_what_the_setting_says_of_the_context(factory: str) -> None:
    options = GraphOptions(context={"model": "Greetings"})
    async with load_graph(f"{FACTORIES}:{factory}", options).opened() as loaded:
        assert await Hosting(loaded.graph, message="you").reply() == "Greetings to you"


async def test_a_context_manager_is_entered_once_and_exited_in_the_same_asyncio_task() -> None:
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
async def test_a_factory_that_is_entered_in_vain_is_refused_and_exited(factory: str, sentence: str) -> None:
    with pytest.raises(GraphNotFoundError) as refusal:
        async with load_graph(f"{FACTORIES}:{factory}").opened():
            pass
    assert refusal.value.message == f"DETOUR_GRAPH={FACTORIES}:{factory} {sentence}"
    assert EVENTS in ([], ["opened", "closed"])


async def test_a_factory_that_fails_when_it_is_exited_does_not_keep_the_server_from_ending() -> None:
    async with load_graph(f"{FACTORIES}:closed_in_vain").opened() as loaded:
        assert await Hosting(loaded.graph, message="you").reply() == "Hello to you"


def test_a_factory_that_insists_on_a_user_is_refused() -> None:
    with pytest.raises(GraphNotFoundError, match="made no graph: PermissionError: No authenticated user"):
        load_graph(f"{FACTORIES}:for_users_only")
