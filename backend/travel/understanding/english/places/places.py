"""The places a message names, and what each is to the journey: where from, where to, where to stay.

What one place is depends on the words before it and on the places beside it: "Berlin to Tokyo" is a route,
"Paris or Rome" leaves a choice, "Rome, no, Milan" takes one back, and "not Paris" wants none of it.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

from ....values.travel import City
from ...places.gazetteer import Gazetteer, in_full, name_key
from ...result import Place
from ..language.numbers import NUMBER_WORDS
from ..language.sentences import takes_back
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from .finder import INTRODUCTIONS, Finder, PlaceMention, PlaceRole, codes_in_small_letters

_SAID = phrases_of("places")
_WORDS = words_of("places")
_LANGUAGE_WORDS = words_of("language")

_PLACE_SLOTS = frozenset({"flight.origin", "flight.destination", "hotel.city"})
_SPELLING_ATTEMPTS = 8
_WORDS_BEFORE_A_PLACE = 6
_WORDS_OF_SAME_BUT = 4
_LONGEST_WISH = 3
_CHOOSES = _WORDS.is_word | _SAID.opposes.begin | _SAID.decides.begin
_BETWEEN_CHOICES = (
    _LANGUAGE_WORDS.takes_back
    | _LANGUAGE_WORDS.corrections_beside
    | _WORDS.puts_instead
    | _WORDS.into
    | {"or"}
)
_BEGIN_ROLES = frozenset({*_SAID.back, *_SAID.from_word, *_SAID.to, *_SAID.in_word, *_SAID.turns_to})
_BEFORE_A_PLACE = INTRODUCTIONS | _WORDS.between_preposition_and_place


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPlaces:
    """The places in a message, in its order, those that nobody knows, and those that are not wanted."""

    mentions: tuple[PlaceMention, ...]
    unknown: tuple[PlaceMention, ...]
    not_wanted: tuple[PlaceMention, ...]


_NOWHERE = FoundPlaces(mentions=(), unknown=(), not_wanted=())


def names_no_place(
    text: Text, gazetteer: Gazetteer, weekdays: Collection[str], stay: City | None, taken: Collection[int]
) -> bool:
    """Return whether a message with a weekday names no place, or none but that of the `stay`.

    "Friday to Rome" may be another journey.
    """
    if text.vocabulary.isdisjoint(weekdays) or text.has(_SAID.keeps_a_day):
        return False
    days = {at for at in range(text.length) if text.norm(at) in weekdays}
    found = find_places(text, gazetteer, taken={*taken, *days})
    named = without_namesake(text, found.mentions, stay)
    is_elsewhere = any(one.place is None or one.place.city != stay for one in named)
    return not (is_elsewhere or found.unknown)


def without_namesake(
    text: Text, places: tuple[PlaceMention, ...], known: City | None
) -> tuple[PlaceMention, ...]:
    """Leave out Anaheim where "Disneyland" is said of a city that has one as well: "Disneyland Paris"."""
    parks = [one for one in places if text.norm(one.first) == "disneyland"]
    cities = [known, *(one.place.city for one in places if one.place and one not in parks)]
    has_its_own = any(city and city.name.lower() in _WORDS.with_disneyland for city in cities)
    return tuple(one for one in places if one not in parks) if parks and has_its_own else places


def find_places(text: Text, gazetteer: Gazetteer, *, taken: Collection[int] = ()) -> FoundPlaces:
    """Return the places in the message, none of them in the tokens already `taken`."""
    found = _mentions(text, gazetteer, taken)
    if not found:  # as mostly
        return _NOWHERE
    known = [mention for mention in found if not mention.is_unknown]
    not_wanted = unwanted_of(text, known)
    wanted = _corrected(text.without(taken), _without_denied(known, not_wanted))
    if not_wanted:
        wanted = [replace(mention, is_placed=True) for mention in wanted]
        changed = {mention.after + 1 for mention in not_wanted if is_changed(text, mention)}
        # What stands for the start is the start: that is for the request before to tell.
        wanted = [replace(one, role="") if one.first in changed else one for one in wanted]
    return FoundPlaces(
        mentions=with_ways_back(
            text, _paired(text, _chosen(text, _without_their_region(text, wanted, gazetteer), taken), taken)
        ),
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
    terse = codes_in_small_letters(text, gazetteer)
    is_same_but = text.has(_SAID.same_but)
    put_forward = _put_forward(text)
    has_airports = not text.vocabulary.isdisjoint(_WORDS.airports)
    finder = Finder(text, gazetteer, taken, _is_shouted(text))
    index = 0
    while index < text.length:
        mention = None
        word = text.tokens[index]
        if index not in taken and (word.is_word or word.is_number):
            is_any = has_airports and _is_any_airport(text, index)
            is_led = text.norm(index - 1) in _BEFORE_A_PLACE
            role = _role(text, index) if is_led and not (is_any and text.norm(index - 1) == "in") else None
            before = mentions[-1] if mentions else None
            finder.index = index
            finder.is_placed = (
                role is not None
                or is_any
                or (before is not None and _follows(text, before, index))
                or (is_same_but and text.match_before(_SAID.same_but, index, within=_WORDS_OF_SAME_BUT))
                or index in put_forward
                or (word.is_capitalised and not finder.is_shouted and _is_wished(text, index, index + 1))
            )
            if word.norm in gazetteer.longest or len(word.raw) == 3 or not word.raw.isalpha():
                mention = finder.exact()
            if mention is None and index in terse:
                mention = PlaceMention(first=index, after=index + 1, place=terse[index], is_placed=True)
            if mention is None and attempts and len(word.norm) > 2 and finder.may_be_misspelt():
                attempts -= 1
                mention = finder.misspelt()
            if mention is None and role is not None:
                mention = finder.unknown()
            if mention and any(token in taken for token in range(mention.first, mention.after)):
                mention = None
            if mention:
                is_placed = finder.is_placed or finder.is_alone(mention.after) or finder.is_sentence(mention)
                is_placed = is_placed or _is_wished(text, mention.first, mention.after)
                mention = replace(mention, role=role or "", is_placed=is_placed)
                if before and (whole := _with_its_airport(text, before, mention)):
                    mention = mentions[-1] = whole
                else:
                    mentions.append(mention)
        index = mention.after if mention else index + 1
    return mentions


def _with_its_airport(text: Text, before: PlaceMention, mention: PlaceMention) -> PlaceMention | None:
    """Both as one where an airport stands beside its city: "London Heathrow", "Narita, Tokyo"; None else."""
    gap = mention.first - before.after
    if mention.role or gap > 1 or (gap and text.norm(before.after) not in ("(", ",", "'")):
        return None
    both = [one for one in (before.place, mention.place) if one]
    airports = [one for one in both if one.airport]
    is_one = len(both) == 2 and both[0].city == both[1].city and len(airports) == 1
    return replace(before, after=mention.after, place=airports[0]) if is_one else None


def _is_shouted(text: Text) -> bool:
    """Whether capitals say nothing: the user types everything in them."""
    words = (token.raw for token in text.tokens[:60] if len(token.raw) > 3 and token.is_word)
    return next(words, "").isupper() and next(words, "").isupper() and all(map(str.isupper, words))


def _role(text: Text, index: int) -> PlaceRole | None:
    """What the words before an index make of a place there; None if they do not ask for a place."""
    for before in range(index - 1, index - 1 - _WORDS_BEFORE_A_PLACE, -1):
        word = text.norm(before)
        if word in INTRODUCTIONS:
            for start in (before - 2, before - 1, before):
                is_begun = text.norm(start) in _BEGIN_ROLES
                role = _role_after(text, start, before - start + 1) if is_begun else None
                if role is not None:
                    return role
        if word not in _WORDS.between_preposition_and_place:
            return None
    return None


def _role_after(text: Text, start: int, length: int) -> PlaceRole | None:
    """What the preposition of that length makes of a place after it."""
    if text.match(_SAID.back, start) == length:
        return "back"
    if text.match(_SAID.from_word, start) == length:
        is_of_others = text.norm(start) in _WORDS.lives and text.norm(start - 1) in _WORDS.others
        return "stay" if is_of_others else None if _gives_a_reason(text, start) else "origin"
    if text.match(_SAID.to, start) == length:
        is_for_a_stay = text.norm(start) == "for" and text.norm(start - 1) in _WORDS.stays
        return "stay" if is_for_a_stay else "destination"
    if text.match(_SAID.in_word, start) == length:
        return "stay"
    return "" if text.match(_SAID.turns_to, start) == length else None


def _follows(text: Text, before: PlaceMention, index: int) -> bool:
    """Whether what stands there takes the place of the one before, or is another choice.

    "Rome, no, Milan", "not Lisbon, Cascais", "Zanzibar or mauritius"; unlike "Rome or nice hotels".
    """
    if text.norm(before.after) not in _BETWEEN_CHOICES:  # as nearly always
        return False
    between = [text.norm(at) for at in range(before.after, min(index, before.after + 3))]  # no more counts
    is_word = text.norm(index) in _WORDS.false_friends and not text[index].is_capitalised
    is_instead = 0 < len(between) <= 2 and _WORDS.puts_instead.issuperset(between)
    return (
        takes_back(text, before.after, index)
        or (is_instead and is_not_wanted(text, before))
        or (len(between) == 1 and is_changed(text, before))  # "replace Pisa with Nice"
        or (between == ["or"] and not is_word)
    )


def _gives_a_reason(text: Text, index: int) -> bool:
    """Whether "since" there tells why, and not from where: "since Berlin is cold", "since Madrid"."""
    is_since = text.norm(index) == "since"
    return is_since and not (text[index + 1].is_capitalised and text.norm(index + 2) not in _WORDS.holds)


def _is_home_of_others(text: Text, mention: PlaceMention) -> bool:
    """Whether somebody else just lives there, whom nobody wants to visit: "she lives in Pittsburgh"."""
    before = mention.first - 2
    lives = text.norm(mention.first - 1) == "in" and text.norm(before) in _WORDS.lives
    is_of_others = text.norm(before) != "live" or text.norm(before - 1) in _WORDS.others
    return lives and is_of_others and text.vocabulary.isdisjoint(_WORDS.visits)


def _put_forward(text: Text) -> set[int]:
    """Where names of a word or two begin that the words behind them choose, or speak for against another.

    "Valencia is nicer", "Lanzarote it is!", "crete not athens".
    """
    ends = [end for end in text.where(_CHOOSES) if _chooses(text, end)]
    return {end - words for end in ends for words in (1, 2)}


def _chooses(text: Text, at: int) -> bool:
    is_nicer = text.norm(at) in _WORDS.is_word and text.has_any(_WORDS.nicer, at + 1, at + 3)
    is_better = text.match(_SAID.opposes, at) > 0 and text[at + 1].is_word
    return is_nicer or is_better or text.match(_SAID.decides, at) > 0


_ENDS_OF_A_WISH = _WORDS.clause_bounds | _WORDS.behind_a_sentence


def _is_wished(text: Text, first: int, after: int) -> bool:
    """Whether a name is asked for alone: "forget it, show me Porto", "Porto instead", "is Porto cheaper?"."""
    is_instead = text.norm(after) == "instead" and text.norm(after + 1) != "of"
    is_end = text.norm(after) in _ENDS_OF_A_WISH
    is_end = is_end or text[after].is_number or (text.norm(after) in NUMBER_WORDS and text.norm(after) != "a")
    begins = range(first - _LONGEST_WISH, first)
    is_compared = text.norm(first - 1) in _WORDS.asks_to_compare and text.match(_SAID.compared, after) > 0
    return (
        is_instead
        or is_compared
        or (is_end and any(at + text.match(_SAID.wishes, at) == first for at in begins))
    )


def _is_any_airport(text: Text, index: int) -> bool:
    """Whether all airports of the city there are told of: "any London airport", "any airport in London"."""
    before, beyond = index - 2, index - 3
    if text.norm(index - 1) == "in":
        return text.norm(before) in _WORDS.airports and text.norm(beyond) in _WORDS.any_airport
    return text.norm(index - 1) in _WORDS.any_airport and text.has_any(_WORDS.airports, index + 1, index + 4)


def _without_their_region(
    text: Text, mentions: list[PlaceMention], gazetteer: Gazetteer
) -> list[PlaceMention]:
    """Leave out regions in which another place of the message lies: "Florence, somewhere in Tuscany".

    A city that nothing else introduces is to the journey what its region was: "in Romania, Bucharest".
    """
    regions = {
        name_key(text.norm(at) for at in range(one.first, one.after) if text[at].is_word): one
        for one in mentions
        if one.place is None
    }
    held = {
        one.first: region
        for one in mentions
        for name, region in regions.items()
        if one.place and gazetteer.lies_in(one.place.city, name)
    }
    return [
        replace(one, role=held[one.first].role, is_placed=True) if one.first in held and not one.role else one
        for one in mentions
        if one not in held.values()
    ]


def _without_denied(known: list[PlaceMention], not_wanted: tuple[PlaceMention, ...]) -> list[PlaceMention]:
    """Leave out what is not wanted, also where it was told before: "to Rome, no, not Rome, Milan"."""
    wanted = [mention for mention in known if mention not in not_wanted]
    for denied in not_wanted:
        told = next((one for one in wanted if one.place == denied.place and one.first < denied.first), None)
        instead = next((one for one in wanted if told and one.first > told.first), None)
        if told and instead and instead.role in ("", told.role):
            wanted[wanted.index(told)] = replace(instead, first=told.first, role=told.role)
            wanted.remove(instead)
    return wanted


def _corrected(text: Text, mentions: list[PlaceMention]) -> list[PlaceMention]:
    """Leave out places that are taken back; what stands for them is to the journey what they were."""
    kept: list[PlaceMention] = []
    for mention in mentions:
        if kept and takes_back(text, kept[-1].after, mention.first):
            same = (one for one in reversed(kept) if mention.role in ("", one.role))
            if taken_back := next(same, None):
                is_next = mention.place is not None and taken_back is kept[-1]
                first = taken_back.first if is_next else mention.first
                mention = replace(mention, first=first, role=taken_back.role, is_placed=True)
                kept.remove(taken_back)
        kept.append(mention)
    return kept


def _chosen(text: Text, mentions: list[PlaceMention], taken: Collection[int]) -> list[PlaceMention]:
    """Make one of places between which the user leaves a choice: the first, with the others beside it."""
    kept: list[PlaceMention] = []
    after = 0
    for at, mention in enumerate(mentions):
        joined = [text.norm(index) for index in range(after, mention.first)] if kept else []
        before = kept[-1] if kept else mention
        is_same = mention.role in ("", before.role) and text.norm(before.first - 1) != "between"
        is_joined = joined[:1] in (["or"], ["and"]) and len(joined) <= 2
        # "From Berlin, Rome or Paris" leaves no choice of where to start.
        is_listed = bool(kept) and before.role != "origin" and goes_on(text, mentions, at)
        if (is_joined or is_listed) and is_same:
            kept[-1] = _with_choice(text, before, mention, taken)
        else:
            kept.append(mention)
        after = mention.after
    return kept


def _with_choice(
    text: Text, first: PlaceMention, other: PlaceMention, taken: Collection[int]
) -> PlaceMention:
    """The first of two places that are left to choose; of airports of one city it is that city.

    A message of nothing else, or of days beside, is about them: "Lisbon or Porto on 5 May please".
    """
    here = {*range(first.first, other.after), *taken}
    beside = (text[at] for at in range(text.length) if at not in here)
    is_all = all(not token.is_word or token.norm in _WORDS.fillers for token in beside)
    first = replace(first, is_placed=first.is_placed or is_all, after=other.after)
    if first.place and other.place and first.place.city == other.place.city:
        return replace(first, place=Place(city=first.place.city))
    offered = (in_full(other.place.city),) if other.place else other.others
    is_choice = first.place is not None and other.place is not None
    return replace(first, others=(*first.others, *offered), is_choice=is_choice)


def _paired(text: Text, mentions: list[PlaceMention], taken: Collection[int]) -> tuple[PlaceMention, ...]:
    """Give "Berlin to Tokyo", "BER-JFK", "Rome 3 May Milan", "Rome from Berlin" and the like their roles."""
    found = list(mentions)
    for at in range(len(found) - 1):
        first, second = found[at], found[at + 1]
        gap = range(first.after, second.first)
        joined = [text.norm(index) for index in gap if index not in taken]
        joined = [word for word in joined if word and word not in _WORDS.of_any_airport]
        is_pair = joined in ([], ["-", ">"]) or (len(joined) == 1 and joined[0] in _WORDS.joins_a_pair)
        is_between = joined == ["and"] and text.norm(first.first - 1) == "between"
        if is_between or (is_pair and first.role == "" and second.role in ("", "destination")):
            found[at] = replace(first, role="origin", is_placed=True)
            found[at + 1] = replace(second, role="destination", is_placed=True)
        elif joined == ["to"] and text.norm(first.first - 1) == "for":
            found[at] = replace(first, role="origin", is_placed=True)
        elif first.role == "" and second.role == "origin" and joined[-1:] == ["from"]:
            if _WORDS.sets_out.issuperset(joined):  # "Rome, leaving from Berlin"
                found[at] = replace(first, role="destination", is_placed=True)
        elif is_pair and joined and first.role == "origin" and second.role == "":
            found[at + 1] = replace(second, role="destination", is_placed=True)
    return tuple(found)


def without_asides(
    text: Text, places: tuple[PlaceMention, ...], asked: tuple[str, ...], *, is_running: bool
) -> tuple[PlaceMention, ...]:
    """Leave out names that praise what is shown ("nice"), and where others live while a request is running.

    Where a place was asked for, all of them are answers.
    """
    if not _PLACE_SLOTS.isdisjoint(asked):
        return places
    praise = {
        one.first
        for one in places
        if text.norm(one.first) in _WORDS.also_praise
        and not (one.role or (one.is_placed and (places[1:] or text.match(_SAID.opposes, one.after))))
    }
    return tuple(
        one
        for one in places
        if (one.first not in praise or text.norm(one.first - 1) in INTRODUCTIONS)
        and not (is_running and _is_home_of_others(text, one))
    )


def _corrects(text: Text, mention: PlaceMention) -> bool:
    """Whether words of correction stand beside a place: "make it Naples", "Naples instead"."""
    before, behind = mention.first - 1, mention.after
    before -= text.norm(before) == ","
    behind += text.norm(behind) == ","
    ends_before = any(text.match(_SAID.corrects, before - ahead) == ahead + 1 for ahead in range(3))
    return ends_before or text.match(_SAID.corrects, behind) > 0


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


def unwanted_of(text: Text, mentions: list[PlaceMention]) -> tuple[PlaceMention, ...]:
    """Return the mentions that are spoken against, and how such a list goes on: "not Prague or Vienna"."""
    found: list[PlaceMention] = []
    for at, mention in enumerate(mentions):
        is_listed = found and found[-1] == mentions[at - 1] and goes_on(text, mentions, at)
        if at and mentions[at - 1] not in found and _is_put_right(text, mentions[at - 1], mention):
            continue
        if is_not_wanted(text, mention) or is_listed:
            found.append(mention)
    return tuple(found)


def _is_put_right(text: Text, before: PlaceMention, mention: PlaceMention) -> bool:
    """Whether "no" stands between two places alone, so that the second is meant: "Malta, no Madeira"."""
    return text.norm(mention.first - 1) == "no" and takes_back(text, before.after, mention.first)


def goes_on(text: Text, mentions: list[PlaceMention], at: int) -> bool:
    """Return whether a place goes on with the list of the one before, which has "or" before its last one."""
    before, one = mentions[at - 1], mentions[at]
    if is_changed(text, before):
        return False
    between = [text.norm(index) for index in range(before.after, one.first)]
    if between[-1:] and between[-1] in _WORDS.small_before_a_place:
        between.pop()
    if between in (["or"], ["nor"], [",", "or"], [",", "nor"]):
        return True
    return between == [","] and at + 1 < len(mentions) and goes_on(text, mentions, at + 1)


def is_not_wanted(text: Text, mention: PlaceMention) -> bool:
    """Return whether "not" or "instead of" stands before a place; "why not Paris" proposes it."""
    at = mention.first
    if is_changed(text, mention):
        return True
    while text.norm(at - 1) in _WORDS.small_before_a_place:
        at -= 1
    if text.norm(at - 1) in _WORDS.one_of_several:  # "not the one in Rome"
        at -= 1 + (text.norm(at - 2) == "the")
    if text.norm(at - 2) in ("why", "if"):
        return False
    is_answer = text.match(_SAID.opposes, mention.after) > 0 or text.norm(mention.after) in _WORDS.is_word
    if text.norm(at - 1) == "no" and (text.norm(at - 2) == "no" or is_answer):
        return False  # "no no Helsingborg", "no Helsingborg not Helsinki", "no Lisbon is fine"
    return any(text.match(_SAID.not_there, at - length) == length for length in range(1, _LONGEST_NEGATION))


_LONGEST_NEGATION = 7
"""Tokens of the longest phrase of `not_there`, "w/o a stopover", and one more."""


def is_changed(text: Text, mention: PlaceMention) -> bool:
    """Return whether another place is to stand for this one: "change Berlin to Munich"."""
    verb = mention.first - 1
    if text.norm(verb) == "from":  # "change it from Berlin to Munich"
        verb -= 1 + (text.norm(verb - 1) in _WORDS.changed)
    return text.norm(verb) in _WORDS.changes and text.norm(mention.after) in _WORDS.into


def with_ways_back(text: Text, places: tuple[PlaceMention, ...]) -> tuple[PlaceMention, ...]:
    """Make places that a journey flies home from its way back, which their words alone make its start.

    "Out of Venice" tells a start, unless the message has told where to land ("into Rome and out of Venice"),
    or has another start. In "Boston to Rome, Venice to Boston" the second flight is the one home.
    """
    goals = [one for one in places if one.role in ("destination", "stay") and one.place]
    if not goals or len(places) < 2:
        return places
    cities = [one.place and one.place.city for one in places]
    are_two_flights = [one.role for one in places] == ["origin", "destination"] * 2
    if are_two_flights and cities[0] == cities[3] and cities[1] != cities[2]:
        return (*places[:2], replace(places[2], role="back"))
    starts = [one for one in places if one.role == "origin" and one.place]
    back = next((one for one in starts if _flies_home(text, goals[0], one, starts)), None)
    return tuple(replace(one, role="back") if one is back else one for one in places)


def home_as_start(text: Text, places: tuple[PlaceMention, ...]) -> tuple[PlaceMention, ...]:
    """Return the places, of which the home of the way back is the start: "be in Oslo, and back in Rome"."""
    goal = next((one.place for one in places if one.place and one.role != "back"), None)
    homes = (one for one in places if one.role == "back" and text.norm(one.first - 1) in _WORDS.there)
    home = next((one for one in homes if goal and one.place and one.place.city != goal.city), None)
    return tuple(replace(one, role="origin") if one is home else one for one in places)


def open_jaws(text: Text, places: tuple[PlaceMention, ...], goal: City | None) -> tuple[PlaceMention, ...]:
    """Return the cities to fly back from that are not where the flight went: "to Milan, back from Venice"."""
    goals = [one.place.city for one in places if one.place and one.role in ("destination", "stay")]
    went = goals[-1] if goals else goal
    return tuple(
        one
        for one in places
        if one.place
        and went
        and one.place.city != went
        and one.role == "back"
        and text.norm(one.first - 1) not in _WORDS.there
    )


def _flies_home(text: Text, goal: PlaceMention, one: PlaceMention, starts: list[PlaceMention]) -> bool:
    verb = one.first - 1 - (text.norm(one.first - 1) in ("of", "from"))
    is_dated = text[one.after].is_number or text.norm(one.after) in _WORDS.before_a_day
    lands = is_dated and not text.said(max(0, goal.first - 2), goal.first).isdisjoint(_WORDS.lands)
    is_later = lands and text.norm(verb) in _WORDS.leaves_later
    if one.first < goal.after or text.norm(verb) not in _WORDS.leaves:
        return False
    if verb == one.first - 1 and not is_later:
        return False
    is_out = is_later or text.norm(verb) == "out"
    while text.norm(verb - 1) in _WORDS.leaves | {"go", "going"}:
        verb -= 1
    is_joined = text.norm(verb - 1) in _WORDS.joins
    has_landed = any(text.norm(goal.first - ahead) in _WORDS.arrives for ahead in (1, 2))
    return is_joined and has_landed and (is_out or any(start.place != one.place for start in starts))


def with_home_as_goal(text: Text, gazetteer: Gazetteer) -> Text:
    """Return an opening message without the word that makes its only goal the way back of a journey."""
    homes = [at for at in text.where(_WORDS.home) if text.norm(at - 1) in _WORDS.before | {""}]
    if len(homes) != 1:
        return text
    forth = text.without(homes)
    places = find_places(forth, gazetteer)
    goals = [one for one in (*places.mentions, *places.unknown) if one.role != "origin"]
    is_only_goal = len(goals) == 1 and goals[0].role == "destination" and goals[0].first > homes[0]
    return forth if is_only_goal else text
