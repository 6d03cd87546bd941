"""The form of the travellers' conversations, of the verdicts about them, and of the page that counts these.

Nothing here plays a conversation: `tests/understanding/travellers/play.py` does, and a reader judges.
"""

import json
import math
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.conventions import ROOT

FOLDER = Path(__file__).with_name("travellers")
VERDICTS = ("yes", "partly", "no")
NORMAL_95 = 1.959964
"""How many standard deviations around the mean hold 95 % of a normal distribution."""


def read(name):
    return [json.loads(line) for line in (FOLDER / name).read_text("utf-8").splitlines()]


PLAYED = read("conversations.jsonl")
KEPT_ASIDE = read("kept_aside.jsonl")
UNTOUCHED = read("untouched.jsonl")
JUDGED = read("verdicts.jsonl")
ASIDE_JUDGED = read("kept_aside_verdicts.jsonl")
UNTOUCHED_JUDGED = read("untouched_verdicts.jsonl")
AGAIN = read("second_reading.jsonl")
STRANGERS = read("strangers.jsonl")
PAGE = (ROOT / "docs/reports/travellers.md").read_text("utf-8")


def turns_of(conversations):
    return [(each["id"], number) for each in conversations for number in range(1, len(each["turns"]) + 1)]


def wilson(share_of, total):
    share, square = share_of / total, NORMAL_95**2 / total
    middle = share + square / 2
    half = NORMAL_95 * math.sqrt(share * (1 - share) / total + square / (4 * total))
    return [f"{100 * end / (1 + square):.1f}" for end in (middle - half, middle + half)]


@pytest.mark.parametrize(
    ("conversations", "how_many", "turns"),
    [(PLAYED, 40, 200), (KEPT_ASIDE, 20, 100), (UNTOUCHED, 24, 120)],
    ids=["played", "aside", "untouched"],
)
def test_conversations_have_their_form(conversations, how_many, turns) -> None:
    assert len({each["id"] for each in conversations}) == len(conversations) == how_many
    assert len(turns_of(conversations)) == turns
    for conversation in conversations:
        assert set(conversation) == {"id", "turns"}
        assert re.fullmatch(r"[a-z0-9-]+", conversation["id"])  # it is the name of a user, too
        assert 3 <= len(conversation["turns"]) <= 8
        assert conversation["turns"][0]["when"] == "after"
        for turn in conversation["turns"]:
            assert set(turn) == {"say", "when", "expects"}
            assert turn["when"] in {"after", "mid"}
            assert turn["say"].strip()
            assert turn["expects"].strip()


def test_no_conversation_that_was_kept_aside_is_one_that_was_tuned_on_before() -> None:
    told = [(each["id"], each["turns"][0]["say"]) for each in (*PLAYED, *KEPT_ASIDE, *UNTOUCHED)]
    assert len({name for name, _ in told}) == len({opening for _, opening in told}) == len(told)


def test_every_turn_has_one_verdict_in_order() -> None:
    assert [(each["id"], each["turn"]) for each in JUDGED] == turns_of(PLAYED)


def test_every_verdict_says_why_and_what_failed() -> None:
    for each in JUDGED:
        assert each["verdict"] in VERDICTS
        assert each["why"].endswith((".", '."'))
        assert ("kind" in each) == (each["verdict"] != "yes")


def test_page_counts_the_verdicts() -> None:
    counted = Counter(each["verdict"] for each in JUDGED)
    rows = re.findall(
        r"^\| (yes|partly|no) \| (\d+) \| ([\d.]+) % \| ([\d.]+) to ([\d.]+) \|$", PAGE, re.MULTILINE
    )
    assert [list(row) for row in rows] == [
        [name, str(counted[name]), f"{counted[name] / 2:.1f}", *wilson(counted[name], len(JUDGED))]
        for name in VERDICTS
    ]


def test_page_counts_the_kinds_of_failure_and_names_the_largest_first() -> None:
    counted = Counter(each["kind"] for each in JUDGED if "kind" in each)
    named = re.findall(r"`(\w+)` (\d+)", PAGE.split("\n## By kind of failure\n")[1])
    assert {kind: int(turns) for kind, turns in named} == counted
    sizes = [int(turns) for _, turns in named]
    assert sizes == sorted(sizes, reverse=True)


