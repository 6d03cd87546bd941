"""What is shown, a line at a time; the only way in which a server's text gets to the screen.

Names of hotels, replies of models and messages of other clients are anybody's words. A terminal obeys escape
sequences in what it shows, so a `Line` drops them as it is made.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

Style = Literal["you", "reply", "note", "offer", "ask", "error", "progress"]

_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f]).*?(?:\x07|\x1b\\|\x9c)"  # OSC and the like: titles, clipboard
    r"|\x1b[ -/]*[0-~]",
    re.DOTALL,
)
_TURNS_TEXT_AROUND = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def clean(text: str) -> str:
    """Return `text` with nothing in it that a terminal obeys; line ends stay, tabs become spaces."""
    unix = _ESCAPE.sub("", text).replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
    return "".join(each for each in unix if each == "\n" or not _is_control(each))


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in {"Cc", "Cs"} or character in _TURNS_TEXT_AROUND


@dataclass(frozen=True, slots=True)
class Line:
    """Text of one kind, which may have line ends in it; clean, whatever it was made of."""

    style: Style
    text: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", clean(self.text))
