"""Overwrites what was deleted in the file: SQLite by itself only forgets where it was.

Deleted rows stay legible in free pages, in the unused parts of pages in use, and in the write-ahead log,
until something happens to be written over them. `secure_delete` does not change that: in a file of 40 users
of whom 20 were deleted, `FAST` left thousands of words of all of them and `ON` some of 6 of them, copied
about as pages were split, and with `ON` every task wrote 39 % more. `VACUUM` does, but it holds everybody up
for 1 s per 100 MB and needs room for a second copy of the file, which is how one deletion filled a disk.

So the eraser reads the file from its first to its last page and overwrites in place what is not in use
(below), a few milliseconds at a time. That needs no room on the disk, costs nothing until somebody
is deleted, and ends in time however busy the store is: 96 MB in 2 s, 498 MB in 47 s on a loaded machine.
"""

import os
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import structlog

from .file import DataFile, empty_log

# --- sqlite pages --------------------------------------------------------------------------------------
# Which bytes of a page of an SQLite file are in use, by the format that sqlite.org/fileformat2.html fixes.
#
# A page in use also holds bytes of what was there before: between its cells, before them, and behind the
# end of a long value. A free page is all of that. `cleaned` returns a page without them; every byte in use
# stays where it is, so a cleaned page is the same page to SQLite.


TABLE_INTERIOR, TABLE_LEAF, INDEX_INTERIOR, INDEX_LEAF = 0x05, 0x0D, 0x02, 0x0A

_LEAF_HEADER, _INTERIOR_HEADER = 8, 12
_FREE_BLOCK_HEADER = 4
_LEAST_CELL = 4
_CHILD = 4
_LONGEST_VARINT = 9
_NEXT = struct.Struct(">I")
_BLOCK = struct.Struct(">HH")
_HEADER = struct.Struct(">xHHH")

Pages = Callable[[int], bytes]
"""Reads a page by its number, which begins at 1."""


class MalformedPageError(Exception):
    """A page is not as the format wants it: the file is damaged."""


def free_pages(first_trunk: int, read: Pages) -> tuple[set[int], set[int]]:
    """Return the trunks and the leaves of the list of free pages. Costs one page read per 1,022 of them."""
    trunks: set[int] = set()
    leaves: set[int] = set()
    trunk = first_trunk
    while trunk:
        if trunk in trunks:
            raise MalformedPageError(f"page {trunk} is twice in the list of free pages")
        trunks.add(trunk)
        page = read(trunk)
        trunk, count = struct.unpack_from(">II", page)
        if count > len(page) // 4 - 2:
            raise MalformedPageError("the list of free pages is damaged")
        leaves.update(struct.unpack_from(f">{count}I", page, 8))
    return trunks, leaves


def cleaned_trunk(page: bytes) -> bytes:
    """Return a trunk of the list of free pages with nothing but the list."""
    (count,) = _NEXT.unpack_from(page, 4)
    return page[: 8 + 4 * count].ljust(len(page), b"\0")


def cleaned(page: bytes, usable: int) -> tuple[bytes, list[tuple[int, int]]]:
    """Return a page of a table or an index with nothing but what is in use, and its long values.

    Of each long value, the number of the first page outside this one and how many bytes lie outside. Returns
    any other page as it is: it belongs to a long value. Raises `MalformedPageError`.
    """
    kind = page[0]
    if kind not in (TABLE_INTERIOR, TABLE_LEAF, INDEX_INTERIOR, INDEX_LEAF):
        return page, []
    free_block, cells, _ = _HEADER.unpack_from(page)
    header = _LEAF_HEADER if kind in (TABLE_LEAF, INDEX_LEAF) else _INTERIOR_HEADER
    pointers_end = header + 2 * cells
    if pointers_end > usable:
        raise MalformedPageError("it has more cells than fit")
    clean = bytearray(len(page))
    clean[:pointers_end] = page[:pointers_end]
    outside: list[tuple[int, int]] = []
    used = 0
    for start in struct.unpack_from(f">{cells}H", page, header):
        end, long_value = _cell(page, start, kind, usable)
        if not pointers_end <= start < end <= usable:
            raise MalformedPageError("a cell lies outside of it")
        clean[start:end] = page[start:end]
        used += end - start
        outside += [long_value] if long_value else []
    for start, size in _free_blocks(page, free_block, usable):
        clean[start : start + _FREE_BLOCK_HEADER] = page[start : start + _FREE_BLOCK_HEADER]
        used += size
    if used > usable - pointers_end:
        raise MalformedPageError("its cells overlap")
    return bytes(clean), outside


