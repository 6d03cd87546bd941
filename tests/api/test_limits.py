"""The rate limit: bursts pass, floods don't, and nobody is remembered for long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.errors import TooManyRequests
from backend.serving.edge.limits import RateLimiter


class Monotonic:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Monotonic()


def passed(limiter, user_id, attempts):
    count = 0
    for _ in range(attempts):
        try:
            limiter.check(user_id)
        except TooManyRequests:
            continue
        count += 1
    return count


def test_a_minutes_worth_may_come_at_once_and_no_more(clock):
    assert passed(RateLimiter(60, clock), "ann", 100) == 60


def test_a_refusal_says_how_many_seconds_to_wait(clock):
    limiter = RateLimiter(6, clock)
    passed(limiter, "ann", 6)
    clock.now += 3.5
    with pytest.raises(TooManyRequests, match="6 messages a minute") as refusal:
        limiter.check("ann")
    assert (refusal.value.retry_after_s, refusal.value.retryable) == (7, True)


def test_the_long_run_rate_is_the_limit(clock):
    limiter = RateLimiter(60, clock)
    passed(limiter, "ann", 60)
    count = 0
    for _ in range(600):
        clock.now += 0.5
        count += passed(limiter, "ann", 3)
    assert count == 300


def test_one_user_does_not_use_up_anothers_messages(clock):
    limiter = RateLimiter(2, clock)
    passed(limiter, "ann", 5)
    assert passed(limiter, "bob", 5) == 2


def test_who_is_refused_keeps_being_refused_until_the_time_has_passed_not_longer(clock):
    limiter = RateLimiter(60, clock)
    assert passed(limiter, "ann", 10_000) == 60
    clock.now += 1
    assert passed(limiter, "ann", 10) == 1


def test_quiet_users_are_forgotten(clock):
    limiter = RateLimiter(60, clock)
    for number in range(50):
        limiter.check(f"user-{number}")
    clock.now += 60
    limiter.check("ann")
    assert len(limiter) == 1


def test_memory_is_bounded_and_the_longest_quiet_go_first(clock):
    limiter = RateLimiter(1, clock, max_users=3)
    for user_id in ("ann", "bob", "cem", "bob", "dan", "eve"):
        passed(limiter, user_id, 1)
    assert len(limiter) == 3
    assert passed(limiter, "bob", 1) == 0
    assert passed(limiter, "cem", 1) == 1


def test_a_limit_that_lets_nothing_through_is_refused(clock):
    with pytest.raises(ValueError, match="nothing through"):
        RateLimiter(0, clock)


@given(per_minute=st.integers(1, 1_000), pauses=st.lists(st.floats(0, 90), max_size=60))
def test_who_waits_as_long_as_told_is_let_through(per_minute, pauses):
    clock = Monotonic()
    limiter = RateLimiter(per_minute, clock)
    for pause in pauses:
        clock.now += pause
        passed(limiter, "ann", per_minute)
        with pytest.raises(TooManyRequests) as refusal:
            limiter.check("ann")
        clock.now += refusal.value.retry_after_s
        limiter.check("ann")


@given(per_minute=st.integers(1, 100), gaps=st.lists(st.floats(0, 5), min_size=1, max_size=200))
def test_no_stretch_of_time_lets_more_through_than_its_share_and_one_burst(per_minute, gaps):
    clock = Monotonic()
    limiter = RateLimiter(per_minute, clock)
    started = clock.now
    count = 0
    for gap in gaps:
        clock.now += gap
        count += passed(limiter, "ann", 3)
        assert count <= per_minute + (clock.now - started) * per_minute / 60 + 1e-6
