"""What a server knows of the threads of pages, and an image that their users send."""

import base64
from typing import Any

from tests.e2e.server_process import ServerProcess
from tests.fakes.waiting import until

_PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PICTURE: Any = {"name": "picture.png", "mimeType": "image/png", "buffer": base64.b64decode(_PNG)}
"""A file, as Playwright hands it to a page."""


class Threads:
    """Reads the threads of a server."""

    def __init__(self, server: ServerProcess) -> None:
        self._server = server

    async def runs(self, thread_id: str) -> list[str]:
        """Return the status of each run of a thread, the oldest first."""
        answer = await self._server.call("GET", f"/threads/{thread_id}/runs", params={"limit": 100})
        return [run["status"] for run in reversed(answer.json())]

    async def ended_runs(self, thread_id: str, count: int) -> list[str]:
        """Return the same once there are so many, and none is at work."""

        async def ended() -> list[str]:
            runs = await self.runs(thread_id)
            return runs if len(runs) == count and not {"pending", "running"} & {*runs} else []

        return await until(ended, every_s=0.05)

    async def messages(self, thread_id: str) -> list[tuple[str, str]]:
        """Return the messages in the state of a thread: whose they are, and their text."""
        state = (await self._server.call("GET", f"/threads/{thread_id}/state")).json()
        return [(each["type"], _text(each["content"])) for each in state["values"]["messages"]]


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content.strip()
    return " ".join(block["text"] for block in content if block["type"] == "text")
