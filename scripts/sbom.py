"""Writes bills of materials in CycloneDX's form, JSON: of the image, and of what tests and options add.

They are made of the pin files alone, so they are the same wherever they are made: without a time, and without
a number of each. Licences are those that the installed packages state; one that is not installed has none.

Run it with `make sbom`; the files go to `dist/`.
"""

import importlib.metadata
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scripts.lock import pins

ROOT = Path(__file__).resolve().parent.parent
FILES = {"requirements.txt": "detour.cdx.json", "requirements/dev.txt": "detour-dev.cdx.json"}
VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)
LONGEST_LICENCE = 60
"""Characters of what is taken for a licence's name: some packages state the whole text."""


def bill(versions: Mapping[str, str], *, version: str) -> dict[str, Any]:
    """Return the bill of a release that has these libraries."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "detour",
                "name": "detour",
                "version": version,
                "purl": f"pkg:pypi/detour@{version}",
            }
        },
        "components": [_component(name, versions[name]) for name in sorted(versions)],
    }


def _component(name: str, version: str) -> dict[str, Any]:
    purl = f"pkg:pypi/{name}@{version}"
    component: dict[str, Any] = {
        "type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl
    }  # fmt: skip
    if licence := _licence(name):
        component["licenses"] = [licence]
    return component


def _licence(name: str) -> dict[str, Any] | None:
    try:
        stated = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        return None
    if expression := stated.get("License-Expression"):
        return {"expression": expression}
    word = stated.get("License") or ""
    return {"license": {"name": word}} if 0 < len(word) <= LONGEST_LICENCE and word.isprintable() else None


def main() -> None:
    """Write the files."""
    found = VERSION.search((ROOT / "backend" / "__init__.py").read_text("utf-8"))
    version = found[1] if found else "0"
    (ROOT / "dist").mkdir(exist_ok=True)
    for pin_file, name in FILES.items():
        made = bill(pins((ROOT / pin_file).read_text("utf-8")), version=version)
        (ROOT / "dist" / name).write_text(json.dumps(made, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
