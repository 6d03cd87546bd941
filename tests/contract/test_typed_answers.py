"""What a typed message means while a graph asks for text: an answer, or a change of mind."""

import pytest
from langgraph.types import interrupt

from tests.graphs.building import State, chain

pytestmark = [
    pytest.mark.virtual_time,
    pytest.mark.requirement("NO-MESSAGE-IS-SWALLOWED"),
    pytest.mark.requirement("CHANGING-ONES-MIND"),
]


async def ask(state: State) -> State:
    if state["message"] != "hi":
        return {"answer": f"new: {state['message']}"}
    return {"answer": f"given: {interrupt('Which city?')}"}


@pytest.mark.parametrize(
    "message",
    [
        "Forget it, show me something else instead",
        "forget that",
        "Never mind.",
        "nevermind show me hotels",
        "Stop",
        "stop it please",
        "Cancel that!",
        "cancel",
        "no wait, I meant something else",
        "Oh no, wait - show me hotels",
        "Hold on, what about Rome",
        "I've changed my mind",
        "I\N{RIGHT SINGLE QUOTATION MARK}ve changed my mind",
        "On second thought, leave it",
        "Actually, show me hotels in Rome",
        "Instead show me hotels in Rome",
        "What can I choose from?",
        "Can you show me hotels first?",
        "why do you ask?",
    ],
)
async def test_a_message_that_calls_off_or_asks_back_withdraws_the_question(serve, message):
    served = await serve(chain(ask))
    task = await served.post()
    assert await served.post(message) != task
    assert (await served.parts.receipt(task))["input_request"] == "withdrawn"
    assert await served.reply() == f"new: {message}"


@pytest.mark.parametrize(
    "message",
    [
        "Rome",
        "Rome?",
        "no",
        "No, Rome",
        "Actually, Rome",
        "Actually make it Rome",
        "Instead of Rome I would like Milan",
        "Stop at the museum on the way",
        "Cancel my subscription to the paper",
        "Skip",
        "Whatever",
        "Whatever is near, I have been to Rome?",
        "What about Rome",
        "Rome, and never mind the price",
        "Waiting is fine with me",
        "Stopover in Rome",
    ],
)
async def test_any_other_text_is_the_answer(serve, message):
    served = await serve(chain(ask))
    task = await served.post()
    assert await served.post(message) == task
    assert await served.reply() == f"given: {message}"


async def test_an_answer_that_sounds_like_calling_off_is_taken_where_it_is_sent_as_an_answer(serve):
    served = await serve(chain(ask))
    await served.post()
    await served.answer(answer="Never mind")
    assert await served.reply() == "given: Never mind"


async def test_a_choice_that_sounds_like_calling_off_is_a_choice(serve):
    async def choose(state: State) -> State:
        if state["message"] != "hi":
            return {"answer": "new"}
        schema = {"type": "object", "properties": {"do": {"enum": ["go on", "cancel"]}}, "required": ["do"]}
        return {"answer": interrupt({"prompt": "What?", "schema": schema})["do"]}

    for message, reply in (("Cancel", "cancel"), ("cancel it", "new")):
        served = await serve(chain(choose))
        await served.post()
        await served.post(message)
        assert await served.reply() == reply
