"""Write the examples of the OpenAPI document from recorded runs: `python -m scripts.record_examples`.

Run it after a change of what the server answers; `tests/api/test_examples.py` tells when that is due.
"""

import asyncio
import pprint
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.api.recorded_run import Examples, operating_recorded, recorded, travel_recorded
from tests.virtual_time import VirtualTimeLoop, virtual_clock

ROOT = Path(__file__).resolve().parents[1]
OF_ANY_GRAPH = ROOT / "backend/http/wire/recorded_examples.py"
OF_OPERATING = ROOT / "backend/http/wire/recorded_operating.py"
OF_TRAVEL = ROOT / "backend/travel/routes/recorded_examples.py"


def write(path: Path, examples: Examples, *, about: str) -> None:
    """Write a module with a constant for each example."""
    lines = [f'"""{about}; written by `scripts/record_examples.py`."""', "", "from typing import Any", ""]
    for name, value in examples.items():
        kind = "str" if isinstance(value, str) else "dict[str, Any]"
        lines.append(f"{name}: {kind} = {pprint.pformat(value, sort_dicts=False, width=100)}")
    path.write_text("\n".join(lines) + "\n", "utf-8")
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", path], check=True)


def main() -> None:
    """Record the servers, and write what they answered."""
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        told = runner.run(recorded(Path(folder), clock=virtual_clock()))
    write(OF_ANY_GRAPH, told, about="What a server with `examples.rooms` was sent and answered")
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        told = runner.run(operating_recorded(Path(folder), clock=virtual_clock()))
    write(OF_OPERATING, told, about="What the operator's view of that server answered")
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner() as runner:
        told = runner.run(travel_recorded(Path(folder)))
    write(OF_TRAVEL, told, about="What the travel assistant's own routes answered")


if __name__ == "__main__":
    main()
