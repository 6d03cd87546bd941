"""What is asked about the sum of a trip: each one's share of it, what it leaves of the budget; and why."""

from dataclasses import replace

from ...found import EACH, LEFT, WHY, FoundQuestion, Which
from ..language.text import Text, phrases

_EACH = phrases(
    "per head", "a head", "per person", "each", "apiece", "per traveller", "per traveler", "pp", "per capita",
    "for each of us", "each of us", "per nose",
)  # fmt: skip
_LEFT = phrases(
    "left of the budget", "left of our budget", "left of my budget", "left from the budget",
    "left from our budget", "left from my budget", "left in the budget", "left in our budget",
    "left in my budget", "budget is left", "budget left", "budget remains", "budget would be left",
    "budget will be left", "left over", "remains of the budget", "remaining budget", "budget do we have left",
    "budget do i have left", "remains of our budget", "remains of my budget",
)  # fmt: skip
_HOW_COME = phrases("how come", "why")


def find_budget_left(text: Text, agents: tuple[str, ...]) -> FoundQuestion | None:
    """Return the question for what is left of the budget, None if it is none."""
    is_asked = bool(agents) and text.has(_LEFT) and not text.has_figures
    return FoundQuestion(topic="total", which=Which(by="price"), wanted=LEFT) if is_asked else None


def as_put(text: Text, question: FoundQuestion) -> FoundQuestion:
    """Return a question for the sum as one for each one's share, and one for how long it takes as one why."""
    if question.wanted or question.which.name:
        return question
    if question.topic == "duration" and text.has(_HOW_COME):
        return replace(question, wanted=WHY)
    is_of_all = question.topic == "total" and not question.which.numbers
    return replace(question, wanted=EACH) if is_of_all and text.has(_EACH) else question
