"""Messages of runs that stored no step, in threads of LangGraph's SDK in which others are rolled back."""

from typing import Any

import pytest
import pytest_asyncio
from langgraph_sdk import get_client

from tests.api.live import serving
from tests.protocols.choosing import CHOOSING
from tests.protocols.sdk_streams import human, said

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.requirement("STEERED-ONCE")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sdk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rollback")
    async with (
        serving(folder, graph=CHOOSING, messages_per_minute=100_000) as server,
        get_client(url=f"http://127.0.0.1:{server.port}", api_key=None) as client,
    ):
        yield client


async def heard(sdk: Any, thread: str, text: str, **options: Any) -> str:
    """What the graph has heard when it answers this message."""
    return said(await sdk.runs.wait(thread, "agent", input=human(text), **options))[-1][1]


@pytest.mark.parametrize("before", [["one"], []], ids=["later", "first"])
async def test_message_that_rolled_another_back_is_heard_after_its_interruption(sdk, before):
    thread = (await sdk.threads.create())["thread_id"]
    for message in before:
        await heard(sdk, thread, message)
    await sdk.runs.create(thread, "agent", input=human("wait, this is gone"))
    await sdk.runs.create(thread, "agent", input=human("wait, this is not"), multitask_strategy="rollback")
    both = [*before, "wait, this is not", "two"]
    assert await heard(sdk, thread, "two") == " / ".join(both)
    assert await heard(sdk, thread, "three") == " / ".join([*both, "three"])


async def test_message_whose_run_was_cancelled_and_rolled_back_is_not_heard(sdk):
    thread = (await sdk.threads.create())["thread_id"]
    await heard(sdk, thread, "one")
    run = await sdk.runs.create(thread, "agent", input=human("wait, this is gone"))
    await sdk.runs.cancel(thread, run["run_id"], wait=True, action="rollback")
    assert await heard(sdk, thread, "two") == "one / two"
