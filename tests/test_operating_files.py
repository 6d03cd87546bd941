"""The dashboard and the alert rules ask for what a server tells, and each alert is explained."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from backend.domain.task import TaskStatus
from backend.http.metrics import Metrics
from backend.replicas.leases import ReplicaFigures
from tests.api.live import running
from tests.conventions import ROOT
from tests.records import AT, a_task, a_tool_call, an_input

pytestmark = pytest.mark.requirement("DASHBOARD-ASKS-FOR-WHAT-IS-TOLD")

OF_THE_SCRAPE = {"job", "instance"}
"""Labels that Prometheus adds, as it adds `up`."""

WORDS = {"sum", "rate", "increase", "count", "histogram_quantile", "by"}

Told = dict[str, dict[str, set[str]]]
"""By metric and label: its values."""


def asked(expression: str) -> Iterator[tuple[str, dict[str, str], set[str]]]:
    """Yield each metric of an expression, the labels it is chosen by, and all that is grouped by."""
    grouped = {
        each.strip() for names in re.findall(r"by \(([^)]*)\)", expression) for each in names.split(",")
    }
    plain = re.sub(r"by \([^)]*\)|\[[^]]*\]", "", expression)
    for name, chosen in re.findall(r"([a-z_]+)(?:\{([^}]*)\})?", plain):
        if name not in WORDS:
            yield name, dict(re.findall(r'(\w+)=~?"([^"]*)"', chosen)), grouped


def wrong(expression: str, told: Told) -> list[str]:
    """Return what an expression asks for that no server tells."""
    faults: list[str] = []
    known: set[str] = set(OF_THE_SCRAPE)
    for name, chosen, _ in asked(expression):
        if name not in told:
            faults.append(name)
            continue
        known |= set(told[name])
        for label, value in chosen.items():
            if label not in told[name].keys() | OF_THE_SCRAPE:
                faults.append(f"{name}{{{label}}}")
            elif label not in OF_THE_SCRAPE and value not in told[name][label]:
                faults.append(f'{name}{{{label}="{value}"}}')
    faults += [f"by ({each})" for _, _, grouped in asked(expression) for each in sorted(grouped - known)]
    return faults


@pytest.fixture
async def told(tmp_path) -> Told:
    """What a server and a replica tell at `/metrics`, once each kind of thing has happened."""
    metrics = Metrics(clock=lambda: AT)
    ReplicaFigures(metrics, name=lambda: "r-1", leases=lambda: 1)
    task, request, call = a_task(), an_input(), a_tool_call().started(AT)
    metrics.written([task, request, call], seconds=0.01)
    metrics.written([a_tool_call(number=2).ended("completed", AT)])
    reused = a_tool_call(number=3).started(AT).ended("completed", AT)
    metrics.written([reused])
    stopped = a_task(status=TaskStatus.INTERRUPTED, reason="stopped", interrupt_requested_at=AT)
    metrics.written([stopped, request.resolved("answered", {}), call.ended("completed", AT)])
    async with running(tmp_path) as api:
        text = (await api.call("GET", "/metrics")).text
    found: Told = {"up": {}}
    for said in (text, metrics.as_text().decode()):
        for family in text_string_to_metric_families(said):
            for sample in family.samples:
                of_metric = found.setdefault(sample.name, {})
                for label, value in sample.labels.items():
                    of_metric.setdefault(label, set()).add(value)
    return found


def rules() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load((ROOT / "ops/prometheus/alerts.yml").read_text("utf-8"))["groups"]
    return group["rules"]


def panels() -> list[dict[str, Any]]:
    dashboard = json.loads((ROOT / "ops/grafana/dashboard.json").read_text("utf-8"))
    return [each for each in dashboard["panels"] if each["type"] != "row"]


async def test_alerts_ask_for_existing_figures(told):
    assert {rule["alert"]: faults for rule in rules() if (faults := wrong(rule["expr"], told))} == {}


async def test_dashboard_asks_for_existing_figures(told):
    asking = [(each["title"], target["expr"]) for each in panels() for target in each["targets"]]
    assert len(asking) > 20
    assert [(title, faults) for title, asked_for in asking if (faults := wrong(asked_for, told))] == []


async def test_dashboard_shows_every_figure_of_the_server(told):
    shown = {name for each in panels() for target in each["targets"] for name, _, _ in asked(target["expr"])}
    own = {name for name in told if name.startswith("detour_")}
    hidden = {name for name in own if not name.endswith(("_created", "_sum", "_count"))} - shown
    assert hidden == set()


def test_alerts_are_explained():
    page = (ROOT / "docs/operating.md").read_text("utf-8").partition("\n## Alerts\n")[2].partition("\n## ")[0]
    explained = re.findall(r"^\| `(\w+)` \| (.+) \| (.+) \|$", page, re.MULTILINE)
    assert [name for name, _, _ in explained] == [rule["alert"] for rule in rules()]
    assert all(meaning.strip() and action.strip() for _, meaning, action in explained)


@pytest.mark.parametrize(
    "expression",
    ["detour_task", 'detour_tasks{status="walking"}', "sum by (reason) (detour_tasks)"],
)
async def test_expression_about_an_unknown_figure_is_found(told, expression):
    assert wrong(expression, told)
