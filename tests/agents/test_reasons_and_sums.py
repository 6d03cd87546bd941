"""Why a flight takes so long, each one's share, what is left of a budget: all from the offers."""

import pytest

from tests.agents import test_found_questions
from tests.agents.test_found_questions import BOTH, FLIGHTS, HOTELS

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("FOUND-ANSWERS-QUESTIONS")]

Ann = test_found_questions.Ann  # The class that the fixture `ann` opens.


@pytest.mark.parametrize(
    ("first", "asked", "told"),
    [
        (FLIGHTS, "y is the 1st one so long", "takes 14 h (1 stop, 1 h 35 min in IST)."),
        (
            FLIGHTS,
            "why is the first one so long",
            "The shortest of the 3 flights is Aurora Demo at 08:30 (11 h",
        ),
        (FLIGHTS, "why does number 3 take so long?", "None of the 3 flights is shorter."),
        (FLIGHTS, "why is it so expensive", "Of 3 flights the cheapest is Larch Demo"),
        (FLIGHTS, "why so expensive", "the dearest Aurora Demo at 08:30 (11 h, nonstop) for 640.00 EUR."),
        (HOTELS, "why is it so expensive", "the dearest Blue Anchor Demo (4 stars"),
        (
            f"{FLIGHTS}, up to 700 euros in all",
            "what's left of the budget",
            "Of your 700 EUR that leaves 110.00",
        ),
        (f"{FLIGHTS}, budget 700", "how much budget is left?", "Of your 700 EUR that leaves 110.00 EUR."),
        (FLIGHTS, "how much of our budget is left", "You have told me no budget for all of it"),
        (BOTH, "what's the damage per head flights + hotel", "That is 680.00 EUR each."),
        (FLIGHTS, "which return date works out cheaper", "I search one day at a time"),
        (HOTELS, "How different is number 1 and number 2 hotel?", "Only the second lists pool."),
    ],
)
async def test_the_facts_of_the_offers_answer(ann, first, asked, told):
    await ann.say(first)
    searches = ann.searches
    assert told in await ann.ask(asked)
    assert ann.searches == searches
