"""What these tests make go wrong would be logged by the thousand."""

from collections.abc import Iterator
from typing import Any, NoReturn

import pytest
import structlog


def drop(_logger: Any, _method: str, _entry: Any) -> NoReturn:
    raise structlog.DropEvent


def drop_all_entries() -> None:
    """Drop every entry of the log from now on."""
    structlog.configure(processors=[drop])


@pytest.fixture(autouse=True)
def no_logs() -> Iterator[None]:
    """Drop every entry. None is kept: an error that is logged keeps alive whatever it came from."""
    processors = structlog.get_config()["processors"]
    before = list(processors)
    processors[:] = [drop]
    yield
    processors[:] = before
