"""Who joins those who travel, and who stays behind: "my mum's coming too", "one of the girls dropped out"."""

from typing import Literal

from ...places.gazetteer import load_gazetteer
from ..dates.words import ALL_WEEKDAYS, MONTHS
from ..language.numbers import whole_number
from ..language.text import Text, phrases, word_set
from .airline_names import PHRASES as AIRLINES
from .hotel_words import CHAINS
from .people import relative_at
from .people_words import CHILDREN, FRIENDS, OWNERS, PEOPLE, RELATIVES
from .shift_mentions import ShiftMention

_ADDS = word_set("add include")
_LESS = word_set("less fewer")
_WE_ARE = word_set("were are")
_DENIES = word_set("not never dont isnt wont cant cannot doesnt arent")
_MEMBERS = PEOPLE | FRIENDS | word_set("guy friend mate lad colleague")
_SOMEBODY = word_set("someone somebody")
_STAYS_BEHIND = phrases(
    "can't come", "cannot come", "can not come", "can't make it", "cannot make it", "isn't coming",
    "is not coming", "won't come", "will not come", "isn't joining", "can't join", "dropped out",
    "drops out", "has dropped out", "is staying home", "aren't coming", "are not coming", "is out",
    "had to cancel", "has to cancel", "won't be coming", "won't make it", "doesn't come", "does not come",
    "not coming", "isn't coming along", "is not joining", "won't join", "can not join", "cannot join",
    "stays home", "stays at home", "is staying at home", "stay home", "has cancelled", "has canceled",
    "cancelled on us", "is not coming along", "can't join us", "isn't joining us", "doesn't join",
    "have dropped out", "are dropping out", "is dropping out", "drop out", "just dropped out",
    "has just dropped out", "pulled out", "has pulled out", "have pulled out", "pulls out", "backed out",
    "has backed out", "have backed out", "bailed", "has bailed", "have bailed", "bailed out", "bailed on us",
    "can no longer come", "can no longer make it", "couldn't make it", "have to cancel", "has had to cancel",
    "have had to cancel", "have cancelled", "have canceled", "are out", "aren't joining", "don't come",
    "is no longer coming", "are no longer coming", "isn't coming anymore", "aren't coming anymore",
    "is not coming anymore", "are not coming anymore", "isn't coming any more", "has fallen out",
    "can't travel", "can't fly",
)  # fmt: skip
_STAY_HOME = phrases(
    "stay home", "stay at home", "stays home", "stays at home", "are staying home", "are staying at home",
    "stay with", "are staying with", "stays with", "is staying with", "stays behind", "stay behind",
    "is staying behind", "will stay home", "don't come", "dont come", "do not come",
)  # fmt: skip
_CANCELLED = word_set("cancelled canceled cancels")
_SAYS_OF_SOMEBODY = word_set(
    """
    is are will wants want would might also now joins comes she he they has have can come coming join
    joining decided
    """
)
_JOINS = word_set("join joins joining coming comes come along")
_BESIDE_JOINING = phrases(
    "along", "too", "also", "as well", "with us", "with me", "along too", "along with us", "along with me",
    "us", "me", "with us too", "us too", "in", "along as well",
)  # fmt: skip
_IN_SHORT = word_set("coming joining also now decided just gonna going definitely actually")
"""After one of these words "mum's" is short for "mum is"."""
_BRINGS = word_set("bringing bring")
_WHO_BRING = word_set("im i were we ill well be am are")
_WILL = word_set("is are will wants would might has decided")
_BESIDE_A_VERB = word_set("also now be to like want wants just")
_IF = word_set("if unless whether case once")
_PRONOUNS = word_set("she he")
_NAMES_OF_RELATIVES = word_set("grandma grandpa grandmother grandfather granny mum mom dad mother father")
_PRONOUNS_WITH_A_VERB = word_set("shes hes")
_OUT = phrases("out", "not coming", "not joining", "staying home", "staying at home", "no longer coming")
"""Behind "she's" and "he's" these say that somebody stays behind."""
_BY_AGE: dict[str, Literal["", "oldest", "youngest", "middle"]] = {
    "oldest": "oldest", "eldest": "oldest", "elder": "oldest", "older": "oldest", "youngest": "youngest",
    "younger": "youngest", "middle": "middle",
}  # fmt: skip
_US = word_set("us me you")
_ONE_BY_AGE = word_set("one kid child boy girl son daughter")
_BEFORE_A_NAME = word_set(". , ; ! - : so ok oh sorry and but update actually unfortunately")
_NO_NAMES = word_set(
    """
    it its that thats this which what whats there theres everything nothing all none rain breakfast dinner
    i we you they one ones who whos everyone everybody someone somebody anyone anybody nobody people he hes
    she shes lets weather not why how when where if the my our a an is are will more another other others
    """
)
_GOES_ON = word_set(
    ". , ; ! ? ) after anymore any because so but and now sorry either unfortunately sadly then since as"
)
"""What may follow the words that somebody does not come: "the price isn't coming down" tells of nobody."""
_SAYS_OF_A_NAME = word_set(
    "isnt can cant cannot wont will dropped drops has just pulled backed bailed stays doesnt had couldnt not"
)
_OF_OFFERS = phrases("flight", "flights", "hotel", "hotels", "airline", "car")
_CHILDREN = word_set("kids children")
_LOOK_BACK = 5
_AT_MOST = 60

