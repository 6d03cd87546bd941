"""What a server for a graph costs beside the libraries that it is made of: CPU of its imports, and memory."""

import asyncio
import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from backend.clients.server import ServerProcess, environment_without_settings
from tests.conventions import ROOT

pytestmark = pytest.mark.requirement("A-GRAPHS-SERVER-IS-LIGHT")

MOST_OF_THE_LIBRARIES = 1.25
MOST_MIB = 115
ROUNDS = 20
"""The least of some rounds is compared: other programs on a machine only ever make an import dearer."""

SERVER = "import backend.main"
LIBRARIES = f"""
import json, sys
{SERVER}
ours = {{*sys.stdlib_module_names, "backend", "__main__"}}
theirs = [name for name, module in sys.modules.items() if getattr(module, "__spec__", None) is not None]
print(json.dumps([name for name in theirs if name.partition(".")[0] not in ours]))
"""


def cpu_s(code: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(code)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(code: str) -> str:
    environment = environment_without_settings()
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, check=True, capture_output=True
    )
    return done.stdout.decode()


def test_imports_take_a_quarter_more_than_those_of_the_libraries_alone() -> None:
    subprocess.run([sys.executable, "-m", "compileall", "-q", "backend"], cwd=ROOT, check=True)
    names = json.loads(run(LIBRARIES))
    libraries = f"import importlib\nfor name in {names}:\n    importlib.import_module(name)"
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(ROUNDS):
        theirs.append(cpu_s(libraries))
        ours.append(cpu_s(SERVER))
        if min(ours) <= MOST_OF_THE_LIBRARIES * min(theirs):
            return
    pytest.fail(f"{min(ours):.2f} s, and the libraries alone {min(theirs):.2f} s")


async def test_server_for_a_graph_takes_little_memory_while_it_serves(tmp_path: Path) -> None:
    settings = {"graph": "tests.graphs.plain:graph", "data_dir": tmp_path / "data"}
    async with ServerProcess(tmp_path, settings=settings, log=tmp_path / "server.log") as server:
        assert server.process is not None
        status = await asyncio.to_thread(Path(f"/proc/{server.process.pid}/status").read_text, "utf-8")
    resident = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    assert int(resident.split()[1]) / 1024 <= MOST_MIB
