"""The folder of all that a server stores."""

from pathlib import Path

from ..errors import StoreUnavailable


def make_folder(folder: Path) -> None:
    """Make the folder, private to its user, unless it is there. Raises `StoreUnavailable`."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # private: it holds what users said
    except OSError as error:
        # For a file in its place the system says that it exists, which is no reason.
        why = "it is a file, and no folder" if isinstance(error, FileExistsError) else error.strerror
        raise StoreUnavailable(f"DETOUR_DATA_DIR: {folder} cannot be used: {why}.") from None


def data_file(folder: Path) -> Path:
    """Return the file in it that holds every conversation."""
    return folder / "detour.sqlite"


def bookings_file(folder: Path) -> Path:
    """Return the file in it that holds the bookings of the demo inventory, if anybody has booked."""
    return folder / "bookings.sqlite"
