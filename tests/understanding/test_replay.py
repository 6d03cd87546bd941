"""Labelled utterances, replayed: the figures of the understanding are those of the product."""

import itertools
import json
import subprocess
import sys

from checks.understanding.replay import Replay, percentile


def record(utterance: str, *history: tuple[str, str], day: str | None = "2026-11-20") -> dict[str, object]:
    turns = [{"role": role, "text": text} for role, text in history]
    return {"id": utterance, "history": turns, "utterance": utterance, "date_context": day}


def replay() -> Replay:
    return Replay(clock=itertools.count().__next__)


def test_utterance_is_understood_after_its_history() -> None:
    earlier = ("user", "Find flights from Berlin to Tokyo on 10 December")
    predicted = replay().predict(record("Make it Osaka", earlier, ("assistant", "Three flights.")))
    assert predicted == {
        "id": "Make it Osaka",
        "intent": ["flight"],
        "relation": "refine",
        "slots": {
            "flight": {"origin": "Berlin", "destination": "Osaka", "departure_date": "2026-12-10"},
            "hotel": {},
            "trip": {},
        },
    }


def test_assumed_values_are_predicted_only_where_labels_have_them() -> None:
    joined = record("and a hotel there", ("user", "Find flights from Berlin to Tokyo on 10 December"))
    searched = Replay(clock=itertools.count().__next__, tells_assumed=True)
    assert replay().predict(joined)["slots"]["hotel"] == {"city": "Tokyo"}
    assert searched.predict(joined)["slots"]["hotel"] == {"city": "Tokyo", "check_in": "2026-12-10"}


def test_turns_of_a_dialogue_may_come_in_any_order() -> None:
    turns = [
        record("Make it Osaka", ("user", "Find flights from Berlin to Tokyo on 10 December")),
        record("Find flights from Berlin to Tokyo on 10 December"),
        record("Make it Osaka", ("user", "Find flights from Rome to Tokyo on 10 December")),
    ]
    shared = replay()
    together = [shared.predict(turn) for turn in reversed(turns)]
    assert together == [replay().predict(turn) for turn in reversed(turns)]
    assert len(shared.seconds) == len(turns)


def test_message_for_no_agent_has_the_intent_other() -> None:
    assert replay().predict(record("Tell me a joke", day=None))["intent"] == ["other"]


def test_price_is_a_number_and_a_day_is_written_with_its_year() -> None:
    predicted = replay().predict(record("a hotel in Rome from 3 May for under 90 euros", day=None))
    assert predicted["slots"]["hotel"]["max_price"] == 90.0
    assert predicted["slots"]["hotel"]["check_in"].endswith("-05-03")


def test_median_lies_in_the_middle() -> None:
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert percentile([], 0.5) == 0.0


def test_command_reads_records_and_writes_predictions() -> None:
    lines = "\n".join(json.dumps(record(said)) for said in ("Thanks", "hotels in Rome on 3 May"))
    done = subprocess.run(
        [sys.executable, "-m", "checks.understanding", "predict"],
        input=lines.encode(),
        capture_output=True,
        check=True,
    )
    predicted = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["intent"] for one in predicted] == [["other"], ["hotel"]]
    assert b"2 utterances: median" in done.stderr
