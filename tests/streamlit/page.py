"""The page of the Streamlit client as Streamlit's test driver runs it.

The driver has no timer, so waiting is running the page again, as a browser would; what is drawn is read by
what it says.
"""

import asyncio
import re
from collections.abc import Callable
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.api.live import BOUND_S
from tests.conventions import ROOT

ESCAPED = re.compile(r"\\(.)")


class Page:
    """One tab."""

    def __init__(self, user_id: str) -> None:
        self.user_id = user_id
        self.app = AppTest.from_file(str(ROOT / "backend/clients/streamlit/app.py"), default_timeout=BOUND_S)
        self.app.query_params["user"] = user_id

    async def run(self) -> None:
        """Have the page drawn anew, and fail if it cannot be."""
        await self._do(self.app.run)

    async def leave(self) -> None:
        """Close what a browser's tab leaves to time."""
        self.app.session_state.conversation.close()

    async def until(self, holds: Callable[["Page"], Any]) -> Any:
        """Draw the page again and again until something holds of it, and return what does."""
        try:
            async with asyncio.timeout(BOUND_S):
                while not (found := holds(self)):
                    await self.run()
                return found
        except TimeoutError:
            raise AssertionError("\n".join(self.texts)) from None

    async def until_says(self, text: str) -> None:
        """Draw the page until a text is on it."""
        await self.until(lambda page: page.says(text))

    async def say(self, text: str) -> None:
        """Type a message and send it."""
        await self._do(self.app.chat_input[0].set_value(text).run)

    async def click(self, label: str) -> None:
        """Click the button with this label."""
        (button,) = (each for each in self.app.button if each.label == label)
        await self._do(button.click().run)

    def says(self, text: str) -> bool:
        """Whether a text is on the page."""
        return any(text in each for each in self.texts)

    def has_button(self, label: str) -> bool:
        """Whether there is a button that can be clicked."""
        return any(each.label == label and not each.disabled for each in self.app.button)

    @property
    def texts(self) -> list[str]:
        """All that stands on the page as it is read, but for what it says of itself in labels."""
        kinds = (self.app.caption, self.app.markdown, self.app.error, self.app.warning)
        marked = [each.value for kind in kinds for each in kind]
        marked += [each.text for each in self.app.get("progress")]
        return [each.value for each in self.app.text] + [ESCAPED.sub(r"\1", each) for each in marked]

    @property
    def cards(self) -> list[str]:
        """The prices of the offers that are shown as cards."""
        return [each.value.strip("*") for each in self.app.markdown if each.value.startswith("**")]

    async def _do(self, run: Callable[[], Any]) -> None:
        await asyncio.to_thread(run)
        assert not self.app.exception, [each.value for each in self.app.exception]
