"""Foreign text where Streamlit reads Markdown: in labels, captions and titles."""

import re

from ..cli.lines import clean

_MARKUP = re.compile(r"([\\`*_\[\]~$<])")
"""What begins markup within a line. No more than that, as a screen reader says each backslash of a label."""


def plain(text: str) -> str:
    """Return text that shows as it is, in one line: the name of a hotel or an agent is never markup."""
    return _MARKUP.sub(r"\\\1", clean(text).replace("\n", " "))
