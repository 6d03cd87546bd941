"""Tools of a real MCP server inside a graph, as `examples/mcp_tools.py` has them: cancelled with the run."""

import contextlib

import pytest
import uvicorn

from backend.main import listen
from tests.api.live import running
from tests.fakes.waiting import until
from tests.graphs.mcp_library import library

GRAPH = "tests.graphs.mcp_graph:graph"


@contextlib.asynccontextmanager
async def over_http(folder):
    """Serve the library over HTTP in this event loop; yield its address."""
    listener = listen("127.0.0.1", 0)
    app = library(folder).streamable_http_app()
    server = uvicorn.Server(uvicorn.Config(app, log_config=None))
    server.config.load()
    server.lifespan = server.config.lifespan_class(server.config)
    await server.startup([listener])
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    finally:
        await server.shutdown([listener])


@pytest.fixture(params=["stdio", "http"])
async def api(request, tmp_path, monkeypatch):
    """A server of the graph, whose MCP server is a program of its own, or is reached over HTTP."""
    async with contextlib.AsyncExitStack() as stack:
        if request.param == "http":
            monkeypatch.setenv("LIBRARY_URL", await stack.enter_async_context(over_http(tmp_path)))
        monkeypatch.setenv("LIBRARY_FOLDER", str(tmp_path))
        yield await stack.enter_async_context(running(tmp_path / "data", graph=GRAPH))


async def test_tool_of_an_mcp_server_is_called_and_its_progress_is_found(api) -> None:
    task_id = (await api.chat("ann", "Rome"))["task_id"]
    await api.until_ended("ann", task_id)
    assert (await api.history("ann"))["messages"][-1]["text"] == "Only a history of Rome"
    assert (await api.partial_results("ann"))["partial_results"] == {"look": [{"found": "A history of Rome"}]}


async def test_change_of_mind_cancels_the_call_at_the_mcp_server_and_keeps_what_it_found(
    api, tmp_path
) -> None:
    first = await api.chat("ann", "maps")
    await api.until_found("ann", 1, "look")
    second = await api.chat("ann", "Rome")
    assert second["interrupted_task_id"] == first["task_id"]
    await until((tmp_path / "cancelled").exists)
    await api.until_ended("ann", second["task_id"])
    [left] = (await api.partial_results("ann"))["interrupted"]
    assert left["partial_results"] == {"look": [{"found": "A history of maps"}]}
    receipt = (await api.call("GET", f"/receipts/ann/{first['task_id']}")).json()
    assert [(each["tool"], each["outcome"]) for each in receipt["tool_calls"]] == [
        ("find_books", "cancelled")
    ]
