"""How the ids of other protocols and Detour's own belong together."""

import hashlib
import re
import uuid

from ..serving.wire.schemas import LONGEST_CLIENT_ID, USER_ID_PATTERN

_USER_ID = re.compile(USER_ID_PATTERN)


def user_of(thread_id: str) -> str:
    """Return the user of a thread of any id: the id itself where it is a user's, else one derived from it."""
    if _USER_ID.fullmatch(thread_id):
        return thread_id
    return "x-" + hashlib.sha256(thread_id.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def client_id_of(message_id: str) -> str:
    """Return the `client_id` of a message of any id: the id itself unless it is too long or no text."""
    plain = message_id.isprintable() and 0 < len(message_id) <= LONGEST_CLIENT_ID
    if plain:
        return message_id
    return "x-" + hashlib.sha256(message_id.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def uuid_of(name: str) -> str:
    """Return the fixed UUID of an agent's name."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"detour:{name}"))
