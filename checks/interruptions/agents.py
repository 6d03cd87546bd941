"""The agents that are interrupted: `create_agent` with each provider's client as it is by default."""

import os

from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_ollama import ChatOllama
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

ADDRESS = os.environ["INTERRUPTIONS_PROVIDERS"]
KEY = SecretStr("none")

openai = create_agent(ChatOpenAI(model="m", base_url=f"{ADDRESS}/v1", api_key=KEY))
anthropic = create_agent(ChatAnthropic(model_name="m", base_url=ADDRESS, api_key=KEY))
ollama = create_agent(ChatOllama(model="m", base_url=ADDRESS))
