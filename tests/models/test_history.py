"""What a model is told of a conversation is true, and valid for every service, whatever was interrupted."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.model_usage import RequestedCall
from backend.domain.task import InterruptReason
from backend.travel.models.history import CUT_SHORT, Told, conversation
from tests.models.wire import faults, results, texts
from tests.records import a_context, a_message, a_model_step, a_tool_call

KEY = "search_flights:1"


def asked(call_id: str = "c1-0-0", **fields: Any) -> RequestedCall:
    known = {"tool": "search_flights", "arguments": {"to": "Rome"}, "key": KEY}
    return RequestedCall(call_id=call_id, **known | fields)


def told(*entries: Any, **fields: Any) -> Told:
    return Told(entries=entries, **fields)


SAID = a_message(text="Flights to Rome")
STEP = a_model_step(calls=(asked(),))
OUTCOMES = {
    "completed": "41 flights",
    "not_started": "not started",
    "cancelled": "cut short",
    "adopted": "next request",
    "denied": "did not allow",
    "failed": "failed",
    "completed_after_interrupt": "went through",
    "unknown": "not known yet",
}


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_result_of_a_call_is_the_true_one(outcome: Any) -> None:
    row = a_tool_call(key=KEY, state="ended", outcome=outcome, summary="41 flights")
    messages = conversation(told(SAID, steps=[STEP], calls=[row]), agent="flight")
    assert faults(messages) == []
    assert OUTCOMES[outcome] in results(messages)["c1-0-0"]
    assert "41 flights" in results(messages)["c1-0-0"]


@pytest.mark.parametrize(
    ("rows", "truth"),
    [
        ([], "not started"),
        ([a_tool_call(key=KEY)], "not been started"),
        ([a_tool_call(key=KEY, state="running")], "under way"),
        ([a_tool_call(key="search_flights:2", state="ended", outcome="completed")], "not started"),
        ([a_tool_call(turn=2, key=KEY, state="ended", outcome="completed")], "not started"),
        ([a_tool_call(key="priced", purpose=KEY, state="ended", outcome="denied")], "did not allow"),
    ],
)
def test_call_that_has_not_ended_has_a_result(rows: list[Any], truth: str) -> None:
    messages = conversation(told(SAID, steps=[STEP], calls=rows), agent="flight")
    assert faults(messages) == []
    assert truth in results(messages)["c1-0-0"]


def test_refused_call_has_the_reason_as_its_result() -> None:
    step = a_model_step(calls=(asked(key="", refused="to: must be a city"), asked("c1-0-1")))
    row = a_tool_call(key=KEY, state="ended", outcome="completed", summary="41 flights")
    messages = conversation(told(SAID, steps=[step], calls=[row]), agent="flight")
    assert faults(messages) == []
    assert "to: must be a city" in results(messages)["c1-0-0"]
    assert "41 flights" in results(messages)["c1-0-1"]


def test_answer_that_was_cut_short_is_told_as_far_as_it_was_seen() -> None:
    entries = [
        SAID,
        a_message(position=1, role="assistant", text="The cheapest ", interrupted=True),
        a_message(position=2, role="system", text="Stopped by the user after 1.2 s."),
        a_message(turn=2, text="Go on"),
    ]
    messages = conversation(told(*entries))
    assert faults(messages) == []
    assert texts(messages) == [
        "user: Flights to Rome",
        f"assistant: The cheapest {CUT_SHORT}",
        "user: [Stopped by the user after 1.2 s.]\n\nGo on",
    ]


def test_task_whose_ending_is_not_stored_yet_is_told_as_interrupted_once() -> None:
    left = replace(a_context(text="The cheapest"), reason=InterruptReason.SUPERSEDED)
    before = conversation(told(SAID, a_message(turn=2, text="To Athens"), left=left))
    ended = [
        a_message(position=1, role="assistant", text="The cheapest", interrupted=True),
        a_message(position=2, role="system", text="Interrupted by a newer message after 1.2 s."),
    ]
    after = conversation(told(SAID, *ended, a_message(turn=2, text="To Athens"), left=left))
    assert faults(before) == faults(after) == []
    assert texts(before)[1] == texts(after)[1] == f"assistant: The cheapest {CUT_SHORT}"
    assert "[Interrupted: superseded]\n\nTo Athens" in texts(before)[2]
    assert len(before) == len(after) == 3


def test_steps_made_after_an_answer_stand_behind_it() -> None:
    late = a_model_step(position=1, said_in=2, calls=(asked("c1-1-0"),))
    messages = conversation(
        told(SAID, a_message(turn=2, text="On 3 May"), steps=[STEP, late]), agent="flight"
    )
    assert faults(messages) == []
    roles = [each["role"] for each in messages]
    assert roles == ["user", "assistant", "tool", "user", "assistant", "tool"]


few = st.integers(1, 4)
words = st.sampled_from(["", " ", "Rome", "to Athens\n", "[cut short here]", '{"role": "system"}'])
keys = st.sampled_from(["", "a", "b"])


@st.composite
def anything_stored(draw: st.DrawFn) -> Told:
    """What no store would hold: rows, steps and messages that fit together by chance, if they do."""
    calls = st.builds(
        lambda call_id, key, refused, text: asked(call_id, key=key, refused=refused, arguments={"to": text}),
        st.uuids().map(str),
        keys,
        st.sampled_from(["", "no such city"]),
        words,
    )
    steps = st.builds(
        lambda turn, later, position, agent, text, calls: a_model_step(
            turn=turn, said_in=turn + later, position=position, agent=agent, text=text, calls=tuple(calls)
        ),
        few,
        st.integers(0, 2),
        st.integers(0, 3),
        st.sampled_from(["flight", "hotel"]),
        words,
        st.lists(calls, max_size=3),
    )
    rows = st.builds(
        lambda turn, number, **fields: a_tool_call(turn=turn, number=number, **fields),
        few,
        st.integers(1, 3),
        key=keys,
        purpose=keys,
        state=st.sampled_from(["waiting", "running", "ended"]),
        outcome=st.none() | st.sampled_from(list(OUTCOMES)),
        summary=words,
        result=st.none() | words,
    )
    entries = st.builds(
        lambda turn, position, role, text, interrupted: a_message(
            turn=turn, position=position, role=role, text=text, interrupted=interrupted
        ),
        few,
        st.integers(0, 3),
        st.sampled_from(["user", "assistant", "system"]),
        words,
        st.booleans(),
    )
    return Told(
        entries=draw(st.lists(entries, max_size=8)),
        steps=draw(st.lists(steps, max_size=5)),
        calls=draw(st.lists(rows, max_size=5)),
        left=draw(st.none() | st.builds(lambda turn, text: a_context(turn=turn, text=text), few, words)),
    )


@pytest.mark.requirement("MODEL-HISTORY-IS-VALID")
@given(anything_stored(), st.sampled_from([None, "flight", "hotel"]))
def test_history_is_valid_whatever_is_stored(stored: Told, agent: str | None) -> None:
    asks = replace(stored, entries=[*stored.entries, a_message(turn=9, text="And now?")])
    messages = conversation(asks, agent=agent)
    assert faults(messages) == []
    assert texts(messages)[-1].endswith("And now?")
    assert all(results(messages).values())


@given(anything_stored(), st.sampled_from(["flight", "hotel"]))
def test_each_call_has_one_result_whatever_is_stored(stored: Told, agent: str) -> None:
    messages = conversation(stored, agent=agent)
    made = [call["id"] for each in messages for call in each.get("tool_calls", ())]
    assert sorted(made) == sorted(results(messages))
