"""The wishes of a request that nothing is searched or picked by: they stay with it until it is a new one."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ..result import Agent, Reason, Refused, Understanding
from .whole_requests import repeated

_OF_WISHES: Collection[Reason] = ("not_understood", "not_searched_by", "cannot_be_excluded")
"""Why a wish is not used. What is refused for another reason, as a day that has passed, does not last."""
_REFUSED_OF: Mapping[Reason, Agent] = {
    "adult_fare": "flight",
    "arrive_by": "flight",
    "kind_of_lodging": "hotel",
}
"""The agent without which a refusal does not matter."""
MOST_UNUSED = 12
"""Wishes that a request keeps, the latest: each later request and permission repeats all of them."""


def _is_among(said: str, known: Collection[Sequence[str]]) -> bool:
    words = said.casefold().split()
    return any(words == one[at : at + len(words)] for one in known for at in range(len(one)))


def with_unused(
    understood: Understanding, before: Understanding | None, *, withdrawn: Collection[str] = ()
) -> Understanding:
    """Return what was understood with the unused wishes of the message, and of the request `before` it.

    Those `withdrawn` are none any more; a message that does nothing else goes on with the request.
    """
    if withdrawn and before is not None and before.wanted and understood.relation in ("other", "stop"):
        understood = repeated(before, before.wanted)
    if withdrawn:
        refused = tuple(one for one in understood.refused if one.said not in withdrawn)
        understood = replace(understood, refused=refused)
    if left := _left_behind(understood, before):
        understood = replace(understood, refused=(*understood.refused, *left))
    is_same = before is not None and understood.relation != "new"
    earlier = [said for said in before.unused if said not in withdrawn] if is_same and before else []
    is_wish = understood.relation not in ("other", "stop")
    told = [one.said for one in understood.refused if one.reason in _OF_WISHES and is_wish]
    known = [said.casefold().split() for said in earlier]  # "a sea view" is in "with a sea view"
    unused = (*earlier, *dict.fromkeys(said for said in told if not _is_among(said, known)))[-MOST_UNUSED:]
    return replace(understood, unused=unused) if unused != understood.unused else understood


def _left_behind(understood: Understanding, before: Understanding | None) -> tuple[Refused, ...]:
    """What was wanted of a stay in the city before, and is not of the one that took its place."""
    if before is None or understood.relation != "refine" or "hotel" not in understood.agents:
        return ()
    was, now = before.hotel, understood.hotel
    if was.city is None or now.city is None or was.city.city == now.city.city:
        return ()
    gone = [
        told for told, other in ((was.district, now.district), (was.name, now.name)) if told and not other
    ]
    return tuple(Refused(said=one, reason="of_another_city") for one in gone)


def refused_to(understood: Understanding) -> tuple[Refused, ...]:
    """Return what could not be taken, as far as it matters: fares are of flights, lodging of stays."""
    told = ("", *understood.agents)
    return tuple(one for one in understood.refused if _REFUSED_OF.get(one.reason, "") in told)
