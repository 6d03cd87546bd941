"""Who joins those who travel, who stays behind, and who travels on other days or from elsewhere.

"My mum's coming too", "plus one", "one of the girls dropped out", "my parents fly on the 17th".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ...places.gazetteer import load_gazetteer
from ..dates.points import ALL_WEEKDAYS, MONTHS
from ..language.numbers import whole_number
from ..language.sentences import clauses
from ..language.tables import phrases_of, words_of
from ..language.text import ShiftMention, Text, any_of
from ..places.finder import PlaceMention
from .airlines import NAMES as AIRLINES
from .children import ages_at
from .people import relative_at

_HOTELS_SAID = phrases_of("hotels")
_PEOPLE_SAID = phrases_of("people")
_PEOPLE_WORDS = words_of("people")
_SAID = phrases_of("joining")
_WORDS = words_of("joining")

_BY_AGE: dict[str, Literal["", "oldest", "youngest", "middle"]] = {
    **dict.fromkeys(_WORDS.oldest, "oldest"),
    **dict.fromkeys(_WORDS.youngest, "youngest"),
    "middle": "middle",
}
_LOOK_BACK = 5
_AT_MOST = 60
_LONGEST_PARTY = 18
_SHORT = 7
_BY_HOW_MANY = {"more": 1, "extra": 1, "less": -1, "fewer": -1}
_NOBODY = _WORDS.no_names | _PEOPLE_WORDS.people | _PEOPLE_WORDS.friends
_OVER_BEHIND_A_NAME = _WORDS.goes_on | {"now", "please", "for"}
_COURTESIES = _PEOPLE_WORDS.courtesies | _PEOPLE_WORDS.of_us

CUES_OF_STAYING_BEHIND = (
    _WORDS.less | any_of(_SAID.stays_behind, _SAID.stay_home, _SAID.out).cues | {"cancelled"}
)


def joining(text: Text, index: int) -> ShiftMention | None:
    """ "add my mum", "my two sons are coming too", "my mother she come too", "jake is coming too"."""
    is_brought = text.norm(index) in _WORDS.brings and text.norm(index - 1) in _WORDS.who_bring
    first = index + (is_brought or text.norm(index) in _WORDS.adds)
    read = _relative(text, first)
    if read is None or text.norm(index - 1) in _WORDS.if_word:
        return _joins_by_name(text, index) if first == index else None
    count, after = read
    if first > index:
        beside = text.match(_SAID.beside_joining, after) if is_brought else 0
        is_all = beside > 0 or not (is_brought and text[after].is_word)
        return _people(index, after + beside, count) if is_all else None
    while text.norm(after) == "and" and (other := _relative(text, after + 1)):
        count, after = count + other[0], other[1]
    is_in_short = text.norm(after) in _WORDS.in_short and text.norm(after - 1).endswith("s")
    if not (is_in_short or text.norm(after) in _WORDS.says_of_somebody):
        return None
    at = next((at for at in range(after, after + _LOOK_BACK) if text.norm(at) in _WORDS.joins), -1)
    if at < 0 or text.has_any(_WORDS.denies, after, at):
        return None
    return _people(index, at + 1 + text.match(_SAID.beside_joining, at + 1), count)


def _joins_by_name(text: Text, index: int) -> ShiftMention | None:
    """ "jake is coming too", "Priya and Sam will join us", "a friend is coming with us"."""
    count, at = _names_side_by_side(text, index) if _is_begun(text, index) else (0, index)
    verb = text.skip(_WORDS.beside_a_verb, at)
    is_told = verb > at or text.norm(verb) in ("joins", "comes", "join") or _is_in_short(text, at - 1)
    beside = text.match(_SAID.beside_joining, verb + 1)
    if not (count and is_told and beside) or text.norm(verb) not in _WORDS.joins:
        return None
    end = verb + 1 + beside
    is_over = not text[end].is_word or text.norm(end) in _OVER_BEHIND_A_NAME
    return _people(index, end, count) if is_over else None


def _names_side_by_side(text: Text, at: int) -> tuple[int, int]:
    """How many are called by name there, and the index after: "Priya and Sam", "a friend"; 0 for others."""
    count = 0
    while text[at].is_word:
        if text.norm(at) in ("a", "another") and text.norm(at + 1) in _WORDS.known_people:
            at += 1
        elif text.norm(at) in _WORDS.called_by_no_name:
            break
        count, at = count + 1, at + 1
        if text.norm(at) not in ("and", "&", ","):
            return count, at
        at += 1
    return 0, at


def staying_behind(text: Text, index: int) -> ShiftMention | None:
    """ "one person fewer", "one of us can't come", "my sister can't make it", "the kids stay home"."""
    return _known_to_stay(text, index) or _some_stay(text, index)


def _some_stay(text: Text, index: int) -> ShiftMention | None:
    """ "one of the girls dropped out", "someone can't come", "we are two less"."""
    is_somebody = text.norm(index) in _WORDS.somebody
    is_one = text.norm(index) in ("a", "another") and text.norm(index + 1) in _WORDS.members
    read = (1, index + 1) if is_somebody or is_one else whole_number(text, index)
    if read is None or not 0 < read[0] <= _AT_MOST:
        return None
    count, after = read
    at = _behind_a_member(text, after)
    if text.norm(at) in _WORDS.less:
        is_all = index <= 1 and text.skip(_WORDS.courtesies, at + 1) == text.length
        is_of_us = at > after or text.norm(index - 1) in _WORDS.we_are or is_all
        return _people(index, at + 1, -count) if is_of_us else None
    length = text.match(_SAID.stays_behind, at)
    length = length or (text.norm(at) in _WORDS.cancelled and _is_over(text, at + 1))
    is_counted = at > after or is_somebody or text.norm(at) in ("dropped", "cancelled", "bailed")
    is_told = length > 0 and is_counted and text.norm(index - 1) not in _WORDS.if_word
    return _people(index, at + length, -count) if is_told else None


def _behind_a_member(text: Text, at: int) -> int:
    """The index after who is meant: "of us", "of the girls", "of my friends", "person", "friend of mine"."""
    if text.norm(at) in _WORDS.members:
        return at + 1 + 2 * (text.norm(at + 1) == "of" and text.norm(at + 2) in ("mine", "ours"))
    if text.norm(at) == "of" and text.norm(at + 1) in ("us", "them"):
        return at + 2
    is_told = text.norm(at) == "of" and text.norm(at + 1) in _PEOPLE_WORDS.owners
    return at + 3 if is_told and text.norm(at + 2) in _WORDS.members else at


def _known_to_stay(text: Text, index: int) -> ShiftMention | None:
    """ "she isn't coming", "my friend can't make it", "the kids stay home", "Declan's out"."""
    word = text.norm(index)
    if word in _WORDS.children and text.norm(index - 1) in _PEOPLE_WORDS.owners:
        length = _stays(text, index + 1)
        after = index + 1 + length
        found = ShiftMention(first=index - 1, after=after, what="people", count=0, is_of_children=True)
        return found if length else None
    if word in _WORDS.pronouns_with_a_verb:
        after = index + 1 + text.match(_SAID.out, index + 1)
        is_told = after > index + 1 and not text[after].is_word
        return _people(index, after, -1) if is_told and text.norm(index - 1) not in _WORDS.if_word else None
    by_age = index + 2 if word in _PEOPLE_WORDS.owners and text.norm(index + 1) in _BY_AGE else 0
    at = text.skip(_WORDS.one_by_age, by_age, 1) if by_age else index + 1
    read = (1, at) if by_age or word in _WORDS.pronouns else _relative(text, index)
    if read is None:
        after = _stays_by_name(text, index)
        return _people(index, after, -1) if after else None
    at = text.skip(_WORDS.pronouns, read[1], 1)
    length = _stays(text, at)
    if not length or (text.norm(at + length - 1) == "with" and text.norm(at + length) in _WORDS.us):
        return None
    child = _BY_AGE.get(text.norm(index + 1), "")
    return ShiftMention(first=index, after=at + length, what="people", count=-read[0], child=child)


def _stays_by_name(text: Text, index: int) -> int:
    """The index after what tells that somebody stays who is called by name, 0 if nothing does.

    Only at the beginning of what is said: "the hotel in Anna is out" names a place.
    """
    if not (text[index].is_word and _is_begun(text, index)) or text.norm(index) in _NOBODY:
        return 0
    is_in_short = _is_in_short(text, index)
    verb = index + 1 + (not is_in_short and text.norm(index + 1) == "is")
    if is_in_short or verb > index + 1:
        after = verb + text.match(_SAID.out, verb)
        name = text.norm(index)[: -1 if is_in_short else None]
        if after > verb and (text.norm(verb) != "out" or _is_of_a_person(text, index, name)):
            return after if _is_over(text, after) else 0
    after = index + 1 + text.match(_SAID.stays_behind, index + 1)
    is_is_out = text.norm(index + 1) == "is" and text.norm(index + 2) == "out"
    if after == index + 1 or is_is_out or text.match(_SAID.of_offers, index):
        return 0
    if text[index].is_capitalised:
        return 0 if text.has(_SAID.of_offers) else after
    return after if text.has_any(_WORDS.comes, index + 1, after) and _is_over(text, after) else 0


def _is_of_a_person(text: Text, index: int, name: str) -> bool:
    """Whether a capitalised name is that of no city, day, airline or hotel: those are out as well."""
    known = load_gazetteer()
    return text[index].is_capitalised and not (
        name in ALL_WEEKDAYS
        or name in MONTHS
        or name in known.known
        or name in known.regions
        or (name,) in AIRLINES.get(name, ())
        or (name,) in _HOTELS_SAID.chains.get(name, ())
    )


def _stays(text: Text, at: int) -> int:
    return text.match(_SAID.stays_behind, at) or text.match(_SAID.stay_home, at)


def _is_begun(text: Text, index: int) -> bool:
    return index == 0 or text.norm(index - 1) in _WORDS.before_a_name


def _is_over(text: Text, at: int) -> bool:
    return not text[at].is_word or text.norm(at) in _WORDS.goes_on


def _is_in_short(text: Text, index: int) -> bool:
    """Whether a name holds its verb: "Declan's"."""
    return text[index].raw[-2:].lower() in ("'s", "\u2019s")


def _relative(text: Text, at: int) -> tuple[int, int] | None:
    """How many relatives are named there, and the index after: "my mum", "grandma", "my mum's coming"."""
    is_owned = text.norm(at) in _PEOPLE_WORDS.owners
    name = text.norm(at + is_owned)
    known = _PEOPLE_WORDS.relatives if is_owned else _WORDS.names_of_relatives
    if name[-1:] == "s" and name[:-1] in known and text.norm(at + is_owned + 1) in _WORDS.in_short:
        return 1, at + is_owned + 1
    is_called = name in _WORDS.names_of_relatives and text.norm(at - 1) not in _PEOPLE_WORDS.owners
    return (1, at + 1) if is_called and not is_owned else relative_at(text, at)


def _people(first: int, after: int, count: int) -> ShiftMention:
    return ShiftMention(first=first, after=after, what="people", count=count)


def find_companion(text: Text) -> ShiftMention | None:
    """Return the change of people that is all a message says, "plus one", None if it says anything else.

    In a longer message the same words may tell anything.
    """
    sign, courtesies = 1, _PEOPLE_WORDS.courtesies
    if text.norm(0) in _PEOPLE_WORDS.adds | _PEOPLE_WORDS.takes_away:
        sign = 1 if text.norm(0) in _PEOPLE_WORDS.adds else -1
        read = _added(text)
    else:  # "two more", "one more of us is coming", "make it one less"
        first = text.match(_PEOPLE_SAID.leads, 0)
        read = whole_number(text, first)
        sign, courtesies = _BY_HOW_MANY.get(text.norm(read[1]), 0) if read else 0, _COURTESIES
        is_of_people = first > 0 or sign > 0 or text.has_any(_PEOPLE_WORDS.of_us, 2)
        read = (read[0], read[1] + 1) if read and sign and is_of_people else None
    if not read or text.skip(courtesies, read[1], _SHORT) < text.length:
        return None
    return _people(0, text.length, sign * read[0])


def _added(text: Text) -> tuple[int, int] | None:
    """How many are named behind the first word, and the index after: "my two sons", "a kid (4)", "one"."""
    read = relative_at(text, 1)
    if read is None:
        count = (1, 2) if text.norm(1) in ("a", "another") else whole_number(text, 1)
        if count is None or (text.norm(0) == "with" and text.norm(count[1]) not in _PEOPLE_WORDS.children):
            return None
        noun = text.skip(_BY_HOW_MANY.keys(), count[1], 1)
        is_alone = text.norm(0) in ("plus", "minus") and noun == text.length
        if not is_alone and text.norm(noun) not in _PEOPLE_WORDS.people:
            return None
        read = count[0], noun + (not is_alone)
    return read[0], ages_at(text, read[1], read[0])[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartyMention:
    """A clause about some of those who travel, in the tokens from `first` up to `after`.

    A search is for all who travel together, so their days and places are none of the search's.
    """

    first: int
    after: int


def find_party(text: Text) -> PartyMention | None:
    """Return the clause about some of those who travel, None if there is none."""
    if not (text.has_any(_WORDS.travels) and text.has_any(_PEOPLE_WORDS.elsewhere)):
        return None
    for first, after in clauses(text):
        start = text.skip({"and", "but", "so", "oh"}, first, 1)
        verb = _behind_them(text, start)
        verb = text.skip(_PEOPLE_WORDS.before_a_verb, verb) if verb else 0
        if not verb or text.norm(verb) not in _WORDS.travels or after - first > _LONGEST_PARTY:
            continue
        joins_from = text.norm(verb) in _PEOPLE_WORDS.joins and text.norm(verb + 1) == "from"
        stays_at_home = text.norm(verb) in ("stay", "stays") and text.norm(verb + 1) in ("home", "at")
        is_apart = text.has_any(_PEOPLE_WORDS.elsewhere, verb + 1, after) and not (
            stays_at_home or text.has_any(_PEOPLE_WORDS.not_apart, verb + 1, after)
        )
        if is_apart or (joins_from and text.norm(verb + 2) not in _PEOPLE_WORDS.no_place):
            return PartyMention(first=start, after=after)
    return None


def parties(
    text: Text, places: Sequence[PlaceMention], party: PartyMention | None
) -> tuple[PartyMention, ...]:
    """Return the `party` that was found, or else what tells of those who start elsewhere than the others.

    So "3 from Berlin and 2 from Munich" tells of the latter. A start that is a goal, too, is that of a
    further leg.
    """
    if party is not None:
        return (party,)
    goals = {one.place.city for one in places if one.place and one.role != "origin"}
    starts = [
        (one, one.place.city)
        for one in places
        if one.place and one.role == "origin" and one.place.city not in goals
    ]
    return tuple(
        PartyMention(first=_behind_a_break(text, one.first), after=one.after)
        for one, city in starts
        if city != starts[0][1] and not text.has_any(_PEOPLE_WORDS.or_word, starts[0][0].after, one.first)
    )


def _behind_a_break(text: Text, at: int) -> int:
    """Where the words begin that tell who starts there: behind an "and" or a comma."""
    while at > 0 and text.norm(at - 1) and text.norm(at - 1) not in _WORDS.breaks:
        at -= 1
    return at


def _behind_them(text: Text, first: int) -> int:
    """The index after "my parents", "two of the girls", "the others"; 0 if they do not stand there."""
    if relative := relative_at(text, first):
        return relative[1]
    count = whole_number(text, first)
    some = count[1] if count else text.skip(_PEOPLE_WORDS.some, first, 1)
    at = text.skip(_PEOPLE_WORDS.of, some)
    is_led = some > first or text.norm(first) in ("the", "our", "my")
    if is_led and text.norm(at) in _PEOPLE_WORDS.group:
        return at + 1
    return at if text.norm(first) in ("some", "others") else 0
