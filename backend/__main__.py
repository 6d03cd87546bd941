"""The command `detour`, and `python -m detour`: runs one of the programs of the package.

A program is imported when it is asked for, so that `--help` needs no LangGraph, and a chat no server.
"""

import difflib
import importlib
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence

from . import __doc__ as about
from . import __version__

PROGRAMS: Mapping[str, tuple[str, str]] = {
    "serve": (".main", "serve a LangGraph graph, or the travel assistant"),
    "check": (".check", "print what of a graph is supported, what is not, and why"),
    "backup": (".backup", "copy what a server stores, while it serves"),
    "migrate": (".migrate", "bring a database's tables up to date, and grant a role its use"),
    "chat": (".clients.cli.__main__", "chat with a running server in the terminal"),
    "demo": (".clients.demo.interruption", "watch requests to the travel assistant being interrupted"),
}


def main(given: Sequence[str] | None = None) -> int | None:
    """Run a program with the rest of the command line; return its exit code, None for 0.

    Without a program, print the help and return 2. Raises SystemExit as the programs do.
    """
    name, *rest = (sys.argv[1:] if given is None else given) or [""]
    if name in PROGRAMS:
        return importlib.import_module(PROGRAMS[name][0], __package__).main(rest)
    parser = _parser()
    if name and not name.startswith("-"):
        # By ourselves: argparse suggests a name only from Python 3.14 on, and there only if it is asked to.
        near = difflib.get_close_matches(name, PROGRAMS, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        parser.error(f"there is no program {name!r}{hint} (programs: {', '.join(PROGRAMS)})")
    parser.parse_args([name, *rest] if name else [])
    parser.print_help()
    return 2


def _parser() -> ArgumentParser:
    """Return what parses a command line that begins with no program."""
    lines = [f"  {name:<7}  {does}" for name, (_, does) in PROGRAMS.items()]
    parser = ArgumentParser(
        prog="detour",
        usage="detour [-h] [--version] PROGRAM ...",
        description=(about or "").partition("\n")[0],
        epilog="\n".join(["programs:", *lines, "", "detour PROGRAM --help tells what a program takes."]),
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"detour {__version__}")
    return parser


if __name__ == "__main__":
    sys.exit(main())
