"""Read-only calls, stops and deletions: exact fields, unknown and invalid ids, ETags."""

import pytest

from backend.http.wire import answers
from tests.api.live import answer, refusal, running

LOOKUPS = [
    "/status/{}",
    "/partial-results/{}",
    "/history/{}",
    "/threads/{}/history",
    "/receipts/{}/none",
]
BAD_USER_IDS = ["-ada", "a" * 65, "a b", "ada%0A", "%C3%A9da", ".."]


async def interrupted_once(api):
    """Let a task be superseded by one that completes, and return both ids."""
    first = await api.chat("ada", "find 3, hold")
    await api.until_found("ada", 3)
    second = await api.chat_to_end("ada", "find 1")
    return first["task_id"], second["task_id"]


async def test_status_of_a_running_task(api):
    accepted = await api.chat("ada", "find 3, hold", policy="interrupt")
    await api.until_found("ada", 3)
    status = await api.status("ada")
    assert status["task_id"] == accepted["task_id"]
    assert (status["status"], status["reason"], status["current_agent"]) == ("running", None, "worker")
    assert status["agents"]["worker"]["state"] == "working"
    assert (status["epoch"], status["previous_task_id"]) == (accepted["epoch"], None)
    assert status["created_at"].endswith("Z")
    assert status["created_at"] <= status["updated_at"]


async def test_status_of_a_task_that_was_stopped_completed_or_failed(api):
    first = await api.chat("ada", "hold")
    await api.stop("ada")
    stopped = await api.until_ended("ada", first["task_id"])
    assert (stopped["status"], stopped["reason"], stopped["current_agent"]) == (
        "interrupted",
        "stopped",
        None,
    )
    completed = await api.chat_to_end("ada", "find 1")
    assert (completed["status"], completed["reason"]) == ("completed", None)
    assert completed["previous_task_id"] == first["task_id"]
    failed = await api.chat_to_end("ada", "find 1, fail")
    assert (failed["status"], failed["reason"]) == ("failed", None)


async def test_partial_results_list_the_latest_task_and_five_interrupted_ones(api):
    ids = []
    for count in range(1, 9):
        ids.append((await api.chat("ada", f"find {count}, hold"))["task_id"])
        await api.until_found("ada", count)
    await api.stop("ada", task_id=ids[-2])  # answers when it has settled
    found = await api.partial_results("ada")
    assert found["task_id"] == ids[-1]
    assert len(found["partial_results"]["finder"]) == 8
    assert [each["task_id"] for each in found["interrupted"]] == ids[-2:-7:-1]
    assert [len(each["partial_results"]["finder"]) for each in found["interrupted"]] == [7, 6, 5, 4, 3]


async def test_unchanged_partial_results_return_304(api):
    await api.chat("ada", "find 1, hold")
    await api.until_found("ada", 1)
    first = await api.call("GET", "/partial-results/ada")
    tag = first.headers["etag"]
    for header in (tag, f"W/{tag}", f'"other", {tag}'):
        again = await api.call("GET", "/partial-results/ada", headers={"If-None-Match": header})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    other = await api.call("GET", "/partial-results/ada", headers={"If-None-Match": '"other"'})
    assert other.json() == first.json()
    await api.chat("ada", "find 2")
    changed = await api.call("GET", "/partial-results/ada", headers={"If-None-Match": tag})
    assert answer(changed, 200, answers.PartialResultsAnswer)["epoch"] == first.json()["epoch"]
    assert changed.headers["etag"] != tag


async def test_history_marks_an_interruption(api):
    first, second = await interrupted_once(api)
    messages = (await api.history("ada"))["messages"]
    assert sorted((said["task_id"], said["role"]) for said in messages) == [
        (first, "system"),
        (first, "user"),
        (second, "assistant"),
        (second, "user"),
    ]
    (marker,) = (said["text"] for said in messages if said["role"] == "system")
    assert marker.startswith("Interrupted by a newer message after ")
    assert marker.endswith("Kept so far: 3 finder results.")
    assert len({said["message_id"] for said in messages}) == 4


