"""Offers of which an answer told that they have something, wanted alone: "show me only those"."""

from collections.abc import Sequence

from ...found import FoundQuestion
from ..language.tables import phrases_of, words_of
from ..language.text import Text

_SAID = phrases_of("found")
_WORDS = words_of("found")

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
    at = text.find(_SAID.those) if text.length <= _AT_MOST else -1
    if at < 0 or asked.is_denied:
        return ""
    after = at + text.match(_SAID.those, at)
    if any(
        text.norm(each) not in _WORDS.only_those_beside for each in (*range(at), *range(after, text.length))
    ):
        return ""
    if asked.topic == "under" and asked.limit is not None:
        return f"under {asked.limit.amount} {asked.limit.currency}"
    if asked.topic not in ("those_with", "has"):
        return ""
    agent = asked.agent or (agents[0] if len(agents) == 1 else "")
    return _WISHES.get((asked.wanted, agent), f"with {asked.wanted}")
