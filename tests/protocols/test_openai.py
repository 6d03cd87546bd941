"""OpenAI's Python client against a real server: completions, responses, and how each of them ends."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import openai
import pytest
import pytest_asyncio

from tests.api.live import ENDED, LiveServer, serving
from tests.fakes.waiting import BOUND_S, until
from tests.protocols.conftest import TALKING
from tests.protocols.test_tool_calls import until_running

pytestmark = pytest.mark.asyncio(loop_scope="module")

CALLING = "tests.protocols.calling_graph:graph"
FAILING = "tests.protocols.failing_graph:graph"
TALK = "talking_graph"


def said(text: str, role: str = "user") -> Any:
    return {"role": role, "content": text}


def client_of(server: LiveServer, **options: Any) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(
        base_url=f"http://127.0.0.1:{server.port}/v1", api_key="none", timeout=BOUND_S, **options
    )


async def text_of(stream: Any) -> str:
    """Return the text of a stream of chunks."""
    return "".join([each.choices[0].delta.content or "" async for each in stream if each.choices])


@pytest_asyncio.fixture(loop_scope="module")
async def server(live_servers) -> LiveServer:
    return await live_servers(protocols="openai")


@pytest_asyncio.fixture(loop_scope="module")
async def client(server: LiveServer) -> AsyncIterator[openai.AsyncOpenAI]:
    async with client_of(server) as client:
        yield client


@pytest_asyncio.fixture(loop_scope="module")
async def calling(live_servers) -> AsyncIterator[openai.AsyncOpenAI]:
    async with client_of(await live_servers(protocols="openai", graph=CALLING)) as client:
        yield client


async def begun(client: openai.AsyncOpenAI, thread: str) -> tuple[Any, Any]:
    """Return a stream of a slow completion and its first words."""
    stream = await client.chat.completions.create(
        model=TALK, messages=[said("slow")], stream=True, metadata={"thread_id": thread}
    )
    async for chunk in stream:
        if chunk.choices[0].delta.content:
            return stream, chunk
    raise AssertionError("it said nothing")


class TestModels:
    async def test_models_are_the_served_graphs(self, client):
        (model,) = [each async for each in await client.models.list()]
        assert model.id == TALK
        assert await client.models.retrieve(TALK) == model

    async def test_unknown_model_is_refused_in_openais_form(self, client):
        with pytest.raises(openai.NotFoundError) as refused:
            await client.chat.completions.create(model="gpt-4", messages=[said("hi")])
        assert refused.value.code == "model_not_found"
        assert refused.value.param == "model"
        with pytest.raises(openai.NotFoundError):
            await client.models.retrieve("gpt-4")


class TestCompletions:
    async def test_completion_has_the_answer_and_what_was_used(self, client):
        done = await client.chat.completions.create(model=TALK, messages=[said("hello")])
        (choice,) = done.choices
        assert (choice.message.content, choice.finish_reason) == ("You said: hello", "stop")
        assert done.usage.total_tokens == done.usage.prompt_tokens + done.usage.completion_tokens > 0

    async def test_streamed_completion_ends_with_its_usage(self, client):
        stream = await client.chat.completions.create(
            model=TALK, messages=[said("hello")], stream=True, stream_options={"include_usage": True}
        )
        chunks = [each async for each in stream]
        assert "".join(each.choices[0].delta.content or "" for each in chunks[:-1]) == "You said: hello"
        assert [each.choices[0].finish_reason for each in chunks[:-1]][-1] == "stop"
        assert (chunks[-1].choices, chunks[-1].usage.total_tokens > 0) == ([], True)
        assert {each.id for each in chunks} == {chunks[0].id}

    async def test_tool_call_of_the_server_is_none_of_the_client(self, calling):
        done = await calling.chat.completions.create(model="agent", messages=[said("weather Rome")])
        assert done.choices[0].message.tool_calls is None
        assert done.choices[0].message.content == "Let me see. \n\nIt says: Sunny in Rome "
        stream = await calling.chat.completions.create(
            model="agent", messages=[said("weather Rome")], stream=True
        )
        assert await text_of(stream) == done.choices[0].message.content

    async def test_question_is_the_answer_and_the_next_message_answers_it(self, client, ann):
        where = {"thread_id": ann}
        asked = await client.chat.completions.create(model=TALK, messages=[said("ask")], metadata=where)
        assert asked.choices[0].message.content == "You said: ask\n\nWhich place?"
        assert asked.choices[0].finish_reason == "stop"
        told = await client.chat.completions.create(
            model=TALK,
            messages=[said("ask"), said("Which place?", "assistant"), said("Rome")],
            metadata=where,
        )
        assert "Rome" in told.choices[0].message.content

    async def test_failure_is_an_error_that_the_client_does_not_repeat(self, server, client, ann):
        with pytest.raises(openai.InternalServerError) as failed:
            await client.chat.completions.create(
                model=TALK, messages=[said("fail")], metadata={"thread_id": ann}
            )
        assert failed.value.body["type"] == "server_error"
        assert [each["text"] for each in (await server.history(ann))["messages"]].count("fail") == 1
        stream = await client.chat.completions.create(model=TALK, messages=[said("fail")], stream=True)
        with pytest.raises(openai.APIError, match=failed.value.body["message"][:20]):
            await text_of(stream)


class TestConversations:
    @pytest.mark.parametrize(
        "named",
        [
            lambda thread: {"metadata": {"thread_id": thread}},
            lambda thread: {"extra_headers": {"Detour-Thread": thread}},
        ],
        ids=["metadata", "header"],
    )
    async def test_conversation_that_is_named_is_known_by_its_name(self, server, client, ann, named):
        for text in ("one", "recall"):
            told = await client.chat.completions.create(model=TALK, messages=[said(text)], **named(ann))
        assert told.choices[0].message.content == "one / recall"
        assert (await server.status(ann))["message"] == "recall"

    async def test_conversation_without_a_name_is_known_by_its_messages(self, client):
        first = await client.chat.completions.create(model=TALK, messages=[said("one")])
        answer = said(first.choices[0].message.content, "assistant")
        second = await client.chat.completions.create(
            model=TALK, messages=[said("Be brief.", "system"), said("one"), answer, said("recall")]
        )
        assert second.choices[0].message.content == "one / recall"
        assert second.detour["thread_id"] == first.detour["thread_id"]

    async def test_same_words_of_two_chats_are_two_conversations(self, client):
        first, second = [
            await client.chat.completions.create(model=TALK, messages=[said("hi")]) for _ in range(2)
        ]
        assert first.detour["thread_id"] != second.detour["thread_id"]
        repeated = [said("hi"), said("You said: hi", "assistant")]
        went_on = [
            await client.chat.completions.create(model=TALK, messages=[*repeated, said(text)])
            for text in ("a", "b")
        ]
        both = {each.detour["thread_id"] for each in went_on}
        assert both == {first.detour["thread_id"], second.detour["thread_id"]}

    async def test_answer_that_was_never_given_leads_into_no_conversation(self, client):
        first = await client.chat.completions.create(model=TALK, messages=[said("two")])
        made_up = [said("two"), said("Something else", "assistant"), said("recall")]
        second = await client.chat.completions.create(model=TALK, messages=made_up)
        assert second.detour["thread_id"] != first.detour["thread_id"]

    @pytest.mark.parametrize("graph", ["seeing_graph:graph", "seeing_graph:listing", "talking_graph:graph"])
    async def test_graph_gets_what_was_said_before_a_conversation_began_here(self, live_servers, graph):
        server = await live_servers(protocols="openai", graph=f"tests.protocols.{graph}")
        async with client_of(server) as client:
            before = [said("one"), said("Made up", "assistant"), said("two")]
            messages = [*before, said("Nothing", "assistant"), said("recall")]
            for last in ("recall", "recall"):
                done = await client.chat.completions.create(model="agent", messages=messages)
                answer = done.choices[0].message.content
                messages += [said(answer, "assistant"), said(last)]
            told = answer.replace(" | ", " / ")
            assert told == "one / two / recall / recall"
            history = (await server.history(done.detour["thread_id"]))["messages"]
            assert [each["text"] for each in history if each["role"] == "user"] == ["recall"] * 2

    async def test_graph_of_text_alone_gets_its_message(self, live_servers):
        graph = "tests.protocols.seeing_graph:reading"
        async with client_of(await live_servers(protocols="openai", graph=graph)) as client:
            done = await client.chat.completions.create(
                model="agent", messages=[said("one"), said("Made up", "assistant"), said("two")]
            )
            assert done.choices[0].message.content == "You said: two"

    async def test_end_users_do_not_share_a_conversation(self, client):
        first = await client.chat.completions.create(model=TALK, messages=[said("three")], user="ada")
        repeated = [said("three"), said("You said: three", "assistant"), said("recall")]
        other = await client.chat.completions.create(model=TALK, messages=repeated, user="eve")
        own = await client.chat.completions.create(model=TALK, messages=repeated, user="ada")
        assert other.detour["thread_id"] != first.detour["thread_id"] == own.detour["thread_id"]

    @pytest.mark.requirement("A-MESSAGE-KEEPS-ITS-ID")
    async def test_message_that_is_sent_again_under_its_key_starts_nothing(self, server, client, ann):
        done = [
            await client.chat.completions.create(
                model=TALK,
                messages=[said("hello")],
                metadata={"thread_id": ann},
                extra_headers={"Idempotency-Key": "k1"},
            )
            for _ in range(2)
        ]
        assert done[0].id == done[1].id
        assert [each["client_id"] for each in (await server.history(ann))["messages"]] == ["k1", None]


class TestEndings:
    async def test_change_of_mind_ends_the_first_answer_as_cut(self, server, client, ann):
        stream, _ = await begun(client, ann)
        second = await client.chat.completions.create(
            model=TALK, messages=[said("hello")], metadata={"thread_id": ann}
        )
        assert second.choices[0].message.content == "You said: hello"
        rest = [each async for each in stream]
        assert rest[-1].choices[0].finish_reason == "length"
        assert rest[-1].detour["reason"] == "superseded"
        assert rest[-1].detour["receipt"]["reason"] == "superseded"

    async def test_message_that_repeats_one_under_way_interrupts_it(self, client):
        stream = await client.chat.completions.create(model=TALK, messages=[said("slow 150")], stream=True)
        first = await anext(aiter(stream))
        second = await client.chat.completions.create(model=TALK, messages=[said("slow 150"), said("recall")])
        assert second.choices[0].message.content == "slow 150 / recall"
        last = [each async for each in stream][-1]
        assert (last.id, last.detour["reason"]) == (first.id, "superseded")

    @pytest.mark.requirement("FOREIGN-STOP-STOPS", "LEAVING-IS-NOT-STOPPING")
    async def test_closed_line_stops_the_run_and_keeps_what_it_has_said(self, server, client, ann):
        stream, chunk = await begun(client, ann)
        await stream.close()
        status = await server.until_status(ann, lambda each: each["status"] == "interrupted")
        assert status["reason"] == "stopped"
        told = (await server.history(ann))["messages"]
        assert chunk.choices[0].delta.content.strip() in next(
            each["text"] for each in told if each["role"] == "assistant"
        )

    async def test_closed_line_of_an_answer_that_is_waited_for_stops_the_run(self, server, client, ann):
        waiting = asyncio.get_running_loop().create_task(
            client.chat.completions.create(model=TALK, messages=[said("slow")], metadata={"thread_id": ann})
        )
        await until(lambda: server.detour.open_streams)
        await server.until_status(ann, lambda each: each["status"] == "running")
        waiting.cancel()
        status = await server.until_status(ann, lambda each: each["status"] == "interrupted")
        assert status["reason"] == "stopped"

    async def test_policy_of_a_message_is_in_its_metadata(self, client, ann):
        stream, _ = await begun(client, ann)
        with pytest.raises(openai.ConflictError) as refused:
            await client.with_options(max_retries=0).chat.completions.create(
                model=TALK,
                messages=[said("hello")],
                metadata={"thread_id": ann, "detour_policy": "reject"},
            )
        assert refused.value.code == "task_active"
        await stream.close()


class TestResponses:
    async def test_tool_call_is_an_item_that_the_server_has_carried_out(self, calling):
        done = await calling.responses.create(model="agent", input="weather Oslo")
        message, call, answer = done.output
        assert (message.type, call.type, answer.type) == ("message", "mcp_call", "message")
        assert (call.name, call.arguments, call.output) == ("weather", '{"city": "Oslo"}', "Sunny in Oslo")
        assert {each.status for each in done.output} == {"completed"}
        assert done.output_text == "Let me see. It says: Sunny in Oslo "
        assert (done.status, done.error) == ("completed", None)
        assert await calling.responses.retrieve(done.id) == done

    @pytest.mark.requirement("FOREIGN-FRAMES-REPLAY-ALIKE")
    async def test_stream_has_the_published_events_and_replays_alike(self, calling):
        async with calling.responses.stream(model="agent", input="weather Oslo") as stream:
            events = [each async for each in stream]
            done = await stream.get_final_response()
        kinds = [each.type for each in events]
        assert kinds[:4] == [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
        ]
        assert kinds[-1] == "response.completed"
        assert {
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.mcp_call.in_progress",
            "response.mcp_call_arguments.delta",
            "response.mcp_call_arguments.done",
            "response.mcp_call.completed",
            "response.output_item.done",
        } < {*kinds}
        assert [each.sequence_number for each in events] == [*range(len(events))]
        assert done.output_text == "Let me see. It says: Sunny in Oslo "
        for after in (None, 5):
            options = {} if after is None else {"starting_after": after}
            again = [each async for each in await calling.responses.retrieve(done.id, stream=True, **options)]
            told = events if after is None else events[after + 1 :]
            assert [each.type for each in again] == [each.type for each in told]

    @pytest.mark.requirement("FOREIGN-FRAMES-REPLAY-ALIKE")
    async def test_stream_replays_byte_for_byte_after_a_restart(self, tmp_path):
        settings = {"protocols": "openai", "graph": CALLING, "store": "sqlite"}
        body = {"input": "weather Oslo", "stream": True, "conversation": "ada", "metadata": {"a": "b"}}
        async with serving(tmp_path, **settings) as server:
            told = (await server.call("POST", "/v1/responses", json=body)).content
        response_id = re.search(rb"resp_[0-9a-z]+_ada", told)[0].decode()
        async with serving(tmp_path, **settings) as server:
            path = f"/v1/responses/{response_id}?stream=true"
            assert (await server.call("GET", path)).content == told

    async def test_previous_response_is_the_conversation(self, client):
        first = await client.responses.create(model=TALK, input="one")
        second = await client.responses.create(model=TALK, input="recall", previous_response_id=first.id)
        assert second.output_text == "one / recall"
        assert second.previous_response_id == first.id
        assert second.conversation == first.conversation

    async def test_conversation_is_named(self, server, client, ann):
        await client.responses.create(model=TALK, input=[said("one")], conversation=ann)
        told = await client.responses.create(model=TALK, input="recall", conversation={"id": ann})
        assert told.output_text == "one / recall"
        assert told.conversation.id == ann

    async def test_conversation_of_a_list_of_messages_is_known_by_them(self, client):
        first = await client.responses.create(model=TALK, input="four")
        repeated = [said("four"), *[each.model_dump() for each in first.output], said("recall")]
        assert (await client.responses.create(model=TALK, input=repeated)).output_text == "four / recall"

    async def test_background_response_goes_on_without_a_client_until_it_is_cancelled(self, client, ann):
        begun = await client.responses.create(
            model=TALK, input="slow", background=True, conversation=ann, metadata={"a": "b"}
        )
        assert begun.status in {"queued", "in_progress"}
        assert begun.background

        async def has_text() -> Any:
            now = await client.responses.retrieve(begun.id)
            return now if now.output_text else None

        now = await until(has_text)
        assert (now.status, now.metadata) == ("in_progress", {"a": "b"})
        stopped = await client.responses.cancel(begun.id)
        assert (stopped.status, stopped.output[0].status) == ("cancelled", "incomplete")
        assert stopped.output_text.startswith(now.output_text.strip())
        assert stopped.detour["receipt"]["reason"] == "stopped"
        assert await client.responses.cancel(begun.id) == stopped

    @pytest.mark.requirement("LEAVING-IS-NOT-STOPPING")
    async def test_leaving_a_background_response_does_not_stop_it(self, server, client, ann):
        stream = await client.responses.create(
            model=TALK, input="slow 60", background=True, stream=True, conversation=ann
        )
        created = await anext(aiter(stream))
        await stream.close()
        # Not followed by anybody meanwhile: that would keep it from being stopped.
        status = await server.until_status(ann, lambda each: each["status"] in ENDED)
        assert status["status"] == "completed"
        rest = [each async for each in await client.responses.retrieve(created.response.id, stream=True)]
        assert rest[-1].type == "response.completed"
        assert rest[-1].response.output_text.endswith("word59")

    async def test_change_of_mind_ends_the_first_response_as_incomplete(self, client, ann):
        stream = await client.responses.create(model=TALK, input="slow", stream=True, conversation=ann)
        async for event in stream:
            if event.type == "response.output_text.delta":
                break
        await client.responses.create(model=TALK, input="hello", conversation=ann)
        last = [each async for each in stream][-1]
        assert (last.type, last.response.status) == ("response.incomplete", "incomplete")
        assert last.response.incomplete_details.reason == "steered"
        assert last.response.output[0].status == "incomplete"
        assert last.response.detour["reason"] == "superseded"

    async def test_failure_is_the_end_of_a_response(self, client):
        failed = await client.responses.create(model=TALK, input="fail")
        assert (failed.status, failed.error.code) == ("failed", "server_error")
        events = [each async for each in await client.responses.create(model=TALK, input="fail", stream=True)]
        assert events[-1].type == "response.failed"

    async def test_call_that_is_interrupted_is_told_with_its_outcome(self, live_servers, calling, ann):
        begun = await calling.responses.create(
            model="agent", input=f"weather {Path('/nowhere') / ann}", background=True, conversation=ann
        )
        await until_running(await live_servers(protocols="openai", graph=CALLING), ann)
        stopped = await calling.responses.cancel(begun.id)
        (call,) = [each for each in stopped.output if each.type == "mcp_call"]
        assert call.status == "failed"
        assert call.error.content[0]["text"].startswith("Cancelled")

    @pytest.mark.parametrize("response_id", ["resp_x", "resp_01k1e7n7f4xqwmpj1n9samrdq1_nobody", "x"])
    async def test_unknown_response_is_not_found(self, client, response_id):
        responses = client.responses
        for call in (responses.retrieve, responses.cancel, responses.delete, responses.input_items.list):
            with pytest.raises(openai.NotFoundError, match="There is no such response"):
                await call(response_id)
        with pytest.raises(openai.BadRequestError) as refused:
            await client.responses.create(model=TALK, input="hi", previous_response_id=response_id)
        assert refused.value.param == "previous_response_id"

    async def test_response_that_is_deleted_is_gone_and_its_conversation_stays(self, server, client, ann):
        first = await client.responses.create(model=TALK, input="one", conversation=ann)
        second = await client.responses.create(model=TALK, input="two", conversation=ann)
        await client.responses.delete(first.id)
        responses = client.responses
        for call in (responses.retrieve, responses.cancel, responses.delete, responses.input_items.list):
            with pytest.raises(openai.NotFoundError, match="There is no such response"):
                await call(first.id)
        with pytest.raises(openai.BadRequestError):
            await responses.create(model=TALK, input="hi", previous_response_id=first.id)
        assert await responses.retrieve(second.id) == second
        told = await responses.create(model=TALK, input="recall", previous_response_id=second.id)
        assert told.output_text == "one / two / recall"
        assert "one" in [each["text"] for each in (await server.history(ann))["messages"]]

    async def test_response_that_is_deleted_is_stopped(self, server, client, ann):
        begun = await client.responses.create(model=TALK, input="slow", background=True, conversation=ann)
        await client.responses.delete(begun.id)
        status = await server.status(ann)
        assert (status["status"], status["reason"]) == ("interrupted", "stopped")

    async def test_response_stays_deleted_after_a_restart(self, tmp_path, ann):
        settings = {"protocols": "openai", "graph": TALKING, "store": "sqlite"}
        async with serving(tmp_path, **settings) as server, client_of(server) as client:
            told = await client.responses.create(model=TALK, input="one", conversation=ann)
            await client.responses.delete(told.id)
        async with serving(tmp_path, **settings) as server, client_of(server) as client:
            with pytest.raises(openai.NotFoundError):
                await client.responses.retrieve(told.id)

    async def test_input_items_are_the_messages_up_to_its_own(self, client, ann):
        first = await client.responses.create(model=TALK, input="one", conversation=ann)
        second = await client.responses.create(model=TALK, input="two", conversation=ann)
        whole = [("user", "one"), ("assistant", "You said: one"), ("user", "two")]

        async def items(of: Any, **page: Any) -> list[Any]:
            return [each async for each in client.responses.input_items.list(of.id, **page)]

        assert [_told(each) for each in await items(second)] == whole[::-1]
        assert [_told(each) for each in await items(second, order="asc", limit=1)] == whole
        assert [_told(each) for each in await items(first)] == whole[:1]
        page = await client.responses.input_items.list(second.id, limit=2)
        assert (len(page.data), page.has_more) == (2, True)
        assert (page.first_id, page.last_id) == (page.data[0].id, page.data[-1].id)

    async def test_input_items_of_an_answer_end_with_it(self, client, ann):
        asked = await client.responses.create(model=TALK, input="ask", conversation=ann)
        told = await client.responses.create(model=TALK, input="Rome", conversation=ann)
        (last, *_) = (await client.responses.input_items.list(told.id)).data
        assert _told(last) == ("user", "Rome")
        (only,) = (await client.responses.input_items.list(asked.id)).data
        assert _told(only) == ("user", "ask")

    async def test_answer_that_was_cut_is_an_incomplete_item(self, client, ann):
        stream, _ = await begun(client, ann)
        told = await client.responses.create(model=TALK, input="hello", conversation=ann)
        await stream.close()
        statuses = {
            each.role: each.status async for each in client.responses.input_items.list(told.id, order="asc")
        }
        assert statuses == {"user": "completed", "assistant": "incomplete"}


def _told(item: Any) -> tuple[str, str]:
    return item.role, item.content[0].text
