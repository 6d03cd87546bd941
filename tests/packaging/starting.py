"""Starts a server as far as its settings, with the environment that a container is given."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from backend.http.settings import Settings, TravelSettings, settings_of_command
from tests.packaging.dockerfile import assignments, stages
from tests.test_settings_documented import settings_of

TOKEN = "a token of these tests, long enough"


def started_with(given: Mapping[str, str], monkeypatch: pytest.MonkeyPatch, folder: Path) -> Settings:
    """Return the settings of a server of the image that is given this, in an empty folder.

    Raises `SystemExit`, with what is wrong, where the server would not start.
    """
    (image,) = [each.text for each in stages()[-1].instructions if each.name == "ENV"]
    environment = {**assignments(image, {"PATH": ""}), **given}
    for name in settings_of(TravelSettings):
        monkeypatch.delenv(name, raising=False)
        if name in environment:
            monkeypatch.setenv(name, environment[name])
    monkeypatch.chdir(folder)
    return settings_of_command(TravelSettings, (), about="")
