"""The model that the settings name is made, or refused with what is to be done."""

import sys

import pytest
from pydantic import SecretStr

from backend.travel.models.langchain_model import ModelNotLoadedError, load_model


def load(setting: str, **options):
    return load_model(setting, **options)


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("setting", ["gpt-4", "openai:", "nobody:gpt"])
def test_setting_without_a_known_provider_is_refused(setting: str) -> None:
    with pytest.raises(ModelNotLoadedError, match="openai:name, anthropic:name, ollama:name"):
        load(setting, key=SecretStr("k"))


@pytest.mark.parametrize(
    ("setting", "module", "missing"),
    [
        ("openai:gpt", "langchain_openai", "langchain-openai"),
        ("ollama:llama", "langchain.chat_models", "langchain langchain-ollama"),
    ],
)
def test_missing_library_is_named_with_how_to_install_it(
    setting: str, module: str, missing: str, monkeypatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ModelNotLoadedError, match=f"pip install .*{missing}"):
        load(setting, key=SecretStr("k"))


@pytest.mark.parametrize(
    ("setting", "name"), [("openai:gpt", "OPENAI_API_KEY"), ("anthropic:claude", "ANTHROPIC_API_KEY")]
)
def test_key_is_needed_and_may_be_in_the_providers_variable(setting: str, name: str, monkeypatch) -> None:
    with pytest.raises(ModelNotLoadedError, match=f"DETOUR_MODEL_KEY, or {name}"):
        load(setting)
    monkeypatch.setenv(name, "k-from-there")
    assert load(setting).name == setting


def test_own_server_needs_no_key() -> None:
    assert load("openai:local", base_url="http://127.0.0.1:1/v1").name == "openai:local"


def test_key_is_not_in_the_repr() -> None:
    assert "k-very-secret" not in repr(load("openai:gpt", key=SecretStr("k-very-secret")))
