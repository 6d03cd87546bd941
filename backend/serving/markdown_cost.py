"""How long the renderer of Markdown takes for a text, at most: told beforehand, since nothing can end it.

The figures are what was measured for the worst texts that were found (CPython 3.11, one core): per mark, and
where the renderer's time grows faster than the text, for each cell of a table and each address in a word.
"""

_MARK_US = {
    "[": 30, "]": 4, "<": 30, "*": 18, "_": 18, "~": 10, "`": 4, "&": 8, "\\": 4, "\n": 40,
    "- ": 20, "+ ": 20, "> ": 20, "//": 60, "mailto:": 80,
}  # fmt: skip
_CELL_US = 14
_ADDRESSED_IN_1_US = 50
"""Characters of a word that are read again for each address in it."""


def cost_us(text: str) -> int:
    """Return the microseconds that rendering a text takes at most, about; found in a fraction of them."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    marks = sum(us * text.count(mark) for mark, us in _MARK_US.items())
    return len(text) + marks + _tables_us(text) + _addresses_us(text)


def _tables_us(text: str) -> int:
    """Return what tables take. A row has as many cells as the widest, and an empty line ends a table."""
    if "|" not in text:
        return 0
    cells = rows = columns = 0
    for line in (*text.split("\n"), ""):
        if line.strip():
            rows, columns = rows + 1, max(columns, line.count("|"))
        else:
            cells, rows, columns = cells + rows * columns, 0, 0
    return cells * _CELL_US


def _addresses_us(text: str) -> int:
    if "//" not in text and "mailto:" not in text:
        return 0
    read = sum(len(word) * (word.count("//") + word.count("mailto:")) for word in text.split())
    return read // _ADDRESSED_IN_1_US
