"""The simulated supplier delay: offers leave a source in batches, as real suppliers answer.

Delays vary by a hash of source and query, so the sources interleave, and the same search looks the same
again.
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from .noise import unit

Offer = TypeVar("Offer")


def batches(
    offers: Sequence[Offer], *, count: int, pace: float, key: tuple[object, ...]
) -> Iterator[tuple[float, Sequence[Offer]]]:
    """Yield `count` pairs, or fewer, of a delay in seconds and the offers to release after it.

    The first delay is 0.3 to 0.8 of `pace`, the later ones 0.7 to 1.3. Without offers there is one delay and
    an empty batch: a supplier takes its time to find nothing, too.
    """
    count = max(1, min(count, len(offers)))
    for position in range(count):
        luck = unit("pace", *key, position)
        delay = pace * (0.7 + 0.6 * luck if position else 0.3 + 0.5 * luck)
        yield delay, offers[position * len(offers) // count : (position + 1) * len(offers) // count]
