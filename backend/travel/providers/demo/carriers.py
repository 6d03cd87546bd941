"""The invented carriers of the demo inventory.

No airline here exists: an invented price must never carry a real name. Each name contains "Demo", and an id
is a word rather than two characters, since every short code is some real airline's designator.

A network carrier flies from its hubs; a low-cost carrier flies between any two airports of its regions that
are near enough. `price_level` multiplies fares.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrier:
    """An invented airline. `regions` are the first parts of time zone names, for low-cost carriers only."""

    id: str
    name: str
    price_level: float
    hubs: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()

    @property
    def low_cost(self) -> bool:
        """Whether it sells seats only, on single flights, without hubs."""
        return not self.hubs


def _network(name: str, price_level: float, hubs: str) -> Carrier:
    return Carrier(
        id=f"demo-{name.casefold()}", name=f"{name} Demo", price_level=price_level, hubs=tuple(hubs.split())
    )


def _low_cost(name: str, price_level: float, regions: str) -> Carrier:
    return Carrier(
        id=f"demo-{name.casefold()}",
        name=f"{name} Demo",
        price_level=price_level,
        regions=tuple(regions.split()),
    )


CARRIERS: tuple[Carrier, ...] = (
    _network("Larkspur", 1.06, "LHR LGW MAN DUB"),
    _network("Chanterelle", 1.04, "CDG ORY LYS NCE"),
    _network("Linden", 1.05, "FRA MUC BER HAM"),
    _network("Waterlily", 1.02, "AMS BRU"),
    _network("Oleander", 0.96, "MAD BCN LIS"),
    _network("Cypress", 0.97, "FCO MXP ATH"),
    _network("Gentian", 1.12, "ZRH VIE GVA"),
    _network("Juniper", 1.08, "CPH ARN OSL HEL KEF"),
    _network("Amberwing", 0.91, "WAW PRG BUD OTP KBP RIX"),
    _network("Tamarisk", 0.92, "IST SAW ESB AYT"),
    _network("Larch", 0.88, "SVO LED ALA TAS"),
    _network("Saffron", 1.03, "DXB AUH"),
    _network("Samphire", 1.01, "DOH RUH JED KWI"),
    _network("Pomegranate", 0.93, "CAI TLV"),
    _network("Baobab", 0.94, "ADD NBO"),
    _network("Fynbos", 0.97, "JNB CPT"),
    _network("Harmattan", 0.95, "CMN ALG DSS ACC LOS"),
    _network("Hickory", 1.07, "JFK EWR BOS IAD PHL"),
    _network("Cottonwood", 1.00, "ORD DEN MSP DTW"),
    _network("Bluebonnet", 1.01, "DFW IAH ATL MIA"),
    _network("Redwood", 1.03, "LAX SFO SEA HNL"),
    _network("Tamarack", 1.02, "YYZ YUL YVR YYC"),
    _network("Agave", 0.92, "MEX PTY CUN"),
    _network("Jacaranda", 0.95, "GRU GIG BSB"),
    _network("Quebracho", 0.96, "EZE SCL LIM BOG"),
    _network("Banyan", 0.89, "DEL BOM BLR"),
    _network("Frangipani", 0.93, "BKK SGN HAN"),
    _network("Rafflesia", 1.02, "SIN KUL CGK MNL"),
    _network("Peony", 0.94, "PEK PVG CAN HKG TPE"),
    _network("Camellia", 1.07, "HND NRT KIX ICN"),
    _network("Wattle", 1.05, "SYD MEL BNE AKL"),
    _low_cost("Hopscotch", 0.58, "Europe Atlantic Africa"),
    _low_cost("Tumbleweed", 0.63, "America"),
    _low_cost("Pogo", 0.57, "Asia Australia Pacific Indian"),
)
"""All carriers. The position is what the inventory stores, so new ones are appended to the end."""
