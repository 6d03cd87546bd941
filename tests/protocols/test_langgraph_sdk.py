"""LangGraph's own Python SDK, unchanged, against a real server: streams, stops, questions, cuts, kills."""

import asyncio
from typing import Any

import pytest
import pytest_asyncio
from langgraph_sdk import get_client
from langgraph_sdk.errors import ConflictError, UnprocessableEntityError

from tests.protocols.sdk_streams import MODES, Heard, begun, human, said, sdk, thread, wrote

__all__ = ["sdk", "thread"]  # fixtures

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.requirement("A-MESSAGE-KEEPS-ITS-ID")
async def test_message_is_streamed_in_all_modes_and_kept_under_the_ids_it_was_sent_with(sdk, thread) -> None:
    runs: list[Any] = []
    stream = sdk.runs.stream(
        thread, "agent", input=human("hello", "mine"), stream_mode=MODES, on_run_created=runs.append
    )
    heard = await Heard(stream).end()
    assert heard[0].event == "metadata"
    assert runs == [{"run_id": heard[0].data["run_id"], "thread_id": thread}]
    assert heard.text == "You said: hello"
    [reply_id] = {data[0]["id"] for data in heard.of("messages")}
    first, last = heard.of("values")[0], heard.of("values")[-1]
    assert [each["id"] for each in first["messages"]] == ["mine"]
    assert [(each["id"], each["content"]) for each in last["messages"]] == [
        ("mine", "hello"),
        (reply_id, "You said: hello"),
    ]
    assert [data for data in heard.of("updates") if "respond" in data] == [
        {"respond": {"messages": [last["messages"][-1]]}}
    ]
    assert {data["type"] for data in heard.of("custom")} == {"agent_update"}
    assert (heard[-1].event, heard[-1].data["status"]) == ("end", "success")
    state = await sdk.threads.get_state(thread)
    assert (state["values"], state["next"], state["tasks"]) == (last, [], [])
    again = await Heard(
        sdk.runs.stream(thread, "agent", input=human("hello", "mine"), stream_mode=MODES)
    ).end()
    assert [(each.id, each.event, each.data) for each in again] == [
        (each.id, each.event, each.data) for each in heard
    ]
    assert len(await sdk.runs.list(thread)) == 1


@pytest.mark.requirement("FOREIGN-STOP-STOPS")
@pytest.mark.parametrize("wait", [True, False])
async def test_cancelled_run_ends_at_once_with_what_it_had_said_and_no_error(sdk, thread, wait) -> None:
    run_id, heard = await begun(sdk, thread, "slow")
    assert (await sdk.threads.get_state(thread))["next"] == ["plan"]
    await sdk.runs.cancel(thread, run_id, wait=wait)
    await heard.end()
    assert heard[-1].data == {"run_id": run_id, "status": "interrupted", "reason": "stopped"}
    run = await sdk.runs.get(thread, run_id)
    assert (run["status"], run["cancel_reason"]) == ("interrupted", "stopped")
    values = heard.of("values")[-1]
    assert said(values)[1] == ("ai", heard.text)
    assert "__interrupt__" not in values
    [left] = values["interrupted"]
    assert left["text"] == heard.text
    assert left["receipt"]["reason"] == "stopped"
    assert left["receipt"]["text_kept"] == len(heard.text)
    marker = values["messages"][-1]
    assert marker["additional_kwargs"]["detour"] == {"kind": "interruption", "receipt": left["receipt"]}
    state = await sdk.threads.get_state(thread)
    assert (state["values"], state["next"], state["tasks"]) == (values, [], [])
    assert (await sdk.threads.get(thread))["status"] == "idle"
    await sdk.runs.cancel(thread, run_id)  # once more changes nothing
    assert await sdk.runs.join(thread, run_id) == values


