"""Predict labelled utterances as a server with a model reads them: `make understanding MODEL=openai:name`.

`python -m scripts.read_with_model --model openai:name [--sample 200] < records > predictions` reads and
writes what `python -m backend.travel.understanding predict` does. As on a server the rules read first; the
model is not asked about stops, small talk and acts that they are sure of. On standard error it tells how many
messages the model read and failed at, and the tokens and milliseconds of one.
"""

import argparse
import asyncio
import os
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from pydantic import SecretStr

from backend.domain.errors import BadInput, ModelError
from backend.domain.model_usage import UsageMeter
from backend.travel.agents.model_reading import is_certain, read_alone, read_too
from backend.travel.models.base import ChatModel
from backend.travel.models.loading import load_model
from backend.travel.models.validity import Message
from backend.travel.understanding.english.talk.small_talk import NOT_UNDERSTOOD, small_talk
from backend.travel.understanding.replay import Replay, as_prediction, percentile
from backend.travel.understanding.result import Understanding

SEED = 8
SILENCE_S = 30.0


@dataclass
class ReadWithModel:
    """Reads records with rules and a model, and counts what the model took for it."""

    model: ChatModel
    clock: Callable[[], float]
    within_s: float
    tells_assumed: bool = False
    meter: UsageMeter = field(default_factory=UsageMeter)
    seconds: list[float] = field(default_factory=list[float])
    failed: int = 0

    def __post_init__(self) -> None:
        self._replay = Replay(self.clock)

    async def predict(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return the prediction of a record; that of the rules where the model fails or takes too long."""
        rules, before, today = self._replay.heard(record)
        understood = rules
        if _is_for_model(record["utterance"], rules):
            begun = self.clock()
            said = _said(record)
            try:
                async with asyncio.timeout(self.within_s):
                    if rules.agents:
                        understood = await read_too(rules, said, self.model, today=today, meter=self.meter)
                    else:
                        alone = await read_alone(before, said, self.model, today=today, meter=self.meter)
                        understood = alone or rules
            except (BadInput, ModelError, TimeoutError):
                self.failed += 1
            self.seconds.append(self.clock() - begun)
        return {"id": record["id"], **as_prediction(understood, tells_assumed=self.tells_assumed)}

    def told(self) -> str:
        """Return in a line what the model has used."""
        count = len(self.seconds) or 1
        used = self.meter.total()
        median, slow = (percentile(self.seconds, part) * 1000 for part in (0.5, 0.95))
        return (
            f"{len(self.seconds)} messages by the model, {self.failed} of them failed; of one:"
            f" {used.input_tokens / count:.0f} tokens in, {used.output_tokens / count:.0f} out,"
            f" {median:.0f} ms (median), {slow:.0f} ms (95th percentile)"
        )


def _is_for_model(message: str, rules: Understanding) -> bool:
    if rules.agents:
        return not is_certain(rules)
    return rules.relation != "stop" and small_talk(message) == NOT_UNDERSTOOD


def _said(record: Mapping[str, Any]) -> list[Message]:
    """The conversation as a model takes it: what one of the two said in several turns is one message."""
    turns = [*((turn["role"], turn["text"]) for turn in record["history"]), ("user", record["utterance"])]
    said: list[Message] = []
    for role, text in turns:
        if said and said[-1]["role"] == role:
            text = f"{said.pop()['content']}\n{text}"
        said.append({"role": role, "content": text})
    return said if said[0]["role"] == "user" else said[1:]


def sampled(records: Sequence[bytes], count: int) -> list[bytes]:
    """Return so many of the records, always the same, in their order; all for 0."""
    if not 0 < count < len(records):
        return list(records)
    return [records[at] for at in sorted(random.Random(SEED).sample(range(len(records)), count))]


async def read_all(reader: ReadWithModel, records: Sequence[bytes], write: Callable[[bytes], object]) -> None:
    """Predict all records, one after another: how long one takes is not to depend on the others."""
    for record in records:
        write(orjson.dumps(await reader.predict(orjson.loads(record))) + b"\n")


def main() -> None:
    """Read records from standard input, write predictions to standard output."""
    parser = argparse.ArgumentParser(prog="python -m scripts.read_with_model", description=__doc__)
    parser.add_argument("--model", required=True, help="provider:name, as DETOUR_MODEL")
    parser.add_argument("--model-base-url", default=os.environ.get("DETOUR_MODEL_BASE_URL", ""))
    parser.add_argument("--sample", type=int, default=0, help="how many records, all by default")
    parser.add_argument("--kept", type=Path, help="where to write the records of the sample, to score by")
    parser.add_argument("--within-s", type=float, default=SILENCE_S, help="how long the model has for one")
    parser.add_argument("--assumed", action="store_true", help="tell slots that are only assumed too")
    arguments = parser.parse_args()
    key = os.environ.get("DETOUR_MODEL_KEY")
    model = load_model(
        arguments.model,
        base_url=arguments.model_base_url,
        key=SecretStr(key) if key else None,
        silence_s=SILENCE_S,
        plain_hosts=os.environ.get("DETOUR_PLAIN_HOSTS", "").split(","),
    )
    reader = ReadWithModel(model, time.perf_counter, arguments.within_s, arguments.assumed)
    records = sampled([line for line in sys.stdin.buffer if line.strip()], arguments.sample)

    if arguments.kept:
        arguments.kept.write_bytes(b"".join(records))

    async def read() -> None:
        try:
            await read_all(reader, records, sys.stdout.buffer.write)
        finally:
            await model.close()

    asyncio.run(read())
    print(reader.told(), file=sys.stderr)


if __name__ == "__main__":
    main()
