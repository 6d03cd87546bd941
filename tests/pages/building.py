"""Builds the pages once, in a cache outside the repository; none of their files is kept here."""

import asyncio
import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from tests.conventions import ROOT
from tests.packages.npm import NODE, NPM, run

HERE = ROOT / "tests/pages"
BUILT_IN_S = 600.0
TEMPLATE = "node_modules/create-agent-chat-app/templates/vite"


def cache() -> Path:
    """Return the folder of what was built: `PAGES`, else one in `XDG_CACHE_HOME` or the user's cache."""
    named = os.environ.get("PAGES")
    shared = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(named) if named else shared / "detour-pages"


async def built(name: str) -> Path:
    """Return the files of the page `name`, which is built unless it was, from just what is in its folder."""
    source = HERE / name
    files = sorted(each for each in source.rglob("*") if each.is_file() and "node_modules" not in each.parts)
    digest = hashlib.sha256()
    for each in files:
        digest.update(f"{each.relative_to(source)}\0".encode() + each.read_bytes())
    folder = cache() / f"{name}-{digest.hexdigest()[:16]}"
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as work:
            page = Path(work) / "page"
            shutil.copytree(source, page, ignore=shutil.ignore_patterns("node_modules"))
            options = ("--silent", "--prefer-offline", "--ignore-scripts")
            await run(NPM, "ci", *options, folder=page, within_s=BUILT_IN_S)
            await _build(page)
            # Whole or not at all: another process may build it, too.
            (page / "dist").rename(folder)
    return folder


async def _build(page: Path) -> None:
    if (page / TEMPLATE).is_dir():
        kept = shutil.ignore_patterns("package.json")
        shutil.copytree(page / TEMPLATE, page, ignore=kept, dirs_exist_ok=True)
        await run(NODE, "node_modules/vite/bin/vite.js", "build", folder=page, within_s=BUILT_IN_S)
        return
    async with asyncio.TaskGroup() as group:
        group.create_task(run(NODE, "node_modules/typescript/bin/tsc", folder=page))
        group.create_task(run(NODE, "node_modules/vite/bin/vite.js", "build", folder=page))
