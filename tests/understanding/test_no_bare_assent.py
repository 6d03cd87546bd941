"""No wish is answered by a bare assent: what nothing is made of is named in the reply."""

from itertools import product

import pytest

from backend.travel.understanding.english.language.text import Text
from backend.travel.understanding.english.talk.small_talk import ALL_RIGHT, small_talk
from backend.travel.understanding.english.unread import beside_an_assent
from tests.understanding.conversation import told

ASSENTS = ("ok", "great", "sure", "fine", "yes", "perfect", "all right", "no problem")
WISHES = {
    "with a balcony": "balcony", "only if vegan food": "vegan", "and a cot": "cot",
    "near a laundromat": "laundromat",
    "quiet street pls": "quiet", "a kitchen would be great": "kitchen", "with golf clubs": "golf",
    "lanai facing east": "lanai", "i get sick upfront": "sick", "ORY too": "ORY",
    "sunny side please": "sunny",
}  # fmt: skip


@pytest.mark.parametrize(("assent", "wish"), list(product(ASSENTS, WISHES)))
@pytest.mark.parametrize(
    "before", ["flight London to Madrid 4 dec back 8 dec", "hotel in Rome 5-8 dec"], ids=["flight", "stay"]
)
def test_wish_beside_an_assent_is_used_or_named(before: str, assent: str, wish: str) -> None:
    said = f"{assent}, {wish}"
    understood = told(before, said)
    if understood.relation != "other" or understood.question or understood.refused:
        return
    if small_talk(said) == ALL_RIGHT:
        assert WISHES[wish] in beside_an_assent(Text(said))
