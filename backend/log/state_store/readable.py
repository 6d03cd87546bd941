"""Reads rows of all users, of which one that is damaged must not keep the others back.

What reads one user's rows alone raises instead: nothing is made of a conversation that is only half known.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import structlog

R = TypeVar("R")

_log = structlog.get_logger(__name__)


def readable(
    rows: Iterable[tuple[str, bytes | str]], read: Callable[[bytes | str], R], *, table: str
) -> Iterator[R]:
    """Yield the records of rows, each a user's id and a document; those that are damaged are logged."""
    for user_id, document in rows:
        try:
            yield read(document)
        except (ValueError, TypeError) as error:
            # Only the type: the error quotes the document, which is what a user wrote.
            _log.error(
                "a damaged record is left out", table=table, user_id=user_id, reason=type(error).__name__
            )
