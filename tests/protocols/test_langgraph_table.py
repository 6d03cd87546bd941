"""The table of the routes of LangGraph's API in the docs: it tells what the server does."""

import re
from typing import NamedTuple

import pytest

from backend.protocols.routes import groups_of
from tests.conventions import ROOT

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAGE = "docs/protocols-langgraph-routes.md"
OF_DETOUR = {("GET", "/threads/{thread_id}/history"), ("GET", "/metrics"), ("GET", "/docs")}
"""Routes that LangGraph's server has, too, and that are the server's own here."""


class Row(NamedTuple):
    method: str
    path: str
    here: str
    how: str


def rows() -> list[Row]:
    found = re.findall(
        r"^\| `([A-Z]+) (\S+)` \| (\w+) \|(.*)\|$", (ROOT / PAGE).read_text("utf-8"), re.MULTILINE
    )
    return [Row(method, path, here, how.strip()) for method, path, here, how in found]


def filled(path: str) -> str:
    return re.sub(r"{\w+}", "x1", path)


async def test_routes_are_told_once_and_those_that_differ_say_how() -> None:
    told = [(row.method, row.path) for row in rows()]
    assert len(told) > 60
    assert len({*told}) == len(told)
    assert [row for row in rows() if row.here not in ("yes", "differs", "no")] == []
    assert [row for row in rows() if row.here != "yes" and not row.how] == []


async def test_table_has_each_call_of_the_server_and_no_other(servers) -> None:
    api = await servers()
    [group] = groups_of(api.detour._services, ["langgraph"])
    served = {(call.method, call.path) for call in group.calls if call.title}
    told = {(row.method, row.path) for row in rows() if row.here != "no"}
    assert told - OF_DETOUR == served
    for method, path in OF_DETOUR:
        assert (await api.call(method, filled(path))).status_code not in (405, 501)
    missing = [call for call in group.calls if not call.title]
    refused = [row for row in rows() if row.here == "no"]
    for call in missing:
        pattern = re.compile(re.sub(r"{\w+:path}", ".*", re.sub(r"{\w+}", "[^/]+", call.path)))
        fitting = [row for row in refused if row.method == call.method and pattern.fullmatch(row.path)]
        assert fitting, call
    assert len(missing) > 5


async def test_route_that_is_not_served_is_refused_as_the_table_says(servers) -> None:
    api = await servers()
    wrong: list[object] = []
    for row in rows():
        if row.here == "no":
            response = await api.call(row.method, filled(row.path))
            if not row.how.startswith(str(response.status_code)):
                wrong.append((row, response.status_code, response.text))
    assert wrong == []
