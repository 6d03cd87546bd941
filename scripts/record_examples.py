"""Write the examples of the OpenAPI document from recorded runs: `python -m scripts.record_examples`.

Run it after a change of what the server answers; `tests/api/test_examples.py` tells when that is due.
"""

import asyncio
import json
import tempfile
from pathlib import Path

from tests.api.recorded_run import Examples, operating_recorded, recorded, travel_recorded
from tests.virtual_time import VirtualTimeLoop, virtual_clock

ROOT = Path(__file__).resolve().parents[1]
OF_ANY_GRAPH = ROOT / "backend/http/wire/recorded_answers.json"
OF_OPERATING = ROOT / "backend/http/wire/recorded_operating.json"
OF_TRAVEL = ROOT / "backend/travel/routes/recorded_answers.json"


def write(path: Path, examples: Examples) -> None:
    """Write the examples by their names."""
    path.write_text(json.dumps(examples, indent=1, ensure_ascii=False) + "\n", "utf-8")


def main() -> None:
    """Record the servers, and write what they answered."""
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        told = runner.run(recorded(Path(folder), clock=virtual_clock()))
    write(OF_ANY_GRAPH, told)
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        told = runner.run(operating_recorded(Path(folder), clock=virtual_clock()))
    write(OF_OPERATING, told)
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner() as runner:
        told = runner.run(travel_recorded(Path(folder)))
    write(OF_TRAVEL, told)


if __name__ == "__main__":
    main()
