"""Conversations as the real client libraries would send them."""

from collections.abc import Sequence
from typing import Any

from langchain_anthropic import ChatAnthropic
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from backend.travel.models.history import openai_faults
from tests.models.anthropic_rules import anthropic_faults

OPENAI = ChatOpenAI(model="m", api_key=SecretStr("k"), use_responses_api=False)
ANTHROPIC = ChatAnthropic(model_name="m", api_key=SecretStr("k"))
INSTRUCTIONS = {"role": "system", "content": "Be brief."}


def faults(messages: Sequence[Any]) -> list[str]:
    """Return what either service would say against messages, as its client sends them."""
    told = [dict(each) for each in (INSTRUCTIONS, *messages)]
    return [
        *openai_faults(OPENAI._get_request_payload(told)["messages"]),
        *anthropic_faults(ANTHROPIC._get_request_payload(told)["messages"]),
    ]


def results(messages: Sequence[Any]) -> dict[str, str]:
    """Return what the model is told of each of its calls."""
    return {each["tool_call_id"]: each["content"] for each in messages if each["role"] == "tool"}


def texts(messages: Sequence[Any]) -> list[str]:
    """Return what was said, each with who said it."""
    return [f"{each['role']}: {each['content']}" for each in messages if each["role"] != "tool"]
