"""Who travels, as sellers want to know it: names, births, addresses. Kept apart from conversations.

They are sealed with `DETOUR_TRAVELLERS_KEY` where there is one, deleted with the user, and nothing here is
shown to a model or a log. The values hide what they hold in their `repr`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

import orjson
from cryptography.fernet import Fernet, InvalidToken
from pydantic import SecretStr

from ...domain.encoding import encode_exactly
from ...domain.errors import BookingRefused, ProviderError
from ..values.booking import Party
from ..values.travel import ADULT_AGE, LATER, from_json
from .booking_database import BookingDatabase, Steps

MOST_TRAVELLERS = 9

Title = Literal["mr", "ms", "mrs", "miss", "dr"]
Gender = Literal["m", "f"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passport:
    """Its number, the country that issued it (ISO 3166 alpha-2), and its last day."""

    number: str = field(repr=False)
    country: str = field(repr=False)
    expires_on: date = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Traveller:
    """One person. `email` and `phone` (E.164) are where the airline or the hotel reaches them."""

    title: Title = field(repr=False)
    given_name: str = field(repr=False)
    family_name: str = field(repr=False)
    gender: Gender = field(repr=False)
    born_on: date = field(repr=False)
    email: str = field(repr=False)
    phone: str = field(repr=False)
    passport: Passport | None = field(default=None, repr=False, metadata=LATER)

    def age(self, on: date) -> int:
        """Return how old they are on a day."""
        return on.year - self.born_on.year - ((on.month, on.day) < (self.born_on.month, self.born_on.day))

    def has_passport(self, on: date) -> bool:
        """Return whether their passport is told and has not ended by a day."""
        return self.passport is not None and self.passport.expires_on >= on


def members(known: Sequence[Traveller], party: Party) -> Sequence[Traveller]:
    """Return who of those known makes up a party: its adults, then its children in the order of their ages.

    Raises `BookingRefused` with what is wrong with the others, without a name.
    """
    left = list(known)
    if len(left) < party.adults + len(party.children):
        raise BookingRefused("Who travels is not known yet.")

    def taken(wanted: Callable[[Traveller], bool], otherwise: str) -> Traveller:
        one = next(filter(wanted, left), None)
        if one is None:
            raise BookingRefused(otherwise)
        left.remove(one)
        return one

    on = f"on {party.on.day} {party.on:%B %Y}"
    grown_up = (
        f"{party.adults} of those who travel must be {ADULT_AGE} or older {on}, by their dates of birth."
    )
    found = [taken(lambda one: one.age(party.on) >= ADULT_AGE, grown_up) for _ in range(party.adults)]
    for age in party.children:
        years = "under 1" if age == 0 else str(age)
        born = f"One of those who travel must be {years} {on}, and by the dates of birth none further is."
        found.append(taken(lambda one, age=age: one.age(party.on) == age, born))
    if party.passports and not all(one.has_passport(party.on) for one in found):
        raise BookingRefused(
            f"The airline wants a passport of each that is valid {on}; one is missing or ends."
        )
    return found


class Travellers:
    """Keeps the travellers of each user; `key` seals them."""

    def __init__(self, database: BookingDatabase, *, key: SecretStr | None = None) -> None:
        self._database = database
        self._seal = Fernet(_url_safe(key.get_secret_value())) if key else None

    async def of(self, user_id: str, party: Party) -> Sequence[Traveller]:
        """Return who of a user's travellers makes up a party. Raises `BookingRefused`."""
        try:
            return members(await self.known(user_id), party)
        except BookingRefused as refused:
            raise BookingRefused(f"{refused.message} Nothing was booked.") from None

    async def known(self, user_id: str) -> Sequence[Traveller]:
        """Return all travellers of a user. Raises `ProviderError`."""
        document = await self._database.read(_read(user_id))
        if document is None:
            return ()
        return [from_json(Traveller, each) for each in orjson.loads(self._opened(document))]

    async def keep(self, user_id: str, travellers: Sequence[Traveller]) -> None:
        """Keep these instead of those before. Raises `ProviderError`."""
        document = encode_exactly(travellers)
        await self._database.write(_keep(user_id, self._seal.encrypt(document) if self._seal else document))

    def _opened(self, document: bytes) -> bytes:
        if self._seal is None:
            if document.startswith(b"["):
                return document
            raise ProviderError("Who travels was sealed with a key that this server does not have.")
        if document.startswith(b"["):
            return document  # from before there was a key
        try:
            return self._seal.decrypt(document)
        except InvalidToken:
            raise ProviderError("Who travels was sealed with another key.") from None


def _url_safe(key: str) -> str:
    return key.strip().replace("+", "-").replace("/", "_")


def _read(user_id: str) -> Steps[bytes | None]:
    found = yield "SELECT document FROM detour_sellers.travellers WHERE user_id = $1", (user_id,)
    return bytes(found[0][0]) if found else None


def _keep(user_id: str, document: bytes) -> Steps[None]:
    yield "DELETE FROM detour_sellers.travellers WHERE user_id = $1", (user_id,)
    yield "INSERT INTO detour_sellers.travellers VALUES ($1, $2)", (user_id, document)
