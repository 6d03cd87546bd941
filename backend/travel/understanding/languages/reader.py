"""The reader of messages that no reader reads: it tells whether they stop, and nothing of what they want."""

from ..message import Act, Message
from ..reader import Background
from .detect import Foreign


class ForeignReader:
    """Reads a message in another language. A `Reader`."""

    def __init__(self, foreign: Foreign) -> None:
        self._foreign = foreign

    def __call__(self, message: str, background: Background) -> Message:
        """Return that a message stops, or that it says nothing."""
        return Message(acts=frozenset({Act.ONLY_STOP}) if self._foreign.stops else frozenset())
