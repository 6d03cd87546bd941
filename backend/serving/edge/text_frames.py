"""An ASGI extension that sends many text messages of a WebSocket in one write.

A server that supports it names `TEXTS` in the scope's extensions. A `websocket.send` may then carry `texts`,
a sequence of UTF-8 texts, instead of `text`; each becomes a message of its own. The extension's `write` takes
such texts without waiting, and returns whether it did: it does unless the client is behind, or gone.

A server's frames are unmasked and may stay uncompressed (RFC 7692, 7.2.1), so a frame is a header of 2, 4 or
10 bytes followed by the text (RFC 6455, 5.2). The websockets library takes 5 times as long to build one.
"""

from collections.abc import Generator, Iterable
from struct import Struct

TEXTS = "detour.texts"

_WHOLE_TEXT = 0x81
_HEADER_2, _HEADER_4, _HEADER_10 = Struct("!BB").pack, Struct("!BBH").pack, Struct("!BBQ").pack


def in_frames(texts: Iterable[bytes], *, piece_bytes: int) -> Generator[bytes, None, None]:
    """Yield the texts' frames in pieces of up to `piece_bytes` of text; a longer one is its own piece."""
    parts: list[bytes] = []
    waiting = 0
    for text in texts:
        length = len(text)
        if parts and waiting + length > piece_bytes:
            yield b"".join(parts)
            parts, waiting = [], 0
        parts += (_header(length), text)
        waiting += length
    if parts:
        yield b"".join(parts)


def _header(length: int) -> bytes:
    if length < 126:
        return _HEADER_2(_WHOLE_TEXT, length)
    if length < 1 << 16:
        return _HEADER_4(_WHOLE_TEXT, 126, length)
    return _HEADER_10(_WHOLE_TEXT, 127, length)
