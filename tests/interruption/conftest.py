"""What these tests make go wrong is logged by the thousand; it is kept from the screen."""

from collections.abc import Iterator

import pytest
import structlog


@pytest.fixture(autouse=True)
def quiet_logs() -> Iterator[None]:
    with structlog.testing.capture_logs():
        yield
