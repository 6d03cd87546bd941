"""Every path exists below `/v1`, too, and means the same."""

import pytest
import websockets

from backend.http.edge.guard import without_version
from tests.api.frames import check_frame
from tests.api.live import running

pytestmark = pytest.mark.requirement("PATHS-HAVE-A-VERSION")


async def test_versioned_call_is_the_same_call(api):
    body = {"user_id": "ann", "message": "hello", "client_id": "c1"}
    accepted = await api.call("POST", "/v1/chat", json=body)
    assert accepted.status_code == 202
    again = await api.call("POST", "/chat", json=body)
    assert again.json() == {**accepted.json(), "duplicate": True}
    for path in ("/status/ann", "/history/ann", "/partial-results/ann"):
        assert (await api.call("GET", f"/v1{path}")).status_code == 200


async def test_every_documented_path_exists_in_both_spellings(travel_api):
    listed = (await travel_api.call("GET", "/v1/openapi.json")).json()["paths"]
    # Those of other protocols are listed as their clients call them, without a version.
    paths = {path for path in listed if path.startswith("/v1/")}
    assert len(paths) > 15
    for path in paths - {"/v1/events/{user_id}", "/v1/ws/{user_id}"}:
        filled = path.format(user_id="nobody", task_id="none", session_id="none", message_id="none")
        versioned, plain = [
            await travel_api.call("PUT", each) for each in (filled, filled.removeprefix("/v1"))
        ]
        assert (versioned.status_code, versioned.json()) == (plain.status_code, plain.json())
        assert plain.status_code == (400 if "put" in listed[path] else 405), path


@pytest.mark.parametrize("path", ["/v1", "/v2/health", "/v1health", "/v1/v1/health", "/v1/nothing"])
async def test_unknown_version_returns_404(api, path):
    assert (await api.call("GET", path)).status_code == 404


async def test_versioned_socket_is_the_same_socket(live):
    url = f"ws://127.0.0.1:{live.port}/v1/ws"
    async with websockets.connect(f"{url}/ann", compression=None) as socket:
        hello = check_frame(await socket.recv())
        assert (hello["type"], hello["user_id"]) == ("hello", "ann")
    async with websockets.connect(f"{url}/no%20such%20user", compression=None) as refused:
        with pytest.raises(websockets.ConnectionClosed) as closed:
            await refused.recv()
    assert closed.value.rcvd.code == 4404


def test_path_without_a_version_is_unchanged():
    scope = {"type": "http", "path": "/chat", "raw_path": b"/chat"}
    assert without_version(scope) is scope
    versioned = {"type": "http", "path": "/v1/chat", "raw_path": b"/v1/chat"}
    assert without_version(versioned) == scope
    assert versioned["path"] == "/v1/chat"


async def test_both_spellings_need_the_token(tmp_path):
    async with running(tmp_path, token="a-long-random-token-22") as client:
        for path in ("/status/ann", "/openapi.json", "/asyncapi.json", "/metrics"):
            answers = [await client.call("GET", each) for each in (path, f"/v1{path}")]
            assert [answer.status_code for answer in answers] == [401, 401]
        for path in ("/health", "/ready", "/"):
            answers = [await client.call("GET", each) for each in (path, f"/v1{path}")]
            assert [answer.status_code for answer in answers] == [200, 200]
