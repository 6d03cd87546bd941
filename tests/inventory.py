"""The demo's inventory, built once for all tests: building it takes a server a second of CPU at its start."""

import functools
import os
import shutil
import tempfile
from pathlib import Path

from backend.http.settings import TravelSettings
from backend.travel.providers.demo.inventory import open_inventory

NAME = "inventory.sqlite"


def lend_inventory(data_dir: Path) -> None:
    """Put the inventory where a server with the demo's seed looks for it, unless there is one."""
    lent = data_dir / NAME
    if not lent.exists():
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            # Whoever builds another one replaces the name and does not write to the file.
            os.link(_built(), lent)
        except OSError:  # on another file system
            shutil.copyfile(_built(), lent)


@functools.cache
def _built() -> Path:
    path = Path(tempfile.gettempdir()) / f"detour-tests-{os.getuid()}" / NAME
    open_inventory(path, seed=TravelSettings.model_fields["demo_seed"].default).close()
    return path
