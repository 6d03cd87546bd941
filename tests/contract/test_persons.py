"""What `StateStore` promises of persons and grants, on every store."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from backend.domain.errors import StoreUnavailable
from backend.store.persons import Grant
from backend.store.records import NewUser
from backend.store.threads import SavedThread
from tests.records import ANN, BOB, a_message, an_event

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
LATER = NOW + timedelta(minutes=1)


def a_grant(digest: bytes = b"d" * 32, *, body: bytes = b"{}", lasts_s: float = 60) -> Grant:
    return Grant(digest=digest, body=body, expires_at=NOW + timedelta(seconds=lasts_s))


async def ids_of(store: Any, person: str, **page: Any) -> list[str]:
    return [each.user_id for each in await store.conversations_of(person, **{"limit": 10, **page})]


@pytest.mark.requirement("NOBODY-REACHES-OTHERS")
async def test_a_conversation_of_which_nothing_is_known_becomes_whose_comes_first(store) -> None:
    assert await store.person_of("trip") is None
    assert await store.give_to("ann", "trip", NOW) == "ann"
    assert await store.give_to("bob", "trip", NOW) == "ann"
    assert await store.give_to("ann", "trip", LATER) == "ann"
    assert await store.person_of("trip") == "ann"
    assert await store.position("trip") is None


@pytest.mark.requirement("NOBODY-REACHES-OTHERS")
async def test_of_persons_who_come_at_once_one_gets_it(store) -> None:
    persons = [f"person-{number}" for number in range(8)]
    whose = await asyncio.gather(*(store.give_to(each, "trip", NOW) for each in persons))
    assert len(set(whose)) == 1
    assert await store.person_of("trip") == whose[0]


@pytest.mark.requirement("NOBODY-REACHES-OTHERS")
async def test_what_began_without_a_person_becomes_nobodys(store) -> None:
    await store.commit(ANN, NewUser("e1"), an_event())
    await store.commit(BOB, SavedThread(user_id="bob", created_at=NOW, updated_at=NOW))
    assert await store.give_to("eve", "ann", NOW) is None
    assert await store.give_to("eve", "bob", NOW) is None
    assert await store.person_of("ann") is None
    assert await ids_of(store, "eve") == []


async def test_a_deletion_ends_it_also_of_one_in_which_nothing_was_said(store) -> None:
    await store.give_to("cat", "ann", NOW)
    await store.commit(ANN, NewUser("e1"), an_event())
    await store.give_to("cat", "bob", NOW)
    assert await store.person_of("bob") == "cat"
    await store.delete_user(ANN)
    await store.delete_user(BOB)
    assert await store.person_of("bob") is None
    assert await ids_of(store, "cat") == []
    assert await store.give_to("dan", "ann", NOW) == "dan"
    assert await store.person_of("ann") == "dan"


async def test_a_persons_conversations_are_listed_newest_first_with_what_was_said(store) -> None:
    for minute, user_id in enumerate(("one", "ann", "two")):
        await store.give_to("cat", user_id, NOW + timedelta(minutes=minute))
    await store.give_to("dan", "other", NOW)
    said = [a_message(turn=turn) for turn in (1, 2, 3)]
    await store.commit(ANN, NewUser("e1"), *said)
    two, ann, one = await store.conversations_of("cat", limit=10)
    assert (two.user_id, ann.user_id, one.user_id) == ("two", "ann", "one")
    assert (one.first, one.last, one.begun_at) == (None, None, NOW)
    assert (ann.first, ann.last, ann.begun_at) == (said[0], said[-1], NOW + timedelta(minutes=1))
    assert await ids_of(store, "cat", limit=2) == ["two", "ann"]
    assert await ids_of(store, "cat", before="ann") == ["one"]
    assert await ids_of(store, "cat", before="other") == []
    assert await ids_of(store, "cat", before="nobody's") == []
    assert await ids_of(store, "nobody") == []


async def test_the_index_of_threads_is_searched_for_one_person(store) -> None:
    for person, user_id in (("ann", "a"), ("ann", "b"), ("bob", "c")):
        await store.give_to(person, user_id, NOW)
    for user_id in ("a", "b", "c"):
        thread = SavedThread(user_id=user_id, created_at=NOW, updated_at=NOW)
        await store.commit(type(ANN)(user_id), thread)

    async def found(**search: Any) -> set[str]:
        return {each.user_id for each in await store.find_threads(limit=10, **search)}

    assert await found(person="ann") == {"a", "b"}
    assert await found(person="ann", ids=["b", "c"]) == {"b"}
    assert await found(person="eve") == set()
    assert await found() == {"a", "b", "c"}


@pytest.mark.requirement("SESSIONS-END")
async def test_a_grant_is_kept_until_it_expires(store) -> None:
    grant = a_grant(body=b'{"a":1}')
    await store.put_grant(grant, NOW)
    assert await store.get_grant(grant.digest, NOW) == grant
    assert await store.get_grant(grant.digest, NOW + timedelta(seconds=60)) is None
    assert await store.get_grant(b"another", NOW) is None


@pytest.mark.requirement("SESSIONS-END")
async def test_a_grant_is_taken_once_whoever_asks_at_once(store) -> None:
    grant = a_grant()
    await store.put_grant(grant, NOW)
    taken = await asyncio.gather(*(store.take_grant(grant.digest, NOW) for _ in range(5)))
    assert sorted(each is not None for each in taken) == [False] * 4 + [True]
    assert await store.get_grant(grant.digest, NOW) is None
    await store.put_grant(grant, NOW)
    assert await store.take_grant(grant.digest, NOW + timedelta(hours=1)) is None


@pytest.mark.requirement("SESSIONS-END")
async def test_a_grant_is_replaced_while_it_is_there_and_never_comes_back(store) -> None:
    await store.put_grant(a_grant(body=b'{"a":1}'), NOW)
    longer = a_grant(body=b'{"a":2}', lasts_s=120)
    await store.replace_grant(longer, NOW)
    assert await store.get_grant(longer.digest, LATER) == longer
    await store.take_grant(longer.digest, LATER)
    await store.replace_grant(longer, LATER)
    assert await store.get_grant(longer.digest, LATER) is None
    await store.put_grant(a_grant(lasts_s=30), NOW)
    await store.replace_grant(longer, LATER)  # too late: it has expired
    assert await store.get_grant(longer.digest, LATER) is None


async def test_grants_are_found_by_what_is_in_them_until_they_expire(store) -> None:
    ann, bob = a_grant(b"a" * 32, body=b'{"person":"ann"}'), a_grant(b"b" * 32, body=b'{"person":"bob"}')
    gone = a_grant(b"c" * 32, body=b'{"person":"ann"}', lasts_s=30)
    odd = a_grant(b"d" * 32, body='{"person":"an%_\\\\n☂"}'.encode())
    for each in (ann, bob, gone, odd):
        await store.put_grant(each, NOW)
    assert set(await store.find_grants(b'"person":"ann"', NOW)) == {ann, gone}
    assert await store.find_grants(b'"person":"ann"', LATER - timedelta(seconds=1)) == (ann,)
    assert await store.find_grants(odd.body[1:-1], NOW) == (odd,)
    assert await store.find_grants(b'"person":"an"', NOW) == ()


async def test_persons_and_grants_outlive_the_process(new_store, listener) -> None:
    store = new_store()
    await store.open(listener)
    await store.give_to("ann", "trip", NOW)
    await store.put_grant(a_grant(), NOW)
    await store.close()
    with pytest.raises(StoreUnavailable):
        await store.give_to("bob", "trip", NOW)
    with pytest.raises(StoreUnavailable):
        await store.get_grant(a_grant().digest, NOW)
    again = store if type(store).__name__.startswith("Memory") else new_store()
    await again.open(listener)
    assert await again.person_of("trip") == "ann"
    assert await again.take_grant(a_grant().digest, NOW) == a_grant()
    await again.close()
