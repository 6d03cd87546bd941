"""The operator's view: running tasks, timelines, stops and drains, without words of users or agents."""

import asyncio
import re

import pytest

from backend.http import operating
from backend.http.operating import OperateAnswer, ServingAnswer, StoppedTaskAnswer, TaskTimelineAnswer
from tests.api.live import answer, refusal, running
from tests.api.recorded_run import until

pytestmark = pytest.mark.requirement("OPERATORS-SEE-TASKS-WITHOUT-WORDS")


async def seen(api):
    return answer(await api.call("GET", "/operate/tasks"), 200, OperateAnswer)


async def timeline(api, user_id, task_id):
    path = f"/operate/tasks/{task_id}?user_id={user_id}"
    return answer(await api.call("GET", path), 200, TaskTimelineAnswer)


async def stop(api, user_id, task_id, status=200):
    path = f"/operate/tasks/{task_id}/stop?user_id={user_id}"
    return answer(await api.call("POST", path), status, StoppedTaskAnswer)


async def serving(api, path):
    return answer(await api.call("POST", path), 200, ServingAnswer)["serving"]


async def ended(api, user_id, message, **fields):
    """Send a message, and return the id of its task once that has ended."""
    return (await api.chat_to_end(user_id, message, **fields))["task_id"]


class TestView:
    async def test_running_task_has_user_phase_and_progress(self, api):
        task_id = (await api.chat("ann", "find 2, hold"))["task_id"]
        await api.until_found("ann", 2)
        told = await seen(api)
        assert told["phases"] == {"ending": 0, "working": 1, "queued": 0, "needs_user": 0}
        assert (told["serving"], told["replica"], told["replicas"]) == ("serving", "", [])
        [task] = told["tasks"]
        assert (task["user_id"], task["task_id"]) == ("ann", task_id)
        assert (task["phase"], task["status"], task["found"]) == ("working", "running", 2)
        status = await api.status("ann")
        assert (task["accepted_at"], task["since"]) == (status["created_at"], status["updated_at"])
        assert [(each["agent"], each["state"]) for each in task["agents"]] == [("worker", "working")]

    async def test_waiting_tasks_are_listed_last(self, api):
        await api.chat("bob", "ask Colour")
        await api.until_asked("bob")
        await api.chat("ann", "hold")
        queued = await api.chat("ann", "find 1", policy="enqueue")
        told = await seen(api)
        assert [(each["user_id"], each["phase"]) for each in told["tasks"]] == [
            ("ann", "working"),
            ("ann", "queued"),
            ("bob", "needs_user"),
        ]
        assert told["tasks"][1]["task_id"] == queued["task_id"]
        assert [each["asks"] for each in told["tasks"]] == [None, None, "question"]

    async def test_tasks_beyond_the_bound_are_counted(self, api, monkeypatch):
        monkeypatch.setattr(operating, "MOST_LISTED", 2)
        for user_id in ("ann", "bob", "cay"):
            await api.chat(user_id, "hold")
        told = await seen(api)
        assert told["phases"]["working"] == 3
        assert [each["user_id"] for each in told["tasks"]] == ["ann", "bob"]

    async def test_view_is_served_without_the_list_of_replicas(self, api, monkeypatch):
        async def never():
            await asyncio.get_running_loop().create_future()

        monkeypatch.setattr("backend.http.routes.operate.REPLICAS_WITHIN_S", 0)
        monkeypatch.setattr(api.detour.conversations, "replicas", never)
        assert (await seen(api))["replicas"] is None


