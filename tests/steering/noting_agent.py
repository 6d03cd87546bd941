"""An ordinary agent whose model and tools take a moment; the model first notes each prompt in a file.

The file outlives the process: what is written is the system's, though the process is killed the moment after.
"""

import asyncio
import json
import os
import random

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import tool

from backend.domain.encoding import system_clock
from backend.graphs.hosted_calls import NODE_CONTEXT
from tests.graphs.scripted_chat import ScriptedChat, calling, check

PROMPTS = "prompts.jsonl"
"""In the folder in which the server runs."""

_chance = random.Random()


class NotingChat(ScriptedChat):
    """Calls a tool a few times, and answers."""

    def _next(self, messages: list[BaseMessage]) -> AIMessage:
        running = NODE_CONTEXT.get()
        try:
            check(messages)
            wrong = ""
        except ValueError as error:
            wrong = str(error)
        note = {
            "user": running.task.user_id if running else "",
            "task_id": running.task.task_id if running else "",
            "at": system_clock().isoformat(),
            "said": [(each.type, each.text) for each in messages],
            "wrong": wrong,
        }
        with open(PROMPTS, "ab", buffering=0) as notes:
            os.write(notes.fileno(), json.dumps(note).encode() + b"\n")
        if _chance.random() < 0.7:
            return calling("look", f"c{_chance.getrandbits(48):x}")
        return AIMessage("this is all of it")


@tool
async def look() -> str:
    """Look."""
    await asyncio.sleep(_chance.choice([0.005, 0.02, 0.1]))
    return "seen"


graph = create_agent(NotingChat(script=[], pause_s=0.01), [look])
