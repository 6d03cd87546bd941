"""An agent that answers in Markdown, on its way to which it calls tools: what the page of any graph shows.

What it is asked says what it answers: "Look ..." calls tools, "Say ..." repeats the rest, a word every
20 ms. Messages that begin with "Slow" never come to the end of their first tool.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import ToolException, tool
from langgraph.config import get_stream_writer

from tests.graphs.scripted_chat import ScriptedChat

PACE_S = 0.02
REPLY = """# Sorting

Use **sorted** for a [new list](https://docs.example/sorting).

```python
print(sorted([2, 1]))
```

| way | cost |
|:----|-----:|
| `sorted` | n log n |
| `nsmallest` | n log k |

- [x] stable
"""


@tool
async def look_up(topic: str) -> str:
    """Find pages."""
    if topic == "for ever":
        await asyncio.get_running_loop().create_future()
    write = get_stream_writer()
    pages = [
        {"title": f"Page {n}", "url": f"https://docs.example/{n}", "excerpt": "text " * 80} for n in (1, 2)
    ]
    write({"agent": "pages", "items": [*pages, {"title": "Page 3", "url": "javascript:window.hit=1"}]})
    write({"agent": "sizes", "items": [{"name": f"part {n}", "kb": n} for n in (1, 2, 3)]})
    return f"three pages about {topic}"


@tool
async def count(what: str) -> str:
    """Count."""
    raise ToolException("no numbers today")


@tool
async def publish(title: str) -> str:
    """Publish."""
    return f"{title} is published"


class Model(ScriptedChat):
    def _next(self, messages: list[BaseMessage]) -> AIMessage:
        at = max(n for n, each in enumerate(messages) if isinstance(each, HumanMessage))
        asked, done = messages[at].text, [each for each in messages[at:] if isinstance(each, ToolMessage)]
        if asked.startswith("Say "):
            return AIMessage(asked.removeprefix("Say "))
        if asked.startswith("Publish") and not done:
            return _calling(("publish", {"title": "Sorting"}))
        if asked.startswith("Look") and not done:
            looked = ("look_up", {"topic": "it"}), ("count", {"what": "pages"})
            return _calling(*looked, text="Let me *look* first.")
        if asked.startswith("Slow") and not done:
            return _calling(("look_up", {"topic": "for ever"}))
        return AIMessage(REPLY)

    async def _astream(
        self, messages: list[BaseMessage], *_: Any, **__: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        line = self._next(messages)
        for piece in re.findall(r"\s*\S{1,8}|\s+", line.text):
            await asyncio.sleep(PACE_S)
            yield ChatGenerationChunk(message=AIMessageChunk(piece))
        for index, call in enumerate(line.tool_calls):
            chunk: Any = {
                "name": call["name"],
                "args": json.dumps(call["args"]),
                "id": call["id"],
                "index": index,
            }
            yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[chunk]))


def _calling(*calls: tuple[str, dict[str, Any]], text: str = "") -> AIMessage:
    made: list[Any] = [{"name": name, "args": args, "id": f"call-{name}"} for name, args in calls]
    return AIMessage(text, tool_calls=made)


count.handle_tool_error = True

graph = create_agent(
    Model(),
    [look_up, count, publish],
    middleware=[HumanInTheLoopMiddleware(interrupt_on={"publish": True})],
)
