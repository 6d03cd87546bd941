"""A server that ends: it serves during its drain, then interrupts tasks and refuses what is left."""

import asyncio
import contextlib

import pytest

from backend.http.edge.refusals import CONTRACT_ALONE, AnswersWhatIsCutOff
from backend.http.outgoing import REPLICA_S, Drain
from tests.api.live import BOUND_S, refusal, running, serving

FOR_EVER_S = 3600


@pytest.mark.requirement("A-ROLLING-RESTART-REFUSES-NOTHING")
async def test_draining_server_is_not_ready_and_serves_until_the_drain_is_over(tmp_path):
    async with running(tmp_path, drain_s=FOR_EVER_S) as api:
        held = (await api.chat("ann", "find 1, hold"))["task_id"]
        await api.until_found("ann", 1)
        api.detour.go_down()
        told = await api.call("GET", "/ready")
        assert (told.status_code, told.json()["status"]) == (503, "draining")
        changed = await api.chat("ann", "find 2")
        assert changed["interrupted_task_id"] == held
        assert (await api.until_ended("ann", changed["task_id"]))["status"] == "completed"
        assert (await api.chat_to_end("bob", "find 1"))["status"] == "completed"
        refusal(await api.call("POST", "/operate/serve"), 503, "shutting_down")
        held = (await api.chat("ann", "find 1, hold"))["task_id"]
        api.detour.drain.end()
        await api.detour.end_tasks()
        refused = await api.call("POST", "/chat", json={"user_id": "bob", "message": "find 1"})
        refusal(refused, 503, "shutting_down")
        assert (await api.until_ended("ann", held))["reason"] == "shutdown"


@pytest.mark.requirement("A-ROLLING-RESTART-REFUSES-NOTHING")
@pytest.mark.parametrize(
    ("told_s", "replicated", "seconds"),
    [(None, False, 0), (None, True, REPLICA_S), (0, True, 0), (7, True, 7), (7, False, 7)],
)
def test_drain_of_a_replica_lasts_as_set_or_by_default(told_s, replicated, seconds):
    assert Drain(told_s, replicated=replicated).seconds == seconds


@pytest.mark.requirement("A-ROLLING-RESTART-REFUSES-NOTHING")
async def test_drain_ends_by_itself(tmp_path):
    async with running(tmp_path, drain_s=0.01) as api:
        api.detour.go_down()
        await api.detour.end_tasks()
        refused = await api.call("POST", "/chat", json={"user_id": "bob", "message": "find 1"})
        refusal(refused, 503, "shutting_down")


@pytest.mark.uvloop
@pytest.mark.requirement("SHUTDOWN-IN-GOOD-ORDER")
async def test_request_that_outlasts_the_grace_returns_503(tmp_path, monkeypatch):
    async with serving(tmp_path) as live:
        begun = asyncio.Event()

        async def never_ends(*_args, **_options):
            begun.set()
            await asyncio.Event().wait()

        monkeypatch.setattr(live.server.config, "timeout_graceful_shutdown", 0.01)
        monkeypatch.setattr(live.detour.conversations, "handle_user_message", never_ends)
        asked = asyncio.gather(live.http.post("/chat", json={"user_id": "ada", "message": "hold"}))
        async with asyncio.timeout(BOUND_S):
            await begun.wait()
            await live.server.shutdown([])
            [answer] = await asked
        told = refusal(answer, 503, "shutting_down")
        assert "it may have been done" in told["message"]
        assert "content-security-policy" in answer.headers


async def test_answer_that_has_begun_is_not_begun_again():
    sent, begun = [], asyncio.Event()

    async def answers_and_waits(_scope, _receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        begun.set()
        await asyncio.Event().wait()

    async def send(message):
        sent.append(message)

    app = AnswersWhatIsCutOff(answers_and_waits, CONTRACT_ALONE)
    serving_it = asyncio.gather(app({"type": "http", "path": "/"}, asyncio.Event().wait, send))
    await begun.wait()
    serving_it.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await serving_it
    assert len(sent) == 1
