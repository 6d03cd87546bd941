"""Conversations of the set are played one message after another: whatever is said, no task fails."""

import asyncio

import pytest

from backend.domain.errors import WENT_WRONG
from scripts import travellers
from tests.understanding.travellers.play import CONVERSATIONS, read_conversations


@pytest.mark.parametrize("name", ["conversations", "kept_aside", "untouched"])
def test_no_turn_of_a_traveller_makes_a_task_fail(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(travellers, "PACE_S", 0)
    turns = [
        {
            "id": f"{conversation['id']}/{number:02}",
            "conversation": conversation["id"],
            "message": turn["say"],
            "today": "2026-11-30",
            "when": "mid" if turn["when"] == "mid" else "done",
        }
        for conversation in read_conversations(CONVERSATIONS.with_name(f"{name}.jsonl"))
        for number, turn in enumerate(conversation["turns"], 1)
    ]
    played = asyncio.run(travellers.play(turns, model=""))
    assert len(played) == len(turns)
    failure = WENT_WRONG.removesuffix(".").partition(" on ")[0]
    failed = [one["id"] for one in played if any(failure in reply for reply in one["replies"])]
    assert not failed