async def test_newer_message_interrupts_by_default_and_both_streams_end(sdk, thread) -> None:
    run_id, heard = await begun(sdk, thread, "slow")
    second = await Heard(sdk.runs.stream(thread, "agent", input=human("hello"), stream_mode=MODES)).end()
    await heard.end()
    assert heard[-1].data == {"run_id": run_id, "status": "interrupted", "reason": "superseded"}
    assert said(heard.of("values")[-1])[:2] == [("human", "slow"), ("ai", heard.text)]
    assert second[-1].data["status"] == "success"
    values = second.of("values")[-1]
    assert [left["reason"] for left in values["interrupted"]] == ["superseded"]
    told = said(values)
    assert told[:2] == [("human", "slow"), ("ai", heard.text)]
    assert told[3:] == [("human", "hello"), ("ai", "You said: hello")]
    assert [run["status"] for run in await sdk.runs.list(thread)] == ["success", "interrupted"]
    assert [each["run_id"] for each in await sdk.runs.list(thread, status="interrupted")] == [run_id]


async def test_message_may_be_queued_or_refused_instead(sdk, thread) -> None:
    run_id, heard = await begun(sdk, thread, "slow")
    with pytest.raises(ConflictError):
        await sdk.runs.create(thread, "agent", input=human("no"), multitask_strategy="reject")
    queued = await sdk.runs.create(thread, "agent", input=human("later"), multitask_strategy="enqueue")
    assert (queued["status"], queued["multitask_strategy"]) == ("pending", "enqueue")
    assert (await sdk.runs.get(thread, run_id))["status"] == "running"
    assert (await sdk.threads.get(thread))["status"] == "busy"
    await sdk.runs.cancel(thread, run_id, wait=True)
    assert said(await sdk.runs.join(thread, queued["run_id"]))[-1] == ("ai", "You said: later")
    await heard.end()


async def test_message_rolled_back_is_not_shown_and_stays_in_the_history(sdk, talking, thread) -> None:
    await sdk.runs.wait(thread, "agent", input=human("one"))
    run_id, heard = await begun(sdk, thread, "slow")
    values = await sdk.runs.wait(thread, "agent", input=human("two"), multitask_strategy="rollback")
    await heard.end()
    assert [text for kind, text in said(values) if kind == "human"] == ["one", "two"]
    run_id, heard = await begun(sdk, thread, "slow again")
    await sdk.runs.cancel(thread, run_id, wait=True, action="rollback")
    await heard.end()
    state = await sdk.threads.get_state(thread)
    assert [text for kind, text in said(state["values"]) if kind == "human"] == ["one", "two"]
    history = (await talking.history(thread))["messages"]
    assert [each["text"] for each in history if each["role"] == "user"] == [
        "one",
        "slow",
        "two",
        "slow again",
    ]


@pytest.mark.parametrize("before", [["one"], []], ids=["later", "first"])
@pytest.mark.parametrize("how", ["strategy", "cancel", "delete"])
async def test_message_rolled_back_is_not_given_to_the_model(sdk, thread, how, before) -> None:
    for message in before:
        await sdk.runs.wait(thread, "agent", input=human(message))
    run_id, heard = await begun(sdk, thread, "slow")
    strategy: Any = "interrupt"
    if how == "strategy":
        strategy = "rollback"
    elif how == "cancel":
        await sdk.runs.cancel(thread, run_id, wait=True, action="rollback")
    else:
        await sdk.runs.delete(thread, run_id)
    for number in (1, 2):
        values = await sdk.runs.wait(thread, "agent", input=human("recall"), multitask_strategy=strategy)
        told = [*before, *["recall"] * number]
        assert said(values)[-1] == ("ai", " / ".join(told))
        assert [text for kind, text in said(values) if kind == "human"] == told
    await heard.end()


async def test_question_waits_is_answered_once_and_its_answer_is_a_run(sdk, thread) -> None:
    heard = await Heard(sdk.runs.stream(thread, "agent", input=human("ask me"), stream_mode=MODES)).end()
    assert heard[-1].data["status"] == "success"
    [question] = heard.of("values")[-1]["__interrupt__"]
    assert [data["__interrupt__"] for data in heard.of("updates") if "__interrupt__" in data] == [[question]]
    assert question["value"]["agent"] == "ask"
    assert "Which place?" in question["value"]["prompt"]
    state = await sdk.threads.get_state(thread)
    assert (state["next"], state["tasks"][0]["interrupts"], state["interrupts"]) == (
        ["ask"],
        [question],
        [question],
    )
    assert all("Which place?" not in text for _, text in said(state["values"]))
    assert (await sdk.threads.get(thread))["status"] == "interrupted"
    answered = await Heard(
        sdk.runs.stream(thread, "agent", command={"resume": {question["id"]: "Rome"}}, stream_mode=MODES)
    ).end()
    values = answered.of("values")
    assert "__interrupt__" not in values[0]
    assert said(values[-1])[-2:] == [("human", "Rome"), ("ai", "Then we go to Rome.")]
    assert values[-1]["place"] == "Rome"
    with pytest.raises(ConflictError):
        await sdk.runs.create(thread, "agent", command={"resume": "Oslo"})
    assert [run["status"] for run in await sdk.runs.list(thread)] == ["success", "success"]


