"""Parts of a city that are not wanted: "not in Baixa", "no hotels in Baixa or the old town"."""

from ....values.places import districts_of
from ....values.travel import City
from ...places.districts import is_a_city, key_of
from ...places.gazetteer import load_gazetteer
from ..language.sentences import sentence_around
from ..language.spans import SlotMention
from ..language.tables import phrases_of, words_of
from ..language.text import Text, any_of, phrases
from ..places.districts import DistrictMention, district_at
from ..places.places import named_places

_PLACES_SAID = phrases_of("places")
_PLACES_WORDS = words_of("places")
_SAID = phrases_of("hotel_wishes")
_WORDS = words_of("hotel_wishes")

_ALL_BUT = phrases(
    *(
        f"{every} {but}"
        for every in (
            "anything", "anywhere", "everything", "everywhere", "all", "any hotel", "all hotels",
            "every hotel", "any district", "all districts", "every district", "any area", "any part",
            "any part of town", "any part of the city", "any neighbourhood", "any neighborhood",
        )
        for but in ("but", "except", "besides", "other than", "apart from", "outside", "outside of")
    )
)  # fmt: skip
AGAINST = any_of(_SAID.none, _SAID.excepts, _SAID.not_word, _ALL_BUT)
"""Behind one of these a part of a city is not wanted."""

_BETWEEN_AT_MOST = 7


def unwanted_districts_at(text: Text, first: int) -> SlotMention | None:
    """Return the parts of a city that are spoken against from the token at `first` on, None if none are.

    Who wants to sleep anywhere but there no longer wants one part of the city.
    """
    length = text.match(AGAINST, first)
    if not length or _is_no_exclusion(text, first):
        return None
    start = first + length
    while text.norm(start) in _WORDS.between and start - first < length + _BETWEEN_AT_MOST:
        if district_at(text, start):
            break
        start += 1
    districts = _list_at(text, start)
    if not districts or _is_answer(text, first, districts[-1].after):
        return None
    slots: dict[str, object] = {"hotel.not_districts": tuple(one.name for one in districts)}
    if text.match(_ALL_BUT, first):
        slots["hotel.district"] = None
    return SlotMention(first=first, after=districts[-1].after, slots=slots)


def is_about(mention: SlotMention, text: Text, stay: City | None) -> bool:
    """Return whether a mention is of parts of the city to stay in, as far as they are cities as well.

    "Not Palermo" is about a part of Buenos Aires where that is known or named, and else about Palermo.
    """
    also_cities = [name for name in mention.slots.get("hotel.not_districts", ()) if is_a_city(name)]
    if not also_cities:
        return True
    named = () if stay else named_places(text, load_gazetteer())
    cities = [stay] if stay else [one.place.city for one in named if one.place]
    parts = {key_of(district.name) for city in cities for district in districts_of(city)}
    return parts.issuperset(map(key_of, also_cities))


def _is_no_exclusion(text: Text, first: int) -> bool:
    """Whether the words there propose, ask or tell how things are: "why not", "nothing in Baixa?"."""
    before = text.norm(first - 1)
    if text.norm(first) == "no" and text.norm(first + 1) in _WORDS.in_word:
        return True  # "no in Alfama" corrects
    if before in _WORDS.proposes or (text.match(_SAID.excepts, first) and before in _WORDS.turned_round):
        return True
    _, end = sentence_around(text, first)
    return text.match(_SAID.none, first) > 0 and (before in _WORDS.states or text.norm(end) == "?")


def _is_answer(text: Text, first: int, after: int) -> bool:
    """Whether "no" answers, and what is named is wanted: "no Alfama is fine", "no Alfama not Baixa"."""
    is_followed = text.norm(after) in _PLACES_WORDS.is_word or text.match(_PLACES_SAID.opposes, after) > 0
    return text.norm(first) == "no" and (text.norm(first - 1) == "no" or is_followed)


def _list_at(text: Text, start: int) -> list[DistrictMention]:
    """The parts of a city that are named from there on: "Baixa, Alfama or the old town"."""
    found = district_at(text, start)
    if found is None:
        return []
    at = found.after
    if text.norm(at) == "," and text.norm(at + 1) in _WORDS.or_word:
        at += 1
    is_last = text.norm(at) in _WORDS.or_word
    if is_last or text.norm(at) == "and":
        at += 1
        at += (
            is_last and text.norm(at) in _WORDS.in_word
        )  # "and in Alfama" may be where somebody wants to sleep
        return [found, *_list_at(text, at)]
    rest = _list_at(text, at + 1) if text.norm(at) == "," else []
    return [found, *rest] if len(rest) > 1 else [found]
