"""The places a message names, and what each is to the journey: where from, where to, where to stay.

Names are found by the longest match. A name that is an ordinary word as well ("Nice", "Reading") counts
only where a place must stand: after a preposition, or where the message consists of nothing else. Typing
errors are forgiven in the same positions only.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

from backend.understanding import place_words as words
from backend.understanding.gazetteer import Gazetteer, name_key, qualifiers
from backend.understanding.result import Place
from backend.understanding.text import Text, fold

PlaceRole = Literal["", "origin", "destination", "stay", "back"]

_SPELLING_ATTEMPTS = 8
_ALONE_AT_MOST = 12
_WORDS_BEFORE_A_PLACE = 6
_ALTERNATIVES_AT_MOST = 3
_LOWEST_TIER = 3
_JOINED_IN_A_NAME = frozenset({".", "-", "'"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceMention:
    """A place in a message: the tokens from `first` up to `after`.

    `role` is "" for a bare name; `is_placed` tells whether the words around it say that a place is meant
    here, and not just mentioned. `others` are what else the name could mean, as labels.
    """

    first: int
    after: int
    place: Place
    role: PlaceRole = ""
    is_placed: bool = False
    others: tuple[str, ...] = ()


def find_places(text: Text, gazetteer: Gazetteer, *, taken: Collection[int] = ()) -> tuple[PlaceMention, ...]:
    """Return the places in the message, in its order, none of them in the tokens already `taken`."""
    mentions: list[PlaceMention] = []
    attempts = _SPELLING_ATTEMPTS
    is_shouted = _is_shouted(text)
    index = 0
    while index < text.length:
        mention = None
        if index not in taken and (text[index].is_word or text[index].is_number):
            role = _role(text, index)
            finder = _Finder(text, gazetteer, index, taken, role is not None, is_shouted)
            mention = finder.exact()
            if mention is None and attempts and finder.may_be_misspelt():
                attempts -= 1
                mention = finder.misspelt()
            if mention and any(token in taken for token in range(mention.first, mention.after)):
                mention = None
            if mention:
                is_placed = role is not None or finder.is_alone(mention.after)
                mention = replace(mention, role=role or "", is_placed=is_placed)
                mentions.append(mention)
        index = mention.after if mention else index + 1
    return _paired(text, mentions)


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


@dataclass(frozen=True, slots=True)
class _Finder:
    """Looks for a place that begins with the token at `index`."""

    text: Text
    gazetteer: Gazetteer
    index: int
    taken: Collection[int]
    is_placed: bool
    is_shouted: bool

    def exact(self) -> PlaceMention | None:
        """Return the longest name, or an airport code, that is spelt as it should be."""
        token = self.text[self.index]
        ends = self._ends(self.gazetteer.longest.get(name_key([token.norm]), 0))
        ends += self._ends(1) if not ends else []
        for key, after in reversed(ends):
            places = self.gazetteer.names.get(key)
            if places and self._is_meant(key, after, places):
                return self._mention(places, after)
        code = self.gazetteer.codes.get(token.raw) if len(token.raw) == 3 and token.raw.isupper() else None
        is_code = code and token.raw not in words.NOT_A_CODE
        if code and is_code and (self.is_placed or not self.is_shouted or self.is_alone(self.index + 1)):
            return PlaceMention(first=self.index, after=self.index + 1, place=code)
        return None

    def may_be_misspelt(self) -> bool:
        """Return whether it is worth while to look for a name like this word."""
        token = self.text[self.index]
        if not token.is_word or len(token.norm) < 3 or token.norm in words.NEVER_PLACES:
            return False
        return self.is_placed or self.is_alone(self.index + 1) or self.is_alone(self.index + 2)

    def is_alone(self, after: int) -> bool:
        """Return whether the message says nothing but this name, and dates or courtesies."""
        if self.text.length > _ALONE_AT_MOST:
            return False
        rest = (at for at in range(self.text.length) if not self.index <= at < after and at not in self.taken)
        return all(not self.text[at].is_word or self.text.norm(at) in words.FILLERS for at in rest)

    def misspelt(self) -> PlaceMention | None:
        """Return a place whose name is a typing error away from the next two words, or the next one."""
        for key, after in reversed(self._ends(2)):
            last = self.text.norm(after - 1)
            if len(key) < 5 or (after - self.index > 1 and last in words.ENDS_A_PLACE | words.NEVER_PLACES):
                continue
            is_written_as_a_name = self.text[self.index].is_capitalised and not self.is_shouted
            closest = self.gazetteer.closest(key)
            is_friend = closest in words.FALSE_FRIENDS
            if closest and not is_friend and (is_written_as_a_name or self._ends_here(after)):
                return self._mention(self.gazetteer.names[closest], after)
        return None

    def _ends(self, words_at_most: int) -> list[tuple[str, int]]:
        """Keys of the next one, two, ... words with the index after each; "L.A." and "Saint-Denis" count."""
        found: list[str] = []
        ends: list[tuple[str, int]] = []
        at = self.index
        while len(found) < words_at_most and (self.text[at].is_word or self.text[at].is_number):
            found.append(self._without_possessive(at))
            at += 1
            ends.append((name_key(found), at))
            if self.text.norm(at) in _JOINED_IN_A_NAME and self.text.is_glued(at):
                at += 1
        return ends

    def _without_possessive(self, at: int) -> str:
        token = self.text[at]
        is_possessive = token.raw.endswith("s") and fold(token.raw[-2:-1]) == "'"
        return token.norm[:-1] if is_possessive else token.norm

    def _is_meant(self, key: str, after: int, places: tuple[Place, ...]) -> bool:
        """Whether a name that could be found is likely to mean the place."""
        token = self.text[self.index]
        is_name = token.is_capitalised and not self.is_shouted
        if key in self.gazetteer.abbreviations:
            return (token.raw.isupper() and not self.is_shouted) or (
                self.is_placed and self._ends_here(after)
            )
        if key in self.gazetteer.known and key not in words.FALSE_FRIENDS and len(key) > 3:
            return True
        is_placed = self.is_placed or self.is_alone(after)
        if key not in self.gazetteer.known and self._is_cut_off(after, places):
            return False
        if is_name and (is_placed or self._qualified(places, after) or self._leads_to_a_place(after)):
            return True
        return is_placed and self._ends_here(after)

    def _is_cut_off(self, after: int, places: tuple[Place, ...]) -> bool:
        """Whether a name goes on after what is known of it: there is a Milton, but not in "Milton Keynes"."""
        goes_on = self.text[after].is_capitalised and self.text.norm(after) not in words.ENDS_A_PLACE
        return goes_on and not self.is_shouted and not self._qualified(places, after)

    def _ends_here(self, after: int) -> bool:
        follower = self.text[after]
        return not follower.norm or follower.is_number or follower.norm in words.ENDS_A_PLACE

    def _leads_to_a_place(self, after: int) -> bool:
        """Whether "to" and a known place follow: "Nice to Paris", "Cork-London"."""
        if self.text.norm(after) not in words.JOINS_A_PAIR:
            return False
        follower = self.text[after + 1]
        return follower.norm in self.gazetteer.known or (
            follower.raw.isupper() and follower.raw in self.gazetteer.codes
        )

    def _qualified(self, places: tuple[Place, ...], after: int) -> tuple[Place, int] | None:
        """The place whose country or state follows the name, and the index after that."""
        at = after + 1 if self.text.norm(after) == "," else after
        for place in places:
            for name, in_capitals in qualifiers(place.city):
                end = self._abbreviation(name, at) if in_capitals else self._words(name, at)
                if end:
                    return place, end
        return None

    def _words(self, name: str, at: int) -> int:
        spelt = name.split()
        is_there = all(self.text.norm(at + offset) == word for offset, word in enumerate(spelt))
        return at + len(spelt) if is_there else 0

    def _abbreviation(self, name: str, at: int) -> int:
        """The index after "OR" or "D.C.", which count in capitals only; 0 if it is not there."""
        if self.text[at].raw == name.upper():
            return at + 1
        dotted = "".join(self.text[at + offset].raw for offset in range(2 * len(name) - 1))
        if dotted != ".".join(name.upper()):
            return 0
        end = at + 2 * len(name) - 1
        return end + 1 if self.text.norm(end) == "." else end

    def _mention(self, places: tuple[Place, ...], after: int) -> PlaceMention:
        qualified = self._qualified(places, after)
        if qualified:
            return PlaceMention(first=self.index, after=qualified[1], place=qualified[0])
        others = _other_readings(places, self.gazetteer)
        return PlaceMention(first=self.index, after=after, place=places[0], others=others)


def _other_readings(places: tuple[Place, ...], gazetteer: Gazetteer) -> tuple[str, ...]:
    """Labels of the other places of a name. Nobody needs to be told that London is the one in England."""
    best, *others = places
    if best.city.tier == 1:
        return ()
    likely = [place for place in others if best.city.tier == _LOWEST_TIER or place.city in gazetteer.cities]
    return tuple(dict.fromkeys(place.city.label for place in likely))[:_ALTERNATIVES_AT_MOST]


def _paired(text: Text, mentions: list[PlaceMention]) -> tuple[PlaceMention, ...]:
    """Give "Berlin to Tokyo", "BER-JFK" and "between Rome and Milan" their roles."""
    found = list(mentions)
    for at in range(len(found) - 1):
        first, second = found[at], found[at + 1]
        gap = range(first.after, second.first)
        joined = [text.norm(index) for index in gap]
        is_pair = joined in ([], ["-", ">"]) or (len(joined) == 1 and joined[0] in words.JOINS_A_PAIR)
        is_between = joined == ["and"] and text.norm(first.first - 1) == "between"
        if is_between or (is_pair and first.role == "" and second.role in ("", "destination")):
            found[at] = replace(first, role="origin", is_placed=True)
            found[at + 1] = replace(second, role="destination", is_placed=True)
        elif is_pair and joined and first.role == "origin" and second.role == "":
            found[at + 1] = replace(second, role="destination", is_placed=True)
    return tuple(found)


def as_asked(places: tuple[PlaceMention, ...], asked: tuple[str, ...]) -> tuple[PlaceMention, ...]:
    """Give the places of an answer the roles that were asked for, where nothing else tells what they are.

    `asked` are names of slots. "In Berlin" says where to start if that alone was asked for; of two bare names
    the first is the start.
    """
    is_origin_asked = "flight.origin" in asked
    is_goal_asked = "flight.destination" in asked or "hotel.city" in asked
    if not places or not (is_origin_asked or is_goal_asked):
        return places
    roles = {mention.role for mention in places}
    found = list(places)
    bare = [at for at, mention in enumerate(found) if mention.role == ""]
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
