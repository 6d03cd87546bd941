"""The token bucket as arithmetic: bursts pass, floods do not, and waits are exact."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.token_bucket import Level, TokenBucket, whole_seconds

buckets = st.builds(TokenBucket, st.floats(1, 1_000), st.floats(0.01, 1_000))
gaps = st.lists(st.floats(0, 5), max_size=100)


def taken(bucket: TokenBucket, level: Level | None, now: float, attempts: int) -> tuple[Level | None, int]:
    count = 0
    for _ in range(attempts):
        if bucket.wait_s(level, now) == 0:
            level, count = bucket.take(level, now), count + 1
    return level, count


@given(bucket=buckets, gaps=gaps)
def test_token_bucket_allows_its_share_and_one_burst(bucket, gaps):
    level, count, now = None, 0, 1_000.0
    for gap in gaps:
        now += gap
        level, more = taken(bucket, level, now, 5)
        count += more
        assert count <= bucket.capacity + (now - 1_000.0) * bucket.per_s + 1e-6


@given(bucket=buckets, gaps=gaps)
def test_token_bucket_wait_is_exact(bucket, gaps):
    level, now = None, 1_000.0
    for gap in gaps:
        now += gap
        level, _ = taken(bucket, level, now, 5)
        wait_s = bucket.wait_s(level, now)
        assert bucket.wait_s(level, now + wait_s + 1e-6) == 0
        if wait_s > 1e-3:
            assert bucket.wait_s(level, now + wait_s * 0.99) > 0


@given(bucket=buckets, gap=st.floats(0, 100))
def test_token_bucket_without_level_is_full(bucket, gap):
    level = bucket.take(None, 5.0)
    assert level.tokens == bucket.capacity - 1
    assert bucket.tokens(level, 5.0 + bucket.full_after_s + gap) == pytest.approx(bucket.capacity)


def test_token_bucket_ignores_a_clock_set_back():
    bucket = TokenBucket.of_a_minute(60)
    level = bucket.take(Level(1.0, at=100.0), 40.0)
    assert level == Level(0.0, at=100.0)
    assert bucket.wait_s(level, 40.0) == 1.0


@pytest.mark.parametrize(("capacity", "per_s"), [(0, 1), (1, 0), (0.5, 1)])
def test_token_bucket_that_allows_nothing_is_refused(capacity, per_s):
    with pytest.raises(ValueError, match="nothing through"):
        TokenBucket(capacity, per_s)


def test_retry_after_is_whole_seconds_and_at_least_one():
    assert [whole_seconds(each) for each in (0.001, 1.0, 1.2, 59.9)] == [1, 1, 2, 60]
