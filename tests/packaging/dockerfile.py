"""The Dockerfile, read: its stages, and what goes into them from the folder that is built."""

import os
import re
import shlex
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.conventions import ROOT


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction, its continued lines joined: `RUN`, and what it runs."""

    name: str
    text: str


@dataclass(slots=True)
class Stage:
    """What is done to an image."""

    base: str
    name: str
    instructions: list[Instruction] = field(default_factory=list[Instruction])


def instructions() -> list[Instruction]:
    """Return all instructions in order."""
    # A comment may stand between continued lines, and is no part of them.
    lines = [line for line in (ROOT / "Dockerfile").read_text("utf-8").splitlines() if line[:1] != "#"]
    text = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [Instruction(*line.split(" ", 1)) for line in text.splitlines() if line]


def stages() -> list[Stage]:
    """Return the stages in order; the last one is the image."""
    found: list[Stage] = []
    for each in instructions():
        if each.name == "FROM":
            base, _, name = each.text.partition(" AS ")
            found.append(Stage(base, name))
        else:
            found[-1].instructions.append(each)
    return found


def ignored_lines() -> list[str]:
    """Return the patterns of `.dockerignore` in order."""
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def is_sent(path: str, lines: Sequence[str]) -> bool:
    """Return whether a path of this folder is there for `COPY`: the last pattern that fits it decides."""
    sent = True
    for line in lines:
        pattern = re.escape(line.removeprefix("!")).replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*")
        if re.fullmatch(f"{pattern}(?:/.*)?", path):
            sent = line.startswith("!")
    return sent


def context() -> Generator[Path]:
    """Yield the files of this folder that are there for `COPY`, by their paths in it."""
    lines = ignored_lines()
    for folder, folders, files in os.walk(ROOT):
        here = Path(folder).relative_to(ROOT)
        folders[:] = [name for name in folders if is_sent((here / name).as_posix(), lines)]
        yield from (here / name for name in files if is_sent((here / name).as_posix(), lines))


def assignments(text: str, variables: Mapping[str, str]) -> dict[str, str]:
    """Return what `ENV` sets, with the variables that it names filled in."""
    pairs = [word.partition("=") for word in shlex.split(text)]
    return {
        name: re.sub(r"\$(\w+)", lambda found: variables.get(found[1], ""), value) for name, _, value in pairs
    }
