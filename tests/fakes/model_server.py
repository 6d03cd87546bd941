"""A server of language models, for the real client libraries to talk to: real HTTP on a real socket.

It speaks as OpenAI (`/v1/chat/completions`), Anthropic (`/v1/messages`) and Ollama (`/api/chat`) do, refuses
with 400 what they would refuse, and plays the answers that a test scripts. What nobody scripted is refused
with 400 as well, and named when the server is left, so that no test passes by chance.
"""

import asyncio
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.fakes.http_server import Exchange, HttpServer
from tests.fakes.model_dialects import Anthropic, Dialect, Ollama, OpenAI
from tests.fakes.model_script import Answer, Call, Drop, Raw, Refuse, Step, Text, Thinking, Wait

DIALECTS: dict[str, Dialect] = {
    "/v1/chat/completions": OpenAI(),
    "/v1/messages": Anthropic(),
    "/api/chat": Ollama(),
}

Matches = Callable[["Request"], bool]


class Request:
    """One question to the model. `faults` are why it was refused; `usage` its tokens, in and out."""

    def __init__(self, exchange: Exchange, dialect: Dialect) -> None:
        self.exchange = exchange
        self.dialect = dialect
        self.body: Any = exchange.body
        self.faults = dialect.faults(exchange.headers, self.body)
        self.usage = (len(str(self.body["messages"])) // 4, 0)

    @property
    def messages(self) -> list[Any]:
        return self.body["messages"]

    @property
    def tools(self) -> list[str]:
        """The names of the tools that it offers."""
        return [tool.get("function", tool)["name"] for tool in self.body.get("tools") or ()]

    @property
    def text(self) -> str:
        """The whole prompt as one text, system prompt included."""
        return f"{self.body.get('system', '')}\n{self.messages}"

    @property
    def cut_at(self) -> float | None:
        """The loop's time at which the client closed the connection before the answer was complete."""
        return self.exchange.cut_at

    async def ended(self) -> None:
        """Wait until it is answered, or the connection is closed."""
        await self.exchange.ended.wait()


@dataclass(slots=True)
class _Scripted:
    matches: Matches
    answer: Answer
    always: bool


def any_request(_request: Request) -> bool:
    return True


class ModelServer:
    """Plays scripted answers; `requests` are all that came, in order."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.unexpected: list[Request] = []
        self._scripted: list[_Scripted] = []
        self._changed = asyncio.Event()
        self._http = HttpServer(self._handle)
        self._ids = itertools.count(1)

    @property
    def url(self) -> str:
        """The address; OpenAI's clients want `/v1` behind it."""
        return f"http://127.0.0.1:{self._http.port}"

    @property
    def open_connections(self) -> int:
        return self._http.open_connections

    def script(self, *answer: Step, when: Matches = any_request, always: bool = False) -> None:
        """Answer the next request that matches so, or every one.

        Of several scripted answers that match, the one that was scripted first is played.
        """
        self._scripted.append(_Scripted(when, answer, always))

    async def asked(self, count: int = 1, *, when: Matches = any_request) -> Request:
        """Wait for the `count`th request that matches, and return it."""
        while True:
            found = [request for request in self.requests if when(request)]
            if len(found) >= count:
                return found[count - 1]
            self._changed.clear()
            await self._changed.wait()

    async def __aenter__(self) -> "ModelServer":
        await self._http.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._http.__aexit__(*error)
        assert not self.unexpected, f"nothing was scripted for: {[each.text for each in self.unexpected]}"

    async def _handle(self, exchange: Exchange) -> None:
        dialect = DIALECTS.get(exchange.path)
        if dialect is None or exchange.method != "POST":
            exchange.answer(404, {"error": {"message": f"there is no {exchange.path}"}})
            return
        request = Request(exchange, dialect)
        self.requests.append(request)
        self._changed.set()
        if request.faults:
            exchange.answer(400, dialect.error(400, "; ".join(request.faults)))
            return
        answer = self._answer_to(request)
        if answer is None:
            self.unexpected.append(request)
            exchange.answer(400, dialect.error(400, "nothing is scripted for this request"))
            return
        await self._play(request, answer)

    def _answer_to(self, request: Request) -> Answer | None:
        for at, scripted in enumerate(self._scripted):
            if scripted.matches(request):
                if not scripted.always:
                    del self._scripted[at]
                return scripted.answer
        return None

    async def _play(self, request: Request, answer: Answer) -> None:
        exchange, dialect = request.exchange, request.dialect
        first = answer[0] if answer else None
        if isinstance(first, Refuse):
            headers = {"Retry-After": first.retry_after} if first.retry_after is not None else {}
            exchange.answer(first.status, dialect.error(first.status, first.message), headers=headers)
        elif dialect.streams(request.body):
            await self._stream(request, answer)
        else:
            said = [self._named(step) async for step in _passed(exchange, answer)]
            request.usage = (request.usage[0], len(said))
            if not exchange.dropped:
                exchange.answer(200, dialect.whole(request.body, said, request.usage))

    async def _stream(self, request: Request, answer: Answer) -> None:
        exchange, stream = request.exchange, request.dialect.stream(request.body)
        exchange.start(content_type=request.dialect.content_type)
        for chunk in stream.begin(request.usage):
            exchange.send(chunk)
        async for step in _passed(exchange, answer):
            if isinstance(step, Raw):
                exchange.send(step.data)
                continue
            request.usage = (request.usage[0], request.usage[1] + 1)
            for chunk in stream.pieces(self._named(step)):
                exchange.send(chunk)
        if not exchange.dropped:
            for chunk in stream.end(request.usage):
                exchange.send(chunk)
            exchange.end()

    def _named(self, step: Any) -> Any:
        """Give a tool call the id that a service would give it."""
        is_unnamed = isinstance(step, Call) and not step.call_id
        return replace(step, call_id=f"call_{next(self._ids)}") if is_unnamed else step


async def _passed(exchange: Exchange, answer: Sequence[Step]) -> Any:
    """Yield the steps that say something, waiting at gates on the way, up to where the connection is cut."""
    for step in answer:
        match step:
            case Wait():
                await step.gate.wait()
            case Drop():
                await asyncio.sleep(0)
                exchange.drop()
                return
            case Refuse():
                raise AssertionError("only the first step of an answer can refuse")
            case Text() | Thinking() | Call() | Raw():
                yield step
