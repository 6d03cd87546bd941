"""A model is asked through the real client libraries, over real sockets, and can be cut off at any moment."""

import asyncio

import pytest

from backend.domain.errors import ModelError
from backend.domain.model_usage import Usage, UsageMeter
from backend.travel.agents.with_model.reading import SCHEMA, turn_in
from backend.travel.models.base import AskedCall, Question, ToolSpec
from tests.fakes import Gate, RecordingLog
from tests.fakes.model_dialects import faults_of_strict_schema
from tests.fakes.model_script import Call, Drop, Raw, Refuse, Text, Thinking, Wait, words
from tests.models.asking import PROVIDERS, SEARCH, hello, with_calls
from tests.models.scripted_model import reading

every_provider = pytest.mark.parametrize("provider", PROVIDERS)
streamed_or_not = pytest.mark.parametrize("streams", [True, False])


@every_provider
@streamed_or_not
async def test_answer_has_its_text_calls_and_usage(provider: str, streams: bool, server, model_of) -> None:
    meter, said = UsageMeter(), RecordingLog()
    calls = [Call("search_flights", {"to": "Rome"}), Call("search_flights", {"to": "Athens"})]
    server.script(*words("I will look."), *calls)
    model = model_of(provider, streams=streams)
    answer = await model.answer(hello(SEARCH), meter=meter, say=said)
    assert answer.text == "".join(said.entries) == "I will look."
    assert len(said.entries) == (3 if streams else 1)
    rome, athens = (AskedCall("search_flights", {"to": city}) for city in ("Rome", "Athens"))
    assert answer.calls == (rome, athens)
    request = server.requests[0]
    assert request.tools == ["search_flights"]
    assert answer.usage == meter.total() == Usage(*request.usage, calls=1)


@every_provider
@streamed_or_not
async def test_results_are_sent_in_the_form_of_the_service(
    provider: str, streams: bool, server, model_of
) -> None:
    server.script(Text("There are two."))
    model = model_of(provider, streams=streams)
    question = Question(messages=list(with_calls("c1-0-0", "c1-0-1")), tools=[SEARCH])
    answer = await model.answer(question, meter=UsageMeter())
    assert answer.text == "There are two."
    assert server.requests[0].faults == []


@pytest.mark.parametrize("provider", ["anthropic", "ollama"])
async def test_thoughts_are_no_part_of_the_answer(provider: str, server, model_of) -> None:
    server.script(Thinking("The user wants Rome."), Text("Rome it is."))
    said = RecordingLog()
    answer = await model_of(provider).answer(hello(), meter=UsageMeter(), say=said)
    assert answer.text == "".join(said.entries) == "Rome it is."


@pytest.mark.requirement("MODEL-STREAMS-ARE-CLOSED")
@every_provider
async def test_cancelled_stream_is_closed_and_its_usage_estimated(
    provider: str, server, model_of, owner
) -> None:
    meter, said, gate = UsageMeter(), RecordingLog(), Gate()
    server.script(Text("The cheapest is"), Wait(gate), Text(" never said"))
    asking = owner.spawn(model_of(provider).answer(hello(), meter=meter, say=said), name="asking")
    await said.until(bool)
    asking.cancel()
    await asyncio.wait([asking])
    await server.requests[0].ended()
    assert asking.cancelled()
    assert server.requests[0].cut_at is not None
    assert said.entries == ["The cheapest is"]
    used = meter.total()
    assert used.estimated
    assert (used.calls, used.output_tokens) == (1, 4)
    assert used.input_tokens > 0


@every_provider
@streamed_or_not
async def test_cancellation_before_the_first_piece_closes_the_call(
    provider: str, streams: bool, server, model_of, owner
) -> None:
    meter, gate = UsageMeter(), Gate()
    server.script(Wait(gate), Text("never said"))
    model = model_of(provider, streams=streams)
    asking = owner.spawn(model.answer(hello(), meter=meter), name="asking")
    await gate.arrived()
    asking.cancel()
    await asyncio.wait([asking])
    await server.requests[0].ended()
    assert asking.cancelled()
    assert server.requests[0].cut_at is not None
    assert meter.total().estimated
    assert meter.total().output_tokens == 0


@pytest.mark.requirement("USAGE-IS-COUNTED-OR-ESTIMATED")
@every_provider
async def test_attempt_that_ends_in_silence_is_estimated_with_its_tools(
    provider: str, server, model_of
) -> None:
    meter, model = UsageMeter(), model_of(provider)
    server.script(Drop())
    tool = ToolSpec(name="look", description="Look. " * 1000, parameters={"type": "object", "properties": {}})
    with pytest.raises(ModelError):
        await model.answer(Question(messages=hello().messages, tools=[tool]), meter=meter)
    assert meter.total().estimated
    assert meter.total().input_tokens > 1500


