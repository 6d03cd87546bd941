"""Builds the wheel, in which the package `backend` of a checkout is called `detour` and holds the page.

What the distribution is called and needs is in pyproject.toml. Only what a table there cannot say is here: a
package with another name than its folder, and files from outside it.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

IN_A_CHECKOUT, IN_THE_WHEEL = "backend", "detour"
PAGE = Path("frontend")
FOLDERS_OF_THE_PAGE = ("components", "lib")
SUFFIXES_OF_THE_PAGE = {".css", ".html", ".js", ".svg"}


def page_files() -> Iterator[Path]:
    """Yield what a browser loads; other programs and tools in the page's folder are not part of it."""
    paths = [
        *PAGE.iterdir(),
        *(path for folder in FOLDERS_OF_THE_PAGE for path in (PAGE / folder).rglob("*")),
    ]
    return (path for path in sorted(paths) if path.is_file() and path.suffix in SUFFIXES_OF_THE_PAGE)


class BuildWithPage(build_py):
    """Puts the page into the package as its folder `page`, where serving/routes/page_files.py looks first."""

    def run(self) -> None:
        """Copy modules, data and page. An editable install copies nothing: it serves the checkout's page."""
        if self.editable_mode:
            super().run()
            return
        # setuptools never removes a module from here that the package no longer has.
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        for path in page_files():
            target = Path(self.build_lib, IN_THE_WHEEL, "page", path.relative_to(PAGE))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


setup(
    packages=[
        IN_THE_WHEEL + name.removeprefix(IN_A_CHECKOUT)
        for name in find_packages(include=[IN_A_CHECKOUT, f"{IN_A_CHECKOUT}.*"])
    ],
    package_dir={IN_THE_WHEEL: IN_A_CHECKOUT},
    package_data={"": ["py.typed", "*.tsv", "*.sql", "*.json"]},
    cmdclass={"build_py": BuildWithPage},
)
