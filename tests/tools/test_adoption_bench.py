"""The benchmark of adoption in small: searches are saved, none is adopted wrongly, and faults show."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from backend.domain.tool_call import call_key
from checks.bench.adoption import compare
from checks.bench.mind_changes import TODAY, scripts

SCRIPTS = 18
SEED = 1


def test_scripts_change_their_mind_and_repeat_by_seed():
    made = scripts(360, seed=SEED)
    assert sum(said.means is not None for script in made for said in script[1:]) >= 300
    assert made == scripts(360, seed=SEED)
    assert made != scripts(360, seed=SEED + 1)


@pytest.mark.requirement("ADOPTION-IS-EXACT")
def test_adoption_saves_searches_without_a_wrong_one():
    outcomes = compare(SCRIPTS, policies=["cancel", "cache", "adopt", "detour"], seed=SEED)
    assert outcomes["detour"].mind_changes >= 30
    assert {name: each.false + each.misread for name, each in outcomes.items()} == {
        "cancel": [],
        "cache": [],
        "adopt": [],
        "detour": [],
    }
    calls = {name: each.calls for name, each in outcomes.items()}
    assert calls["detour"] < min(calls["cache"], calls["adopt"]) <= max(calls["cache"], calls["adopt"])
    assert max(calls["cache"], calls["adopt"]) < calls["cancel"]
    assert outcomes["detour"].seconds < outcomes["cache"].seconds < outcomes["cancel"].seconds


@pytest.mark.requirement("ADOPTION-IS-EXACT")
@pytest.mark.parametrize(
    "forgotten",
    [
        {"departure_date": TODAY, "check_in": TODAY, "check_out": TODAY},
        {"cabin_class": "economy"},
        {"destinations": ()},
    ],
    ids=["the dates", "the class", "where the flight goes"],
)
def test_incomplete_key_is_detected_as_wrong_adoption(monkeypatch: Any, forgotten: Mapping[str, Any]):
    def key(tool: str, arguments: Any) -> str:
        blank = {name: value for name, value in forgotten.items() if hasattr(arguments, name)}
        return call_key(tool, replace(arguments, **blank))

    for name, module in list(sys.modules.items()):
        if name.startswith("backend.") and vars(module).get("call_key") is call_key:
            monkeypatch.setattr(module, "call_key", key)
    assert compare(SCRIPTS, policies=["detour"], seed=SEED)["detour"].false
