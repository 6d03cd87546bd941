"""Builds the model that the settings name. If it cannot, the server does not start, and says why."""

import importlib
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from httpx import Limits
from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from ...domain.errors import DetourError
from ...http.outgoing import check_outgoing
from .base import MOST_TOKENS
from .langchain_model import LangchainModel


class ModelNotLoadedError(DetourError):
    """`DETOUR_MODEL` names no model that can be used."""

    code = "model_not_loaded"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Provider:
    """What is special to a provider: the variable that may hold its key, and the options of its client.

    `is_open` means that a server of one's own may need no key. `http` is the path to the chat model's HTTP
    client, `closing` to the function that closes its connections, `most_tokens` the name of the option that
    bounds an answer; LangChain has no common name for them. `marks` are as in `LangchainModel`.
    """

    package: str
    http: str
    closing: str
    key_name: str = ""
    is_open: bool = False
    most_tokens: str = "max_tokens"
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    marks: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


_NEVER_FULL = Limits(max_connections=None, max_keepalive_connections=20)
"""Ollama's client is built on httpx, whose pool loses a place for good if a call is cancelled while it waits
for one (httpcore #1093). Without a limit none waits."""

# No client retries by itself: it does not know what was already shown. `stream_chunk_timeout` is off since
# langchain-openai awaits each chunk through asyncio.wait_for. The fault is CPython's: before 3.12, wait_for
# returns the chunk and drops the cancellation of a task that is cancelled as its chunk arrives, so an
# interrupted model would write on. `use_responses_api` is off since the rules of `validity.py`, and the
# servers that imitate OpenAI's, are those of chat completions.
_PROVIDERS: Mapping[str, _Provider] = {
    "openai": _Provider(
        package="langchain_openai",
        http="root_async_client._client",
        closing="root_async_client.close",
        key_name="OPENAI_API_KEY",
        is_open=True,
        options={
            "max_retries": 0,
            "stream_usage": True,
            "stream_chunk_timeout": 0,
            "use_responses_api": False,
        },
    ),
    "anthropic": _Provider(
        package="langchain_anthropic",
        http="_async_client._client",
        closing="_async_client.close",
        key_name="ANTHROPIC_API_KEY",
        options={"max_retries": 0},
        marks={"cache_control": {"type": "ephemeral"}},
    ),
    "ollama": _Provider(
        package="langchain_ollama",
        http="_async_client._client",
        closing="_async_client._client.aclose",
        most_tokens="num_predict",
        options={"async_client_kwargs": {"limits": _NEVER_FULL}},
    ),
}


def load_model(
    setting: str,
    *,
    base_url: str = "",
    key: SecretStr | None = None,
    streams: bool = True,
    plain_hosts: Collection[str] = (),
) -> LangchainModel:
    """Return the model of `provider:name`.

    Raises `ModelNotLoadedError`, which says what to do, and `PlainAddressError` for one on another machine
    that is not reached by https, unless it is one of `plain_hosts`.
    """
    provider_name, _, name = setting.partition(":")
    provider = _PROVIDERS.get(provider_name)
    if provider is None or not name:
        known = ", ".join(f"{each}:name" for each in _PROVIDERS)
        raise ModelNotLoadedError(f"DETOUR_MODEL must be one of {known}, not {setting!r}.")
    # The same for every question, of which none wants a longer answer.
    options = {**provider.options, "temperature": 0, provider.most_tokens: MOST_TOKENS}
    if base_url:
        options["base_url"] = base_url
    if provider.key_name:
        options["api_key"] = _key(provider_name, provider, key, base_url)
    model = _made(provider, setting, options)
    http: Any = attrgetter(provider.http)(model)
    # The client's own address: the library's variables may give another one than the settings.
    check_outgoing(
        "DETOUR_MODEL_BASE_URL" if base_url else f"DETOUR_MODEL={setting}", str(http.base_url), plain_hosts
    )
    # A redirect would carry key and conversation to an address that nobody has set.
    http.follow_redirects = False
    return LangchainModel(
        name=setting,
        model=model,
        disconnect=attrgetter(provider.closing)(model),
        streams=streams,
        marks=provider.marks,
    )


def _key(provider_name: str, provider: _Provider, key: SecretStr | None, base_url: str) -> SecretStr:
    found = key or SecretStr(os.environ.get(provider.key_name, ""))
    if found.get_secret_value():
        return found
    if provider.is_open and base_url:
        return SecretStr("none")
    needed = f"DETOUR_MODEL_KEY, or {provider.key_name}"
    raise ModelNotLoadedError(f"DETOUR_MODEL: {provider_name} needs a key: {needed}.")


def _made(provider: _Provider, setting: str, options: Mapping[str, Any]) -> BaseChatModel:
    missing = ""
    try:
        for missing in ("langchain.chat_models", provider.package):
            importlib.import_module(missing)
    except ImportError as error:
        distribution = provider.package.replace("_", "-")
        raise ModelNotLoadedError(
            f"DETOUR_MODEL={setting} needs libraries that are not installed ({missing.partition('.')[0]}): "
            f"python -m pip install langchain {distribution}"
        ) from error
    init_chat_model: Any = importlib.import_module("langchain.chat_models").init_chat_model
    try:
        return init_chat_model(setting, **options)
    except Exception as error:
        raise ModelNotLoadedError(f"DETOUR_MODEL={setting} cannot be used: {error}") from error
