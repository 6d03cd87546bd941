"""Messages with images: a graph that takes messages gets them, any other refuses them by their field."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.api.live import BOUND_S, Client, running
from tests.protocols.ag_ui_stream import post, run_input, text_of
from tests.protocols.langgraph_calls import RUNS, THREAD, human, ran, state_of

SEEING = "tests.protocols.seeing_graph:graph"
READING = "tests.protocols.seeing_graph:reading"
PIXEL = "iVBORw0KGgo="
IMAGE = {"type": "image", "base64": PIXEL, "mime_type": "image/png"}
TEXT = {"type": "text", "text": "What is this?"}


@pytest.fixture(params=[SEEING])
async def api(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Client]:
    async with running(tmp_path, graph=request.param) as client:
        assert (await client.call("POST", "/threads", json={"thread_id": THREAD})).status_code == 200
        yield client


@pytest.mark.parametrize(
    "image", [IMAGE, {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}]
)
async def test_image_over_the_langgraph_api_reaches_the_graph_and_is_in_the_state(
    api: Client, image: dict[str, Any]
) -> None:
    found = await ran(api, human([TEXT, image]))
    values = found[-2][1]
    assert values["messages"][0]["content"] == [TEXT, image]
    assert values["messages"][-1]["content"] == "What is this? [image image/png]"
    assert (await state_of(api))["values"]["messages"] == values["messages"]


async def test_image_alone_is_a_message(api: Client) -> None:
    assert (await ran(api, human([IMAGE])))[-2][1]["messages"][-1]["content"] == "[image image/png]"
    (message, _) = (await api.history(THREAD))["messages"]
    assert message["text"] == "(an image)"


@pytest.mark.parametrize("api", [SEEING, "tests.protocols.seeing_graph:listing"], indirect=True)
async def test_later_turns_have_the_image_too(api: Client) -> None:
    await ran(api, human([TEXT, IMAGE]))
    messages = (await ran(api, human("And now?")))[-2][1]["messages"]
    assert messages[-1]["content"] == "What is this? [image image/png] | And now?"


async def test_message_that_is_sent_once_more_has_its_image(api: Client) -> None:
    await ran(api, human([TEXT, IMAGE]))
    before = (await api.call("POST", f"/threads/{THREAD}/history", json={"limit": 10})).json()[-1]
    checkpoint = {"checkpoint_id": before["checkpoint"]["checkpoint_id"]}
    body = {"assistant_id": "agent", "input": None, "checkpoint": checkpoint}
    messages = (await ran(api, body))[-2][1]["messages"]
    assert messages[-1]["content"] == "What is this? [image image/png]"


@pytest.mark.parametrize("graph", [READING, ""])
async def test_graph_of_text_refuses_an_image_by_its_field(tmp_path: Path, graph: str) -> None:
    async with running(tmp_path, graph=graph) as client:
        await client.call("POST", "/threads", json={"thread_id": THREAD})
        response = await client.call("POST", RUNS, json=human([TEXT, IMAGE]))
        assert response.status_code == 422
        assert response.json()["detail"].startswith("input.messages[0].content: ")
        assert (await client.call("GET", RUNS)).json() == []


@pytest.mark.parametrize(
    ("content", "begins"),
    [
        ([{"type": "image"}], "input.messages[0].content[0]: it should be text, or a block"),
        ([TEXT, 5], "input.messages[0].content[1]: "),
        ([{"type": "text", "text": 5}], "input.messages[0].content[0].text: "),
    ],
)
async def test_what_is_no_block_is_refused_by_its_place(api: Client, content: Any, begins: str) -> None:
    response = await api.call("POST", RUNS, json=human(content))
    assert response.status_code == 422
    assert response.json()["detail"].startswith(begins)


async def test_image_of_the_ai_sdk_reaches_the_graph_and_is_there_after_a_reload(api: Client) -> None:
    file = {
        "type": "file",
        "mediaType": "image/png",
        "url": f"data:image/png;base64,{PIXEL}",
        "filename": "a.png",
    }
    message = {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "What is this?"}, file]}
    body = {"id": "ada", "messages": [message], "trigger": "submit-message"}
    response = await api.call("POST", "/ai-sdk/chat", json=body, timeout=BOUND_S)
    chunks = [orjson.loads(each[6:]) for each in response.text.split("\n\n") if each.startswith("data: {")]
    said = "".join(each["delta"] for each in chunks if each["type"] == "text-delta")
    assert said == "What is this? [image image/png]"
    first, *_ = (await api.call("GET", "/ai-sdk/chat/ada/messages")).json()
    assert first["parts"] == [{"type": "text", "text": "What is this?", "state": "done"}, file]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "binary", "mimeType": "image/png", "data": PIXEL},
        {"type": "image", "source": {"type": "data", "value": PIXEL, "mimeType": "image/png"}},
    ],
)
async def test_image_over_ag_ui_reaches_the_graph(api: Client, part: dict[str, Any]) -> None:
    message = {"id": "m1", "role": "user", "content": [{"type": "text", "text": "What is this?"}, part]}
    events = await post(api, run_input("ada", messages=[message]))
    assert text_of(events) == "What is this? [image image/png]"
