"""What people wish of a house, a room or a meal that no source tells of: "a sea view", "twin beds".

During a request for a hotel such a wish goes on with it, and is told as one to look for in the list.
"""

from ..language.negations import NEGATIONS
from ..language.numbers import NUMBER_WORDS
from ..language.text import Text, phrases, word_set
from .stay_wishes import KINDS

_WISHES = phrases(
    # views, and what is outside of a room
    "sea view", "sea views", "seaview", "ocean view", "ocean views", "beach view", "lake view",
    "mountain view", "mountain views", "river view", "city view", "city views", "garden view", "pool view",
    "harbour view", "harbor view", "nice view", "good view", "great view", "view of the sea",
    "view of the ocean", "view of the city", "view of the lake", "view of the mountains", "with a view",
    "balcony", "balconies", "terrace", "patio", "roof terrace", "rooftop terrace", "rooftop", "rooftop bar",
    "rooftop pool", "garden",
    # where it lies
    "on the beach", "right on the beach", "directly on the beach", "beachfront", "beach front", "seafront",
    "sea front", "waterfront", "oceanfront", "by the beach", "by the sea", "by the water", "at the beach",
    "beachside", "quiet area", "quiet street", "quiet neighbourhood", "quiet neighborhood", "quiet room",
    "quiet", "quieter", "quietest",
    "peaceful", "not noisy", "not too noisy", "less noisy", "not too loud", "safe area",
    "safe neighbourhood", "safe neighborhood", "safer area", "residential area",
    # what is in a room
    "hot tub", "jacuzzi", "bathtub", "bath tub", "bathtubs", "private bathroom", "own bathroom",
    "private bath", "shared bathroom", "ensuite", "en suite", "en-suite", "ensuite bathroom",
    "washing machine", "washer", "tumble dryer", "dishwasher", "fridge", "refrigerator",
    "minibar", "mini bar", "microwave", "kettle", "coffee machine", "coffee maker", "hairdryer",
    "hair dryer", "desk", "work desk", "tv", "netflix", "fireplace", "soundproof", "blackout curtains",
    "heating", "living room", "sitting area",
    # beds
    "twin beds", "twin bed", "two beds", "separate beds", "single beds", "two single beds", "2 single beds",
    "two double beds", "2 double beds", "2 twin beds", "two twin beds", "double bed", "double beds",
    "king bed", "king size bed", "king-size bed", "king sized bed", "queen bed", "queen size bed",
    "queen beds", "big bed", "large bed", "extra bed", "extra beds", "additional bed", "sofa bed",
    "bunk beds", "cot", "baby cot", "travel cot", "crib", "baby bed", "high chair", "highchair",
    # rooms beside each other, and floors
    "next to each other", "beside each other", "close to each other", "near each other", "side by side",
    "next door to each other", "on the same floor", "same floor", "adjoining", "adjacent",
    "interconnecting", "ground floor", "first floor", "high floor", "higher floor", "top floor",
    "upper floor", "low floor", "lower floor", "lift", "elevator", "no stairs", "without stairs",
    "non-smoking", "non smoking", "nonsmoking", "no smoking", "smoking room",
    # whom a house is for
    "adults only", "adult only", "adults-only", "adult-only", "child free", "child-free", "kids club",
    "kid's club", "kids' club", "children's club", "childrens club", "club for kids", "club for the kids",
    "mini club", "playground", "babysitting", "babysitter", "kid friendly", "kid-friendly", "kids friendly",
    "family friendly", "family-friendly", "child friendly", "child-friendly", "water slides",
    "water slide", "waterslides", "water park", "waterpark", "lgbt friendly", "gay friendly",
    "good for families", "good for kids", "good for children", "lively area", "nice area", "good area",
    "nice neighbourhood", "nice neighborhood", "near nightlife", "clean", "modern", "stylish", "cosy", "cozy",
    "luxury", "luxurious", "upmarket", "upscale", "historic", "traditional", "good mattress",
    "comfortable bed", "comfy bed", "bigger room", "larger room", "big room", "large room", "spacious",
    "spacious room", "airport pickup", "airport pick-up", "gluten free breakfast",
    "nothing fancy", "nothing too fancy", "not too fancy", "not fancy", "boutique", "romantic", "charming",
    # meals
    "vegan", "vegetarian", "halal", "kosher", "gluten free", "gluten-free", "vegan food",
    "vegetarian food", "vegan options", "vegan breakfast", "vegetarian options", "halal food",
    "kosher food", "half board", "half-board", "full board", "full-board", "all inclusive",
    "all-inclusive", "dinner included", "hot breakfast", "buffet",
    # services of a house
    "meeting room", "meeting rooms", "conference room", "conference rooms", "coworking", "co-working",
    "workspace", "late checkout", "late check-out", "late check out", "early checkin", "early check-in",
    "early check in", "24 hour reception", "24-hour reception", "24h reception", "24/7 reception",
    "luggage storage", "left luggage", "bike storage", "ski storage", "ski-in ski-out", "ski in ski out",
    "ev charger", "ev charging", "charging station", "charge my car", "tennis court", "golf course",
    "casino", "concierge", "private beach", "indoor pool", "outdoor pool", "heated pool", "kids pool",
    "children's pool", "massage", "steam room",
)  # fmt: skip
_TAKES_BACK = phrases(
    "forget", "drop", "skip", "scratch", "scrap", "remove", "ignore", "never mind", "leave out", "cancel",
    "don't need", "dont need", "do not need", "don't care", "do not care", "no need",
)  # fmt: skip
"""Behind these a wish is taken back."""
_WORDS_BACK = 4
_OF_ROOMS = phrases("twin", "connecting")
"""Before "rooms" alone these are wishes: "2 twin rooms", unlike "connecting flights"."""
_ROOMS = word_set("room rooms bedroom bedrooms")
_KNOWN_BEHIND = word_set("pool breakfast")
"""Amenities that are searched by: of "indoor pool" the pool is a slot, and the rest is the wish."""
_OF_IT = phrases(
    "does it",
    "do they",
    "does the",
    "do these",
    "does this",
    "does that",
    "do any",
    "is it",
    "are they",
)
_NO_HOUSES = word_set("places restaurants restaurant activities things beaches bars cafes attractions")
"""Behind "child friendly" these are no house to stay in."""
_ARTICLES = word_set("a an")
_HOUSES = word_set("hotel hotels place places one")
_MEALS = word_set("vegan vegetarian halal kosher gluten gluten-free")
_EAT_OUT = word_set("restaurant restaurants cafe cafes")
_COUNTED = word_set("adults adult")
_FOR_A_DAY = word_set("for on")
_ENDS = frozenset({"", ".", ",", ";", "!", "?", "and", "but", "or", "please", "with"})
_DAY_AT_MOST = 5