def _free_blocks(page: bytes, start: int, usable: int) -> Iterator[tuple[int, int]]:
    while start:
        if start + _FREE_BLOCK_HEADER > usable:
            raise MalformedPageError("a free block lies outside of it")
        following, size = _BLOCK.unpack_from(page, start)
        # Free blocks are in the order of their place: without this check, a circle would never end.
        if start + size > usable or (following and following < start + size):
            raise MalformedPageError("its free blocks overlap")
        yield start, size
        start = following


def _cell(page: bytes, start: int, kind: int, usable: int) -> tuple[int, tuple[int, int] | None]:
    """Return where a cell ends, and what of it lies outside the page."""
    if start + _LEAST_CELL > usable:
        raise MalformedPageError("a cell lies outside of it")
    at = start + (_CHILD if kind in (TABLE_INTERIOR, INDEX_INTERIOR) else 0)
    size, at = _varint(page, at)
    if kind == TABLE_INTERIOR:
        return max(at, start + _LEAST_CELL), None
    if kind == TABLE_LEAF:
        _, at = _varint(page, at)
        most = usable - 35
    else:
        most = (usable - 12) * 64 // 255 - 23
    if size <= most:
        return max(at + size, start + _LEAST_CELL), None
    least = (usable - 12) * 32 // 255 - 23
    inside = least + (size - least) % (usable - 4)
    if inside > most:
        inside = least
    if at + inside + _NEXT.size > usable:
        raise MalformedPageError("a cell lies outside of it")
    (first,) = _NEXT.unpack_from(page, at + inside)
    return at + inside + _NEXT.size, (first, size - inside)


def _varint(page: bytes, at: int) -> tuple[int, int]:
    """Return a number of one to nine bytes, seven bits in each but the ninth, and where it ends."""
    value = 0
    for place in range(at, min(at + _LONGEST_VARINT, len(page))):
        byte = page[place]
        if place == at + _LONGEST_VARINT - 1:
            return value << 8 | byte, place + 1
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + 1
    raise MalformedPageError("a number does not end")


def end_of_long_value(first: int, size: int, usable: int, read: Pages) -> tuple[int, int]:
    """Return the last page of a long value, and how many bytes of that page are in use."""
    page_number = first
    while size > usable - 4:
        (page_number,) = _NEXT.unpack_from(read(page_number))
        size -= usable - 4
    return page_number, size + 4


# --- sqlite erasure ------------------------------------------------------------------------------------


AT_ONCE_BYTES = 32 * 1024 * 1024
"""The largest file that is erased before the deletion is answered, which takes about 0.5 s."""

SLICE_S = 0.01
"""How long a slice cleans pages, at least: it ends with the first `_CHUNK` after that.

On a slow disk, emptying the log before it takes longer. Then it cleans for as long as that took, or the file
would never be through.
"""

_PAUSE = 3
"""How many times as long as a slice took there is none, so that others have three quarters of the thread."""

_RETRY_S = 2.0
"""How long after a failure the next slice waits: an outside reader may keep the log in use for long."""

_CHUNK = 16
_SLICE_CHUNKS = 256
_MOST_PAGES = 2 << 24
"""From here on, a page of a long value could begin with the same byte as one of an index: 128 GiB."""

_CHECKPOINT_PAGES = 1000
"""After how many pages SQLite itself empties the log, as by its default."""

_LOG_HEADER, _FRAME_HEADER = 32, 24
_NUMBER = struct.Struct(">I")

_log = structlog.get_logger(__name__)