@pytest.mark.requirement("RULES-STAND-IN-FOR-MODELS")
@every_provider
@pytest.mark.parametrize(
    "refusal", [Refuse(429, retry_after="0"), Refuse(500), Refuse(401), Drop()], ids=repr
)
async def test_failure_is_told_at_once_and_nothing_is_asked_twice(
    provider: str, refusal: Refuse | Drop, server, model_of
) -> None:
    server.script(refusal)
    with pytest.raises(ModelError):
        await model_of(provider).answer(hello(), meter=UsageMeter())
    assert len(server.requests) == 1


@every_provider
@pytest.mark.parametrize("failure", [Drop(), Raw(b"data: {half a li\n\n")], ids=["dropped", "malformed"])
async def test_failure_after_the_first_piece_is_not_retried(
    provider: str, failure: Drop | Raw, server, model_of, owner
) -> None:
    meter, said = UsageMeter(), RecordingLog()
    raw = Raw(b"event: content_block_delta\n" + failure.data) if isinstance(failure, Raw) else failure
    server.script(Text("The cheapest is"), Wait(gate := Gate()), raw)
    asking = owner.spawn(model_of(provider).answer(hello(), meter=meter, say=said), name="asking")
    await said.until(bool)
    gate.open()
    with pytest.raises(ModelError):
        await asking
    assert said.entries == ["The cheapest is"]
    assert len(server.requests) == 1
    assert meter.total().estimated


@every_provider
async def test_schema_goes_out_as_the_strict_output_of_the_service(provider: str, server, model_of) -> None:
    server.script(Text(reading("flight")))
    answer = await model_of(provider).answer(
        Question(messages=hello().messages, schema=SCHEMA), meter=UsageMeter()
    )
    assert turn_in(answer.text).agents == ["flight"]
    body = server.requests[0].body
    assert body["stream"]  # some servers notice only as they write that nobody listens any more
    sent = {
        "openai": lambda: body["response_format"]["json_schema"],
        "anthropic": lambda: {"strict": True, **body["output_config"]["format"]},
        "ollama": lambda: {"strict": True, "schema": body["format"]},
    }[provider]()
    assert sent["strict"] is True
    assert set(sent["schema"]["properties"]) == set(SCHEMA["properties"])
    assert faults_of_strict_schema(sent["schema"]) == []


@every_provider
@pytest.mark.parametrize(
    "asked", [hello(), hello(SEARCH), Question(messages=hello().messages, schema=SCHEMA)]
)
async def test_every_answer_is_bounded_and_sampled_cold(provider: str, asked, server, model_of) -> None:
    server.script(Text(reading("flight")))
    await model_of(provider).answer(asked, meter=UsageMeter())
    body = server.requests[0].body
    options = body["options"] if provider == "ollama" else body
    bound = {"openai": "max_completion_tokens", "anthropic": "max_tokens", "ollama": "num_predict"}[provider]
    assert (options[bound], options["temperature"]) == (300, 0)


async def test_anthropic_is_told_what_it_may_keep_in_its_cache(server, model_of) -> None:
    server.script(Text("Hello."))
    await model_of("anthropic").answer(hello(), meter=UsageMeter())
    assert server.requests[0].body["cache_control"] == {"type": "ephemeral"}


@pytest.mark.parametrize("provider", ["openai"])
@pytest.mark.parametrize("arguments", ['{"to": "Ro', "[1]", "Rome"])
async def test_broken_arguments_are_not_guessed_at(provider: str, arguments: str, server, model_of) -> None:
    server.script(Call("search_flights", arguments))
    answer = await model_of(provider).answer(hello(SEARCH), meter=UsageMeter())
    assert answer.calls == (AskedCall("search_flights", None),)


@every_provider
async def test_client_works_after_many_cancelled_callers(provider: str, server, model_of, owner) -> None:
    """Found as planted: with a bound of ten connections, Ollama's client (httpx) never answered again."""
    gate = Gate()
    server.script(Wait(gate), when=lambda request: "Hello" in request.text, always=True)
    server.script(Text("Still here."), always=True)
    model = model_of(provider)
    for round_of_cancels in range(30):
        asking = [owner.spawn(model.answer(hello(), meter=UsageMeter()), name="asking") for _ in range(20)]
        for _ in range(round_of_cancels):
            await asyncio.sleep(0)
        for each in asking:
            each.cancel()
        await asyncio.wait(asking)
        assert all(each.cancelled() for each in asking)
    question = Question(messages=[{"role": "user", "content": "Still there?"}])
    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        last = [group.create_task(model.answer(question, meter=UsageMeter())) for _ in range(10)]
    assert {each.result().text for each in last} == {"Still here."}
