"""Copies what a server keeps in its data folder into files of one's own, while the server serves.

`python -m backend.backup FILE`, or `detour backup FILE`. How a copy is put back is in docs/data.md.
"""

import sys
from argparse import SUPPRESS, ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from .domain.errors import StoreUnavailable
from .http.plugin_loading import settings_class
from .http.settings import WrongSettingsError, bookings_file, data_file, read_settings
from .store.sqlite.file import back_up

ABOUT = "Copies everything that a server keeps in its data folder into FILE, while it serves."


def main(given: Sequence[str] = ()) -> None:
    """Copy the files of the folder that the settings name. Raises SystemExit."""
    parser = ArgumentParser(prog="detour backup", description=ABOUT, allow_abbrev=False)
    parser.add_argument(
        "file",
        metavar="FILE",
        type=Path,
        help="the copy; one of that name is replaced. Bookings are copied beside it",
    )
    parser.add_argument(
        "--data-dir", metavar="VALUE", help="the server's folder (DETOUR_DATA_DIR)", default=SUPPRESS
    )
    flags = vars(parser.parse_args(given))
    target: Path = flags.pop("file")
    try:
        settings = read_settings(settings_class(), flags)
    except WrongSettingsError as error:
        raise SystemExit(str(error)) from None
    if settings.postgres is not None:
        raise SystemExit("DETOUR_POSTGRES is set: use pg_dump, as docs/data.md tells.")
    try:
        _copy(data_file(settings.data_dir), target)
        bookings = bookings_file(settings.data_dir)
        if bookings.exists():
            # The later of both: a booking that a conversation tells of must not be missing.
            _copy(bookings, target.with_suffix(".bookings.sqlite"))
    except StoreUnavailable as error:
        raise SystemExit(error.message) from None


def _copy(source: Path, target: Path) -> None:
    back_up(source, target)
    sys.stdout.write(f"{target} holds {target.stat().st_size:,} bytes.\n")


if __name__ == "__main__":
    main(sys.argv[1:])
