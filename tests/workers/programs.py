"""Programs to run as tools, each a few lines of Python, and a talk that keeps what they print."""

import os
import sys

import psutil

from backend.domain.errors import ProviderError
from backend.tasks.ledger.base import ToolResult
from backend.tasks.ledger.processes import Command, SubprocessTool
from tests.fakes import RecordingLog

ENVIRONMENT = {"PATH": os.environ["PATH"], "PYTHONUNBUFFERED": "1"}


class Heard:
    """Implements `Talk`: keeps every line, and fails where the exit code is not 0."""

    def __init__(self, request=b""):
        self.request = request
        self.lines = RecordingLog()

    def heard(self, line):
        self.lines(line)

    def result(self, exit_code):
        if exit_code != 0:
            raise ProviderError(f"ended with {exit_code}")
        return ToolResult(f"{len(self.lines.entries)} lines", self.lines.entries)


def program(source, *, owner, talk=None, **options):
    """Return a tool that runs a Python source, and the talk that hears it."""
    talk = talk or Heard()
    command = Command((sys.executable, "-c", PRELUDE + source), ENVIRONMENT)
    return SubprocessTool(
        "a program", command, lambda _arguments, _report: talk, owner=owner, **options
    ), talk


PRELUDE = """\
import os, signal, subprocess, sys, time
def wait():
    while True:
        signal.pause()
"""


def is_alive(process: psutil.Process) -> bool:
    """Tell whether a process runs; one that has ended may be a zombie until its new parent reaps it."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