CUES_OF_JOINING = _ADDS | _JOINS | _BRINGS
CUES_OF_STAYING_BEHIND = frozenset(
    _LESS | _STAYS_BEHIND.keys() | _STAY_HOME.keys() | _CANCELLED | _OUT.keys() | _BY_AGE.keys()
)


def joining(text: Text, index: int) -> ShiftMention | None:
    """ "add my mum", "my two sons are coming too", "my mother she come too", "grandma is joining"."""
    is_brought = text.norm(index) in _BRINGS and text.norm(index - 1) in _WHO_BRING
    first = index + (text.norm(index) in _ADDS or is_brought)
    read = _relative(text, first)
    if read is None or text.norm(index - 1) in _IF:
        return _joins_by_name(text, index) if first == index else None
    count, after = read
    if is_brought:
        beside = text.match(_BESIDE_JOINING, after)
        is_all = beside > 0 or not text[after].is_word
        return ShiftMention(first=index, after=after + beside, what="people", count=count) if is_all else None
    if first > index:
        return ShiftMention(first=index, after=after, what="people", count=count)
    while text.norm(after) == "and" and (other := _relative(text, after + 1)):
        count, after = count + other[0], other[1]
    is_in_short = text.norm(after) in _IN_SHORT and text.norm(after - 1).endswith("s")
    if not (is_in_short or text.norm(after) in _SAYS_OF_SOMEBODY):
        return None
    span = range(after, after + _LOOK_BACK)
    at = next((at for at in span if text.norm(at) in _JOINS), -1)
    if at < 0 or any(text.norm(each) in _DENIES for each in range(after, at)):
        return None
    end = at + 1 + text.match(_BESIDE_JOINING, at + 1)
    return ShiftMention(first=index, after=end, what="people", count=count)


def staying_behind(text: Text, index: int) -> ShiftMention | None:
    """ "one person fewer", "one of us can't come", "we are two less", "my sister can't make it"."""
    named = _stays_at_home(text, index)
    if named is not None:
        return named
    is_somebody = text.norm(index) in _SOMEBODY
    is_one = text.norm(index) in ("a", "another") and text.norm(index + 1) in _MEMBERS
    read = (1, index + 1) if is_somebody or is_one else whole_number(text, index)
    if read is None or not 0 < read[0] <= _AT_MOST:
        return None
    count, after = read
    at = _behind_a_member(text, after, is_somebody=is_somebody)
    is_less = text.norm(at) in _LESS and not (is_somebody or is_one)
    if is_less and (at > after or text.norm(index - 1) in _WE_ARE or _is_all(text, index, at + 1)):
        return ShiftMention(first=index, after=at + 1, what="people", count=-count)
    length = text.match(_STAYS_BEHIND, at)
    length = length or (text.norm(at) in _CANCELLED and text.norm(at + 1) in ("", ".", ",", "so", "now"))
    is_counted = at > after or is_somebody or (length and text.norm(at) in ("dropped", "cancelled", "bailed"))
    if not (length and is_counted) or text.norm(index - 1) in _IF:
        return None
    return ShiftMention(first=index, after=at + length, what="people", count=-count)


