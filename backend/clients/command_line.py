"""Reads the command line of a client; a refusal of a flag names the one that was probably meant."""

import difflib
import re
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

_FLAG = re.compile(r"--[\w-]+")


def read_command_line(parser: ArgumentParser, given: Sequence[str] | None) -> Namespace:
    """Return the options. Raises SystemExit after `--help`, and for what the parser does not know."""
    options, unknown = parser.parse_known_args(given)
    if unknown:
        # The usage has the parser's flags, of which argparse has no public list.
        near = difflib.get_close_matches(unknown[0], _FLAG.findall(parser.format_usage()), n=1)
        parser.error(f"{unknown[0]} is no flag" + (f"; did you mean {near[0]}?" if near else ""))
    return options