async def test_history_ends_with_its_last_messages(api):
    await interrupted_once(api)
    messages = (await api.history("ada"))["messages"]
    for limit in (1, 3, 1000):
        assert (await api.history("ada", limit=limit))["messages"] == messages[-limit:]
    for limit in (0, -1, 1001, "many"):
        refused = await api.call("GET", "/history/ada", params={"limit": limit})
        assert refusal(refused, 422, "bad_input")["message"].startswith("limit: ")


async def test_history_is_paged_back_to_its_first_message(api):
    await interrupted_once(api)
    await interrupted_once(api)
    whole = await api.history("ada", limit=1000)
    assert len(whole["messages"]) > 6
    read = (await api.history("ada", limit=3))["messages"]
    while page := (await api.history("ada", limit=3, before=read[0]["message_id"]))["messages"]:
        read = page + read
    assert read == whole["messages"]


async def test_history_before_an_unknown_message_is_refused(api):
    await interrupted_once(api)
    other = (await api.chat("bob", "hold"))["task_id"]
    for message_id in ("none", f"{other}.0"):
        refused = await api.call("GET", "/history/ada", params={"before": message_id})
        assert message_id in refusal(refused, 404, "unknown_message")["message"]
    for message_id in ("", "a" * 81, "a\0"):
        refused = await api.call("GET", "/history/ada", params={"before": message_id})
        assert refusal(refused, 422, "bad_input")["message"].startswith("before: ")


async def test_receipt_lists_what_was_kept(api):
    first, second = await interrupted_once(api)
    receipt = answer(await api.call("GET", f"/receipts/ada/{first}"), 200, answers.ReceiptAnswer)
    assert (receipt["task_id"], receipt["reason"], receipt["tool_calls"]) == (first, "superseded", [])
    assert receipt["partial_results"]["finder"] == 3
    assert receipt["at"] == receipt["requested_at"] <= receipt["settled_at"]
    completed = answer(await api.call("GET", f"/receipts/ada/{second}"), 200, answers.ReceiptAnswer)
    assert (completed["reason"], completed["requested_at"]) == (None, None)
    refusal(await api.call("GET", f"/receipts/bob/{first}"), 404, "unknown_task")


async def test_calls_list_arguments_and_results(tmp_path):
    async with running(tmp_path, graph="tests.graphs.markdown_agent:graph") as api:
        task = (await api.chat_to_end("ann", "Look it up"))["task_id"]
        told = answer(await api.call("GET", f"/calls/ann/{task}"), 200, answers.CallsAnswer)
        looked, failed = told["calls"]
        assert (looked["tool"], looked["arguments"], looked["state"]) == (
            "look_up",
            {"topic": "it"},
            "completed",
        )
        assert (looked["result"], looked["tool_call_id"]) == ("three pages about it", "call-look_up")
        assert looked["started_at"] <= looked["ended_at"]
        assert (failed["tool"], failed["state"], failed["result"]) == ("count", "failed", "no numbers today")
        refusal(await api.call("GET", f"/calls/bob/{task}"), 404, "unknown_task")
        refusal(await api.call("GET", "/calls/ann/none"), 404, "unknown_task")