def house_wish_at(text: Text, at: int) -> int:
    """Return the index after a wish of a house that begins at `at`, 0 if none does."""
    if text.norm(at) in NEGATIONS:
        start = at + 1 + (text.norm(at + 1) in ("a", "an"))
        kind = text.match(KINDS, start)
        if kind:
            return start + kind
    is_article = text.norm(at) in _ARTICLES
    before = at - 1 - (text.norm(at - 1) in _ARTICLES)
    if text.match_before(_TAKES_BACK, at, within=_WORDS_BACK) or text.norm(before) in NEGATIONS:
        return 0
    if is_article:
        after = _told_at(text, at + 1)
        return 0 if text.norm(after) in _HOUSES | _ROOMS else after  # "a quiet hotel" is still a hotel
    return _told_at(text, at)


def _told_at(text: Text, at: int) -> int:
    """The index after the words for a wish, 0 if none stand there."""
    if text.match(_OF_ROOMS, at) and text.norm(at + 1) in _ROOMS and not _is_number(text, at - 1):
        return at + 1
    length = text.match(_WISHES, at)
    if not length or _is_of_something_else(text, at, at + length):
        return 0
    after = at + length
    if text.norm(after - 1) in _KNOWN_BEHIND:
        after -= 1
    return _day_behind(text, after) if text.norm(at) in ("meeting", "conference") else after


def asks_of_the_shown(text: Text) -> bool:
    """Return whether a message asks what a house shown has, which is no wish: "does it have a lift?"."""
    return text.has(_OF_IT)


def _is_of_something_else(text: Text, at: int, after: int) -> bool:
    """Whether it counts people ("2 adults only"), or tells of a place to eat ("a vegan restaurant")."""
    is_count = text.norm(at) in _COUNTED and (_is_number(text, at - 1) or text.norm(at - 1) in ("and", "&"))
    is_food = text.norm(at) in _MEALS and not _EAT_OUT.isdisjoint(text.vocabulary)
    return is_count or is_food or text.norm(after) in _NO_HOUSES


def _is_number(text: Text, at: int) -> bool:
    return text[at].is_number or text.norm(at) in NUMBER_WORDS


def _day_behind(text: Text, after: int) -> int:
    """The index after the day that a room to meet in is for: that is no day of the stay."""
    if text.norm(after) not in _FOR_A_DAY:
        return after
    ends = (end for end in range(after + 1, after + 1 + _DAY_AT_MOST) if text.norm(end) in _ENDS)
    return next(ends, after)
