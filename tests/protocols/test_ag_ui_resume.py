"""What AG-UI's `resume` makes of open questions: all of it or nothing, and the same after a restart."""

import pytest
import pytest_asyncio

from tests.api.live import running, serving
from tests.protocols.ag_ui_stream import answer, events_in, kinds, post, post_raw, run_input, text_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAIR = "tests.protocols.pair_graph:graph"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ag_ui")
    async with running(folder, graph=PAIR, messages_per_minute=100_000) as client:
        yield client


async def both(live, user_id: str) -> tuple[str, str]:
    """Have two questions asked; return their ids."""
    events = await post(live, run_input(user_id, "go"))
    left, right = (each["id"] for each in events[-1]["outcome"]["interrupts"])
    return left, right


async def refused(live, user_id: str, *resumed) -> str:
    """Resume with what must be refused; return the sentence. All questions are open still."""
    events = await post(live, run_input(user_id, run_id="run-2", resume=[*resumed]))
    assert kinds(events) == ["RUN_STARTED", "RUN_ERROR"]
    assert len((await live.status(user_id))["input_requests"]) == 2
    assert [each["role"] for each in (await live.history(user_id))["messages"]].count("user") == 1
    return events[-1]["message"]


@pytest.mark.parametrize("again", [("3", "resolved"), ("1", "cancelled")])
async def test_question_that_is_given_two_fates_is_refused_by_its_id(live, ann, again):
    left, right = await both(live, ann)
    message = await refused(live, ann, answer(left, "1"), answer(right, "2"), answer(left, *again))
    assert message.startswith("resume.2: ")
    assert left in message


async def test_question_that_is_given_the_same_fate_twice_is_resolved_once(live, ann):
    left, right = await both(live, ann)
    given = [answer(left, "1"), answer(right, "2"), answer(left, "1")]
    events = await post(live, run_input(ann, run_id="run-2", resume=given))
    assert events[-1]["outcome"] == {"type": "success"}
    assert [each["text"] for each in (await live.history(ann))["messages"]].count("1") == 1


@pytest.mark.parametrize("first", [("1", "resolved"), (None, "cancelled")])
async def test_answers_of_which_one_does_not_fit_are_all_refused(live, ann, first):
    left, right = await both(live, ann)
    message = await refused(live, ann, answer(left, *first), answer(right, None))
    assert message.startswith("resume.1.payload: ")


@pytest.mark.parametrize(
    ("text", "payload", "field"),
    [
        ("field Where?", "", "resume.0.payload: "),
        ("field Where?", {"answer": ""}, "resume.0.payload.answer: "),
        ("field Where?", [1, 2], "resume.0.payload: "),
        ("field Where?", {"answer": {"place": 1}}, "resume.0.payload.answer: "),
    ],
)
async def test_answer_that_does_not_fit_is_named_as_the_client_sent_it(
    tmp_path_factory, text, payload, field
):
    async with running(tmp_path_factory.mktemp("named")) as client:
        asked = await post(client, run_input("ann", text))
        question = asked[-1]["outcome"]["interrupts"][0]["id"]
        events = await post(client, run_input("ann", run_id="run-2", resume=[answer(question, payload)]))
        assert events[-1]["code"] == "bad_input"
        assert events[-1]["message"].startswith(field)


async def test_place_that_nobody_knows_is_named_as_the_client_sent_it(tmp_path):
    async with running(tmp_path, graph="") as client:
        asked = await post(client, run_input("ann", "Find flights to Rome on 5 December 2026"))
        question = asked[-1]["outcome"]["interrupts"][0]["id"]
        resume = [answer(question, {"origin": "Nowhereville"})]
        events = await post(client, run_input("ann", run_id="run-2", resume=resume))
        assert events[-1]["message"].startswith("resume.0.payload.origin: ")


async def test_permission_that_is_not_decided_is_named_as_the_client_sent_it(tmp_path):
    async with serving(tmp_path, graph="", demo_pace=0) as client:
        await post(client, run_input("ann", "Find flights from Berlin to Rome on 5 December 2026"))
        asked = await post(client, run_input("ann", "Book the cheapest flight", run_id="run-2"))
        question = asked[-1]["outcome"]["interrupts"][0]["id"]
        events = await post(client, run_input("ann", run_id="run-3", resume=[answer(question, "perhaps")]))
        assert events[-1]["message"] == "resume.0.payload: should be allow or deny."


@pytest.mark.requirement("FOREIGN-FRAMES-REPLAY-ALIKE")
async def test_answer_that_is_sent_again_after_a_restart_follows_its_run(tmp_path):
    body = run_input("ann", run_id="run-2")
    async with running(tmp_path, store="sqlite") as client:
        asked = await post(client, run_input("ann", "ask Where?"))
        question = asked[-1]["outcome"]["interrupts"][0]["id"]
        body["resume"] = [answer(question, "Rome")]
        whole = await post_raw(client, body)
    async with running(tmp_path, store="sqlite") as client:
        assert await post_raw(client, body) == whole
        assert text_of(events_in(whole)) == "Done: ask Where?"
        other = await post(client, body | {"resume": [answer(question, "Oslo")]})
        assert other[-1]["code"] == "no_such_interrupt"
        assert [each["text"] for each in (await client.history("ann"))["messages"]].count("Rome") == 1
