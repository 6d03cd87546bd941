"""Who joins those who travel, and who stays behind: "my mum's coming too", "one of the girls dropped out"."""

from typing import Literal

from ...places.gazetteer import load_gazetteer
from ..dates.points import ALL_WEEKDAYS, MONTHS
from ..language.numbers import whole_number
from ..language.tables import phrases_of, words_of
from ..language.text import ShiftMention, Text
from .airlines import NAMES as AIRLINES
from .people import relative_at

_HOTELS_SAID = phrases_of("hotels")
_PEOPLE_WORDS = words_of("people")
_SAID = phrases_of("joining")
_WORDS = words_of("joining")

_BY_AGE: dict[str, Literal["", "oldest", "youngest", "middle"]] = {
    "oldest": "oldest", "eldest": "oldest", "elder": "oldest", "older": "oldest", "youngest": "youngest",
    "younger": "youngest", "middle": "middle",
}  # fmt: skip
_LOOK_BACK = 5
_AT_MOST = 60

CUES_OF_STAYING_BEHIND = frozenset(
    _WORDS.less
    | _SAID.stays_behind.keys()
    | _SAID.stay_home.keys()
    | _WORDS.cancelled
    | _SAID.out.keys()
    | _BY_AGE.keys()
)


def joining(text: Text, index: int) -> ShiftMention | None:
    """ "add my mum", "my two sons are coming too", "my mother she come too", "grandma is joining"."""
    is_brought = text.norm(index) in _WORDS.brings and text.norm(index - 1) in _WORDS.who_bring
    first = index + (text.norm(index) in _WORDS.adds or is_brought)
    read = _relative(text, first)
    if read is None or text.norm(index - 1) in _WORDS.if_word:
        return _joins_by_name(text, index) if first == index else None
    count, after = read
    if is_brought:
        beside = text.match(_SAID.beside_joining, after)
        is_all = beside > 0 or not text[after].is_word
        return ShiftMention(first=index, after=after + beside, what="people", count=count) if is_all else None
    if first > index:
        return ShiftMention(first=index, after=after, what="people", count=count)
    while text.norm(after) == "and" and (other := _relative(text, after + 1)):
        count, after = count + other[0], other[1]
    is_in_short = text.norm(after) in _WORDS.in_short and text.norm(after - 1).endswith("s")
    if not (is_in_short or text.norm(after) in _WORDS.says_of_somebody):
        return None
    span = range(after, after + _LOOK_BACK)
    at = next((at for at in span if text.norm(at) in _WORDS.joins), -1)
    if at < 0 or any(text.norm(each) in _WORDS.denies for each in range(after, at)):
        return None
    end = at + 1 + text.match(_SAID.beside_joining, at + 1)
    return ShiftMention(first=index, after=end, what="people", count=count)


def staying_behind(text: Text, index: int) -> ShiftMention | None:
    """ "one person fewer", "one of us can't come", "we are two less", "my sister can't make it"."""
    named = _stays_at_home(text, index)
    if named is not None:
        return named
    is_somebody = text.norm(index) in _WORDS.somebody
    is_one = text.norm(index) in ("a", "another") and text.norm(index + 1) in _WORDS.members
    read = (1, index + 1) if is_somebody or is_one else whole_number(text, index)
    if read is None or not 0 < read[0] <= _AT_MOST:
        return None
    count, after = read
    at = _behind_a_member(text, after, is_somebody=is_somebody)
    is_less = text.norm(at) in _WORDS.less and not (is_somebody or is_one)
    if is_less and (at > after or text.norm(index - 1) in _WORDS.we_are or _is_all(text, index, at + 1)):
        return ShiftMention(first=index, after=at + 1, what="people", count=-count)
    length = text.match(_SAID.stays_behind, at)
    length = length or (
        text.norm(at) in _WORDS.cancelled and text.norm(at + 1) in ("", ".", ",", "so", "now")
    )
    is_counted = at > after or is_somebody or (length and text.norm(at) in ("dropped", "cancelled", "bailed"))
    if not (length and is_counted) or text.norm(index - 1) in _WORDS.if_word:
        return None
    return ShiftMention(first=index, after=at + length, what="people", count=-count)


