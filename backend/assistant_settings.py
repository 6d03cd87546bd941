"""The settings of a server that may serve the travel assistant: those of every server, and these.

Apart from the assistant: a server for a graph knows its settings too, and imports nothing else of it.
"""

import importlib
from collections.abc import Sequence

from pydantic import Field, SecretStr, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from .log.state_store.migration_files import Schema
from .serving.settings import Settings

_BOOKINGS = ".travel.providers.demo.migrations"


class TravelSettings(Settings):
    """Adds the language model, and the pace and seed of the demo inventory."""

    model: str = Field(
        default="",
        description="Language model, `provider:name` with `openai`, `anthropic` or `ollama`; without it the"
        " built-in rules do everything (docs/models.md)",
    )
    model_base_url: str = Field(
        default="",
        description="Where the model is, if not at its provider: any server that speaks as the provider does",
    )
    model_key: SecretStr | None = Field(
        default=None,
        description="Key for the provider; `OPENAI_API_KEY` or `ANTHROPIC_API_KEY` counts as well",
    )
    model_streams: bool = Field(
        default=True,
        description="Whether the model's service can stream; if it cannot, an answer comes whole",
    )
    model_silence_s: float = Field(
        default=60.0,
        gt=0,
        description="Seconds a model may send nothing before it is given up and the rules take over",
    )
    model_reading_s: float = Field(
        default=1.5,
        gt=0,
        description="Seconds a model has to read a message before the rules' reading counts",
    )
    demo_pace: float = Field(
        default=0.6, ge=0, description="Seconds between batches of a simulated source; `0` is at once"
    )
    demo_seed: int = Field(
        default=1, description="Seed of the demo inventory; another one makes other flights and hotels"
    )

    @property
    def schemas(self) -> Sequence[Schema]:
        """The demo inventory's bookings, unless a graph of one's own is served."""
        return () if self.graph else (importlib.import_module(_BOOKINGS, __package__).BOOKINGS,)

    @field_validator("model")
    @classmethod
    def _is_for_travel(cls, model: str, info: ValidationInfo) -> str:
        if model and info.data.get("graph"):
            raise PydanticCustomError(
                "model_of_another_graph", "it is for the travel graph; the one of DETOUR_GRAPH has its own."
            )
        return model
