"""What is asked about the sum of a trip: each one's share of it, what it leaves of the budget; and why."""

from dataclasses import replace

from ...found import EACH, LEFT, WHY, FoundQuestion, Which
from ..language.tables import phrases_of
from ..language.text import Text

_SAID = phrases_of("found")


def find_budget_left(text: Text, agents: tuple[str, ...]) -> FoundQuestion | None:
    """Return the question for what is left of the budget, None if it is none."""
    is_asked = bool(agents) and text.has(_SAID.left) and not text.has_figures
    return FoundQuestion(topic="total", which=Which(by="price"), wanted=LEFT) if is_asked else None


def as_put(text: Text, question: FoundQuestion) -> FoundQuestion:
    """Return a question for the sum as one for each one's share, and one for how long it takes as one why."""
    if question.wanted or question.which.name:
        return question
    if question.topic == "duration" and text.has(_SAID.how_come):
        return replace(question, wanted=WHY)
    is_of_all = question.topic == "total" and not question.which.numbers
    return replace(question, wanted=EACH) if is_of_all and text.has(_SAID.each) else question