def _behind_a_member(text: Text, at: int, *, is_somebody: bool) -> int:
    """The index after who is meant: "of us", "of the girls", "of my friends", "person", "friend of mine"."""
    if text.norm(at) in _WORDS.members and not is_somebody:
        is_of_mine = text.norm(at + 1) == "of" and text.norm(at + 2) in ("mine", "ours")
        return at + 1 + 2 * is_of_mine
    if text.norm(at) != "of" and not is_somebody:
        return at
    at += text.norm(at) == "of"
    if text.norm(at) in ("us", "them"):
        return at + 1
    is_told = text.norm(at) in _PEOPLE_WORDS.owners
    return at + 2 if is_told and text.norm(at + 1) in _WORDS.members else at - (text.norm(at - 1) == "of")


def _is_all(text: Text, first: int, after: int) -> bool:
    """Whether nothing else is said: "1 less now"."""
    return first <= 1 and all(
        text.norm(at) in ("now", "please", ".", "then") for at in range(after, text.length)
    )


def _stays_at_home(text: Text, index: int) -> ShiftMention | None:
    """ "she isn't coming", "my friend can't make it", "the kids stay home"."""
    is_of_children = text.norm(index) in _WORDS.children and text.norm(index - 1) in _PEOPLE_WORDS.owners
    if is_of_children:
        length = text.match(_SAID.stay_home, index + 1) or text.match(_SAID.stays_behind, index + 1)
        first, after = index - 1, index + 1 + length
        found = ShiftMention(first=first, after=after, what="people", count=0, is_of_children=True)
        return found if length else None
    if text.norm(index) in _WORDS.pronouns_with_a_verb:
        length = text.match(_SAID.out, index + 1)
        is_over = not text[index + 1 + length].is_word
        is_told = length > 0 and is_over and text.norm(index - 1) not in _WORDS.if_word
        return (
            ShiftMention(first=index, after=index + 1 + length, what="people", count=-1) if is_told else None
        )
    read = (1, index + 1) if text.norm(index) in _WORDS.pronouns else _relative(text, index)
    read = read or _one_by_name(text, index)
    if read is None:
        length = _is_out(text, index) or _stays_in_small_letters(text, index)
        return ShiftMention(first=index, after=index + length, what="people", count=-1) if length else None
    count, at = read
    at += text.norm(at) in _WORDS.pronouns
    length = text.match(_SAID.stays_behind, at) or text.match(_SAID.stay_home, at)
    if not length or (text.norm(at + length - 1) == "with" and text.norm(at + length) in _WORDS.us):
        return None
    child = _BY_AGE.get(text.norm(index + 1), "")
    return ShiftMention(first=index, after=at + length, what="people", count=-count, child=child)


def _one_by_name(text: Text, index: int) -> tuple[int, int] | None:
    """Somebody called by a name alone, or by age: "Anna can't make it", "the oldest stays with his dad".

    Only at the beginning of what is said: "the hotel in Anna is out" names a place.
    """
    is_begun = index == 0 or text.norm(index - 1) in _WORDS.before_a_name
    if text.norm(index) in _PEOPLE_WORDS.owners and text.norm(index + 1) in _BY_AGE and index < _LOOK_BACK:
        at = index + 2
        return 1, at + (text.norm(at) in _WORDS.one_by_age)
    token = text[index]
    is_name = (
        token.is_word
        and token.is_capitalised
        and token.norm not in _PEOPLE_WORDS.people | _PEOPLE_WORDS.friends | _WORDS.no_names
    )
    says = text.norm(index + 1) in _WORDS.says_of_a_name or (
        text.norm(index + 1) == "is" and text.norm(index + 2) not in ("out", "no")
    )
    return (1, index + 1) if is_begun and is_name and says and not text.has(_SAID.of_offers) else None


def _is_out(text: Text, index: int) -> int:
    """How many tokens tell that somebody is out: "Declan's out", "Sean is out"; 0 for a city."""
    word = text.norm(index)
    is_begun = index == 0 or text.norm(index - 1) in _WORDS.before_a_name
    if (
        not is_begun
        or not text[index].is_word
        or word in _WORDS.no_names | _PEOPLE_WORDS.people | _PEOPLE_WORDS.friends
    ):
        return 0
    is_in_short = _is_in_short(text, index)
    start = index + 1 if is_in_short else index + 2 if text.norm(index + 1) in ("is", "s") else 0
    length = text.match(_SAID.out, start) if start else 0
    follower = text.norm(start + length)
    if not length or (text[start + length].is_word and follower not in _WORDS.goes_on):
        return 0
    name = word[:-1] if is_in_short else word
    is_clear = text.norm(start) != "out"
    return start + length - index if is_clear or _is_of_a_person(text, index, name) else 0


