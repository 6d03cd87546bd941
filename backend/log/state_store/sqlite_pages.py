"""Which bytes of a page of an SQLite file are in use, by the format that sqlite.org/fileformat2.html fixes.

A page in use also holds bytes of what was there before: between its cells, before them, and behind the end of
a long value. A free page is all of that. `cleaned` returns a page without them; every byte in use stays where
it is, so a cleaned page is the same page to SQLite.
"""

import struct
from collections.abc import Callable, Iterator

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
