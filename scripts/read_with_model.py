"""Predict labelled utterances as a model reads them: `make understanding MODEL=openai:name`.

`python -m scripts.read_with_model --model openai:name [--sample 200] < records > predictions` reads and
writes what `python -m checks.understanding predict` does. Predicted is what the model returned, its
slots upon those of the request before; with `--together` what a server makes of it with the rules. On
standard error it tells how many messages the model read and failed at, how often it took the same relation
as the rules, and a question about results or a taking back where they did, and the tokens and milliseconds
of one.
"""

import argparse
import asyncio
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import orjson
import structlog
from pydantic import SecretStr

from backend.domain.model_usage import UsageMeter
from backend.travel.agents.with_model.conversation import state_in_lines, system, with_lines
from backend.travel.agents.with_model.reading import (
    INSTRUCTIONS,
    Turn,
    agreed,
    is_for_model,
    turn_said,
    understood_alone,
)
from backend.travel.models.base import ChatModel, LimitedModel
from backend.travel.models.history import Message
from backend.travel.models.langchain_model import load_model
from backend.travel.understanding.english.talk.remarks import NOT_UNDERSTOOD, small_talk, takes_back
from backend.travel.understanding.result import Understanding
from checks.understanding.replay import Replay, as_prediction, percentile

SEED = 8
WITHIN_S = 30.0
_BACK = frozenset({"undo", "redo", "start_over"})
_RELATIONS = {"new", "refine", "add", "answer", "stop"}


@dataclass
class ReadWithModel:
    """Reads records with a model, and counts what the model took for it."""

    model: ChatModel
    clock: Callable[[], float]
    within_s: float
    tells_assumed: bool = False
    together: bool = False
    meter: UsageMeter = field(default_factory=UsageMeter)
    seconds: list[float] = field(default_factory=list[float])
    failed: int = 0

    def __post_init__(self) -> None:
        self._replay = Replay(self.clock)
        self._counted: Counter[str] = Counter()

    async def predict(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return the prediction of a record.

        Where the model fails or takes too long it is that nothing was asked for, together that of the rules.
        """
        rules, before, today = self._replay.heard(record)
        message = record["utterance"]
        understood = rules if self.together else _heard_nothing(before)
        if not self.together or is_for_model(rules) or _is_left_to_it(message, rules):
            turn = await self._turn(record, rules if self.together else before, today)
            if turn is not None:
                self._count(turn, rules, message)
                understood = self._understood(turn, rules, before, message, today)
        return {"id": record["id"], **as_prediction(understood, tells_assumed=self.tells_assumed)}

    async def _turn(self, record: Mapping[str, Any], known: Understanding | None, today: date) -> Turn | None:
        begun = self.clock()
        # Anew for each record: a model that is scored is not left alone.
        model = LimitedModel(self.model)
        said = _said(record, state_in_lines(known, today=today))
        turn = await turn_said(model, said, within_s=self.within_s, meter=self.meter)
        self.seconds.append(self.clock() - begun)
        self.failed += turn is None
        return turn

    def _understood(
        self, turn: Turn, rules: Understanding, before: Understanding | None, message: str, today: date
    ) -> Understanding:
        if self.together and rules.agents:
            return agreed(rules, turn, message=message, today=today)
        alone = understood_alone(turn, before, message=message, today=today)
        if self.together:
            return alone or rules
        relation: Any = turn.relation if turn.relation in _RELATIONS else "other"
        return replace(alone or _heard_nothing(before), relation=relation, agents=tuple(turn.agents))

    def _count(self, turn: Turn, rules: Understanding, message: str) -> None:
        pairs = {
            "relation": (turn.relation if turn.relation in _RELATIONS else "other", rules.relation),
            "question": (
                turn.relation == "question" or turn.question is not None,
                rules.question is not None,
            ),
            "undo": (turn.relation in _BACK, takes_back(message)),
        }
        for what, (theirs, ours) in pairs.items():
            if what == "relation" or ours:
                self._counted[what] += 1
                self._counted[f"same {what}"] += theirs == ours
            elif theirs:
                self._counted[f"{what} alone"] += 1

    def told(self) -> str:
        """Return in two lines what the model has used, and how it agreed with the rules."""
        count = len(self.seconds) or 1
        used = self.meter.total()
        median, slow = (percentile(self.seconds, part) * 1000 for part in (0.5, 0.95))
        same = ", ".join(
            f"{what} {self._counted[f'same {what}']} of {self._counted[what]}"
            + (f" and {alone} more" if (alone := self._counted[f"{what} alone"]) else "")
            for what in ("relation", "question", "undo")
        )
        return (
            f"{len(self.seconds)} messages by the model, {self.failed} of them failed; of one:"
            f" {used.input_tokens / count:.0f} tokens in ({used.cache_read / count:.0f} from a cache),"
            f" {used.output_tokens / count:.0f} out, {median:.0f} ms (median), {slow:.0f} ms"
            f" (95th percentile)\nas the rules: {same}"
        )


def _heard_nothing(before: Understanding | None) -> Understanding:
    return replace(before or Understanding(relation="other"), relation="other", agents=())


def _is_left_to_it(message: str, rules: Understanding) -> bool:
    return not rules.agents and rules.relation == "other" and small_talk(message) == NOT_UNDERSTOOD


def _said(record: Mapping[str, Any], lines: Sequence[str]) -> list[Message]:
    """The conversation as a model takes it: what one of the two said in several turns is one message."""
    said: list[Message] = []
    for turn in record["history"]:
        role, text = turn["role"], turn["text"]
        if said and said[-1]["role"] == role:
            text = f"{said.pop()['content']}\n{text}"
        said.append({"role": role, "content": text})
    last = with_lines(lines, record["utterance"])
    if said and said[-1]["role"] == "user":
        last = f"{said.pop()['content']}\n{last}"
    said.append({"role": "user", "content": last})
    return [system(INSTRUCTIONS), *(said if said[0]["role"] == "user" else said[1:])]


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
    parser.add_argument("--within-s", type=float, default=WITHIN_S, help="how long the model has for one")
    parser.add_argument(
        "--together", action="store_true", help="tell what rules and model make of it together"
    )
    parser.add_argument("--assumed", action="store_true", help="tell slots that are only assumed too")
    arguments = parser.parse_args()
    # What is logged of a reading that failed must not stand among the predictions.
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    key = os.environ.get("DETOUR_MODEL_KEY")
    model = load_model(
        arguments.model,
        base_url=arguments.model_base_url,
        key=SecretStr(key) if key else None,
        plain_hosts=os.environ.get("DETOUR_PLAIN_HOSTS", "").split(","),
    )
    reader = ReadWithModel(
        model, time.perf_counter, arguments.within_s, arguments.assumed, arguments.together
    )
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
