"""Plays the table against Detour: `python -m conformance [--phase NAME] [--event NAME] [--json FILE]`."""

import argparse
import asyncio
import json
import sys
from pathlib import Path

from conformance.adapter import Detour
from conformance.langgraph_api import LangGraphApi
from conformance.langgraph_dev import LangGraphDev
from conformance.phases import EVENTS, PHASES
from conformance.report import as_differences, as_table
from conformance.suite import play_all
from conformance.table import TABLE, read_table


def main() -> int:
    """Print the table; return 0 where every cell passes, else 1."""
    parser = argparse.ArgumentParser(prog="python -m conformance", description=__doc__)
    parser.add_argument("--phase", action="append", default=[], choices=[each.name for each in PHASES])
    parser.add_argument("--event", action="append", default=[], choices=EVENTS)
    parser.add_argument("--table", type=Path, default=TABLE, help="the outcomes that are expected")
    parser.add_argument("--json", type=Path, help="a file to write what was seen to")
    parser.add_argument(
        "--langgraph-dev", metavar="COMMAND", help="play against `langgraph dev`, by its command"
    )
    given = parser.parse_args()
    server = LangGraphApi(LangGraphDev(given.langgraph_dev)) if given.langgraph_dev else Detour()
    results = asyncio.run(play_all(server, read_table(given.table), phases=given.phase, events=given.event))
    print("\n\n".join(filter(None, [as_table(results), as_differences(results)])))
    if given.json:
        given.json.write_text(json.dumps([each.to_json() for each in results], indent=1) + "\n", "utf-8")
    return 0 if all(each.passed for each in results) else 1


if __name__ == "__main__":
    sys.exit(main())
