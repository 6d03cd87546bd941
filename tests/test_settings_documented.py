"""The README's configuration table and the settings class name the same settings."""

import re

from backend.serving.settings import Settings
from backend.travel.settings import TravelSettings
from tests.conventions import ROOT


def documented_settings(readme: str) -> set[str]:
    """Return the settings whose name, in backticks, is the first cell of a row in a table."""
    return set(re.findall(r"^\|\s*`(DETOUR_[A-Z0-9_]+)`\s*\|", readme, re.MULTILINE))


def settings_of(settings: type[Settings]) -> set[str]:
    prefix = settings.model_config["env_prefix"]
    return {f"{prefix}{field}".upper() for field in settings.model_fields}


def test_every_setting_is_documented_and_every_documented_setting_exists() -> None:
    documented = documented_settings((ROOT / "README.md").read_text("utf-8"))
    existing = settings_of(TravelSettings)
    assert existing
    assert sorted(existing - documented) == []
    assert sorted(documented - existing) == []


def test_a_setting_counts_as_documented_only_by_a_row_of_its_own() -> None:
    readme = """
Set `DETOUR_IN_TEXT` to try it.

| setting | default | |
|---|---|---|
| `DETOUR_HOST` | 127.0.0.1 | see also `DETOUR_MENTIONED` |
|`DETOUR_PORT`| 8000 | |
"""
    assert documented_settings(readme) == {"DETOUR_HOST", "DETOUR_PORT"}


def test_a_setting_that_is_added_is_asked_for() -> None:
    class MoreSettings(Settings):
        added_for_this_test: int = 1

    assert settings_of(MoreSettings) - settings_of(Settings) == {"DETOUR_ADDED_FOR_THIS_TEST"}
