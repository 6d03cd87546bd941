"""Readers look only where one of the words stands with which what they read may begin.

Which words these are each reader tells to `Text.next_of` or `Text.each_of`. One that is left out would be a
phrase that nobody reads: so all are read once more by readers that look everywhere.
"""

import json
from datetime import date
from pathlib import Path

import pytest

from backend.travel.understanding.english.language.text import Text
from backend.travel.understanding.understand import understand

TODAY = date(2026, 11, 20)
HERE = Path(__file__).parent


def said_in(value: object) -> list[str]:
    """Return the texts in a value that was read from JSON."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for one in value.values() for text in said_in(one)]
    return [text for one in value for text in said_in(one)] if isinstance(value, list) else []


def messages() -> list[str]:
    """Return what is said in conversations that rules may be tuned on."""
    lines = [
        json.loads(line)
        for name in ("mind_changes.jsonl", "travellers/conversations.jsonl")
        for line in (HERE / name).read_text("utf-8").splitlines()
    ]
    return list(dict.fromkeys(text for text in said_in(lines) if " " in text))


def test_readers_that_look_everywhere_read_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    said = messages()
    assert len(said) > 700
    known = understand("flights and a hotel, Berlin to Rome, 10 to 14 December", previous=None, today=TODAY)
    read = [understand(one, previous=before, today=TODAY) for one in said for before in (None, known)]
    monkeypatch.setattr(Text, "next_of", lambda text, begin, at: min(at, text.length))
    monkeypatch.setattr(Text, "each_of", lambda text, begin: range(text.length))
    again = [understand(one, previous=before, today=TODAY) for one in said for before in (None, known)]
    differ = [one for at, one in enumerate(said) if read[2 * at : 2 * at + 2] != again[2 * at : 2 * at + 2]]
    assert not differ