def _is_in_short(text: Text, index: int) -> bool:
    """Whether a name holds its verb: "Declan's"."""
    return text[index].raw[-2:].lower() in ("'s", "\u2019s")


def _is_of_a_person(text: Text, index: int, name: str) -> bool:
    """Whether a capitalised name is that of no city, day, airline or hotel: those are out as well."""
    if not text[index].is_capitalised or name in ALL_WEEKDAYS or name in MONTHS:
        return False
    known = load_gazetteer()
    is_place = name in known.known or name in known.regions
    return not (is_place or (name,) in AIRLINES.get(name, ()) or (name,) in _HOTELS_SAID.chains.get(name, ()))


def _stays_in_small_letters(text: Text, index: int) -> int:
    """How many tokens tell it of a name that is typed small: "sean can't make it"."""
    is_begun = index == 0 or text.norm(index - 1) in _WORDS.before_a_name
    says = text.norm(index + 1) in _WORDS.says_of_a_name or text.norm(index + 1) in ("is", "has")
    if not (is_begun and says and text[index].is_word) or text[index].is_capitalised:
        return 0
    length = text.match(_SAID.stays_behind, index + 1)
    is_of_people = not {"come", "coming", "make", "join", "joining"}.isdisjoint(
        text.norm(at) for at in range(index + 1, index + 1 + length)
    )
    end = index + 1 + length
    is_over = not text[end].is_word or text.norm(end) in _WORDS.goes_on
    is_thing = (
        text.norm(index) in _WORDS.no_names | _PEOPLE_WORDS.people | _PEOPLE_WORDS.friends
        or text.match(_SAID.of_offers, index) > 0
    )
    return 1 + length if is_of_people and is_over and not is_thing else 0


def _joins_by_name(text: Text, index: int) -> ShiftMention | None:
    """ "jake is coming too", "Priya and Sam will join us", "a friend is coming with us"."""
    if index and text.norm(index - 1) not in _WORDS.before_a_name:
        return None
    count, at = _names_side_by_side(text, index)
    at += bool(count) and text.norm(at) in ("also", "now")
    says = (
        _is_in_short(text, at - 1)
        or text.norm(at) in _WORDS.will
        or text.norm(at) in ("joins", "comes", "join")
    )
    at += text.norm(at) in _WORDS.will
    while text.norm(at) in _WORDS.beside_a_verb:
        at += 1
    if not (count and says) or text.norm(at) not in _WORDS.joins:
        return None
    beside = text.match(_SAID.beside_joining, at + 1)
    end = at + 1 + beside
    is_over = not text[end].is_word or text.norm(end) in _WORDS.goes_on | {"now", "please", "after", "for"}
    return ShiftMention(first=index, after=end, what="people", count=count) if beside and is_over else None


def _names_side_by_side(text: Text, at: int) -> tuple[int, int]:
    """How many are called by name there, and the index after: "Priya and Sam", "a friend"; 0 for others."""
    count = 0
    while True:
        is_friend = (
            text.norm(at) in ("a", "another")
            and text.norm(at + 1) in _PEOPLE_WORDS.friends | _PEOPLE_WORDS.relatives
        )
        at += is_friend
        is_other = (
            not is_friend
            and text.norm(at)
            in _WORDS.no_names | _PEOPLE_WORDS.people | _PEOPLE_WORDS.relatives | _PEOPLE_WORDS.owners
        )
        if is_other or not text[at].is_word:
            return 0, at
        count, at = count + 1, at + 1
        if text.norm(at) not in ("and", "&", ","):
            return count, at
        at += 1


def _relative(text: Text, at: int) -> tuple[int, int] | None:
    """How many relatives are named there, and the index after.

    Some are called so, "grandma", and some hold their verb, "my mum's coming".
    """
    word = text.norm(at)
    is_owned = word in _PEOPLE_WORDS.owners
    name = text.norm(at + is_owned)
    if name.endswith("s") and text.norm(at + is_owned + 1) in _WORDS.in_short:
        known = _PEOPLE_WORDS.relatives if is_owned else _WORDS.names_of_relatives
        if name[:-1] in known and not (is_owned and name in _PEOPLE_WORDS.children):
            return 1, at + is_owned + 1
    is_called = word in _WORDS.names_of_relatives and text.norm(at - 1) not in _PEOPLE_WORDS.owners
    return (1, at + 1) if is_called else relative_at(text, at)
