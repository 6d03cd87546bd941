"""An ordinary agent whose tool runs a command in a shell, and writes the id of the shell."""

import asyncio

from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.config import get_stream_writer

from tests.graphs.scripted_chat import ScriptedChat, calling


@tool
async def run(command: str) -> str:
    """Run a command."""
    process = await asyncio.create_subprocess_shell(command, stdout=asyncio.subprocess.PIPE)
    get_stream_writer()({"pid": process.pid})
    said, _ = await process.communicate()
    return said.decode()


script = [calling("run", call_id=f"c{turn}", command="sleep 600; echo over") for turn in range(9)]
graph = create_agent(ScriptedChat(script=script), [run])
