"""How the tour worker is started over one inventory, and what it is told."""

import os
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

from ....domain.encoding import encode
from ...values.tour import Tour
from ..base import TourProgram

SEARCH_S = 20.0
"""How long the worker searches before it makes do with the best plan it has; eight cities take it three."""

_HANDED_ON = ("PATH", "PYTHONHOME", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "TZ")
_PACKAGE = __package__ or ""
_FOLDER_OF_PACKAGES = Path(__file__).resolve().parents[_PACKAGE.count(".") + 1]


def demo_tour_program(
    inventory: Path, *, today: Callable[[], date], seed: int, pace: float, search_s: float = SEARCH_S
) -> TourProgram:
    """Return the program that plans tours over the inventory file at a path, which is there already.

    `pace` is the pause after each plan in seconds, so that people see the plans get better.
    """

    def request(tour: Tour) -> bytes:
        asked = {
            "inventory": os.fspath(inventory.resolve()),
            "seed": seed,
            "today": today(),
            "pace": pace,
            "budget_s": search_s,
            "tour": tour,
        }
        return encode(asked) + b"\n"

    environment = {name: value for name, value in os.environ.items() if name in _HANDED_ON}
    path = [os.fspath(_FOLDER_OF_PACKAGES), os.environ.get("PYTHONPATH", "")]
    return TourProgram(
        command=(sys.executable, "-m", f"{_PACKAGE}.tour_worker"),
        environment={**environment, "PYTHONPATH": os.pathsep.join(filter(None, path))},
        request=request,
    )
