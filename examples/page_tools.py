"""An agent whose model may call tools of the page that it is shown on, beside its own.

Pages of AG-UI, CopilotKit and the AI SDK send their tools with each message.
"""

from typing import Any

from detour.tools import page_tools
from langchain.agents import create_agent
from langchain.agents.middleware import wrap_model_call
from langchain.chat_models import init_chat_model

model = init_chat_model("openai:gpt-5-mini")
tools: list[Any] = []


@wrap_model_call
async def offer_page_tools(request, handler):
    """Offer the model what the page can do, beside its own tools."""
    return await handler(request.override(tools=[*request.tools, *page_tools()]))


graph = create_agent(model, tools, middleware=[offer_page_tools])
