"""Wishes that fill no slot: how dear a hotel should be, and in which part of a town.

No search takes them, but they tell that a message goes on with the request: "something cheap in the north".
"""

from ..language.text import Text, phrases

_WISHES = phrases(
    "cheap", "moderate", "moderately", "expensive", "inexpensive", "affordable", "price range",
    "priced", "on a budget", "pricey", "pricier", "reasonably priced", "cost less", "good value",
    "central", "more central", "quieter", "livelier", "luxury", "upscale", "mid-range", "any price",
    "in the north", "in the south", "in the east", "in the west", "in the centre", "in the center",
    "in the city center", "in the city centre", "in the middle", "downtown", "north side", "south side",
    "east side", "west side", "part of town", "side of town", "area of town", "north area",
    "south area", "east area", "west area", "same area", "any area", "city center", "city centre",
    "near the center", "near the centre",
)  # fmt: skip


def has_wish(text: Text) -> bool:
    """Return whether a message says what a hotel should cost, or in which part of a town it should lie."""
    return text.has(_WISHES)
