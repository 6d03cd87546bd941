"""An agent of LangChain with its own approvals, unchanged, on a real server that is killed while it asks."""

import pytest

from backend.http.wire import answers
from tests.api.live import answer
from tests.e2e.server_process import ServerProcess

ANSWERS = {
    "our form": ({"decision": "allow"}, "The tool said: booked Adler"),
    "our form, edited": ({"decision": "edit", "arguments": {"hotel": "Dom"}}, "The tool said: booked Dom"),
    "LangChain's own": ({"decisions": [{"type": "approve"}]}, "The tool said: booked Adler"),
}


@pytest.mark.requirement("QUESTIONS-OF-ANY-GRAPH")
@pytest.mark.requirement("QUESTIONS-SURVIVE")
@pytest.mark.parametrize("how", ANSWERS)
async def test_approval_survives_a_kill_and_langchains_agent_gets_what_it_expects(process, how):
    body, reply = ANSWERS[how]
    server: ServerProcess = process(graph="tests.graphs.approving:graph")
    await server.start()
    task_id = (await server.chat("ann", "Book something"))["task_id"]
    asked = (await server.until_asked("ann"))["input_request"]
    assert (asked["tool"], asked["facts"]) == ("book", {"hotel": "Adler"})
    await server.kill()
    await server.start()
    assert (await server.status("ann"))["input_request"] == asked
    given = {"request_id": asked["request_id"], "answer": body}
    answer(await server.call("POST", "/answer/ann", json=given), 202, answers.AnsweredAnswer)
    assert (await server.until_ended("ann", task_id))["status"] == "completed"
    assert (await server.history("ann"))["messages"][-1]["text"] == reply
