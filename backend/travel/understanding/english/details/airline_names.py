"""The names of airlines, as people say them in English."""

from ..language.text import Phrases, phrases, word_set

AIRLINES = (
    "Aegean", "Aer Lingus", "Aeromexico", "airBaltic", "Air Arabia", "AirAsia", "Air Canada", "Air China",
    "Air Europa", "Air France", "Air India", "Air New Zealand", "Air Serbia", "Air Transat",
    "Alaska Airlines", "All Nippon Airways", "American Airlines", "Austrian Airlines", "Avianca",
    "British Airways", "Brussels Airlines", "Cathay Pacific", "China Eastern", "China Southern",
    "Condor Airlines", "Copa Airlines", "Croatia Airlines", "Czech Airlines", "Delta Airlines", "easyJet",
    "EgyptAir", "El Al", "Emirates", "Ethiopian Airlines", "Etihad", "EVA Air", "Eurowings", "Finnair",
    "flydubai", "Frontier Airlines", "Garuda Indonesia", "Gulf Air", "Hawaiian Airlines", "Iberia",
    "Icelandair", "ITA Airways", "Japan Airlines", "JetBlue", "Jetstar", "Kenya Airways", "KLM",
    "Korean Air", "LATAM", "LOT", "Lufthansa", "Malaysia Airlines", "Middle East Airlines", "Norwegian",
    "Oman Air", "Pegasus Airlines", "Philippine Airlines", "Qantas", "Qatar Airways", "Royal Air Maroc",
    "Royal Jordanian", "RwandAir", "Ryanair", "SAS", "Saudia", "Singapore Airlines",
    "South African Airways", "Southwest Airlines", "Spirit Airlines", "SriLankan Airlines", "Swiss", "TAP",
    "TAROM", "Thai Airways", "Transavia", "Tunisair", "Turkish Airlines", "United Airlines",
    "Vietnam Airlines", "Virgin Atlantic", "Virgin Australia", "Volotea", "Vueling", "WestJet", "Wizz Air",
)  # fmt: skip
DEMO_AIRLINES = (
    "Larkspur", "Chanterelle", "Linden", "Waterlily", "Oleander", "Cypress", "Gentian", "Juniper",
    "Amberwing", "Tamarisk", "Larch", "Saffron", "Samphire", "Pomegranate", "Baobab", "Fynbos", "Harmattan",
    "Hickory", "Cottonwood", "Bluebonnet", "Redwood", "Tamarack", "Agave", "Jacaranda", "Quebracho",
    "Banyan", "Frangipani", "Rafflesia", "Peony", "Camellia", "Wattle", "Hopscotch", "Tumbleweed", "Pogo",
)  # fmt: skip
"""Invented ones, each called "Larkspur Demo" in offers. A test holds them to those of the demo inventory."""

DEMO = " Demo"
_OTHERWISE = {
    "egypt air": "EgyptAir", "easy jet": "easyJet", "wizzair": "Wizz Air", "wizz": "Wizz Air",
    "tap portugal": "TAP", "air portugal": "TAP", "air berlin": "Air Berlin", "aeroméxico": "Aeromexico",
    "jet blue": "JetBlue", "ba": "British Airways", "lh": "Lufthansa", "af": "Air France",
    "ana": "All Nippon Airways", "jal": "Japan Airlines", "eva": "EVA Air", "qatar": "Qatar Airways",
    "thai": "Thai Airways", "condor": "Condor Airlines", "pegasus": "Pegasus Airlines",
    "ethiopian": "Ethiopian Airlines", "american air": "American Airlines", "malev": "Malev",
}  # fmt: skip

ALSO_WORDS = (
    word_set(
        """
        lot tap swiss sas norwegian alaska american austrian delta frontier hawaiian ita southwest spirit
        turkish united british ba lh af ana jal eva qatar thai condor pegasus ethiopian wizz
        """
    )
    | {name.casefold() for name in DEMO_AIRLINES}
)  # fmt: skip
"""Names that say something else as well, where nothing like "airlines" follows."""


def _stem(airline: str) -> str:
    return airline.removesuffix(" Airlines").removesuffix(" Airways")


def _spellings(airline: str) -> tuple[str, ...]:
    """What an airline is called; its name without "Airlines" only where that is a name of its own."""
    stem = _stem(airline)
    alone = (stem,) if stem == airline or stem.lower() in ALSO_WORDS else ()
    return (airline, stem + " airlines", stem + " airline", stem + " airways", stem + " air lines", *alone)


def _all() -> dict[tuple[str, ...], str]:
    """Every spelling as folded words, with the name that is meant."""
    spelled = {spelling: airline for airline in AIRLINES for spelling in _spellings(airline)}
    spelled |= {name: name + DEMO for name in DEMO_AIRLINES} | {
        name + DEMO: name + DEMO for name in DEMO_AIRLINES
    }
    spelled |= _OTHERWISE
    return {
        words: airline
        for spelling, airline in spelled.items()
        for some in phrases(spelling).values()
        for words in some
    }


NAMES = _all()
PHRASES: Phrases = phrases(*(" ".join(words) for words in NAMES))
