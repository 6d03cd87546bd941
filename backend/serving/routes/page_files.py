"""The files of the page: what a browser loads, and nothing else that lies in their folder."""

from os import stat_result
from pathlib import Path, PurePosixPath

from starlette.staticfiles import StaticFiles

_PACKAGE = Path(__file__).resolve().parents[2]

FRONTEND = next(folder for folder in (_PACKAGE / "page", _PACKAGE.parent / "frontend") if folder.is_dir())
"""Where the page's files are: in the package where it was installed, beside it in a checkout."""

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
