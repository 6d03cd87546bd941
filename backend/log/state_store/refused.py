"""What a store raises for records and questions that it cannot take."""

from typing import Any

from ...errors import NotFound, NotOpen


def not_open(request_id: str) -> NotOpen:
    """Return the error for a write whose condition does not hold."""
    return NotOpen(f"The question {request_id!r} is no longer asked.")


def unknown_record(record: Any) -> TypeError:
    """Return the error for a record of an unknown type, which is a bug."""
    return TypeError(f"no store keeps a {type(record).__name__}")


def unknown_message(message_id: str) -> NotFound:
    """Return the error for a message that a user does not have."""
    return NotFound(f"before: there is no message {message_id!r}.", code="unknown_message")
