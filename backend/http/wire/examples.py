"""Examples of the published documents; `scripts/record_examples.py` writes those that are recorded."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import orjson


def read_examples(package: str | None, name: str) -> Mapping[str, Any]:
    """Return the examples in a file of a package: bodies by the names of their types, and others."""
    return orjson.loads(files(package or "").joinpath(name).read_bytes())


RECORDED = read_examples(__package__, "recorded_answers.json")
RECORDED_OPERATING = read_examples(__package__, "recorded_operating.json")
EXAMPLES = {**RECORDED, **RECORDED_OPERATING, **read_examples(__package__, "written_answers.json")}
"""One of each body that the server's own routes take and answer, by the name of its type."""