async def test_message_answers_a_question_too_whatever_comes_with_it(sdk, thread) -> None:
    asked = await sdk.runs.wait(thread, "agent", input=human("ask me"))
    assert len(asked["__interrupt__"]) == 1
    config = {"configurable": {"thread_id": thread, "tone": "calm", "__pregel_x": 1}}
    values = await sdk.runs.wait(thread, "agent", input=human("Oslo", "answer"), config=config)
    assert said(values)[-1] == ("ai", "Then we go to Oslo.")
    assert "answer" in [each["id"] for each in values["messages"]]


@pytest.mark.requirement("LEAVING-IS-NOT-STOPPING")
async def test_disconnect_stops_only_where_the_client_asked_for_it(sdk, thread) -> None:
    stays, heard = await begun(sdk, thread, "slow one")
    heard.done.cancel()
    await asyncio.wait([heard.done])
    other = (await sdk.threads.create())["thread_id"]
    goes, heard = await begun(sdk, other, "slow two", on_disconnect="cancel")
    heard.done.cancel()
    await asyncio.wait([heard.done])
    left = await sdk.runs.join(other, goes)
    assert (await sdk.runs.get(other, goes))["status"] == "interrupted"
    assert left["interrupted"][0]["text"].startswith("word0 word1")
    assert (await sdk.runs.get(thread, stays))["status"] == "running"
    await sdk.runs.cancel(thread, stays, wait=True)


async def test_client_that_leaves_a_question_takes_nothing_back(sdk, thread) -> None:
    stream = sdk.runs.stream(thread, "agent", input=human("ask"), stream_mode=MODES, on_disconnect="cancel")
    async for part in stream:
        if part.event == "updates" and "__interrupt__" in part.data:
            break
    await stream.aclose()
    values = await sdk.runs.wait(thread, "agent", command={"resume": "Bonn"})
    assert said(values)[-1] == ("ai", "Then we go to Bonn.")


@pytest.mark.requirement("FOREIGN-FRAMES-REPLAY-ALIKE")
async def test_stream_that_is_cut_is_repaired_without_a_gap_or_a_double(talking, proxy) -> None:
    async with get_client(url=f"http://127.0.0.1:{proxy.port}", api_key=None) as sdk:
        thread = (await sdk.threads.create())["thread_id"]
        run_id, heard = await begun(sdk, thread, "slow 40")
        for words in (10, 20):
            proxy.cut()
            await heard.until(wrote(words))
        await heard.end()
        await _is_whole(sdk, thread, run_id, heard)


@pytest.mark.requirement("FOREIGN-FRAMES-REPLAY-ALIKE")
async def test_joined_silent_run_loses_nothing_to_a_cut_before_it_speaks(talking, proxy, sdk, thread) -> None:
    active, _ = await begun(sdk, thread, "slow")
    queued = await sdk.runs.create(
        thread, "agent", input=human("later"), multitask_strategy="enqueue", stream_mode=MODES
    )
    async with get_client(url=f"http://127.0.0.1:{proxy.port}", api_key=None) as cut_off:
        heard = Heard(cut_off.runs.join_stream(thread, queued["run_id"], stream_mode=MODES))
        await heard.until(lambda heard: len(heard) == 1)
        assert (heard[0].event, heard[0].data["run_id"]) == ("metadata", queued["run_id"])
        proxy.close()
        await sdk.runs.cancel(thread, active, wait=True)
        await sdk.runs.join(thread, queued["run_id"])
        proxy.open()
        await heard.end()
    whole = await Heard(sdk.runs.join_stream(thread, queued["run_id"], last_event_id="-1")).end()
    missed = [(each.id, each.event, each.data) for each in heard[1:]]
    assert missed == [(each.id, each.event, each.data) for each in whole][-len(missed) :]
    assert heard.text == "You said: later"
    assert heard[-1].data["status"] == "success"


