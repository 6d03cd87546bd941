"""A2A's own client against a real server, in both versions of the protocol."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.helpers import get_stream_response_text
from a2a.types import a2a_pb2 as a2a
from a2a.utils.errors import (
    InvalidParamsError,
    TaskNotCancelableError,
    UnsupportedOperationError,
)
from google.protobuf.json_format import MessageToDict

from tests.api.issuer import Issuer, bearer
from tests.api.live import LiveServer, running, serving
from tests.conventions import ROOT
from tests.fakes.waiting import BOUND_S
from tests.protocols.conftest import TALKING

pytestmark = pytest.mark.asyncio(loop_scope="module")

WORKING, ASKS, CANCELED = (
    a2a.TASK_STATE_WORKING,
    a2a.TASK_STATE_INPUT_REQUIRED,
    a2a.TASK_STATE_CANCELED,
)
COMPLETED, FAILED = a2a.TASK_STATE_COMPLETED, a2a.TASK_STATE_FAILED


class Agent:
    """A client of a server, in one version of the protocol; `streaming` and `waiting` send messages."""

    def __init__(self, http: httpx.AsyncClient, card: a2a.AgentCard) -> None:
        made = [
            ClientFactory(ClientConfig(httpx_client=http, streaming=streams)).create(card)
            for streams in (True, False)
        ]
        self.card = card
        self.client, self.waiting = made

    def send(self, text: str, context: str, **fields: Any) -> AsyncIterator[a2a.StreamResponse]:
        """Send a message; return the updates of its task."""
        return self.client.send_message(request(text, context, **fields))

    async def ask(self, text: str, context: str, **fields: Any) -> a2a.Task:
        """Send a message; return its task once it has ended, or asks."""
        (answer,) = [each async for each in self.waiting.send_message(request(text, context, **fields))]
        return answer.task

    async def get(self, task_id: str, **fields: Any) -> a2a.Task:
        return await self.client.get_task(a2a.GetTaskRequest(id=task_id, **fields))

    async def listed(self, **wanted: Any) -> a2a.ListTasksResponse:
        return await self.client.list_tasks(a2a.ListTasksRequest(**wanted))

    async def cancel(self, task_id: str) -> a2a.Task:
        return await self.client.cancel_task(a2a.CancelTaskRequest(id=task_id))

    def subscribe(self, task_id: str) -> AsyncIterator[a2a.StreamResponse]:
        return self.client.subscribe(a2a.SubscribeToTaskRequest(id=task_id))


def request(text: str, context: str, *, message_id: str = "", **fields: Any) -> a2a.SendMessageRequest:
    message = a2a.Message(
        role=a2a.ROLE_USER,
        message_id=message_id or f"m-{text}",
        context_id=context,
        parts=fields.pop("parts", None) or [a2a.Part(text=text)],
        **fields,
    )
    return a2a.SendMessageRequest(message=message)


def reply(task: a2a.Task) -> str:
    return "".join(part.text for each in task.artifacts if each.artifact_id == "reply" for part in each.parts)


def texts(updates: list[a2a.StreamResponse]) -> str:
    return "".join(get_stream_response_text(each) for each in updates if each.HasField("artifact_update"))


def states(updates: list[a2a.StreamResponse]) -> list[int]:
    first, *others = updates
    return [
        first.task.status.state,
        *(each.status_update.status.state for each in others if each.HasField("status_update")),
    ]


async def words_of(updates: AsyncIterator[a2a.StreamResponse]) -> a2a.Task:
    """Return the task of a stream once it has said something."""
    task = (await anext(updates)).task
    async for each in updates:
        if each.HasField("artifact_update"):
            return task
    raise AssertionError("it said nothing")


async def card_of(http: httpx.AsyncClient, server: LiveServer, path: str = "") -> a2a.AgentCard:
    return await A2ACardResolver(http, f"http://127.0.0.1:{server.port}{path}").get_agent_card()


@pytest_asyncio.fixture(loop_scope="module")
async def server(live_servers) -> LiveServer:
    return await live_servers(protocols="a2a")


@pytest_asyncio.fixture(loop_scope="module", params=["1.0", "0.3"])
async def agent(server: LiveServer, request) -> AsyncIterator[Agent]:
    async with httpx.AsyncClient(timeout=BOUND_S) as http:
        card = await card_of(http, server)
        kept = [each for each in card.supported_interfaces if each.protocol_version == request.param]
        del card.supported_interfaces[:]
        card.supported_interfaces.extend(kept)
        yield Agent(http, card)


async def test_card_tells_where_the_agent_is_and_what_it_can(agent, server):
    (interface,) = agent.card.supported_interfaces
    assert interface.url == f"http://127.0.0.1:{server.port}/a2a"
    assert agent.card.capabilities.streaming
    assert [each.id for each in agent.card.skills] == ["talking_graph"]


async def test_task_is_streamed_to_its_end_and_got_alike(agent, ann):
    updates = [each async for each in agent.send("slow 3", ann)]
    assert states(updates) == [a2a.TASK_STATE_SUBMITTED, WORKING, COMPLETED]
    assert texts(updates) == "word0 word1 word2"
    task = await agent.get(updates[0].task.id)
    assert (task.context_id, task.status.state, reply(task)) == (ann, COMPLETED, "word0 word1 word2")
    assert [each.parts[0].text for each in task.history] == ["slow 3", "word0 word1 word2"]
    assert [each.parts[0].text for each in (await agent.get(task.id, history_length=1)).history] == [
        "word0 word1 word2"
    ]


async def test_message_without_a_context_begins_one_and_is_remembered_in_it(agent):
    first = await agent.ask("one", "")
    assert first.context_id
    assert reply(await agent.ask("recall", first.context_id)) == "one / recall"


@pytest.mark.requirement("A-MESSAGE-KEEPS-ITS-ID")
async def test_message_that_is_sent_again_starts_nothing(agent, server, ann):
    first, again = [await agent.ask("hello", ann, message_id="m1") for _ in range(2)]
    assert first == again
    assert [each["client_id"] for each in (await server.history(ann))["messages"]] == ["m1", None]


class TestQuestions:
    async def test_question_is_the_status_and_a_message_of_the_task_answers_it(self, agent, ann):
        asked = await agent.ask("ask", ann)
        assert asked.status.state == ASKS
        assert asked.status.message.parts[0].text == "Which place?"
        assert "Which place?" not in reply(asked)
        told = await agent.ask("Rome", ann, task_id=asked.id)
        assert (told.id, told.status.state) == (asked.id, COMPLETED)
        assert reply(told).endswith("Then we go to Rome.")
        assert await agent.get(asked.id) == told

    async def test_form_is_answered_by_data(self, agent, ann):
        asked = await agent.ask("ask", ann)
        form = MessageToDict(asked.status.message.parts[1].data)
        answer = a2a.Part()
        answer.data.struct_value.update({"request_id": form["request_id"], "answer": "Oslo"})
        told = await agent.ask("", ann, task_id=asked.id, parts=[answer])
        assert (told.id, told.status.state) == (asked.id, COMPLETED)
        with pytest.raises(InvalidParamsError):
            await agent.ask("", ann, parts=[answer])

    async def test_stream_that_asks_ends_there_and_that_of_the_answer_goes_on(self, agent, ann):
        asked = [each async for each in agent.send("ask", ann)]
        assert states(asked)[-1] == ASKS
        assert "Which place?" not in texts(asked)
        told = [each async for each in agent.send("Rome", ann, task_id=asked[0].task.id)]
        assert (told[0].task.id, states(told)[-1]) == (asked[0].task.id, COMPLETED)
        assert reply(told[0].task) + texts(told) == reply(await agent.get(told[0].task.id))

    async def test_subscription_to_a_task_that_asks_has_its_question(self, agent, ann):
        asked = await agent.ask("ask", ann)
        (only,) = [each async for each in agent.subscribe(asked.id)]
        assert only.task == asked

    async def test_cancel_withdraws_a_question(self, agent, ann):
        asked = await agent.ask("ask", ann)
        assert (await agent.cancel(asked.id)).status.state == CANCELED
        assert (await agent.get(asked.id)).status.state == CANCELED


class TestEndings:
    async def test_change_of_mind_cancels_the_task_before(self, agent, ann):
        updates = agent.send("slow", ann)
        task = await words_of(updates)
        second = await agent.ask("hello", ann)
        assert reply(second) == "You said: hello"
        *_, last = [each async for each in updates]
        assert last.status_update.status.state == CANCELED
        assert last.status_update.metadata["detour"]["reason"] == "superseded"
        assert reply(await agent.get(task.id)).startswith("word0")

    @pytest.mark.requirement("FOREIGN-STOP-STOPS")
    async def test_cancel_ends_the_task_and_keeps_what_it_has_said(self, agent, server, ann):
        updates = agent.send("slow", ann)
        task = await words_of(updates)
        joined = agent.subscribe(task.id)
        assert (await anext(joined)).task.status.state == WORKING
        canceled = await agent.cancel(task.id)
        assert canceled.status.state == CANCELED
        assert canceled.metadata["detour"]["receipt"]["reason"] == "stopped"
        assert reply(canceled).startswith("word0")
        for stream in (updates, joined):
            assert states([a2a.StreamResponse(), *[each async for each in stream]])[-1] == CANCELED
        assert (await server.status(ann))["reason"] == "stopped"
        with pytest.raises(TaskNotCancelableError):
            await agent.cancel(task.id)

    @pytest.mark.requirement("LEAVING-IS-NOT-STOPPING")
    async def test_leaving_stops_nothing_and_a_subscription_has_the_rest(self, agent, server, ann):
        updates = agent.send("slow 60", ann)
        task = await words_of(updates)
        await updates.aclose()
        await server.until_all_have_left()
        rest = [each async for each in agent.subscribe(task.id)]
        assert states(rest)[-1] == COMPLETED
        whole = " ".join(f"word{number}" for number in range(60))
        assert reply(rest[0].task) + texts(rest) == whole
        with pytest.raises(UnsupportedOperationError):
            await anext(agent.subscribe(task.id))

    async def test_failure_is_told_in_words(self, agent, ann):
        failed = await agent.ask("fail", ann)
        assert failed.status.state == FAILED
        assert failed.status.message.parts[0].text

    async def test_task_that_has_ended_takes_no_message(self, agent, ann):
        done = await agent.ask("hello", ann)
        with pytest.raises(UnsupportedOperationError):
            await agent.ask("more", ann, task_id=done.id)

    async def test_message_that_does_not_wait_returns_its_task_at_once(self, agent, ann):
        sent = request("slow", ann)
        sent.configuration.return_immediately = True
        (answer,) = [each async for each in _polled(agent, sent)]
        assert answer.status.state in {a2a.TASK_STATE_SUBMITTED, WORKING}
        await agent.cancel(answer.id)


@pytest_asyncio.fixture(loop_scope="module")
async def caller(server: LiveServer) -> AsyncIterator[Agent]:
    """A client of version 1.0, the only one that lists tasks by JSON-RPC."""
    async with httpx.AsyncClient(timeout=BOUND_S) as http:
        yield Agent(http, await card_of(http, server))


class TestLists:
    """`ListTasks` by the real client; that of version 0.3 has none over JSON-RPC."""

    async def test_tasks_of_a_context_are_listed_the_last_to_change_first(self, caller, ann):
        first, second = [await caller.ask(text, ann) for text in ("one", "two")]
        asked = await caller.ask("ask", ann)
        told = await caller.ask("Rome", ann, task_id=asked.id)
        listed = await caller.listed(context_id=ann, include_artifacts=True)
        assert [*listed.tasks] == [told, second, first]
        assert (listed.total_size, listed.page_size, listed.next_page_token) == (3, 50, "")

    async def test_artifacts_are_left_out_unless_they_are_asked_for(self, caller, ann):
        task = await caller.ask("hello", ann)
        (plain,) = (await caller.listed(context_id=ann)).tasks
        assert not plain.artifacts
        task.ClearField("artifacts")
        assert plain == task
        (short,) = (await caller.listed(context_id=ann, history_length=1)).tasks
        assert [each.parts[0].text for each in short.history] == ["You said: hello"]
        (none,) = (await caller.listed(context_id=ann, history_length=0)).tasks
        assert not none.history

    async def test_pages_hold_each_task_once(self, caller, ann):
        made = [(await caller.ask(text, ann)).id for text in ("one", "two", "three")]
        first = await caller.listed(context_id=ann, page_size=2)
        # One that has changed since is not listed again.
        newer = await caller.ask("four", ann)
        rest = await caller.listed(context_id=ann, page_size=2, page_token=first.next_page_token)
        assert [each.id for page in (first, rest) for each in page.tasks] == made[::-1]
        assert (first.total_size, rest.total_size, rest.next_page_token) == (3, 4, "")
        assert newer.id not in {each.id for each in rest.tasks}

    async def test_long_page_ends_early(self, caller, ann, monkeypatch):
        made = [(await caller.ask(text, ann)).id for text in ("one", "two", "three")]
        monkeypatch.setattr("backend.protocols.a2a.routes.HISTORY_BYTES", 1)
        listed: list[str] = []
        token = ""
        for _ in made:
            page = await caller.listed(context_id=ann, page_token=token)
            token = page.next_page_token
            listed += [each.id for each in page.tasks]
            assert len(listed) == 3 - made.index(listed[-1])
        assert (listed, token) == (made[::-1], "")

    async def test_tasks_are_filtered_by_state_and_time(self, caller, ann):
        done = await caller.ask("hello", ann)
        asked = await caller.ask("ask", ann)
        for state, expected in ((COMPLETED, done), (ASKS, asked)):
            listed = await caller.listed(context_id=ann, status=state)
            assert ([each.id for each in listed.tasks], listed.total_size) == ([expected.id], 1)
        assert not (await caller.listed(context_id=ann, status=a2a.TASK_STATE_REJECTED)).tasks
        since = asked.status.timestamp
        listed = await caller.listed(context_id=ann, status_timestamp_after=since)
        assert [each.id for each in listed.tasks] == [asked.id]
        since.FromNanoseconds(since.ToNanoseconds() + 1_000_000)
        assert not (await caller.listed(context_id=ann, status_timestamp_after=since)).tasks

    async def test_unknown_context_has_no_tasks(self, caller, ann):
        listed = await caller.listed(context_id=ann)
        assert (len(listed.tasks), listed.total_size) == (0, 0)

    async def test_what_a_client_wrote_to_a_state_is_no_task(self, live_servers, ann):
        server = await live_servers(protocols="a2a,langgraph")
        async with httpx.AsyncClient(timeout=BOUND_S) as http:
            agent = Agent(http, await card_of(http, server))
            task = await agent.ask("hello", ann)
            written = {"values": {"messages": [{"role": "user", "content": "noted"}]}}
            answer = await server.call("POST", f"/threads/{ann}/state", json=written)
            assert answer.status_code == 200, answer.text
            assert [each.id for each in (await agent.listed(context_id=ann)).tasks] == [task.id]

    async def test_agent_lists_its_own_tasks(self, live_servers, ann):
        server = await live_servers(protocols="a2a", graph=str(ROOT / "examples" / "langgraph.json"))
        async with httpx.AsyncClient(timeout=BOUND_S) as http:
            own: dict[str, str] = {}
            for name in ("shelves", "rooms"):
                agent = Agent(http, await card_of(http, server, f"/a2a/{name}"))
                own[name] = (await agent.ask(f"maps {name}", ann)).id
                listed = await agent.listed(context_id=ann)
                assert [each.id for each in listed.tasks] == [own[name]]
            both = await Agent(http, await card_of(http, server)).listed(context_id=ann)
            assert [each.id for each in both.tasks] == [own["rooms"], own["shelves"]]

    @pytest.mark.requirement("NOBODY-REACHES-OTHERS")
    async def test_persons_list_their_own_tasks(self, tmp_path, monkeypatch):
        monkeypatch.setattr("backend.protocols.a2a.routes._AT_ONCE", 2)
        issuer = Issuer()
        async with serving(tmp_path, graph=TALKING, protocols="a2a", **issuer.settings()) as server:
            agents: dict[str, Agent] = {}
            for person in ("ann", "eve"):
                http = httpx.AsyncClient(timeout=BOUND_S, headers=bearer(issuer.token(person)))
                agents[person] = Agent(http, await card_of(http, server))
            made = [await agents["ann"].ask("hello", f"ann-{number}") for number in range(3)]
            own = await agents["eve"].ask("hello", "eve-1")
            listed = await agents["ann"].listed()
            assert [each.id for each in listed.tasks] == [each.id for each in made[::-1]]
            assert listed.total_size == 3
            assert [each.id for each in (await agents["eve"].listed()).tasks] == [own.id]
            for context in ("ann-1", "ann-9"):
                assert (await agents["eve"].listed(context_id=context)).total_size == 0
            for agent in agents.values():
                await agent.waiting._config.httpx_client.aclose()


async def _polled(agent: Agent, sent: a2a.SendMessageRequest) -> AsyncIterator[a2a.Task]:
    config = ClientConfig(streaming=False, polling=True, httpx_client=agent.waiting._config.httpx_client)
    async for each in ClientFactory(config).create(agent.card).send_message(sent):
        yield each.task


async def test_results_of_agents_are_artifacts(live_servers, ann):
    server = await live_servers(protocols="a2a", graph="")
    async with httpx.AsyncClient(timeout=BOUND_S) as http:
        agent = Agent(http, await card_of(http, server))
        updates = [each async for each in agent.send("hotels in Oslo from 5 December for 3 nights", ann)]
        found = [
            item
            for each in updates
            if each.artifact_update.artifact.artifact_id == "hotel"
            for item in MessageToDict(each.artifact_update.artifact.parts[0].data)["items"]
        ]
        kept = (await server.partial_results(ann))["partial_results"]["hotel"]
        assert [each["name"] for each in found] == [each["name"] for each in kept]
        task = await agent.get(updates[0].task.id)
        assert {each.artifact_id for each in task.artifacts} == {"hotel", "reply"}


class TestRefusals:
    async def call(self, api: Any, method: str, **params: Any) -> dict[str, Any]:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        response = await api.call("POST", "/a2a", json=body)
        assert response.status_code == 200, response.text
        return response.json()["error"]

    @pytest.mark.parametrize(
        ("method", "params", "code", "field"),
        [
            ("SendMessage", {}, -32602, "message.role"),
            ("SendMessage", {"message": {"role": "ROLE_USER"}}, -32602, "message.parts"),
            ("message/send", {"message": {"role": "user", "parts": [{}]}}, -32602, "message.parts[0]"),
            (
                "message/send",
                {"message": {"role": "user", "parts": [{"kind": "text", "text": "hi"}], "contextId": 5}},
                -32602,
                "message.contextId",
            ),
            ("GetTask", {}, -32602, "id"),
            ("GetTask", {"id": "x_y"}, -32001, ""),
            ("tasks/get", {"id": "x"}, -32001, ""),
            ("GetTask", {"id": "x_y", "historyLength": -1}, -32602, "historyLength"),
            ("tasks/pushNotificationConfig/set", {}, -32003, ""),
            ("CreateTaskPushNotificationConfig", {}, -32003, ""),
            ("tasks/list", {}, -32601, ""),
            ("ListTasks", {}, -32602, "contextId"),
            ("ListTasks", {"contextId": "x", "status": "TASK_STATE_LOST"}, -32602, "status"),
            ("ListTasks", {"contextId": "x", "pageSize": 0}, -32602, "pageSize"),
            ("ListTasks", {"contextId": "x", "pageSize": 101}, -32602, "pageSize"),
            ("ListTasks", {"contextId": "x", "pageSize": True}, -32602, "pageSize"),
            ("ListTasks", {"contextId": "x", "pageToken": "next"}, -32602, "pageToken"),
            ("ListTasks", {"contextId": "x", "historyLength": -1}, -32602, "historyLength"),
            ("ListTasks", {"contextId": "x", "includeArtifacts": "yes"}, -32602, "includeArtifacts"),
            ("ListTasks", {"contextId": "x", "statusTimestampAfter": "now"}, -32602, "statusTimestampAfter"),
        ],
    )
    async def test_call_that_cannot_be_is_refused(self, servers, method, params, code, field):
        error = await self.call(await servers(protocols="a2a"), method, **params)
        assert error["code"] == code
        assert error["message"].startswith(f"{field}: " if field else "There")

    @pytest.mark.parametrize(
        ("body", "code"),
        [
            (b"", -32600),
            (b"[]", -32600),
            (b"null", -32600),
            (b'{"jsonrpc": "1.0", "method": "GetTask"}', -32600),
            (b"{", -32700),
            (b"\xff", -32700),
        ],
    )
    async def test_body_that_is_no_call_is_refused(self, servers, body, code):
        api = await servers(protocols="a2a")
        headers = {"content-type": "application/json"}
        response = await api.call("POST", "/a2a", content=body, headers=headers)
        assert response.json()["error"]["code"] == code

    async def test_task_of_another_person_is_as_unknown_as_any(self, tmp_path):
        issuer = Issuer()
        async with running(tmp_path, graph=TALKING, protocols="a2a", **issuer.settings()) as api:
            api.http.headers = bearer(issuer.token("ann"))
            message = {"role": "user", "parts": [{"kind": "text", "text": "hi"}], "contextId": "ann-1"}
            sent = {"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": message}}
            own = (await api.call("POST", "/a2a", json=sent)).json()["result"]["id"]
            api.http.headers = bearer(issuer.token("eve"))
            assert (await api.call("POST", "/a2a", json=sent)).json()["error"]["code"] == -32001
            for method in ("tasks/get", "tasks/cancel", "tasks/resubscribe", "GetTask"):
                told = [await self.call(api, method, id=each) for each in (own, own.replace("-1", "-2"))]
                assert [each["code"] for each in told] == [-32001] * 2
                assert told[0]["message"] == told[1]["message"].replace("-2", "-1")

    async def test_door_is_shut_unless_it_is_asked_for(self, servers):
        api = await servers()
        assert (await api.call("POST", "/a2a", json={})).status_code == 404
        assert (await api.call("GET", "/.well-known/agent-card.json")).status_code == 404


async def test_task_is_there_after_a_restart(tmp_path, ann):
    settings = {"protocols": "a2a", "graph": TALKING, "store": "sqlite"}
    async with httpx.AsyncClient(timeout=BOUND_S) as http:
        async with serving(tmp_path, **settings) as server:
            asked = await Agent(http, await card_of(http, server)).ask("ask", ann)
        async with serving(tmp_path, **settings) as server:
            agent = Agent(http, await card_of(http, server))
            assert await agent.get(asked.id) == asked
            assert (await agent.ask("Rome", ann, task_id=asked.id)).status.state == COMPLETED