@pytest.mark.requirement("STOP-IS-IDEMPOTENT")
class TestStop:
    async def test_stop_answers_with_the_same_receipt_each_time(self, api):
        accepted = await api.chat("ada", "find 2, hold")
        await api.until_found("ada", 2)
        receipt = await api.stop("ada")
        assert (receipt["task_id"], receipt["reason"]) == (accepted["task_id"], "stopped")
        assert receipt["partial_results"]["finder"] == 2
        assert await api.stop("ada") == receipt
        assert await api.stop("ada", task_id=accepted["task_id"]) == receipt

    async def test_stop_of_completed_task_changes_nothing(self, api):
        await api.chat_to_end("ada", "find 1")
        assert (await api.stop("ada"))["reason"] is None
        assert (await api.status("ada"))["status"] == "completed"

    async def test_stop_of_earlier_task_leaves_the_running_one(self, api):
        first = await api.chat("ada", "hold")
        await api.chat("ada", "hold")
        assert (await api.stop("ada", task_id=first["task_id"]))["reason"] == "superseded"
        assert (await api.status("ada"))["status"] == "running"

    async def test_stop_of_unknown_task_returns_404(self, api):
        refusal(await api.call("POST", "/stop/ada"), 404, "unknown_user")
        accepted = await api.chat("ada", "hold")
        await api.chat("bob", "hold")
        for task_id in ("none", accepted["task_id"]):
            refused = await api.call("POST", "/stop/bob", json={"task_id": task_id})
            refusal(refused, 404, "unknown_task")

    @pytest.mark.parametrize("body", ["[]", '{"task_id": ""}', '{"task": "x"}'])
    async def test_stop_with_a_wrong_body_is_refused(self, api, body):
        await api.chat("ada", "hold")
        headers = {"Content-Type": "application/json"}
        refusal(await api.call("POST", "/stop/ada", content=body, headers=headers), 422, "bad_input")
        assert (await api.status("ada"))["status"] == "running"


@pytest.mark.requirement("DELETE-FORGETS")
class TestDelete:
    async def test_delete_forgets_everything(self, api):
        first, _ = await interrupted_once(api)
        before = await api.chat("ada", "find 1, hold", client_id="one")
        await api.until_found("ada", 1)
        deleted = await api.call("DELETE", "/users/ada")
        assert (deleted.status_code, deleted.content) == (204, b"")
        for path in LOOKUPS[:4]:
            refusal(await api.call("GET", path.format("ada")), 404, "unknown_user")
        assert (await api.call("GET", "/threads/ada/state")).status_code == 404
        refusal(await api.call("GET", f"/receipts/ada/{first}"), 404, "unknown_task")
        after = await api.chat("ada", "find 1", client_id="one")
        assert after["duplicate"] is False
        assert after["epoch"] != before["epoch"]
        assert (await api.partial_results("ada"))["interrupted"] == []


@pytest.mark.parametrize("path", LOOKUPS)
async def test_unknown_user_returns_404(api, path):
    refused = await api.call("GET", path.format("nobody"))
    refusal(refused, 404, "unknown_task" if "receipts" in path else "unknown_user")


@pytest.mark.parametrize("user_id", BAD_USER_IDS)
async def test_invalid_user_id_is_refused_everywhere(api, user_id):
    calls = [("GET", path) for path in [*LOOKUPS, "/events/{}"]]
    for method, path in [*calls, ("POST", "/stop/{}"), ("DELETE", "/users/{}")]:
        if user_id != "..":
            error = refusal(await api.call(method, path.format(user_id)), 422, "bad_input")
            assert error["message"].startswith("user_id: ")
    body = {"user_id": user_id, "message": "hello"}
    refusal(await api.call("POST", "/chat", json=body), 422, "bad_input")


@pytest.mark.parametrize("user_id", ["a", "A.b_c@d-e", "9", "a" * 64])
async def test_valid_user_ids_are_accepted(api, user_id):
    assert (await api.chat(user_id, "hold"))["user_id"] == user_id
    assert (await api.status(user_id))["user_id"] == user_id


@pytest.mark.parametrize(
    ("call", "begins"),
    [
        (("GET", "/threads/ada/history?limit=0"), "limit: "),
        (("GET", "/threads/ada/history?before="), "before: "),
        (("POST", "/chat", ""), "checkpoint_id: "),
        (("POST", "/chat", 5), "checkpoint_id: "),
    ],
)
async def test_step_that_cannot_be_is_refused_by_its_field(api, call, begins):
    await api.chat_to_end("ada", "find 1")
    method, path, *step = call
    body = {"user_id": "ada", "message": "hello", "checkpoint_id": step[0]} if step else None
    assert refusal(await api.call(method, path, json=body), 422, "bad_input")["message"].startswith(begins)