async def _is_whole(sdk: Any, thread: str, run_id: str, heard: Heard) -> None:
    assert heard.text == " ".join(f"word{number}" for number in range(40))
    ids = [each.id for each in heard]
    assert len(set(ids)) == len(ids)
    whole = await Heard(sdk.runs.join_stream(thread, run_id, last_event_id="-1", stream_mode=MODES)).end()
    assert [each.id for each in whole] == ids
    middle = ids[len(ids) // 2]
    rest = await Heard(sdk.runs.join_stream(thread, run_id, last_event_id=middle, stream_mode=MODES)).end()
    assert [each.id for each in rest] == ids[len(ids) // 2 + 1 :]


@pytest.mark.requirement("FOREIGN-FRAMES-REPLAY-ALIKE")
async def test_streams_of_runs_are_byte_for_byte_alike_after_a_kill(sdk, talking, thread) -> None:
    ended = await sdk.runs.create(
        thread, "agent", input=human("hello", "one"), stream_mode=["values", "custom"]
    )
    await sdk.runs.join(thread, ended["run_id"])
    stopped, heard = await begun(sdk, thread, "slow")
    await sdk.runs.cancel(thread, stopped, wait=True)
    await heard.end()
    asked = await sdk.runs.create(thread, "agent", input=human("ask"), stream_mode=MODES)
    await sdk.runs.join(thread, asked["run_id"])

    async def replay(run_id: str) -> bytes:
        path = f"/threads/{thread}/runs/{run_id}/stream"
        return (await talking.http.get(path, headers={"last-event-id": "-1"})).content

    runs = [ended["run_id"], stopped, asked["run_id"]]
    before = [await replay(each) for each in runs]
    state = await sdk.threads.get_state(thread)
    await talking.kill()
    await talking.start()
    assert [await replay(each) for each in runs] == before
    assert await sdk.threads.get_state(thread) == state
    assert b"event: values" in before[0]
    assert b"event: messages" not in before[0]  # the run's own modes
    values = await sdk.runs.wait(thread, "agent", command={"resume": "Rome"})
    assert said(values)[-1] == ("ai", "Then we go to Rome.")
    assert values["place"] == "Rome"
    assert [await replay(each) for each in runs] == before  # nor does the answer change what was asked


@pytest.mark.requirement("FOREIGN-FRAMES-REPLAY-ALIKE")
async def test_stream_that_is_joined_in_other_modes_resumes_at_its_place(sdk, thread) -> None:
    heard = await Heard(sdk.runs.stream(thread, "agent", input=human("hello"), stream_mode=MODES)).end()
    run_id, ending = heard[0].data["run_id"], {"metadata", "end"}
    for mode in ("values", "updates", "custom"):
        whole = [each for each in heard if each.event in {mode, *ending}]
        for seen in heard[:-1]:
            after = [each for each in whole if each in heard[heard.index(seen) + 1 :]]
            stream = sdk.runs.join_stream(thread, run_id, last_event_id=seen.id, stream_mode=mode)
            assert await Heard(stream).end() == after


async def test_run_that_a_crash_cut_off_is_one_run_with_one_message_and_one_reply(
    sdk, talking, thread
) -> None:
    run_id, heard = await begun(sdk, thread, "slow 40")
    await talking.kill()
    await talking.start()
    await heard.end()  # the client repaired its line by itself
    assert heard[-1].data == {"run_id": run_id, "status": "success"}
    values = heard.of("values")[-1]
    assert [kind for kind, _ in said(values)].count("human") == 1
    reply = " ".join(f"word{number}" for number in range(40))
    assert [text for _, text in said(values)].count(reply) == 1
    assert [run["run_id"] for run in await sdk.runs.list(thread)] == [run_id]
    ids = [each.id for each in heard]
    assert len(set(ids)) == len(ids)
    # What had been said before the crash is there under the id that a client has shown it by.
    assert {data[0]["id"] for data in heard.of("messages")} <= {each["id"] for each in values["messages"]}


async def test_failed_run_ends_with_an_error_and_says_what_the_user_was_told(sdk, thread) -> None:
    heard = await Heard(sdk.runs.stream(thread, "agent", input=human("fail"), stream_mode=MODES)).end()
    assert heard[-1].event == "error"
    assert heard[-1].data["message"].startswith("Something went wrong in plan")
    state = await sdk.threads.get_state(thread)
    assert state["tasks"][-1]["error"] == heard[-1].data["message"]
    assert (await sdk.threads.get(thread))["status"] == "error"
    assert (await sdk.runs.list(thread))[0]["status"] == "error"
    failed = await sdk.runs.wait(thread, "agent", input=human("fail"), raise_error=False)
    assert failed["__error__"]["error"] == "TaskFailed"
    with pytest.raises(Exception, match="TaskFailed: Something went wrong"):
        await sdk.runs.wait(thread, "agent", input=human("fail"))
    assert said(await sdk.runs.wait(thread, "agent", input=human("hello")))[-1][1] == "You said: hello"


async def test_run_without_a_thread_is_forgotten_only_where_nobody_keeps_it(sdk, talking) -> None:
    kept: list[Any] = []
    values = await sdk.runs.wait(
        None, "agent", input=human("hello"), on_completion="keep", on_run_created=kept.append
    )
    assert said(values)[-1] == ("ai", "You said: hello")
    assert (await sdk.threads.get(kept[0]["thread_id"]))["status"] == "idle"
    heard = await Heard(sdk.runs.stream(None, "agent", input=human("hello"), stream_mode="values")).end()
    assert heard[-1].event == "end"
    with pytest.raises(UnprocessableEntityError):
        await sdk.runs.create(None, "agent", command={"resume": "x"})


# --- two windows of one thread, each with a client of its own ---------------------------------------------


@pytest_asyncio.fixture(loop_scope="module")
async def other(talking):
    """The client of the second window."""
    async with get_client(url=talking.url, api_key=None) as client:
        yield client


async def joined(client: Any, thread: str) -> tuple[str, Heard]:
    """Join the run of a thread as a window does that opens it in mid-run."""
    [run] = await client.runs.list(thread, status="running")
    stream = client.runs.join_stream(thread, run["run_id"], last_event_id="-1", stream_mode=MODES)
    return run["run_id"], Heard(stream)


async def test_windows_show_the_same_frames_and_either_may_change_its_mind_or_stop(
    sdk, other, thread
) -> None:
    first, heard = await begun(sdk, thread, "slow")
    second_id, seen = await joined(other, thread)
    assert second_id == first
    newer, after = await begun(other, thread, "slow again")
    await asyncio.gather(heard.end(), seen.end())
    assert heard[:] == seen[:]
    assert heard[-1].data == {"run_id": first, "status": "interrupted", "reason": "superseded"}
    [run] = await sdk.runs.list(thread, status="running")
    assert run["run_id"] == newer
    await sdk.runs.cancel(thread, newer, wait=True)
    await after.end()
    assert after[-1].data == {"run_id": newer, "status": "interrupted", "reason": "stopped"}
    state = await sdk.threads.get_state(thread)
    assert state == await other.threads.get_state(thread)
    assert [left["reason"] for left in state["values"]["interrupted"]] == ["superseded", "stopped"]
    assert (state["next"], state["tasks"], state["interrupts"]) == ([], [], [])


async def test_question_answered_in_two_windows_takes_one_answer(sdk, other, thread) -> None:
    [question] = (await sdk.runs.wait(thread, "agent", input=human("ask")))["__interrupt__"]
    assert (await other.threads.get_state(thread))["interrupts"] == [question]
    answers = await asyncio.gather(
        sdk.runs.create(thread, "agent", command={"resume": {question["id"]: "Rome"}}),
        other.runs.create(thread, "agent", command={"resume": {question["id"]: "Oslo"}}),
        return_exceptions=True,
    )
    [run] = [each for each in answers if not isinstance(each, BaseException)]
    [refused] = [each for each in answers if isinstance(each, BaseException)]
    assert isinstance(refused, ConflictError)
    values = await other.runs.join(thread, run["run_id"])
    assert said(values)[-1] == ("ai", f"Then we go to {values['place']}.")
    assert values == (await sdk.threads.get_state(thread))["values"]
