"""The clients of three providers as anybody makes them, against a scripted server, closed afterwards."""

from contextlib import AsyncExitStack
from operator import attrgetter
from typing import Any

from langchain_anthropic import ChatAnthropic
from langchain_core.language_models import BaseChatModel
from langchain_ollama import ChatOllama
from langchain_openai import ChatOpenAI

from tests.fakes.model_server import ModelServer

PROVIDERS = ("openai", "anthropic", "ollama")

_CLOSING = {
    "openai": "root_async_client.close",
    "anthropic": "_async_client.close",
    "ollama": "_async_client._client.aclose",
}


class DefaultClients(AsyncExitStack):
    """A server of models, and the clients that `client` makes of it."""

    def __init__(self) -> None:
        super().__init__()
        self.server = ModelServer()

    async def __aenter__(self) -> "DefaultClients":
        await self.enter_async_context(self.server)
        return self

    def client(self, provider: str, **options: Any) -> BaseChatModel:
        """Return the client of a provider, with its own defaults but for attempts."""
        url = self.server.url
        made: Any
        if provider == "openai":
            made = ChatOpenAI(
                model="gpt-1", base_url=f"{url}/v1", **{"api_key": "k", "max_retries": 0} | options
            )
        elif provider == "anthropic":
            made = ChatAnthropic(
                **{"model": "claude-1", "base_url": url, "api_key": "k", "max_retries": 0} | options
            )
        else:
            made = ChatOllama(model="llama1", base_url=url, **options)
        self.push_async_callback(attrgetter(_CLOSING[provider])(made))
        return made
