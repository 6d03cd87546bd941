"""The airlines that a message names: "with Lufthansa", "a Delta Airlines flight", "on United".

Names that are words or places as well ("Swiss", "Delta") count alone only where an airline must stand.
"""

from dataclasses import dataclass

from ..language.text import Phrases, Text, phrases, word_set

_AIRLINES = (
    "Aegean", "Aer Lingus", "Air Canada", "Air France", "Air India", "Air New Zealand", "Alaska Airlines",
    "All Nippon Airways", "American Airlines", "Austrian Airlines", "British Airways", "Brussels Airlines",
    "Cathay Pacific", "Delta Airlines", "easyJet", "Emirates", "Etihad", "Eurowings", "Finnair",
    "Frontier Airlines", "Hawaiian Airlines", "Iberia", "Icelandair", "ITA Airways", "Japan Airlines",
    "JetBlue", "KLM", "Korean Air", "LATAM", "LOT", "Lufthansa", "Norwegian", "Qantas", "Qatar Airways",
    "Ryanair", "SAS", "Singapore Airlines", "Southwest Airlines", "Spirit Airlines", "Swiss", "TAP",
    "Turkish Airlines", "United Airlines", "Virgin Atlantic", "Vueling", "Wizz Air",
)  # fmt: skip
_ALSO_WORDS = word_set(
    """
    lot tap swiss sas norwegian alaska american austrian delta frontier hawaiian ita southwest spirit
    turkish united british
    """
)
"""Names that say something else as well, where nothing like "airlines" follows."""

_CARRIED_BY = word_set("with on by via prefer only fly flying like take choose love")


@dataclass(frozen=True, slots=True, kw_only=True)
class AirlineMention:
    """An airline in a message: the tokens from `first` up to `after`."""

    first: int
    after: int
    name: str


def _stem(airline: str) -> str:
    return airline.removesuffix(" Airlines").removesuffix(" Airways")


def _spellings(airline: str) -> tuple[str, ...]:
    """What an airline is called; its name without "Airlines" only where that is a name of its own."""
    stem = _stem(airline)
    alone = (stem,) if stem == airline or stem.lower() in _ALSO_WORDS else ()
    return (airline, stem + " airlines", stem + " airline", stem + " airways", stem + " air lines", *alone)


_NAMES = {
    tuple(words): airline
    for airline in _AIRLINES
    for some in phrases(*_spellings(airline)).values()
    for words in some
}
_PHRASES: Phrases = phrases(*(spelling for airline in _AIRLINES for spelling in _spellings(airline)))


def find_airlines(text: Text) -> tuple[AirlineMention, ...]:
    """Return the airlines in the message, in its order."""
    if text.vocabulary.isdisjoint(_PHRASES):
        return ()
    found: list[AirlineMention] = []
    for index in range(text.length):
        length = text.match(_PHRASES, index)
        if length and _is_meant(text, index, length):
            name = _NAMES[tuple(text.norm(index + offset) for offset in range(length))]
            found.append(AirlineMention(first=index, after=index + length, name=name))
    return tuple(found)


def airline_at(text: Text, index: int) -> int:
    """Return the index after the airline that is named there, 0 if none is."""
    length = text.match(_PHRASES, index)
    return index + length if length and _is_meant(text, index, length) else 0


def _is_meant(text: Text, index: int, length: int) -> bool:
    if text.norm(index - 1) == "arab":
        return False  # the United Arab Emirates
    if length > 1 or text.norm(index) not in _ALSO_WORDS:
        return True
    is_carrier = text.norm(index - 1) in _CARRIED_BY and text.norm(index + 1) != "class"
    return text[index].is_capitalised and is_carrier
