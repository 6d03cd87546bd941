"""The demo plays its scenarios against a real server, says so in its exit code, and leaves nothing behind."""

import os
import re
import signal
import socket
import subprocess
import sys

import pytest

from backend.clients.demo.interruption import SCENARIOS, Report, SurpriseError, Visitor, play
from tests.conventions import ROOT

DEMO = [sys.executable, "-m", "backend.clients.demo.interruption"]
PACE = "0.5"
"""A search then takes two seconds: time enough to be interrupted by."""


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*DEMO, *arguments],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_demo_plays_six_scenarios_with_their_times_and_everything_is_as_told() -> None:
    # Settings of whoever runs it change nothing.
    ended = run("--pace", PACE, DETOUR_TOKEN="secret", DETOUR_GRAPH="no.such:graph")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.endswith("\nEverything went as promised.\n")
    assert re.findall(r"^(\d)\. (.*)$", ended.stdout, re.MULTILINE) == [
        (str(number), title) for number, title in enumerate(SCENARIOS, 1)
    ]
    for measured in (
        "POST to 202",
        "POST to first event of the new task",
        "POST to old task told interrupted",
        "POST to first result of the new task",
        "POST to 202, worst",
        "POST to old task told interrupted, worst",
        "POST /stop to its receipt",
        "POST /answer to the booking's beginning",
        "POST to old task told cancelling",
    ):
        assert re.search(rf"^    {measured} +[0-9]+\.[0-9] ms$", ended.stdout, re.MULTILINE), measured
    assert "NOT SO" not in ended.stdout
    assert "\033" not in ended.stdout, "colours are for terminals"


async def test_demo_counts_surprises_and_plays_the_next_scenario(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def surprised(visitor: Visitor, report: Report) -> None:
        raise SurpriseError("that never came")

    async def refused(visitor: Visitor, report: Report) -> None:
        await visitor.post("")

    async def told(visitor: Visitor, report: Report) -> None:
        await visitor.post("hello")
        history = await visitor.history()
        report.check(history["messages"][0]["text"] == "hello", "a new user begins anew")

    report = Report(coloured=True)
    await play(pace=0, report=report, scenarios={"First": surprised, "Second": refused, "Third": told})
    output = capsys.readouterr().out
    assert report.wrong == 2
    assert "\033[31mNOT SO\033[0m  that never came" in output
    assert "answered 422" in output
    assert "\033[32mok\033[0m  a new user begins anew" in output


IN_THE_BACKGROUND = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *DEMO]
"""As a shell without job control starts a program in the background: with SIGINT ignored."""


@pytest.mark.parametrize(
    ("command", "how"),
    [(DEMO, signal.SIGINT), (DEMO, signal.SIGTERM), (IN_THE_BACKGROUND, signal.SIGTERM)],
)
def test_demo_that_is_broken_off_ends_its_server(command: list[str], how: signal.Signals) -> None:
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as demo:
        assert demo.stdout is not None
        demo.stdout.readline()  # that a server is started
        port = re.search(r"127\.0\.0\.1:(\d+)", demo.stdout.readline())
        assert port is not None
        demo.send_signal(how)
        demo.communicate(timeout=600)
        assert demo.returncode == 130
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", int(port[1]))) != 0
