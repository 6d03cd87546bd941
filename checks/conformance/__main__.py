"""Plays the table against Detour and other servers: `python -m checks.conformance`."""

import argparse
import asyncio
import json
import sys
from pathlib import Path

from backend.domain.encoding import system_clock
from checks.conformance.adapter import Detour
from checks.conformance.langgraph_api import LangGraphApi
from checks.conformance.langgraph_detour import DetourProcess
from checks.conformance.langgraph_dev import LangGraphDev
from checks.conformance.markdown import Played, write
from checks.conformance.phases import EVENTS, PHASES
from checks.conformance.report import as_differences, as_table
from checks.conformance.server import Server
from checks.conformance.suite import PATIENCE_S, play_all
from checks.conformance.table import TABLE, read_table


def main() -> int:
    """Print the table of each server; return 0 where every cell passes, else 1."""
    parser = argparse.ArgumentParser(prog="python -m checks.conformance", description=__doc__)
    parser.add_argument("--phase", action="append", default=[], choices=[each.name for each in PHASES])
    parser.add_argument("--event", action="append", default=[], choices=EVENTS)
    parser.add_argument("--table", type=Path, default=TABLE, help="the outcomes that are expected")
    parser.add_argument(
        "--patience",
        type=float,
        default=PATIENCE_S,
        metavar="SECONDS",
        help="how long anything is waited for",
    )
    parser.add_argument("--json", type=Path, help="a file to write what was seen to")
    parser.add_argument(
        "--langgraph-routes", action="store_true", help="play against Detour by its LangGraph routes"
    )
    parser.add_argument(
        "--langgraph-dev", metavar="COMMAND", help="play against `langgraph dev`, which this command starts"
    )
    parser.add_argument(
        "--sellers",
        action="store_true",
        help="play against Detour whose tools search and book at stand-ins of Duffel and LiteAPI",
    )
    parser.add_argument(
        "--markdown", type=Path, help="a page to write the tables to, of Detour and of the servers named"
    )
    given = parser.parse_args()
    servers: list[Server] = []
    if given.sellers:
        # Here alone: the kit goes without the travel assistant, too, and without the tests.
        from checks.conformance.sellers import WithSellers  # noqa: PLC0415

        servers.append(WithSellers())
    if given.langgraph_routes:
        servers.append(LangGraphApi(DetourProcess()))
    if given.langgraph_dev:
        servers.append(LangGraphApi(LangGraphDev(given.langgraph_dev)))
    if given.markdown or not servers:
        servers.insert(0, Detour())
    all_played: list[Played] = []
    for server in servers:
        table = read_table(given.table)
        playing = play_all(server, table, phases=given.phase, events=given.event, patience_s=given.patience)
        results = asyncio.run(playing)
        all_played.append(Played(server.described, results))
        print("\n\n".join(filter(None, [as_table(results), as_differences(results)])))
    results = [each for played in all_played for each in played.results]
    if given.json:
        given.json.write_text(json.dumps([each.to_json() for each in results], indent=1) + "\n", "utf-8")
    if given.markdown:
        write(given.markdown, all_played, f"{system_clock():%Y-%m-%d}")
    return 0 if all(each.passed for each in results) else 1


if __name__ == "__main__":
    sys.exit(main())
