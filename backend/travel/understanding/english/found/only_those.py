"""Offers of which an answer told that they have something, wanted alone: "show me only those"."""

from collections.abc import Sequence

from ...found import FoundQuestion
from ..language.text import Text, phrases, word_set

_THOSE = phrases(
    "only those", "just those", "only these", "just these", "those only", "these only", "only them",
    "just them",
    "only the ones", "only show those", "only show these", "filter by that", "filter for that",
    "filter by those", "filter those", "filter on that", "filter them", "show me those", "show those",
    "narrow it to those", "narrow it down to those", "the ones that do", "only the ones that do",
    "hide the others", "hide the rest", "leave out the others", "without the others", "remove the others",
    "only ones that do", "only those please", "keep only those", "keep those",
)  # fmt: skip
_BESIDE = word_set(
    """
    ok okay then please pls can could you we i me us show see want to great good yes let's lets list give
    display
    just only and the so now thanks hotels flights ones , . ! ?
    """
)
_WISHES = {
    ("refund", "hotel"): "with free cancellation",
    ("refund", "flight"): "refundable flights only",
    ("change", "flight"): "changeable flights only",
    ("stops", "flight"): "direct flights only",
    ("bags", "flight"): "flights with a checked bag",
}
_AT_MOST = 12


def wish_for_those(text: Text, asked: FoundQuestion, agents: Sequence[str]) -> str:
    """Return the wish that leaves only the offers which have what was `asked`; "" if none is meant.

    `agents` are those whose offers there may be.
    """
    at = text.find(_THOSE) if text.length <= _AT_MOST else -1
    if at < 0 or asked.is_denied:
        return ""
    after = at + text.match(_THOSE, at)
    if any(text.norm(each) not in _BESIDE for each in (*range(at), *range(after, text.length))):
        return ""
    if asked.topic == "under" and asked.limit is not None:
        return f"under {asked.limit.amount} {asked.limit.currency}"
    if asked.topic not in ("those_with", "has"):
        return ""
    agent = asked.agent or (agents[0] if len(agents) == 1 else "")
    return _WISHES.get((asked.wanted, agent), f"with {asked.wanted}")
