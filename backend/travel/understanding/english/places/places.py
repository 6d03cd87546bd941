"""The places a message names, and what each is to the journey: where from, where to, where to stay.

What one place is depends on the words before it and on the places beside it: "Berlin to Tokyo" is a route,
"Paris or Rome" leaves a choice, "Rome, no, Milan" takes one back, and "not Paris" wants none of it.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import pairwise

from ...places.gazetteer import Gazetteer, in_full, name_key
from ..language.corrections import takes_back
from ..language.text import Text
from . import words
from .finder import Finder, PlaceMention, PlaceRole

_PLACE_SLOTS = frozenset({"flight.origin", "flight.destination", "hotel.city"})
_SPELLING_ATTEMPTS = 8
_WORDS_BEFORE_A_PLACE = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPlaces:
    """The places in a message, in its order, those that nobody knows, and those that are not wanted."""

    mentions: tuple[PlaceMention, ...]
    unknown: tuple[PlaceMention, ...]
    not_wanted: tuple[PlaceMention, ...]


def find_places(text: Text, gazetteer: Gazetteer, *, taken: Collection[int] = ()) -> FoundPlaces:
    """Return the places in the message, none of them in the tokens already `taken`."""
    found = _mentions(text, gazetteer, taken)
    known = [mention for mention in found if not mention.is_unknown]
    not_wanted = tuple(mention for mention in known if _is_not_wanted(text, mention))
    wanted = _corrected(text, [mention for mention in known if mention not in not_wanted])
    if not_wanted:
        wanted = [replace(mention, is_placed=True) for mention in wanted]
    return FoundPlaces(
        mentions=_paired(text, _chosen(text, _without_their_region(text, wanted, gazetteer)), taken),
        unknown=tuple(mention for mention in found if mention.is_unknown),
        not_wanted=not_wanted,
    )


def named_places(
    text: Text, gazetteer: Gazetteer, *, taken: Collection[int] = ()
) -> tuple[PlaceMention, ...]:
    """Return every place that is named in the message, whatever it is to the journey, wanted or not."""
    return tuple(_mentions(text, gazetteer, taken))


def _mentions(text: Text, gazetteer: Gazetteer, taken: Collection[int]) -> list[PlaceMention]:
    mentions: list[PlaceMention] = []
    attempts = _SPELLING_ATTEMPTS
    is_shouted = _is_shouted(text)
    index = 0
    while index < text.length:
        mention = None
        if index not in taken and (text[index].is_word or text[index].is_number):
            role = _role(text, index)
            is_next = bool(mentions) and takes_back(text, mentions[-1].after, index)
            is_expected = (
                role is not None or is_next or _is_opposed(text, index) or _is_put_forward(text, index)
            )
            finder = Finder(text, gazetteer, index, taken, is_expected, is_shouted)
            mention = finder.exact()
            if mention is None and attempts and finder.may_be_misspelt():
                attempts -= 1
                mention = finder.misspelt()
            if mention is None and role is not None:
                mention = finder.unknown()
            if mention and any(token in taken for token in range(mention.first, mention.after)):
                mention = None
            if mention:
                is_placed = finder.is_placed or finder.is_alone(mention.after) or finder.is_sentence(mention)
                mention = replace(mention, role=role or "", is_placed=is_placed)
                mentions.append(mention)
        index = mention.after if mention else index + 1
    return mentions


def _is_shouted(text: Text) -> bool:
    """Whether capitals say nothing: the user types everything in them."""
    letters = [token for token in text.tokens[:60] if token.is_word and len(token.raw) > 3]
    return len(letters) > 1 and all(token.raw.isupper() for token in letters)


def _role(text: Text, index: int) -> PlaceRole | None:
    """What the words before an index make of a place there; None if they do not ask for a place."""
    for before in range(index - 1, index - 1 - _WORDS_BEFORE_A_PLACE, -1):
        if text.norm(before) in words.INTRODUCTIONS:
            for start in (before - 2, before - 1, before):
                role = _role_after(text, start, before - start + 1)
                if role is not None:
                    return role
        if text.norm(before) not in words.BETWEEN_PREPOSITION_AND_PLACE:
            return None
    return None


def _role_after(text: Text, start: int, length: int) -> PlaceRole | None:
    """What the preposition of that length makes of a place after it."""
    if start < 0:
        return None
    if text.match(words.BACK, start) == length:
        return "back"
    if text.match(words.FROM, start) == length:
        return "origin"
    if text.match(words.TO, start) == length:
        return _towards(text, start)
    if text.match(words.IN, start) == length:
        return "stay"
    return "" if text.match(words.TURNS_TO, start) == length else None


def _towards(text: Text, index: int) -> PlaceRole:
    is_for = text.norm(index) == "for"
    return (
        "stay" if is_for and text.norm(index - 1) in ("hotel", "hotels", "rooms", "room") else "destination"
    )


def _is_not_wanted(text: Text, mention: PlaceMention) -> bool:
    """Whether "not" or "instead of" stands before a place; "why not Paris" proposes it."""
    at = mention.first
    while text.norm(at - 1) in words.SMALL_BEFORE_A_PLACE:
        at -= 1
    if text.norm(at - 2) in ("why", "if"):
        return False
    return any(text.match(words.NOT_THERE, at - length) == length for length in (1, 2, 3))


def _is_opposed(text: Text, index: int) -> bool:
    """Whether the next words name what is not wanted instead: "split instead of rome", "crete not athens"."""
    return any(
        text.match(words.OPPOSES, index + ahead) and text[index + ahead + 1].is_word for ahead in (1, 2)
    )


def _is_put_forward(text: Text, index: int) -> bool:
    """Whether a name of a word or two is said to be better: "Valencia is nicer"."""
    return not text.vocabulary.isdisjoint(words.NICER) and any(
        text.norm(index + ahead) in words.IS
        and not words.NICER.isdisjoint(text.norm(index + ahead + step) for step in (1, 2))
        for ahead in (1, 2)
    )


def _without_their_region(
    text: Text, mentions: list[PlaceMention], gazetteer: Gazetteer
) -> list[PlaceMention]:
    """Leave out regions in which another place of the message lies: "Florence, somewhere in Tuscany".

    A city that nothing else introduces is to the journey what its region was: "in Romania, Bucharest".
    """
    kept: list[PlaceMention] = []
    regions = [mention for mention in mentions if mention.place is None]
    for mention in mentions:
        if mention.place is None:
            cities = (one.place.city for one in mentions if one.place)
            if not any(gazetteer.lies_in(city, _name_of(text, mention)) for city in cities):
                kept.append(mention)
            continue
        city = mention.place.city
        around = next((region for region in regions if gazetteer.lies_in(city, _name_of(text, region))), None)
        if around and not mention.role:
            mention = replace(mention, role=around.role, is_placed=mention.is_placed or around.is_placed)
        kept.append(mention)
    return kept


def _name_of(text: Text, mention: PlaceMention) -> str:
    """The words of a mention as a name to look up."""
    tokens = (text[at] for at in range(mention.first, mention.after))
    return name_key(token.norm for token in tokens if token.is_word or token.is_number)


def _corrected(text: Text, mentions: list[PlaceMention]) -> list[PlaceMention]:
    """Leave out places that are taken back; what stands for them is to the journey what they were."""
    kept: list[PlaceMention] = []
    for mention in mentions:
        if kept and takes_back(text, kept[-1].after, mention.first):
            same = (at for at in range(len(kept) - 1, -1, -1) if mention.role in ("", kept[at].role))
            at = next(same, None)
            if at is not None:
                mention = replace(mention, role=mention.role or kept[at].role, is_placed=True)
                del kept[at]
        kept.append(mention)
    return kept


def _chosen(text: Text, mentions: list[PlaceMention]) -> list[PlaceMention]:
    """Make one of places between which the user leaves a choice: the first, with the others beside it."""
    kept: list[PlaceMention] = []
    after = 0
    for mention in mentions:
        joined = [text.norm(at) for at in range(after, mention.first)] if kept else []
        before = kept[-1] if kept else mention
        is_same = mention.role == "" or mention.role == before.role
        is_between = text.norm(before.first - 1) == "between"
        if joined[:1] in (["or"], ["and"]) and len(joined) <= 2 and is_same and not is_between:
            kept[-1] = replace(before, others=(*before.others, *_offered(mention)))
        else:
            kept.append(mention)
        after = mention.after
    return kept


def _offered(mention: PlaceMention) -> tuple[str, ...]:
    return (in_full(mention.place.city),) if mention.place else mention.others


def _paired(text: Text, mentions: list[PlaceMention], taken: Collection[int]) -> tuple[PlaceMention, ...]:
    """Give "Berlin to Tokyo", "BER-JFK", "Rome 3 May Milan", "Rome from Berlin" and the like their roles."""
    found = list(mentions)
    for at in range(len(found) - 1):
        first, second = found[at], found[at + 1]
        gap = range(first.after, second.first)
        joined = [text.norm(index) for index in gap if index not in taken]
        is_pair = joined in ([], ["-", ">"]) or (len(joined) == 1 and joined[0] in words.JOINS_A_PAIR)
        is_between = joined == ["and"] and text.norm(first.first - 1) == "between"
        if is_between or (is_pair and first.role == "" and second.role in ("", "destination")):
            found[at] = replace(first, role="origin", is_placed=True)
            found[at + 1] = replace(second, role="destination", is_placed=True)
        elif joined == ["to"] and first.role != "origin" and text.norm(first.first - 1) == "for":
            found[at] = replace(first, role="origin", is_placed=True)
        elif joined == ["from"] and first.role == "" and second.role == "origin":
            found[at] = replace(first, role="destination", is_placed=True)
        elif is_pair and joined and first.role == "origin" and second.role == "":
            found[at + 1] = replace(second, role="destination", is_placed=True)
    return tuple(found)


def further_goals(text: Text, places: tuple[PlaceMention, ...]) -> tuple[PlaceMention, ...]:
    """Return the cities to go on to, or over: "to Rome, then Florence", "to Tokyo via Dubai"."""
    goals = [mention for mention in places if mention.place and mention.role in ("destination", "stay", "")]
    over = [mention for mention in goals if text.norm(mention.first - 1) in words.OVER]
    onward = [
        goal
        for before, goal in pairwise(goals)
        if before.place != goal.place
        and any(text.norm(at) in words.THEN for at in range(before.after, goal.first))
    ]
    return tuple(dict.fromkeys((*over, *onward)))


def without_praise(
    text: Text, places: tuple[PlaceMention, ...], asked: tuple[str, ...]
) -> tuple[PlaceMention, ...]:
    """Leave out names that rather praise what is shown, unless a place was asked for: "nice"."""
    if not _PLACE_SLOTS.isdisjoint(asked):
        return places
    return tuple(
        one
        for one in places
        if one.role
        or text.norm(one.first) not in words.ALSO_PRAISE
        or text.norm(one.first - 1) in words.INTRODUCTIONS
    )


def _corrects(text: Text, mention: PlaceMention) -> bool:
    """Whether words of correction stand beside a place: "make it Naples", "Naples instead"."""
    before, behind = mention.first - 1, mention.after
    before -= text.norm(before) == ","
    behind += text.norm(behind) == ","
    ends_before = any(text.match(words.CORRECTS, before - ahead) == ahead + 1 for ahead in range(3))
    return ends_before or text.match(words.CORRECTS, behind) > 0


def as_asked(
    text: Text, places: tuple[PlaceMention, ...], asked: tuple[str, ...]
) -> tuple[PlaceMention, ...]:
    """Give the places of an answer the roles that were asked for, where nothing else tells what they are.

    `asked` are names of slots. "In Berlin" says where to start if that alone was asked for; of two bare names
    the first is the start. "Actually, make it Osaka" is no answer to where to start: it corrects the goal.
    """
    is_origin_asked = "flight.origin" in asked
    is_goal_asked = "flight.destination" in asked or "hotel.city" in asked
    if not places or not (is_origin_asked or is_goal_asked):
        return places
    roles = {mention.role for mention in places}
    found = list(places)
    if is_goal_asked and roles == {"back"}:
        return tuple(replace(mention, role="destination") for mention in found)
    bare = [at for at, mention in enumerate(found) if mention.role == ""]
    if not is_goal_asked and len(found) == len(bare) == 1 and _corrects(text, found[0]):
        return (replace(found[0], role="destination", is_placed=True),)
    if is_origin_asked and "origin" not in roles:
        loose = [at for at, mention in enumerate(found) if mention.role in ("", "stay")]
        has_goal = "destination" in roles or not is_goal_asked or len(bare) > 1
        if loose and (has_goal or (bare and asked.index("flight.origin") == 0)):
            first = bare[0] if bare else loose[0]
            found[first] = replace(found[first], role="origin", is_placed=True)
            bare = [at for at in bare if at != first]
    if bare and is_goal_asked and "destination" not in roles:
        found[bare[0]] = replace(found[bare[0]], role="destination", is_placed=True)
    return tuple(found)
