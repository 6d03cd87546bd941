"""haproxy in front of replicas of this machine, with the configuration that is delivered."""

import contextlib
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

CONFIGURATION = Path(__file__).resolve().parents[2] / "ops" / "haproxy" / "haproxy.cfg"

MOST_REPLICAS = 8
"""How many replicas the configuration can be told."""

_PACE_S = 0.05
_LOOKS = 400
"""How often it is looked at whether haproxy listens: 20 s, since a busy machine takes longer than 0.3 s."""

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
        """Balance until this is left. Raises `RuntimeError` with what haproxy says if it does not listen."""
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
            self._until_listening(process)
            yield
        finally:
            process.terminate()
            process.wait()

    def _until_listening(self, process: subprocess.Popen[bytes]) -> None:
        host, _, port = self._settings["DETOUR_LISTEN"].rpartition(":")
        for _ in range(_LOOKS):
            with contextlib.suppress(OSError):
                socket.create_connection((host, int(port))).close()
                if process.poll() is None:  # else somebody else listens there
                    return
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_PACE_S)
                break
        raise RuntimeError(self._log.read_text() or "haproxy does not listen")
