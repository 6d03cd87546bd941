"""Sights people want to sleep near, and the district of ours that is nearest to each.

Rows are `names|label of the city|district`. The district is one that the city has by name.
"""

from dataclasses import dataclass

_ROWS = """
Eiffel Tower|Paris, FR|Champs-Élysées
Louvre|Paris, FR|Opéra
Notre-Dame, Notre Dame|Paris, FR|Latin Quarter
Arc de Triomphe|Paris, FR|Champs-Élysées
Sacré-Cœur, Sacre Coeur|Paris, FR|Montmartre
Big Ben, Buckingham Palace|London, GB|Westminster
Hyde Park|London, GB|Paddington
Tower Bridge, Tower of London|London, GB|Southwark
British Museum|London, GB|Covent Garden
Piccadilly Circus|London, GB|Soho
Central Park|New York, New York, US|Upper West Side
Empire State Building, Broadway|New York, New York, US|Midtown
Wall Street|New York, New York, US|Financial District
Brooklyn Bridge|New York, New York, US|Financial District
Colosseum, Coliseum|Rome, IT|Monti
Vatican, Saint Peter's|Rome, IT|Prati
Trevi Fountain|Rome, IT|Trevi
Pantheon|Rome, IT|Centro Storico
Spanish Steps|Rome, IT|Centro Storico
Rialto|Venice, IT|San Polo
Ponte Vecchio|Florence, IT|Oltrarno
Sagrada Familia|Barcelona, ES|Eixample
La Rambla, Las Ramblas|Barcelona, ES|Gothic Quarter
Park Güell|Barcelona, ES|Gràcia
Prado|Madrid, ES|Retiro
Puerta del Sol|Madrid, ES|Centro
Brandenburg Gate|Berlin, DE|Mitte
Alexanderplatz, Museum Island|Berlin, DE|Mitte
Checkpoint Charlie|Berlin, DE|Kreuzberg
Marienplatz|Munich, DE|Altstadt
Acropolis|Athens, GR|Plaka
Charles Bridge|Prague, CZ|Malá Strana
Hagia Sophia, Blue Mosque, Grand Bazaar|Istanbul, TR|Sultanahmet
Anne Frank House|Amsterdam, NL|Jordaan
Rijksmuseum|Amsterdam, NL|Museumplein
Tokyo Tower|Tokyo, JP|Roppongi
Senso-ji|Tokyo, JP|Asakusa
Tokyo Station|Tokyo, JP|Marunouchi
Fushimi Inari|Kyoto, JP|Fushimi
Burj Khalifa|Dubai, AE|Downtown
Gardens by the Bay|Singapore, SG|Marina Bay
Opera House, Sydney Opera House|Sydney, New South Wales, AU|Circular Quay
Golden Gate Bridge|San Francisco, California, US|Marina
Navy Pier|Chicago, Illinois, US|River North
White House|Washington, District of Columbia, US|Foggy Bottom
Space Needle|Seattle, Washington, US|Belltown
Tiananmen, Forbidden City|Beijing, CN|Wangfujing
Pyramids|Cairo, EG|Giza
Table Mountain|Cape Town, ZA|City Bowl
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Landmark:
    """A sight by its names, the `City.label` it belongs to, and the district nearest to it."""

    names: tuple[str, ...]
    city: str
    district: str


def _parse(row: str) -> Landmark:
    names, city, district = row.split("|")
    return Landmark(names=tuple(name.strip() for name in names.split(",")), city=city, district=district)


LANDMARKS: tuple[Landmark, ...] = tuple(_parse(row) for row in _ROWS.split("\n") if row)