def _behind_a_member(text: Text, at: int, *, is_somebody: bool) -> int:
    """The index after who is meant: "of us", "of the girls", "of my friends", "person", "friend of mine"."""
    if text.norm(at) in _MEMBERS and not is_somebody:
        is_of_mine = text.norm(at + 1) == "of" and text.norm(at + 2) in ("mine", "ours")
        return at + 1 + 2 * is_of_mine
    if text.norm(at) != "of" and not is_somebody:
        return at
    at += text.norm(at) == "of"
    if text.norm(at) in ("us", "them"):
        return at + 1
    is_told = text.norm(at) in OWNERS
    return at + 2 if is_told and text.norm(at + 1) in _MEMBERS else at - (text.norm(at - 1) == "of")


def _is_all(text: Text, first: int, after: int) -> bool:
    """Whether nothing else is said: "1 less now"."""
    return first <= 1 and all(
        text.norm(at) in ("now", "please", ".", "then") for at in range(after, text.length)
    )


def _stays_at_home(text: Text, index: int) -> ShiftMention | None:
    """ "she isn't coming", "my friend can't make it", "the kids stay home"."""
    is_of_children = text.norm(index) in _CHILDREN and text.norm(index - 1) in OWNERS
    if is_of_children:
        length = text.match(_STAY_HOME, index + 1) or text.match(_STAYS_BEHIND, index + 1)
        first, after = index - 1, index + 1 + length
        found = ShiftMention(first=first, after=after, what="people", count=0, is_of_children=True)
        return found if length else None
    if text.norm(index) in _PRONOUNS_WITH_A_VERB:
        length = text.match(_OUT, index + 1)
        is_over = not text[index + 1 + length].is_word
        is_told = length > 0 and is_over and text.norm(index - 1) not in _IF
        return (
            ShiftMention(first=index, after=index + 1 + length, what="people", count=-1) if is_told else None
        )
    read = (1, index + 1) if text.norm(index) in _PRONOUNS else _relative(text, index)
    read = read or _one_by_name(text, index)
    if read is None:
        length = _is_out(text, index) or _stays_in_small_letters(text, index)
        return ShiftMention(first=index, after=index + length, what="people", count=-1) if length else None
    count, at = read
    at += text.norm(at) in _PRONOUNS
    length = text.match(_STAYS_BEHIND, at) or text.match(_STAY_HOME, at)
    if not length or (text.norm(at + length - 1) == "with" and text.norm(at + length) in _US):
        return None
    child = _BY_AGE.get(text.norm(index + 1), "")
    return ShiftMention(first=index, after=at + length, what="people", count=-count, child=child)


def _one_by_name(text: Text, index: int) -> tuple[int, int] | None:
    """Somebody called by a name alone, or by age: "Anna can't make it", "the oldest stays with his dad".

    Only at the beginning of what is said: "the hotel in Anna is out" names a place.
    """
    is_begun = index == 0 or text.norm(index - 1) in _BEFORE_A_NAME
    if text.norm(index) in OWNERS and text.norm(index + 1) in _BY_AGE and index < _LOOK_BACK:
        at = index + 2
        return 1, at + (text.norm(at) in _ONE_BY_AGE)
    token = text[index]
    is_name = token.is_word and token.is_capitalised and token.norm not in PEOPLE | FRIENDS | _NO_NAMES
    says = text.norm(index + 1) in _SAYS_OF_A_NAME or (
        text.norm(index + 1) == "is" and text.norm(index + 2) not in ("out", "no")
    )
    return (1, index + 1) if is_begun and is_name and says and not text.has(_OF_OFFERS) else None


