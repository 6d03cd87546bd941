"""`make attack`: attack a server of its own in every way that is known here, and print what held.

`ARGS="floods slow"` picks some, by the beginning of their names; `--seconds 5` shortens each. The exit code
is 1 if something broke.
"""

import argparse
import asyncio
import resource
import sys
from collections.abc import Awaitable, Callable, Mapping

from checks.attack import crashes, floods, pipelines, slow, strangers
from checks.attack.target import Report

Attack = Callable[[float], Awaitable[Report]]

ATTACKS: Mapping[str, tuple[Attack, float]] = {
    "floods of messages": (floods.messages, 30),
    "floods of reads": (floods.reads, 30),
    "floods of guesses": (floods.guesses, 20),
    "floods of connections": (floods.connections, 30),
    "pipelines": (pipelines.pipelines, 20),
    "slow heads": (slow.heads, 15),
    "slow bodies": (slow.bodies, 35),
    "slow readers": (slow.readers, 30),
    "strangers": (strangers.strangers, 0),
    "crash loop": (crashes.crashes, 180),
}
"""Each with the seconds that it lasts."""


async def _attack(names: list[str], seconds: float | None) -> bool:
    """Play the attacks one after the other; return whether everything held."""
    held = True
    for name, (attack, lasts) in ATTACKS.items():
        if names and not any(name.startswith(each) for each in names):
            continue
        try:
            report = await attack(lasts if seconds is None else seconds)
        except Exception as error:  # noqa: BLE001 - an attack that cannot be played has shown nothing
            report = Report(broken=[f"it could not be played: {error!r}"])
        figures = ", ".join(f"{what} {figure}" for what, figure in report.figures.items())
        sys.stdout.write(f"{'BROKE' if report.broken else 'held':6}{name:24}{figures}\n")
        for sentence in report.broken[:10]:
            sys.stdout.write(f"        {sentence}\n")
        sys.stdout.flush()
        held = held and not report.broken
    return held


def main() -> None:
    """Attack, and end with 1 if something broke."""
    parser = argparse.ArgumentParser(prog="make attack", description=__doc__)
    parser.add_argument("names", nargs="*", help=", ".join(ATTACKS))
    parser.add_argument("--seconds", type=float, help="how long each lasts")
    given = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    sys.exit(0 if asyncio.run(_attack(given.names, given.seconds)) else 1)


if __name__ == "__main__":
    main()
