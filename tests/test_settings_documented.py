"""The page of the settings tells of each what its class says."""

import re

import pytest

from backend.http.identity.principal import SHORTEST_TOKEN, STRONG_RSA_BITS
from backend.http.settings import Settings, TravelSettings
from scripts.write_docs import configuration, groups_of_settings
from tests.conventions import ROOT


def settings_of(settings: type[Settings]) -> set[str]:
    prefix = settings.model_config["env_prefix"]
    return {f"{prefix}{field}".upper() for field in settings.model_fields}


def test_settings_page_is_what_make_docs_writes() -> None:
    assert (ROOT / "docs/configuration.md").read_text("utf-8") == configuration(), "run `make docs`"


def test_settings_have_a_row_with_their_meaning() -> None:
    rows = re.findall(r"^\| `(DETOUR_[A-Z0-9_]+)` \|.*\| (.+) \|$", configuration(), re.MULTILINE)
    assert len(rows) == len(TravelSettings.model_fields)
    assert {name for name, _ in rows} == settings_of(TravelSettings)
    assert all(meaning.strip() for _, meaning in rows)
    assert f"{SHORTEST_TOKEN} random characters or more" in dict(rows)["DETOUR_TOKEN"]
    assert f"{STRONG_RSA_BITS} for 128 bits" in dict(rows)["DETOUR_JWT_RSA_BITS"]


def test_new_setting_needs_a_group() -> None:
    class MoreSettings(Settings):
        added_for_this_test: int = 1

    assert settings_of(MoreSettings) - settings_of(Settings) == {"DETOUR_ADDED_FOR_THIS_TEST"}
    with pytest.raises(LookupError, match="'added_for_this_test' must be in one group"):
        groups_of_settings(MoreSettings, TravelSettings)