def _is_out(text: Text, index: int) -> int:
    """How many tokens tell that somebody is out: "Declan's out", "Sean is out"; 0 for a city."""
    word = text.norm(index)
    is_begun = index == 0 or text.norm(index - 1) in _BEFORE_A_NAME
    if not is_begun or not text[index].is_word or word in _NO_NAMES | PEOPLE | FRIENDS:
        return 0
    is_in_short = _is_in_short(text, index)
    start = index + 1 if is_in_short else index + 2 if text.norm(index + 1) in ("is", "s") else 0
    length = text.match(_OUT, start) if start else 0
    follower = text.norm(start + length)
    if not length or (text[start + length].is_word and follower not in _GOES_ON):
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
    return not (is_place or (name,) in AIRLINES.get(name, ()) or (name,) in CHAINS.get(name, ()))


def _stays_in_small_letters(text: Text, index: int) -> int:
    """How many tokens tell it of a name that is typed small: "sean can't make it"."""
    is_begun = index == 0 or text.norm(index - 1) in _BEFORE_A_NAME
    says = text.norm(index + 1) in _SAYS_OF_A_NAME or text.norm(index + 1) in ("is", "has")
    if not (is_begun and says and text[index].is_word) or text[index].is_capitalised:
        return 0
    length = text.match(_STAYS_BEHIND, index + 1)
    is_of_people = not {"come", "coming", "make", "join", "joining"}.isdisjoint(
        text.norm(at) for at in range(index + 1, index + 1 + length)
    )
    end = index + 1 + length
    is_over = not text[end].is_word or text.norm(end) in _GOES_ON
    is_thing = text.norm(index) in _NO_NAMES | PEOPLE | FRIENDS or text.match(_OF_OFFERS, index) > 0
    return 1 + length if is_of_people and is_over and not is_thing else 0


def _joins_by_name(text: Text, index: int) -> ShiftMention | None:
    """ "jake is coming too", "Priya and Sam will join us", "a friend is coming with us"."""
    if index and text.norm(index - 1) not in _BEFORE_A_NAME:
        return None
    count, at = _names_side_by_side(text, index)
    at += bool(count) and text.norm(at) in ("also", "now")
    says = _is_in_short(text, at - 1) or text.norm(at) in _WILL or text.norm(at) in ("joins", "comes", "join")
    at += text.norm(at) in _WILL
    while text.norm(at) in _BESIDE_A_VERB:
        at += 1
    if not (count and says) or text.norm(at) not in _JOINS:
        return None
    beside = text.match(_BESIDE_JOINING, at + 1)
    end = at + 1 + beside
    is_over = not text[end].is_word or text.norm(end) in _GOES_ON | {"now", "please", "after", "for"}
    return ShiftMention(first=index, after=end, what="people", count=count) if beside and is_over else None


def _names_side_by_side(text: Text, at: int) -> tuple[int, int]:
    """How many are called by name there, and the index after: "Priya and Sam", "a friend"; 0 for others."""
    count = 0
    while True:
        is_friend = text.norm(at) in ("a", "another") and text.norm(at + 1) in FRIENDS | RELATIVES
        at += is_friend
        is_other = not is_friend and text.norm(at) in _NO_NAMES | PEOPLE | RELATIVES | OWNERS
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
    is_owned = word in OWNERS
    name = text.norm(at + is_owned)
    if name.endswith("s") and text.norm(at + is_owned + 1) in _IN_SHORT:
        known = RELATIVES if is_owned else _NAMES_OF_RELATIVES
        if name[:-1] in known and not (is_owned and name in CHILDREN):
            return 1, at + is_owned + 1
    is_called = word in _NAMES_OF_RELATIVES and text.norm(at - 1) not in OWNERS
    return (1, at + 1) if is_called else relative_at(text, at)
