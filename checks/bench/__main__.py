"""Run the benchmark: `python -m checks.bench [--quick] [SCENARIO ...]`; `--help` lists the scenarios."""

import argparse
import gc
import json
import os
import platform
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime

import uvloop

from checks.bench import (
    adoption,
    detour,
    fanout,
    memory,
    page,
    replicas,
    sockets,
    supersede,
    throughput,
    tokens,
)
from checks.bench.figures import Figure
from checks.bench.goals import GOALS
from checks.bench.servers import RESULTS, THIN, THIN_WITH_SAVER, ServerKind, pin_generator
from checks.bench.table import figures_table, goals_table
from checks.cluster import postgres

Scenario = Callable[..., Awaitable[list[Figure]]]
SCENARIOS: dict[str, Scenario] = {
    "throughput": throughput.measure,
    "supersede": supersede.measure,
    "memory": memory.measure,
    "sockets": sockets.measure,
    "fanout": fanout.measure,
    "tokens": tokens.measure,
    "adoption": adoption.measure,
    "page": page.measure,
    "replicas": replicas.measure,
}


async def measure(scenarios: Sequence[str], *, short: bool) -> tuple[list[Figure], list[str]]:
    """The figures measured, and the names of the scenarios that failed."""
    kinds: list[ServerKind] = [THIN, THIN_WITH_SAVER]
    if detour.is_here():
        kinds.append(detour.DETOUR)
    figures: list[Figure] = []
    failed: list[str] = []
    for name in scenarios:
        own = [*kinds, detour.DETOUR_TRAVEL] if name == "throughput" and detour.is_here() else kinds
        started = time.perf_counter()
        try:
            measured = await SCENARIOS[name](own, short=short)
        except (RuntimeError, TimeoutError, ConnectionError) as error:
            print(f"\n{name} failed: {error!r}", flush=True)
            failed.append(name)
            continue
        figures.extend(measured)
        print(f"\n{name} ({time.perf_counter() - started:.0f} s)\n{figures_table(measured)}", flush=True)
    return figures, failed


def save(figures: Sequence[Figure]) -> None:
    """Write every sample to checks/bench/results/<time>.json."""
    RESULTS.mkdir(exist_ok=True)
    now = datetime.now(UTC)
    machine = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    listed = [
        {"scenario": each.scenario, "name": each.name, "unit": each.unit, "samples": each.samples}
        for each in figures
    ]
    path = RESULTS / f"{now:%Y%m%dT%H%M%SZ}.json"
    path.write_text(json.dumps({"at": now.isoformat(), **machine, "figures": listed}, indent=1))
    print(f"\nevery sample: {path}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m checks.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("scenarios", nargs="*", help="the same as --only")
    usual = [each for each in SCENARIOS if each != "replicas" or postgres.programs() is not None]
    parser.add_argument("--only", default=",".join(usual), help="comma-separated scenarios")
    given = parser.parse_args()
    chosen = given.scenarios or given.only.split(",")
    if unknown := set(chosen) - set(SCENARIOS):
        parser.error(f"no such scenario: {', '.join(sorted(unknown))}")
    pin_generator()
    gc.freeze()
    gc.disable()
    figures, failed = uvloop.run(measure(chosen, short=given.quick))
    print(f"\ngoals\n{goals_table(GOALS, figures)}")
    save(figures)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
