"""Task ids: unique, and sortable by when they were made."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from backend.domain.task import task_id_factory
from tests.records import AT

any_time = st.datetimes(timezones=st.just(UTC))
since_1970 = st.datetimes(min_value=datetime(1970, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


@given(st.lists(any_time, min_size=1, max_size=30))
def test_ids_only_go_forwards_however_the_clock_jumps(times: list[datetime]) -> None:
    clock = iter(times)
    new_task_id = task_id_factory(lambda: next(clock))
    ids = [new_task_id() for _ in times]
    assert ids == sorted(set(ids))
    assert {len(each) for each in ids} == {26}


@given(since_1970, since_1970)
def test_ids_of_different_processes_sort_by_their_time(one: datetime, other: datetime) -> None:
    if abs(one - other) < timedelta(milliseconds=1):
        return
    ids = {at: task_id_factory(lambda at=at: at)() for at in (one, other)}
    assert (ids[one] < ids[other]) == (one < other)


def test_processes_that_make_ids_in_the_same_microsecond_make_different_ones() -> None:
    ids = [task_id_factory(lambda: AT)() for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert {each[:12] for each in ids} == {ids[0][:12]}
