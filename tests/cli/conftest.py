"""Server processes and terminals that are gone when a test ends."""

import pytest

from tests.cli.pseudo_terminal import PseudoTerminal
from tests.e2e.conftest import process

__all__ = ["process"]


@pytest.fixture
def terminal():
    """Return a function that opens a terminal in front of a server process, for `async with`."""

    def open_(server, *arguments: str) -> PseudoTerminal:
        where = ("--server", f"http://127.0.0.1:{server.port}", "--user", "ada")
        return PseudoTerminal(*where, *arguments)

    return open_