class TestTimeline:
    async def test_timeline_has_parts_events_and_receipt(self, api):
        task_id = (await api.chat("ann", "find 2, hold"))["task_id"]
        await api.until_found("ann", 2)
        goes = await timeline(api, "ann", task_id)
        assert (goes["status"], goes["ended_at"], goes["receipt"]) == ("running", None, None)
        receipt = await api.stop("ann")
        went = await timeline(api, "ann", task_id)
        assert (went["status"], went["reason"]) == ("interrupted", "stopped")
        assert went["ended_at"] == receipt["settled_at"]
        assert went["receipt"]["partial_results"] == receipt["partial_results"]
        [agent] = [each for each in went["parts"] if each["name"] == "worker"]
        assert (agent["kind"], agent["state"]) == ("agent", "interrupted")
        assert agent["began_at"] <= agent["ended_at"] == went["ended_at"]
        kinds = [(each["type"], each["state"]) for each in went["events"]]
        assert kinds[:2] == [("message", "user"), ("status_update", "running")]
        assert kinds[-2:] == [("status_update", "interrupted: stopped"), ("receipt", "")]
        assert went["complete"]

    async def test_timeline_has_questions_until_their_answer(self, api):
        task_id = (await api.chat("ann", "ask Colour"))["task_id"]
        [question] = (await api.until_asked("ann"))["input_requests"]
        [part] = [
            each for each in (await timeline(api, "ann", task_id))["parts"] if each["kind"] == "question"
        ]
        assert (part["name"], part["state"], part["ended_at"]) == ("question", "open", None)
        await api.answer("ann", question["request_id"], answer="red")
        await api.until_ended("ann", task_id)
        [part] = [
            each for each in (await timeline(api, "ann", task_id))["parts"] if each["kind"] == "question"
        ]
        assert part["state"] == "answered"
        assert part["began_at"] <= part["ended_at"]

    async def test_timeline_folds_progress_into_one_event(self, api):
        task_id = (await api.chat("ann", "find 1, ask Colour, find 1"))["task_id"]
        [question] = (await api.until_asked("ann"))["input_requests"]
        await api.answer("ann", question["request_id"], answer="red")
        await api.until_ended("ann", task_id)
        frames = (await api.detour.store.events_after("ann", 0, limit=1000)).events
        told = (await timeline(api, "ann", task_id))["events"]
        assert sum(each["count"] for each in told) == len(frames)
        found = [each for each in told if (each["type"], each["about"]) == ("partial_result", "finder")]
        assert len(found) == 2
        assert found[0]["seq"] < found[1]["seq"]

    async def test_timeline_is_found_in_a_long_log(self, api, monkeypatch):
        tasks = [await ended(api, "ann", "find 1") for _ in range(12)]
        log = (await api.status("ann"))["seq"]
        monkeypatch.setattr(operating, "PAGE", 5)
        monkeypatch.setattr(operating, "MOST_READ", log // 4)
        for task_id in tasks:
            told = await timeline(api, "ann", task_id)
            assert told["events"][0]["type"] == "message"
            assert told["events"][-1]["state"] == "completed"
            assert told["complete"]

    async def test_timeline_without_stored_events_says_so(self, tmp_path):
        async with running(tmp_path, events_kept=100) as api:
            first = await ended(api, "ann", "find 1")
            while (await api.status("ann"))["seq"] < 300:
                await ended(api, "ann", "find 1")
            told = await timeline(api, "ann", first)
        assert (told["events"], told["complete"], told["status"]) == ([], False, "completed")
        assert told["receipt"]["reason"] is None

    async def test_timeline_of_unknown_task_returns_404(self, api):
        task_id = await ended(api, "ann", "find 1")
        for user_id, wanted in (("ann", "none"), ("bob", task_id), ("nobody", task_id)):
            path = f"/operate/tasks/{wanted}?user_id={user_id}"
            refusal(await api.call("GET", path), 404, "unknown_task")
        refusal(await api.call("GET", f"/operate/tasks/{task_id}?user_id=%20"), 422, "bad_input")
        refusal(await api.call("GET", f"/operate/tasks/{task_id}"), 422, "bad_input")


class TestStop:
    async def test_stop_of_running_task_is_idempotent(self, api):
        task_id = (await api.chat("ann", "find 1, hold"))["task_id"]
        await api.until_found("ann", 1)
        stopped = await stop(api, "ann", task_id)
        assert (stopped["status"], stopped["reason"]) == ("interrupted", "stopped")
        assert await stop(api, "ann", task_id) == stopped
        assert (await api.partial_results("ann"))["partial_results"] == {"finder": [{"thing": 0}]}

    @pytest.mark.requirement("A-STOP-TELLS-WHO")
    async def test_stop_by_an_operator_is_shown_to_the_user(self, api):
        task_id = (await api.chat("ann", "find 1, hold"))["task_id"]
        await api.until_found("ann", 1)
        await stop(api, "ann", task_id)
        receipt = (await api.call("GET", f"/receipts/ann/{task_id}")).json()
        assert (receipt["reason"], receipt["stopped_by"]) == ("stopped", "operator")
        assert (await api.history("ann"))["messages"][-1]["text"].startswith("Stopped by an operator after ")
        assert (await timeline(api, "ann", task_id))["receipt"]["stopped_by"] == "operator"

    @pytest.mark.requirement("A-STOP-TELLS-WHO")
    async def test_stop_by_the_user_stays_the_users(self, api):
        task_id = (await api.chat("ann", "find 1, hold"))["task_id"]
        await api.until_found("ann", 1)
        receipt = await api.stop("ann")
        await stop(api, "ann", task_id)
        assert receipt == (await api.call("GET", f"/receipts/ann/{task_id}")).json()
        assert "stopped_by" not in receipt
        assert (await api.history("ann"))["messages"][-1]["text"].startswith("Stopped by the user after ")
        assert "stopped_by" not in (await timeline(api, "ann", task_id))["receipt"]

    async def test_stop_of_waiting_task_interrupts_it(self, api):
        await api.chat("ann", "hold")
        queued = (await api.chat("ann", "find 1", policy="enqueue"))["task_id"]
        assert (await stop(api, "ann", queued))["status"] == "interrupted"
        assert (await api.call("GET", f"/receipts/ann/{queued}")).json()["stopped_by"] == "operator"
        asks = (await api.chat("bob", "ask Colour"))["task_id"]
        await api.until_asked("bob")
        assert (await stop(api, "bob", asks))["reason"] == "stopped"

    @pytest.mark.virtual_time
    async def test_stop_waits_for_a_write_that_has_begun(self, tmp_path):
        async with running(tmp_path, graph="examples.rooms:graph") as api:
            task_id = (await api.chat("ada", "Porto"))["task_id"]
            await until(api.detour, '"type":"input_request"')
            [asked] = (await api.status("ada"))["input_requests"]
            body = {"request_id": asked["request_id"], "decision": "allow"}
            await api.call("POST", "/answer/ada", json=body)
            await until(api.detour, '"tool":"book_room"')
            stopped = await stop(api, "ada", task_id, status=202)
            assert stopped["status"] == "cancelling"
            assert [each["phase"] for each in (await seen(api))["tasks"]] == ["ending"]
            await until(api.detour, '"type":"receipt"')
            [write] = [each for each in (await timeline(api, "ada", task_id))["receipt"]["tool_calls"]
                       if each["effect"] == "write"]  # fmt: skip
            assert write["outcome"] == "completed_after_interrupt"

    @pytest.mark.virtual_time
    @pytest.mark.requirement("A-STOP-TELLS-WHO")
    async def test_first_stop_decides_who_stopped(self, tmp_path):
        async with running(tmp_path, graph="examples.rooms:graph") as api:
            task_id = (await api.chat("ada", "Porto"))["task_id"]
            await until(api.detour, '"type":"input_request"')
            [asked] = (await api.status("ada"))["input_requests"]
            body = {"request_id": asked["request_id"], "decision": "allow"}
            await api.call("POST", "/answer/ada", json=body)
            await until(api.detour, '"tool":"book_room"')
            assert (await api.call("POST", "/stop/ada", json={})).status_code == 202
            await stop(api, "ada", task_id, status=202)
            await until(api.detour, '"type":"receipt"')
            assert "stopped_by" not in (await api.call("GET", f"/receipts/ada/{task_id}")).json()

    async def test_stop_of_unknown_task_returns_404(self, api):
        await ended(api, "ann", "find 1")
        refusal(await api.call("POST", "/operate/tasks/none/stop?user_id=ann"), 404, "unknown_task")
        refusal(await api.call("POST", "/operate/tasks/none/stop?user_id=bob"), 404, "unknown_user")


@pytest.mark.requirement("DRAINING-ENDS-NO-TASK")
class TestDrain:
    async def test_drain_refuses_new_work_and_ends_no_task(self, api):
        task_id = (await api.chat("ann", "find 1, hold", client_id="c1"))["task_id"]
        await api.until_found("ann", 1)
        assert await serving(api, "/operate/drain") == "draining"
        assert (await api.call("GET", "/ready")).json()["status"] == "draining"
        refused = await api.call("POST", "/chat", json={"user_id": "bob", "message": "find 1"})
        refusal(refused, 503, "shutting_down")
        assert (await seen(api))["serving"] == "draining"
        assert (await api.status("ann"))["status"] == "running"
        # What was accepted before is told again, and its user may change their mind.
        assert (await api.chat("ann", "find 1, hold", client_id="c1"))["duplicate"]
        changed = await api.chat("ann", "find 2")
        assert changed["interrupted_task_id"] == task_id
        await api.until_ended("ann", changed["task_id"])
        refused = await api.call("POST", "/chat", json={"user_id": "ann", "message": "find 1"})
        refusal(refused, 503, "shutting_down")

    async def test_drain_can_be_taken_back(self, api):
        for path, state in (("drain", "draining"), ("drain", "draining"), ("serve", "serving")):
            assert await serving(api, f"/operate/{path}") == state
        assert (await api.call("GET", "/ready")).status_code == 200
        await ended(api, "bob", "find 1")

    @pytest.mark.parametrize("path", ["drain", "serve"])
    async def test_drain_needs_a_finished_recovery(self, api, path):
        api.detour._services.phase = "recovering"
        refusal(await api.call("POST", f"/operate/{path}"), 409, "recovering")
        assert (await seen(api))["serving"] == "recovering"


CANARY = "canary-in-a-coal-mine"


async def test_answers_have_no_words_of_users_or_agents(api, caplog):
    """The message, what was found, the question, its answer: none of it, while it runs and after."""
    message = f"find 1, ask {CANARY}, big 20, {CANARY}, hold"
    task_id = (await api.chat("ann", message))["task_id"]
    [asked] = (await api.until_asked("ann"))["input_requests"]
    assert CANARY in asked["prompt"]
    told = []

    async def look():
        for path in ("/operate/tasks", f"/operate/tasks/{task_id}?user_id=ann"):
            told.append((await api.call("GET", path)).text)

    await look()
    await api.answer("ann", asked["request_id"], answer=CANARY)
    await api.until_found("ann", 3)
    await look()
    told.append((await api.call("POST", f"/operate/tasks/{task_id}/stop?user_id=ann")).text)
    await look()
    assert CANARY in (await api.call("GET", "/history/ann")).text
    assert all(CANARY not in each and "xxxx" not in each and "thing" not in each for each in told)
    assert CANARY not in caplog.text


async def test_timeline_has_no_tool_arguments_or_results(travel_api):
    wish = "Find flights from Lisbon to Oslo on 12 March 2027 for 2 adults and a hotel in Oslo for 3 nights"
    task_id = (await travel_api.chat("ann", wish))["task_id"]
    told = (await travel_api.call("GET", "/operate/tasks")).text
    await travel_api.until_ended("ann", task_id)
    went = await timeline(travel_api, "ann", task_id)
    assert {each["kind"] for each in went["parts"]} >= {"agent", "tool_call"}
    for words in ("Lisbon", "LIS", "Oslo", "OSL", "2027-03", "EUR", "adults"):
        assert words not in told + str(went), words


async def test_data_needs_the_token(tmp_path):
    token = "a-token-that-is-long-enough-for-anybody"
    async with running(tmp_path, token=token) as api:
        for method, path in (("GET", "tasks"), ("POST", "drain"), ("POST", "serve")):
            refusal(await api.call(method, f"/operate/{path}"), 401, "unauthorized")
        page = await api.call("GET", "/operate")
        assert (page.status_code, page.headers["cache-control"]) == (200, "no-cache")
        for file in re.findall('"(/static/[^"]+)"', page.text):
            assert (await api.call("GET", file)).status_code == 200, file
        signed = {"Authorization": f"Bearer {token}"}
        told = await api.call("GET", "/v1/operate/tasks", headers=signed)
        assert answer(told, 200, OperateAnswer)["serving"] == "serving"
