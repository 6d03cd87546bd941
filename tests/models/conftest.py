"""A server of models, models that ask it through the real client libraries, and an owner of tasks."""

from collections.abc import AsyncGenerator, Callable
from dataclasses import replace

import pytest
from pydantic import SecretStr

from backend.tasks.task_owner import TaskOwner
from backend.travel.models.langchain_model import LangchainModel, load_model
from tests.fakes.model_server import ModelServer


@pytest.fixture
async def server() -> AsyncGenerator[ModelServer, None]:
    async with ModelServer() as server:
        yield server


@pytest.fixture
async def model_of(server: ModelServer) -> AsyncGenerator[Callable[..., LangchainModel], None]:
    """Make the model of a provider."""
    made: list[LangchainModel] = []

    def make(provider: str, **options: object) -> LangchainModel:
        url = f"{server.url}/v1" if provider == "openai" else server.url
        model = load_model(f"{provider}:a-model", base_url=url, key=SecretStr("k-123"))
        made.append(replace(model, **options))
        return made[-1]

    yield make
    for model in made:
        await model.close()


@pytest.fixture
def owner() -> TaskOwner:
    return TaskOwner()
