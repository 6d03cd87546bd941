"""Questions why, for sums and shares, which day is cheaper; and remarks beside questions."""

import pytest

from backend.travel.understanding.found import EACH, LEFT, WHY, FoundQuestion, Which
from tests.understanding.conversation import flight, told

pytestmark = pytest.mark.requirement("FOUND-ANSWERS-QUESTIONS")

BOTH = "flights and hotels from Berlin to Lisbon, 10 to 14 December, 4 people"
FIRST = Which(numbers=(1,))


def asked(said: str) -> FoundQuestion | None:
    """What a message asks after flights and hotels were found; it must leave the request as it is."""
    before, after = told(BOTH), told(BOTH, said)
    if after.question is not None:
        assert (after.relation, after.agents) == ("other", ())
        assert (after.flight, after.hotel) == (before.flight, before.hotel)
    return after.question


@pytest.mark.parametrize(
    ("said", "topic", "wanted", "which"),
    [
        ("y is the 1st one so long", "duration", WHY, FIRST),
        ("why is the first one so long?", "duration", WHY, FIRST),
        ("why does the second one take so long", "duration", WHY, Which(numbers=(2,))),
        ("how come number 3 takes so many hours", "duration", WHY, Which(numbers=(3,))),
        ("why is the cheapest so slow?", "duration", WHY, Which(by="price")),
        ("why is it so expensive", "untold", "why they cost what they do", Which()),
        ("what's left of the budget with the cheapest one", "total", LEFT, Which(by="price")),
        ("how much of our budget is left?", "total", LEFT, Which(by="price")),
        ("so what would the remaining budget be", "total", LEFT, Which(by="price")),
        ("is anything left over?", "total", LEFT, Which(by="price")),
        ("what's the damage per head flights + hotel", "total", EACH, Which(is_all=True)),
        ("how much is that per person in total?", "total", EACH, Which()),
        ("what does the whole trip cost each?", "total", EACH, Which()),
        ("How different is number 1 and number 3 hotel?", "difference", "", Which(numbers=(1, 3))),
        ("how different are the first and the second flight", "difference", "", Which(numbers=(1, 2))),
        ("what's different between hotel 1 and 2", "difference", "", Which(numbers=(1, 2))),
        ("what is different about number 2 and number 3?", "difference", "", Which(numbers=(2, 3))),
        ("can it be cancelled free of charge?", "refund", "", Which()),
        ("can the second hotel be cancelled at no cost", "refund", "", Which(numbers=(2,))),
        ("is the first hotel free of charge to cancel?", "refund", "", FIRST),
        ("can i cancel it free of charge", "refund", "", Which()),
    ],
)
def test_reasons_sums_and_differences_are_asked_for(said, topic, wanted, which):
    question = asked(said)
    assert question is not None
    assert (question.topic, question.wanted) == (topic, wanted)
    assert question.which == which


@pytest.mark.parametrize(
    ("said", "topic"),
    [
        ("Is option 1 operated by Lufthansa? He collects Miles & More.", "carrier"),
        ("Which airport is departure? I live near Schoenefeld, Tegel is far.", "departure"),
        ("from which airport is the first flight? I live close to Hamburg", "departure"),
        ("My wife gets hungry early. Is breakfast included in the second?", "has"),
        ("how long is the layover? We are from Porto originally", "layover"),
        ("Ok. It's my birthday. Does the first hotel have a pool?", "has"),
    ],
)
def test_remark_beside_a_question_moves_nothing(said, topic):
    question = asked(said)
    assert question is not None
    assert question.topic == topic


@pytest.mark.parametrize(
    "said",
    [
        "how long is the layover? We want to leave from Porto",
        "Does it include bags? We need 2 rooms",
        "Is it direct? I'd rather fly on the 12th",
        "how far is it? I prefer Porto",
    ],
)
def test_wish_beside_a_question_is_no_remark(said):
    before, after = told(BOTH), told(BOTH, said)
    assert after.question is None or (flight(after), after.hotel) != (flight(before), before.hotel)


@pytest.mark.parametrize(
    "said",
    [
        "Would it be dearer to leave on a Saturday rather than a Tuesday?",
        "which return date works out cheaper",
        "which day is cheaper?",
        "is it cheaper on the 20th or the 21st?",
        "what day would be less expensive",
        "are Mondays cheaper than Fridays?",
    ],
)
def test_comparison_of_days_changes_none(said):
    question = asked(said)
    assert question is not None
    assert (question.topic, question.wanted) == ("untold", "which day is cheaper")


@pytest.mark.parametrize("said", ["is it cheaper on sunday?", "find something cheaper on Friday or Saturday"])
def test_one_day_that_may_be_cheaper_is_looked_at(said):
    assert told(BOTH, said).agents