def test_page_counts_openings_and_turns_sent_into_a_search() -> None:
    right = {(each["id"], each["turn"]) for each in JUDGED if each["verdict"] == "yes"}
    openings = {turn for turn in turns_of(PLAYED) if turn[1] == 1}
    into_a_search = {
        (each["id"], number)
        for each in PLAYED
        for number, turn in enumerate(each["turns"], 1)
        if turn["when"] == "mid"
    }
    whole = [each["id"] for each in PLAYED if set(turns_of([each])) <= right]
    so_far = {(name, turn) for name, turn in right if all((name, one) in right for one in range(1, turn))}
    undisturbed = {(name, turn) for name, turn in turns_of(PLAYED) if turn > 1 and (name, turn - 1) in so_far}
    disturbed = {turn for turn in turns_of(PLAYED) if turn not in openings | undisturbed}
    rows = re.findall(r"^\| [a-z][^|]* \| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE)
    groups = [openings, undisturbed, disturbed, into_a_search]
    assert [(int(yes), int(of)) for yes, of in rows] == [
        *((len(group & right), len(group)) for group in groups),
        (len(whole), len(PLAYED)),
    ]


def test_page_counts_the_wishes_that_were_dropped_without_a_word() -> None:
    dropped = [each for each in JUDGED if "dropped without a word" in each["why"]]
    assert f"In {len(dropped)} a wish was dropped without a word" in PAGE


@pytest.mark.parametrize(
    ("title", "conversations", "judged"),
    [("Kept aside", KEPT_ASIDE, ASIDE_JUDGED), ("Untouched", UNTOUCHED, UNTOUCHED_JUDGED)],
)
def test_page_counts_what_those_got_who_were_kept_aside(title, conversations, judged) -> None:
    assert [(each["id"], each["turn"]) for each in judged] == turns_of(conversations)
    section = PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]
    rows = re.findall(
        r"^\| (first|second) \| (\d+) \| (\d+) \| (\d+) \| ([\d.]+) to ([\d.]+) % \|$", section, re.MULTILINE
    )
    counted = []
    for reader in ("first", "second"):
        verdicts = Counter(each[reader] for each in judged)
        shares = wilson(verdicts["yes"], len(judged))
        counted.append((reader, *(str(verdicts[name]) for name in VERDICTS), *shares))
    assert rows == counted
    same = sum(each["first"] == each["second"] for each in judged)
    both = sum(each["first"] == each["second"] == "yes" for each in judged)
    assert f"All {both} were a yes to both; of {same} turns they said the same." in section


def test_page_counts_the_second_reading() -> None:
    assert [(each["id"], each["turn"]) for each in AGAIN] == turns_of(PLAYED)
    counted = Counter(each["verdict"] for each in AGAIN)
    share = f"{counted['yes']} turns were a yes\n({counted['yes'] / 2:.1f} %)"
    assert f"{share}, {counted['partly']} partly and {counted['no']} no." in PAGE


def test_page_counts_what_strangers_got_before_and_after_mending() -> None:
    rows = re.findall(
        r"^\| \w[^|]* \| (\d+) \| (\d+), (\d+), (\d+) \| ([\d.]+) % \| (\d+), (\d+), (\d+) \| ([\d.]+) % \|$",
        PAGE,
        re.MULTILINE,
    )
    counted = []
    for initial in "fg":
        turns = [turn for each in STRANGERS if each["id"].startswith(initial) for turn in each["turns"]]
        unseen, mended = (Counter(turn[when] for turn in turns) for when in ("unseen", "mended"))
        shares = [f"{100 * some['yes'] / len(turns):.1f}" for some in (unseen, mended)]
        counts = [[str(some[name]) for name in VERDICTS] for some in (unseen, mended)]
        counted.append((str(len(turns)), *counts[0], shares[0], *counts[1], shares[1]))
    assert rows == counted


def test_page_counts_what_strangers_got_on_each_subject() -> None:
    rows = re.findall(r"^\| \w[^|]* \| (\d+) \| (\d+), (\d+), (\d+) \| ([\d.]+) % \|$", PAGE, re.MULTILINE)
    counted = []
    for subject in ("openers", "changes", "questions", "parties"):
        turns = [turn for each in STRANGERS if each["id"].startswith(subject) for turn in each["turns"]]
        unseen = Counter(turn["unseen"] for turn in turns)
        share = f"{100 * unseen['yes'] / len(turns):.1f}"
        counted.append((str(len(turns)), *(str(unseen[name]) for name in VERDICTS), share))
    assert rows == counted


def test_page_counts_all_that_strangers_got() -> None:
    unseen = Counter(turn["unseen"] for each in STRANGERS for turn in each["turns"])
    total = unseen.total()
    share = f"{unseen['yes']} were a yes ({100 * unseen['yes'] / total:.1f} %)"
    assert f"of {total} further turns that no rule had been tuned on, {share}" in PAGE


def test_no_conversation_of_strangers_is_one_that_was_tuned_on_before() -> None:
    said = {turn["say"] for each in (*PLAYED, *KEPT_ASIDE) for turn in each["turns"] if len(turn["say"]) > 40}
    assert not said & {turn["say"] for each in STRANGERS for turn in each["turns"]}
