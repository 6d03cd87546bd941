"""Examples of the published documents; `scripts/record_examples.py` writes those that are recorded."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import orjson


def read_examples(package: str | None, name: str) -> Mapping[str, Any]:
    """Return the examples in a file of a package, by their names."""
    return orjson.loads(files(package or "").joinpath(name).read_bytes())


RECORDED = read_examples(__package__, "recorded_answers.json")
RECORDED_OPERATING = read_examples(__package__, "recorded_operating.json")
WRITTEN = read_examples(__package__, "written_answers.json")
