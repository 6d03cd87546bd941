"""Deterministic noise: the only source of variety in the demo inventory.

Every invented detail is a function of named parts ("fare", seed, flight, date), hashed with BLAKE2b. Unlike a
random generator there is no state, so a detail can be computed alone, in any order, and again, with the same
result.
"""

from hashlib import blake2b

_WIDTH = 2.0**64


def noise_bytes(*parts: object) -> bytes:
    """Return 64 bytes that depend on `parts` alone."""
    return blake2b("|".join(map(str, parts)).encode(), digest_size=64).digest()


def unit(*parts: object) -> float:
    """Return a number in [0, 1) that depends on `parts` alone."""
    return int.from_bytes(blake2b("|".join(map(str, parts)).encode(), digest_size=8).digest()) / _WIDTH


def fingerprint(*parts: object) -> str:
    """Return 16 hexadecimal digits that depend on `parts` alone; for identifiers."""
    return blake2b("|".join(map(str, parts)).encode(), digest_size=8).hexdigest()
