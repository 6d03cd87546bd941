"""Runs programs of another copy of the code, in an environment without the settings and paths of this one."""

import contextlib
import os
import re
import subprocess
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import httpx
import orjson

BOUND_S = 120.0
"""The longest a test waits for anything; it never waits for time to pass."""

Command = Sequence[str | Path]


def environment(**variables: str) -> dict[str, str]:
    """Return this process's variables without its settings and its path of packages, and with these."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("DETOUR_")}
    inherited.pop("PYTHONPATH", None)
    return inherited | variables


def run(
    command: Command, folder: Path, *, typed: str = "", **variables: str
) -> "subprocess.CompletedProcess[str]":
    """Run a program in a folder to its end, with this input; what it printed is text, both streams in one."""
    return subprocess.run(
        command,
        cwd=folder,
        env=environment(**variables),
        input=typed,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=BOUND_S,
        check=False,
    )


@contextlib.contextmanager
def serving(command: Command, folder: Path, **variables: str) -> Generator[httpx.Client]:
    """Run a server in a folder, which also holds its data; yields a client of it."""
    own = environment(**{"DETOUR_PORT": "0", "DETOUR_DATA_DIR": os.fspath(folder / "data"), **variables})
    log = folder / "server.log"
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command, cwd=folder, env=own, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        assert process.stdout is not None
        try:
            link = re.search(r"http://\S+", process.stdout.readline())
            assert link, log.read_text("utf-8")
            with httpx.Client(base_url=link[0], timeout=BOUND_S) as client:
                yield client
        finally:
            process.terminate()
            process.communicate()


def answer_to(server: httpx.Client, message: str) -> str:
    """Send a message of a user of its own, and return the reply once its task has completed."""
    accepted = server.post("/chat", json={"user_id": "ada", "message": message})
    assert accepted.status_code == 202, accepted.text
    ended = ""
    with server.stream("GET", "/events/ada", params={"since": 0}) as stream:
        for line in stream.iter_lines():
            event: dict[str, Any] = orjson.loads(line[6:]) if line.startswith("data: ") else {}
            if event.get("task_id") == accepted.json()["task_id"] and event["type"] == "status_update":
                ended = event["status"]
                if ended in {"completed", "failed", "interrupted"}:
                    break
    assert ended == "completed"
    return server.get("/history/ada").json()["messages"][-1]["text"]
