"""The content of a message that is more than text: LangChain's blocks, and the words that stand for them.

A graph that takes messages gets the blocks. The conversation, and whoever reads text alone, has the words.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from ..domain.errors import BadInput

Block = Mapping[str, Any]

_KINDS = {
    "image": "an image",
    "image_url": "an image",
    "input_image": "an image",
    "audio": "a recording",
    "input_audio": "a recording",
    "video": "a video",
    "file": "a file",
    "document": "a file",
}


class Content(NamedTuple):
    """What a message says: its `text`, and its `blocks` if it is more than that."""

    text: str
    blocks: Sequence[Block] | None = None

    @property
    def given(self) -> dict[str, Any]:
        """What comes with the message for its graph."""
        return {} if self.blocks is None else {"content": [*self.blocks]}


def content_of(blocks: Sequence[Any], field: str, *, joined_by: str = "") -> Content:
    """Return the content that is made of blocks, in their order. Raises `BadInput` for what is no block.

    Text alone is the texts of the blocks. Where there is no text, words stand for what there is.
    """
    read = [_block(each, f"{field}[{number}]") for number, each in enumerate(blocks)]
    text = joined_by.join(each["text"] for each in read if each["type"] == "text")
    others = [each for each in read if each["type"] != "text"]
    if not others:
        return Content(text)
    return Content(text if text.strip() else f"({_in_words(others)})", read)


def media_block(
    mime_type: str, *, url: str | None = None, base64: str | None = None, name: str = ""
) -> Block:
    """Return a block of a file, by its type: an image, a recording, a video, or any other file."""
    kind = mime_type.partition("/")[0]
    block: dict[str, Any] = {"type": kind if kind in ("image", "audio", "video") else "file"}
    if url is not None and url.startswith("data:") and ";base64," in url:
        base64, url = url.partition(";base64,")[2], None
    block |= {"url": url} if url is not None else {"base64": base64 or ""}
    return block | {"mime_type": mime_type, **({"extras": {"name": name}} if name else {})}


class Media(NamedTuple):
    """A file in a message: its type, its address (`data:` if it is in the message itself), its name."""

    mime_type: str
    url: str
    name: str


def media_in(block: Block) -> Media | None:
    """Return the file of a block, None for text and for forms that only one service knows."""
    mime_type, url, base64 = (block.get(name) for name in ("mime_type", "url", "base64"))
    address: Any = block.get("image_url")
    if isinstance(address, Mapping):
        address = cast("Block", address).get("url")
    if isinstance(address, str):
        mime_type, url = address[5:].partition(";")[0] if address.startswith("data:") else "image/*", address
    if isinstance(mime_type, str) and isinstance(base64, str):
        url = f"data:{mime_type};base64,{base64}"
    if not (isinstance(mime_type, str) and isinstance(url, str)):
        return None
    extras: Any = block.get("extras")
    name = cast("Block", extras).get("name") if isinstance(extras, Mapping) else ""
    return Media(mime_type, url, str(name or ""))


def _block(value: Any, field: str) -> Block:
    if isinstance(value, str):
        return {"type": "text", "text": value}
    block: Block = cast("Block", value) if isinstance(value, Mapping) else {}
    kind = block.get("type")
    if not isinstance(kind, str) or len(block) < 2:
        raise BadInput(f"{field}: it should be text, or a block with a type and its content.")
    if kind == "text" and not isinstance(block.get("text"), str):
        raise BadInput(f"{field}.text: it should be text.")
    return block


def _in_words(blocks: Sequence[Block]) -> str:
    return " and ".join(dict.fromkeys(_KINDS.get(each["type"], "an attachment") for each in blocks))
