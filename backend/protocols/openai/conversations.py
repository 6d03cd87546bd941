"""Finds the conversation of a request that names none, by the messages that it repeats.

It is known to the process that has answered the message before, and matches only if nothing has come into it
since, and the answer that the client repeats is the one that it was sent. Otherwise the request begins a
conversation of its own, and its graph gets what was said before: nobody gets into another conversation by
sending the same words.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import orjson

from ...http.identity.principal import CALLER
from ...http.services import Services
from ..threads import Sent, Threads, user_of
from .wire import Said, Wanted

MOST_KNOWN = 10_000
"""Conversations that are known by their messages; the oldest are forgotten first."""

MOST_ALIKE = 8
"""Of these, how many that have begun with the same words are told apart."""

MOST_HANDED = 200
MOST_HANDED_CHARACTERS = 256 * 1024
"""Messages before the first one here, and characters of them, that its graph gets."""

COMPARED = 1000
"""Characters of an answer that are compared with what a client repeats of it."""


@dataclass(slots=True)
class Known:
    """A conversation after a message: `seq` is that of the message, `answer` how its answer begins.

    Without spaces: clients cut them, and join several messages in their own ways.
    """

    user_id: str
    seq: int
    answer: str = ""

    def add(self, text: str) -> None:
        """Add a piece of the answer, as the client gets it."""
        if len(self.answer) < COMPARED:
            self.answer = (self.answer + _without_spaces(text))[:COMPARED]

    def has_answered(self, repeated: str) -> bool:
        """Return whether an answer is this one, as far as the client has it."""
        return self.answer.startswith(_without_spaces(repeated)[:COMPARED])


class Conversations:
    """The conversations of requests."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._threads = Threads(services)
        self._known: OrderedDict[bytes, list[Known]] = OrderedDict()

    async def of(self, wanted: Wanted, model: str) -> str | None:
        """Return the user whose conversation a request is of, None if it names and repeats none."""
        if wanted.thread_id is not None:
            return user_of(wanted.thread_id)
        earlier = wanted.said[:-1]
        asked = _until_the_last_of_user(earlier)
        repeated = "".join(each.text for each in earlier[len(asked) :])
        for known in reversed(self._known.get(self._key(wanted, model, asked), ())):
            if known.has_answered(repeated) and await self._is_newest(known):
                return known.user_id
        return None

    def remember(self, wanted: Wanted, model: str, user_id: str, sent: Sent) -> Known:
        """Remember the conversation of a message that was accepted."""
        known = Known(user_id, sent.accepted.seq)
        if wanted.thread_id is None:
            key = self._key(wanted, model, wanted.said)
            alike = self._known.setdefault(key, [])
            alike.append(known)
            del alike[:-MOST_ALIKE]
            self._known.move_to_end(key)
            while len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)
        return known

    def _key(self, wanted: Wanted, model: str, said: Sequence[Said]) -> bytes:
        whose = [CALLER.get().principal.person, wanted.end_user, model]
        return blake2b(orjson.dumps([whose, *map(list, said)]), digest_size=16).digest()

    async def _is_newest(self, known: Known) -> bool:
        """Return whether a conversation still is as it was after the message."""
        state = await self._threads.state(known.user_id)
        if state is None:
            return False
        of_user = [each for each in state.messages.values() if each["role"] == "user"]
        return all(each.get("seq", 0) <= known.seq for each in of_user) and not state.pending


def handed_on(wanted: Wanted) -> Sequence[dict[str, str]]:
    """Return what was said before a message that begins a conversation here: the last of it, in bounds."""
    handed: list[dict[str, str]] = []
    size = 0
    for each in reversed(wanted.said[:-1]):
        size += len(each.text)
        if size > MOST_HANDED_CHARACTERS or len(handed) >= MOST_HANDED:
            break
        if each.text:
            handed.append({"role": each.role, "content": each.text})
    return handed[::-1]


def _without_spaces(text: str) -> str:
    return "".join(text.split())


def _until_the_last_of_user(said: Sequence[Said]) -> Sequence[Said]:
    """Return the messages up to the last one of the user."""
    count = len(said)
    while count and said[count - 1].role != "user":
        count -= 1
    return said[:count]
