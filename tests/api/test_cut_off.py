"""A request that the server's end cuts off is refused as one of a server that goes down, and is no fault."""

import asyncio
import contextlib

import pytest

from backend.http.edge.refusals import CONTRACT_ALONE, AnswersWhatIsCutOff
from tests.api.live import BOUND_S, refusal, serving

pytestmark = pytest.mark.uvloop


@pytest.mark.requirement("SHUTDOWN-IN-GOOD-ORDER")
async def test_a_request_that_takes_all_the_grace_is_told_to_try_again(tmp_path, monkeypatch):
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


async def test_an_answer_that_has_begun_is_not_begun_again():
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
