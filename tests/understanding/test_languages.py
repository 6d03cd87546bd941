"""Other languages: what stops stops, what decides decides, what is known is read as its English.

What is said stands in `languages.jsonl`: stops and requests by their language, decisions, and English;
what is `read`, or only where its language is `spoken`, stands beside English that means the same, what is
read in `part` also beside the words that are left out. Of a `request` there a word that is in no table may
turn the rest.
"""

import json
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from backend.tasks.workflow import Situation
from backend.travel.read_in_situation import read_in_situation
from backend.travel.stored_requests import spoken_in, understanding_in
from backend.travel.understanding.languages.detect import (
    LANGUAGES,
    foreign_decision,
    foreign_in,
    foreign_reply,
    is_spoken,
)
from backend.travel.understanding.languages.glosses import in_english, phrases_in, unknown_in
from backend.travel.understanding.result import Understanding
from backend.travel.understanding.tokens import fold
from tests.understanding.conversation import BERLIN_TO_TOKYO, LISBON, TODAY, told
from tests.understanding.held_out import DATES, PLACES

HERE = Path(__file__).parent
ROWS = [json.loads(line) for line in (HERE / "languages.jsonl").read_text("utf-8").splitlines()]


def said(what: str) -> list[tuple[str, str]]:
    """Return what is said of a kind, each with its language."""
    rows = (row for row in ROWS if row["what"] == what)
    return [(row.get("language", "en"), each) for row in rows for each in row["said"]]


def read_after_lisbon(message: str) -> Understanding:
    before = read_in_situation(LISBON, Situation(), today=TODAY)
    now = read_in_situation(message, Situation(previous=before.request), today=TODAY)
    understood = understanding_in(now.request)
    assert understood is not None
    return understood


@pytest.mark.requirement("NO-LANGUAGE-IS-HALF-READ")
@pytest.mark.parametrize(("language", "stop"), said("stop"))
def test_stop_of_another_language_stops(language: str, stop: str) -> None:
    assert language in LANGUAGES
    understood = told(LISBON, stop)
    assert (understood.relation, understood.agents) == ("stop", ())
    assert understood.flight == told(LISBON).flight


@pytest.mark.requirement("NO-LANGUAGE-IS-HALF-READ")
@pytest.mark.parametrize(("language", "request_"), said("request"))
def test_of_a_request_in_another_language_nothing_is_taken(language: str, request_: str) -> None:
    found = foreign_in(request_)
    assert found is not None
    assert in_english(request_) is None
    assert read_after_lisbon(request_).relation == "other"
    assert (found.language, found.stops) == (language, False)
    before, after = told(LISBON), told(LISBON, request_)
    assert (after.relation, after.agents, after.refused) == ("other", (), ())
    assert (after.flight, after.hotel) == (before.flight, before.hotel)
    alone = told(request_)
    assert (alone.relation, alone.agents) == ("other", ())


@pytest.mark.parametrize(("language", "closing"), said("close"))
def test_thanks_and_good_bye_get_no_word_about_english(language: str, closing: str) -> None:
    assert foreign_reply(closing, language, example="") == LANGUAGES[language].welcome


@pytest.mark.parametrize(("language", "behind"), said("follow-up"))
def test_few_words_are_answered_in_the_language_of_the_message_before(language: str, behind: str) -> None:
    assert foreign_reply(behind, language, example="this") == f"{LANGUAGES[language].reply} (this)"
    assert foreign_reply("with a balcony", example="this") == ""


@pytest.mark.requirement("NO-LANGUAGE-IS-HALF-READ")
@pytest.mark.parametrize(("language", "both"), said("read"))
def test_message_of_another_language_is_read_as_its_english(language: str, both: list[str]) -> None:
    message, english = both
    found = in_english(message)
    assert found is not None
    assert found.language == language
    assert told(found.text) == told(english)
    assert told(LISBON, found.text) == told(LISBON, english)


@pytest.mark.requirement("NO-LANGUAGE-IS-HALF-READ")
@pytest.mark.parametrize(("language", "both"), said("spoken"))
def test_few_words_are_read_in_the_language_that_is_spoken(language: str, both: list[str]) -> None:
    message, english = both
    found = in_english(message, language)
    assert found is not None
    assert found.language == language
    assert told(LISBON, found.text) == told(LISBON, english)


@pytest.mark.requirement("ENGLISH-IS-NEVER-REFUSED")
@pytest.mark.parametrize("language", ["de", "es", "fr", "it", "pt"])
@pytest.mark.parametrize(("_", "english"), said("spoken English"))
def test_english_is_read_as_such_behind_another_language(language: str, _: str, english: str) -> None:
    assert in_english(english, language) is None
    assert not is_spoken(english, language)


@pytest.mark.requirement("NO-LANGUAGE-IS-HALF-READ")
def test_language_is_kept_until_english_is_spoken() -> None:
    messages = ["busco un vuelo de Madrid a Roma", "no", "no, Xville no, en Yville", "we want it on Friday"]
    situation, spoken = Situation(), list[str]()
    for message in messages:
        reading = read_in_situation(message, situation, today=TODAY)
        spoken.append(spoken_in(reading.request))
        kept = reading.request if reading.manner != "beside" else situation.previous
        situation = Situation(previous=kept, beside=reading.request)
    assert spoken == ["es", "es", "es", ""]


@pytest.mark.requirement("NO-LANGUAGE-IS-HALF-READ")
@pytest.mark.parametrize(("language", "part"), said("part"))
def test_unknown_words_that_turn_nothing_are_left_out_and_told(
    language: str, part: tuple[str, str, list[str]]
) -> None:
    message, english, unread = part
    found = in_english(message)
    assert found is not None
    assert (found.language, list(found.unread)) == (language, unread)
    assert told(found.text) == told(english)
    assert told(LISBON, found.text) == told(LISBON, english)
    refused = {one.said for one in read_after_lisbon(message).refused}
    assert {*unread} <= refused


