"""Where the browser of the tests is, and what is said where there is none."""

import os
import shutil
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
FIXTURE = "browser"
"""Tests that use a fixture of this name drive the browser."""

MISSING = (
    "there is no Chromium on the PATH, and CHROMIUM does not name one (on Debian: apt-get install chromium)."
)


def find_chromium() -> str | None:
    """Return the path of the browser that `CHROMIUM` names, else of one on the PATH, or None.

    Raises ValueError where `CHROMIUM` names something that is not there.
    """
    named = os.environ.get("CHROMIUM", "")
    if not named:
        return next((path for path in map(shutil.which, NAMES) if path), None)
    if not Path(named).is_file():
        raise ValueError(f"CHROMIUM: there is no {named}.")
    return named


def must_be_complete() -> bool:
    """Return whether no test may be left out, as it is before a change goes in."""
    return os.environ.get("DETOUR_TESTS_COMPLETE", "") not in {"", "0"}
