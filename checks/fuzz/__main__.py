"""`make fuzz`: send a server of its own bodies and frames made by chance, and print what it did wrong.

Schemathesis makes requests of the OpenAPI document, `checks.fuzz.mutations` breaks real bodies and frames.
The exit code is 1 if an answer was not as documented, a socket closed without a reason, the log has a
traceback, or a user beside it was refused. `--seconds 20` bounds each half, `--seed` plays one again.
"""

import argparse
import asyncio
import random
import re
import shutil
import sys
import tempfile
from pathlib import Path

from checks.attack.target import Report, Target, attacked, beside
from checks.fuzz.mutations import send_mutations

CONFIGURATION = """
[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", 501]
"""
"""501 is how the server refuses a route of the LangGraph API that it documents as not there."""

ENDLESS = "/ws/|/events|stream"
"""Paths whose answers do not end, or are no HTTP: the mutations have them."""

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
UNLIMITED = {
    f"{name}_per_minute": 0
    for name in (
        "messages", "address_messages", "total_messages", "address_requests", "address_conversations",
        "address_guesses",
    )
}  # fmt: skip


async def _follow_document(target: Target, folder: Path, *, seconds: int, seed: int, report: Report) -> None:
    """Have Schemathesis make requests of the server's document."""
    program = shutil.which("schemathesis", path=str(Path(sys.executable).parent))
    if program is None:
        report.broken.append("Schemathesis is not installed: make fuzz installs it")
        return
    (folder / "schemathesis.toml").write_text(CONFIGURATION, "utf-8")
    options = {
        "max-time": seconds,
        "seed": seed,
        "checks": CHECKS,
        "exclude-path-regex": ENDLESS,
        "warnings": "off",
    }
    options |= {"request-timeout": 5, "phases": "coverage,fuzzing,stateful", "generation-database": "none"}
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    process = await asyncio.create_subprocess_exec(
        program, "run", f"{target.url}/openapi.json", *words, "--continue-on-failure", "--no-shrink",
        cwd=folder, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    output = (await process.communicate())[0].decode()
    cases = re.search(r"(\d+) generated", output)
    report.figures["requests by the document"] = cases[1] if cases else "0"
    if process.returncode or cases is None:
        report.broken.append(output[output.find("= FAILURES =") :].strip())


async def fuzz(folder: Path, *, seconds: int, seed: int) -> Report:
    """Send both kinds to a server for so many seconds each; return what it did wrong."""
    report = Report(figures={"seed": str(seed)})
    async with attacked(**UNLIMITED) as target, beside(target, report):
        await _follow_document(target, folder, seconds=seconds, seed=seed, report=report)
        await send_mutations(target, seconds=seconds, seed=seed, report=report)
        log = target.process.log
        if log is not None and "Traceback" in (text := log.read_text("utf-8", "replace")):
            report.broken.append("a traceback in the log: " + text[text.index("Traceback") :][:3000])
    return report


def main() -> None:
    """Fuzz, and end with 1 if something broke."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="how long each half lasts")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = asyncio.run(fuzz(Path(folder), seconds=given.seconds, seed=given.seed))
    for what, figure in report.figures.items():
        sys.stdout.write(f"{what}: {figure}\n")
    for sentence in report.broken:
        sys.stdout.write(f"BROKE: {sentence}\n")
    sys.exit(1 if report.broken else 0)


if __name__ == "__main__":
    main()
