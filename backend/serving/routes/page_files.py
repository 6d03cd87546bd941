"""The files of the page: what a browser loads, and nothing else that lies in their folder."""

from os import stat_result
from pathlib import Path, PurePosixPath

from starlette.staticfiles import StaticFiles

_PACKAGE = Path(__file__).resolve().parents[2]
_INSTALLED = _PACKAGE / "page"

FRONTEND = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent / "frontend"
"""The folder of the page's files: part of the installed package (see setup.py), beside it in a checkout."""

_SUFFIXES = frozenset({".css", ".js", ".svg"})
_FOLDERS = frozenset({"components", "lib"})


class PageFiles(StaticFiles):
    """Serves scripts, styles and pictures of `frontend/`; other programs and tools are not there."""

    def __init__(self) -> None:
        super().__init__(directory=FRONTEND)

    def lookup_path(self, path: str) -> tuple[str, stat_result | None]:
        """Return where a file of the page is, with what is known of it; ("", None) for all else."""
        wanted = PurePosixPath(path)
        top = wanted.parts[0] if len(wanted.parts) > 1 else None
        if wanted.suffix not in _SUFFIXES or (top is not None and top not in _FOLDERS):
            return "", None
        return super().lookup_path(path)
