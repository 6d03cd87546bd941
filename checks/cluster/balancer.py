"""haproxy in front of replicas of this machine, with the configuration that is delivered."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

CONFIGURATION = Path(__file__).resolve().parents[2] / "ops" / "haproxy" / "haproxy.cfg"

MOST_REPLICAS = 8
"""How many replicas the configuration can be told."""

PLACES = ("/usr/sbin", "/usr/local/sbin")
"""Where packages put it, which may be in nobody's PATH."""


def program() -> str | None:
    """Return haproxy's path; None if it is not installed."""
    return shutil.which("haproxy") or shutil.which("haproxy", path=os.pathsep.join(PLACES))


def on_this_machine(port: int, replicas: Sequence[int]) -> dict[str, str]:
    """Return the settings of a balancer of this machine's replicas, which are told by their ports."""
    return {
        "DETOUR_LISTEN": f"127.0.0.1:{port}",
        "DETOUR_CHECK_HOST": f"127.0.0.1:{port}",
        **{f"DETOUR_REPLICA_{n}": f"127.0.0.1:{each}" for n, each in enumerate(replicas, 1)},
    }


class Balancer:
    """Sends each user to one of the replicas that are ready; its settings are told in its configuration."""

    def __init__(self, settings: Mapping[str, str], folder: Path) -> None:
        self._log = folder / "haproxy.log"
        self._settings = settings

    @contextlib.contextmanager
    def serving(self) -> Iterator[None]:
        """Balance until this is left. Raises `RuntimeError` with what haproxy says if it cannot start."""
        path = program()
        if path is None:
            raise RuntimeError("haproxy is not installed (Debian's package haproxy)")
        with self._log.open("ab") as log:
            process = subprocess.Popen(
                [path, "-db", "-f", str(CONFIGURATION)],
                stdout=log,
                stderr=log,
                env={**os.environ, **self._settings},
            )
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.3)
                raise RuntimeError(self._log.read_text())
            yield
        finally:
            process.terminate()
            process.wait()