@pytest.mark.requirement("NO-LANGUAGE-IS-HALF-READ")
@pytest.mark.parametrize(
    "message",
    [
        "welches Hotel ist das billigste, Fahrradverleih?",
        "ich nehme das verwunschene Hotel, Kaminzimmer",
        "ohne Hotel bitte, nur Flug, Bordmagazin",
    ],
)
def test_message_with_unknown_words_neither_asks_nor_books_nor_drops(message: str) -> None:
    assert read_after_lisbon(message).relation == "other"


@pytest.mark.requirement("NO-LANGUAGE-IS-HALF-READ")
@pytest.mark.parametrize(("language", "denied"), said("left"))
def test_negation_that_no_table_has_whole_leaves_all_of_a_message(language: str, denied: str) -> None:
    assert in_english(denied) is None
    assert told(LISBON, denied).flight == told(LISBON).flight
    assert told(LISBON, denied).booking is None


def test_words_that_no_table_has_are_told() -> None:
    assert unknown_in("Flug von Berlin nach Lissabon mit meinem Papagei", "de") == ["Papagei"]
    assert unknown_in("vlucht naar Rome", "nl") == []


def test_phrase_of_a_language_has_one_meaning() -> None:
    for table in sorted((HERE.parents[1] / "backend/travel/understanding/languages/glosses").glob("*.toml")):
        meant: dict[str, set[str]] = {}
        for name, phrases in tomllib.loads(table.read_text("utf-8")).items():
            if name in ("alone", "spelt"):
                continue
            for phrase, english in phrases_in(phrases) if "=" in phrases else ():
                meant.setdefault(fold(" ".join(phrase.split())), set()).add(english)
        assert {phrase: some for phrase, some in meant.items() if len(some) > 1} == {}


@pytest.mark.parametrize("typed", ["15.12.", "15/12", "15.12.2026", "15. Dezember", "15 DEZEMBER"])
def test_day_is_read_as_it_is_written_there(typed: str) -> None:
    found = in_english(f"Flug von Berlin nach Rom am {typed}")
    assert found is not None
    assert told(found.text).flight.departure_date == date(2026, 12, 15)


@pytest.mark.parametrize(
    ("typed", "english"),
    [
        ("buche bitte DEMO-7K2Q4M", "book DEMO-7K2Q4M"),
        ("ich möchte das billigste Hotel buchen", "I want book the cheapest hotel"),
        ("quiero un hotel barato", "I want a cheap hotel"),
        ("le vol le moins cher", "the cheapest flight"),
        ("das Hotel für höchstens 1.200 €", "the hotel for at most 1200 euros"),
        ("den Flug um 18 Uhr 30", "the flight at 18:30"),
        ("vuelo > londres", "flight > London"),
        ("LIEBER ZWEI ZIMMER", "rather 2 rooms"),
    ],
)
def test_words_stand_where_they_do_in_english(typed: str, english: str | None) -> None:
    found = in_english(typed)
    assert (found.text if found else None) == english


@pytest.mark.requirement("ENGLISH-IS-NEVER-REFUSED")
@pytest.mark.parametrize(("_", "english"), said("english"))
def test_names_of_places_make_no_message_foreign(_: str, english: str) -> None:
    assert foreign_in(english) is None
    assert in_english(english) is None


@pytest.mark.requirement("ENGLISH-IS-NEVER-REFUSED")
def test_no_message_that_was_written_for_the_rules_is_taken_for_foreign() -> None:
    files = [HERE / f"{name}.jsonl" for name in ("held_out", "held_out_bookings", "mind_changes")]
    rows = [json.loads(line) for path in files for line in path.read_text().splitlines()]
    written = {each for row in rows for each in texts(row)} | {phrase.said for phrase in (*DATES, *PLACES)}
    assert len(written) > 500
    foreign = {each for _, each in said("foreign beside English")}
    assert {each for each in written if foreign_in(each)} == foreign
    assert {each for each in written if in_english(each)} <= foreign


def texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    some = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in some:
        yield from texts(each)


def test_each_language_has_a_reply_of_its_own_that_says_how_to_stop() -> None:
    replies = [row.reply for row in LANGUAGES.values()]
    assert len(set(replies)) == len(LANGUAGES) >= 15
    assert all("stop" in reply for reply in replies)


def test_words_to_stop_allow_and_deny_differ_in_each_language() -> None:
    for row in LANGUAGES.values():
        some = [row.stops, row.allows, row.denies, row.courtesy]
        assert sum(map(len, some)) == len(set().union(*some)), row.tag


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.requirement("A-NO-IS-A-NO")
@pytest.mark.parametrize("decision", ["allow", "deny"])
def test_plain_yes_and_no_of_another_language_decide(decision: str) -> None:
    plain = [each for _, each in said(decision)]
    assert [each for each in plain if foreign_decision(each) != decision] == []


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.parametrize(("_", "other"), said("neither"))
def test_nothing_else_of_another_language_allows(_: str, other: str) -> None:
    assert foreign_decision(other) != "allow"


def test_request_of_another_language_does_not_change_a_tour_nor_withdraw_a_wish_for_a_booking() -> None:
    assert told("Rome, Athens and Lisbon from Berlin in any order in May", "no, mejor a París").tour
    assert told(BERLIN_TO_TOKYO, "book the cheapest", "mejor a París").relation == "other"
