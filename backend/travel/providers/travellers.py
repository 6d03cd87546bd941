"""Who travels, as sellers want to know it: names, births, addresses. Kept apart from conversations.

They are sealed with `DETOUR_TRAVELLERS_KEY` where there is one, deleted with the user, and nothing here is
shown to a model or a log. The values hide what they hold in their `repr`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

import orjson
from cryptography.fernet import Fernet, InvalidToken
from pydantic import SecretStr

from ...domain.encoding import encode_exactly
from ...domain.errors import BookingRefused, ProviderError
from ..values.travel import from_json
from .booking_database import BookingDatabase, Steps

MOST_TRAVELLERS = 9

Title = Literal["mr", "ms", "mrs", "miss", "dr"]
Gender = Literal["m", "f"]


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


class Travellers:
    """Keeps the travellers of each user; `key` seals them."""

    def __init__(self, database: BookingDatabase, *, key: SecretStr | None = None) -> None:
        self._database = database
        self._seal = Fernet(_url_safe(key.get_secret_value())) if key else None

    async def of(self, user_id: str, count: int) -> Sequence[Traveller]:
        """Return the first `count` travellers of a user. Raises `BookingRefused` where fewer are known."""
        known = await self.known(user_id)
        if len(known) < count:
            raise BookingRefused("Who travels is not known yet; nothing was booked.")
        return known[:count]

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
