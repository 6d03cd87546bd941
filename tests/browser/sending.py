"""Requests of the page that are held back on their way to the server."""

import asyncio
from typing import Any


class HeldPosts:
    """A route that counts requests, and lets them go on when `go` is set."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.posts = 0

    async def __call__(self, route: Any) -> None:
        self.posts += 1
        await self.go.wait()
        await route.continue_()