Goal = tuple[int, int]
"""A lap and a page: once the eraser is there, it has seen every page since."""


class Eraser:
    """Overwrites in slices what was deleted. For one thread, which owns `connection` and `file`.

    `due` tells that the file may hold what was deleted; that outlives the process.
    """

    def __init__(
        self, connection: apsw.Connection, file: DataFile, *, monotonic: Callable[[], float]
    ) -> None:
        """Resume what a process before this one left to be erased; a small file is erased at once."""
        self._connection = connection
        self._file = file
        self._log_path = Path(f"{file.path}-wal")
        self._monotonic = monotonic
        self._not_before = monotonic()
        self._lap, self._next = 0, 1
        self._goal: Goal = (0, 0)
        self._least_goal: Goal = (0, 0)
        self._page_size = self._usable = self._pages = 0
        self._trunks: set[int] = set()
        self._free: set[int] = set()
        self._written = self._log_number = 0
        self._follows = self._wrote = False
        self.due = bool(connection.execute("SELECT EXISTS (SELECT 1 FROM erasures)").get)
        if self.due:
            goal = self.begin()
            while self.erase_at_once(goal):
                pass

    @property
    def position(self) -> Goal:
        """Where the eraser is in the file."""
        return self._lap, self._next

    @property
    def wait_s(self) -> float:
        """How long until the next slice may begin."""
        return max(0.0, self._not_before - self._monotonic())

    def note(self) -> None:
        """Note that something is being deleted, in the transaction that deletes it."""
        self._connection.execute("INSERT OR IGNORE INTO erasures VALUES (1)")

    def begin(self) -> Goal:
        """Start to erase what was deleted just now; return when that is done, for `erase_at_once`."""
        # A lap that is under way goes on from where it is: begun anew by each deletion, it might never end.
        self._goal = (self._lap + 1, self._next)
        self.due = True
        return self._goal

    def lose_track(self) -> None:
        """Take notice that the write-ahead log was emptied by somebody else."""
        self._follows = False

    def erase_at_once(self, goal: Goal) -> bool:
        """Erase a slice now if the file is small; return whether to call again before `goal` is reached."""
        size = os.fstat(self._file.descriptor).st_size
        if not self.due or self.position >= max(goal, self._least_goal) or size > AT_ONCE_BYTES:
            return False
        return self._try_slice()

    def erase_in_turn(self) -> None:
        """Erase a slice if one is due and others have had their share of the time."""
        if self.due and self._monotonic() >= self._not_before:
            self._try_slice()

    def _try_slice(self) -> bool:
        began = self._monotonic()
        try:
            self._slice(began)
        except (apsw.Error, OSError, MalformedPageError) as error:
            self._follows = False
            self._connection.wal_autocheckpoint(_CHECKPOINT_PAGES)
            self._not_before = self._monotonic() + _RETRY_S
            _log.warning("what was deleted could not be erased from the file yet", reason=str(error))
            return False
        ended = self._monotonic()
        self._not_before = ended + _PAUSE * (ended - began)
        return True

    def _slice(self, began: float) -> None:
        try:
            self._follow()
            cleaning = self._monotonic()
            ends = cleaning + max(SLICE_S, cleaning - began)
            for _ in range(_SLICE_CHUNKS):
                self._clean_chunk()
                if self.position >= self._goal or self._monotonic() >= ends:
                    break
        finally:
            if self._wrote:
                # SQLite would write the pages that it has in memory over those that were cleaned.
                self._connection.release_memory()
                self._wrote = False
        if self.position >= self._goal:
            os.fdatasync(self._file.descriptor)
            self._connection.execute("DELETE FROM erasures")
            self._connection.wal_autocheckpoint(_CHECKPOINT_PAGES)
            self.due = self._follows = False

    def _follow(self) -> None:
        """Clean again what was written since the last slice to pages that had been seen.

        SQLite moves cells from page to page, and with a cell goes the long value whose end was not cleaned
        yet. It copies a root with all that lies between its cells when the tree grows. And it frees pages.
        """
        written = self._connection.total_changes()
        if self._follows and written == self._written:
            return
        log_number, changed = self._read_log()
        if not empty_log(self._connection):
            raise apsw.BusyError("another program reads the file, or the disk is full")
        free_before = self._free
        self._read_header()
        if self._follows and log_number == self._log_number:
            for number in changed | (self._free - free_before):
                if number <= self._next:
                    self._clean(number, self._read(number))
        else:
            # What was written meanwhile is not known: begin the lap here, and let nobody else empty the log.
            self._goal = self._least_goal = (self._lap + 1, self._next)
            self._connection.wal_autocheckpoint(0)
        self._follows, self._written, self._log_number = True, written, log_number + 1

    def _read_log(self) -> tuple[int, set[int]]:
        """Return the number of the write-ahead log, one higher each time it is emptied, and its pages."""
        log = self._log_path.read_bytes()
        if len(log) < _LOG_HEADER:
            return -1, set()
        page_size, number = struct.unpack_from(">II", log, 8)
        salt = log[16:24]  # frames with another one are left from the log before
        frames = range(_LOG_HEADER, len(log) - _FRAME_HEADER + 1, _FRAME_HEADER + page_size)
        return number, {_NUMBER.unpack_from(log, at)[0] for at in frames if log[at + 8 : at + 16] == salt}

    def _read_header(self) -> None:
        """Read how the file is laid out, and which of its pages are free, the log being empty."""
        header = os.pread(self._file.descriptor, 100, 0)
        (size,) = struct.unpack_from(">H", header, 16)
        self._page_size = 65536 if size == 1 else size
        self._usable = self._page_size - header[20]
        self._pages = os.fstat(self._file.descriptor).st_size // self._page_size
        first_trunk, auto_vacuum = (_NUMBER.unpack_from(header, at)[0] for at in (32, 52))
        if auto_vacuum or self._pages >= _MOST_PAGES:
            raise MalformedPageError("the file has pages of a kind that the eraser does not know")
        self._trunks, self._free = free_pages(first_trunk, self._read)

    def _clean_chunk(self) -> None:
        """Clean the next pages; page 1, which holds the schema and nothing of anybody, is passed over."""
        first, size = self._next + 1, self._page_size
        pages = os.pread(self._file.descriptor, _CHUNK * size, (first - 1) * size)
        for at in range(0, len(pages) - size + 1, size):
            self._clean(first + at // size, pages[at : at + size])
        self._next += _CHUNK
        if self._next >= self._pages:
            self._lap, self._next = self._lap + 1, 1

    def _clean(self, number: int, page: bytes) -> None:
        if number in self._free:
            self._write(number, page, bytes(len(page)))
        elif number in self._trunks:
            self._write(number, page, cleaned_trunk(page))
        elif number > 1:
            try:
                clean, long_values = cleaned(page, self._usable)
                ends = [end_of_long_value(*value, self._usable, self._read) for value in long_values]
            except MalformedPageError as error:
                # The rest can still be erased; and what is not understood is better left as it is.
                _log.error("the data file is damaged", path=str(self._file.path), page=number, how=str(error))
                return
            self._write(number, page, clean)
            for last, used in ends:
                page = self._read(last)
                self._write(last, page, page[:used].ljust(len(page), b"\0"))

    def _read(self, number: int) -> bytes:
        page = os.pread(self._file.descriptor, self._page_size, max(0, number - 1) * self._page_size)
        if number < 1 or len(page) < self._page_size:
            raise MalformedPageError(f"there is no page {number}")
        return page

    def _write(self, number: int, old: bytes, new: bytes) -> None:
        if new != old:
            # Past SQLite, but safe at a power cut: no byte in use changes, and none that is not matters.
            self._wrote = True
            os.pwrite(self._file.descriptor, new, (number - 1) * self._page_size)


class NoEraser(Eraser):
    """The eraser of a database in memory: nothing of it outlives the process."""

    def __init__(self) -> None:
        self.due = False

    def note(self) -> None:
        """Do nothing."""

    def begin(self) -> Goal:
        """Do nothing."""
        return (0, 0)

    def lose_track(self) -> None:
        """Do nothing."""
