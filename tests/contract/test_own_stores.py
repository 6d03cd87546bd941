"""A store that a graph brings, for users whose ids begin alike: each user sees their own items alone."""

import pytest
from langgraph.store.base import BaseStore, PutOp
from langgraph.store.memory import InMemoryStore

from backend.graphs.state.user_stores import StoreOfUser, label_of
from tests.contract.text_store import TextStore

pytestmark = pytest.mark.requirement("A-STORE-FOR-EACH-USER")

ALIKE = [
    "ann",
    "anna",
    "Ann",
    "ann.lee",
    "ann.lee.x",
    "a_n",
    "an",
    "ann-x",
    "ann@x",
    "ann.notes",
    "langgraph",
]
NOTES = ("notes",)
DEEP = ("lee", "notes")


@pytest.fixture(params=[TextStore, InMemoryStore])
def shared(request: pytest.FixtureRequest) -> BaseStore:
    return request.param()


async def test_users_whose_ids_begin_alike_see_their_own_items_alone(shared: BaseStore) -> None:
    stores = {user: StoreOfUser(shared, user) for user in ALIKE}
    for user, store in stores.items():
        for namespace in (NOTES, DEEP):
            await store.aput(namespace, user, {"of": user})
    for user, store in stores.items():
        found = await store.asearch(())
        assert sorted((each.namespace, each.key) for each in found) == [(DEEP, user), (NOTES, user)]
        assert [each.key for each in await store.asearch(NOTES)] == [user]
        assert await store.alist_namespaces() == [DEEP, NOTES]
        assert await store.alist_namespaces(max_depth=1) == [("lee",), NOTES]
        assert await store.alist_namespaces(prefix=["lee"]) == [DEEP]
        assert await store.alist_namespaces(suffix=["notes"]) == [DEEP, NOTES]
        others = [each for each in ALIKE if each != user]
        assert [await store.aget(NOTES, each) for each in others] == [None] * len(others)
        item = store.get(DEEP, user)
        assert item is not None
        assert (item.namespace, item.value) == (DEEP, {"of": user})


async def test_pages_of_a_search_are_those_of_the_users_items(shared: BaseStore) -> None:
    store = StoreOfUser(shared, "ann")
    for number in range(5):
        await store.aput(NOTES, str(number), {"odd": number % 2})
    pages = [await store.asearch((), limit=2, offset=at) for at in (0, 2, 4)]
    assert sorted(each.key for page in pages for each in page) == ["0", "1", "2", "3", "4"]
    assert sorted(each.key for each in await store.asearch(NOTES, filter={"odd": 1})) == ["1", "3"]
    await store.adelete(NOTES, "3")
    assert [each.key for each in await store.asearch(NOTES, filter={"odd": 1})] == ["1"]


def older(store: BaseStore, user: str, namespace: tuple[str, ...], key: str) -> None:
    """Put an item where an earlier version did."""
    store.batch([PutOp((user, *namespace), key, {"of": user})])


@pytest.mark.parametrize("user", ["ann", "ann.lee"])
async def test_what_an_earlier_version_has_stored_is_found_and_replaced(shared: BaseStore, user: str) -> None:
    store = StoreOfUser(shared, user)
    for number in range(3):
        older(shared, "anna", NOTES, f"annas {number}")
        older(shared, user, NOTES, str(number))
    older(shared, user, DEEP, "deep")
    for number in range(20):
        await StoreOfUser(shared, "anna").aput(NOTES, f"annas new {number}", {})
        await store.aput(("new",), str(number), {})
    item = await store.aget(NOTES, "1")
    assert item is not None
    assert (item.namespace, item.value) == (NOTES, {"of": user})
    assert sorted(each.key for each in await store.asearch(NOTES)) == ["0", "1", "2"]
    assert [each.key for each in await store.asearch(DEEP)] == ["deep"]
    found = await store.asearch((), limit=100)
    assert {each.key for each in found if each.namespace == NOTES} == {"0", "1", "2"}
    assert not any("anna" in each.key for each in found)
    assert {*await store.alist_namespaces()} >= {("new",), NOTES}
    await store.aput(NOTES, "1", {"of": "now"})
    await store.adelete(NOTES, "2")
    assert {each.key: each.value["of"] for each in await store.asearch(NOTES)} == {"0": user, "1": "now"}
    await store.adelete(NOTES, "1")
    assert await store.aget(NOTES, "1") is None


async def test_what_may_be_of_a_user_with_a_longer_id_is_not_found_by_chance() -> None:
    shared = TextStore()
    older(shared, "ann.lee", NOTES, "of ann.lee")
    store = StoreOfUser(shared, "ann")
    assert await store.asearch(()) == []
    assert await store.alist_namespaces() == []


def test_no_label_begins_another_or_holds_what_a_search_by_text_reads_otherwise() -> None:
    labels = [label_of(user) for user in ALIKE]
    assert label_of("Ann.Lee") == "=41nn=2e=4cee!"
    assert all(a == b or not b.startswith(a) for a in labels for b in labels)
    assert {*"._%"}.isdisjoint("".join(labels))
    assert all(each == each.lower() for each in labels)
