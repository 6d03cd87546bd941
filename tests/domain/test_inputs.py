"""The questions of a task: which are open, and which answers its graph has yet to get."""

import orjson

from backend.domain.questions import Action, Review, TaskInputs, in_words
from backend.store.codec import input_from_json, to_json
from tests.records import a_question, an_input


def answered(number: int, branch: str = "one", **answer: object):
    return an_input(number=number, branch=branch).resolved("answered", answer)


def test_answer_is_taken_by_the_graph_once():
    inputs = TaskInputs([answered(1, city="Rome"), an_input(number=2, branch="two")])
    assert inputs.pending_answers() == {"pause 1": {"city": "Rome"}}
    assert inputs.take_answers() == {"pause 1": {"city": "Rome"}}
    assert inputs.pending_answers() == {}
    assert inputs.take_answers() == {}


def test_answer_before_the_last_question_of_a_branch_is_not_given_again():
    inputs = TaskInputs([answered(1), answered(2, city="Bonn")])
    assert inputs.pending_answers() == {"pause 2": {"city": "Bonn"}}
    assert TaskInputs([answered(1), an_input(number=2, branch="one")]).pending_answers() == {}


def test_withdrawn_or_expired_question_gives_no_answer():
    for resolution in ("withdrawn", "expired"):
        assert TaskInputs([an_input().resolved(resolution)]).pending_answers() == {}


def test_question_with_an_answer_being_stored_is_neither_open_nor_answered():
    inputs = TaskInputs([an_input(), an_input(number=2)])
    inputs.hold(["ann-1-q1"])
    assert [each.number for each in inputs.open] == [2]
    assert inputs.pending_answers() == {}
    assert inputs.waiting
    inputs.release(["ann-1-q1"])
    assert [each.number for each in inputs.open] == [1, 2]


def test_answer_for_the_graph_is_the_whole_or_a_bare_value():
    whole = an_input().resolved("answered", {"answer": "Rome", "nights": 2})
    assert whole.graph_value == {"answer": "Rome", "nights": 2}
    bare = an_input(question=a_question(bare=True)).resolved("answered", {"answer": "Rome"})
    assert bare.graph_value == "Rome"


def test_question_is_found_by_its_pause_in_any_state():
    inputs = TaskInputs([an_input(), an_input(number=2).resolved("withdrawn")])
    assert inputs.of_pause("pause 2") == an_input(number=2).resolved("withdrawn")
    assert inputs.of_pause("pause 3") is None


def test_answer_in_words_follows_titles_and_order_of_its_form():
    day = {"type": "string", "format": "date", "title": "Leaving on"}
    fields = {"origin": {"type": "string", "title": "From"}, "day": day, "nights": {"type": "integer"}}
    question = a_question(schema={"type": "object", "properties": fields})
    answer = {"nights": 3, "day": "2026-12-05", "origin": "Ber\0lin", "extras": ["pool"]}
    said = 'From: Berlin; Leaving on: 5 December 2026; nights: 3; extras: ["pool"]'
    assert in_words(question, answer) == said
    assert in_words(question, {"day": "soon"}) == "Leaving on: soon"
    assert in_words(question, {}) == ""
    assert in_words(a_question(bare=True), {"answer": "Rome"}) == "Rome"


def test_question_stored_by_an_earlier_version_is_read():
    stored = orjson.loads(to_json(an_input(question=a_question(bare=True))))
    for name in ("any_json", "review", "facts"):
        del stored["question"][name]
    read = input_from_json(orjson.dumps(stored))
    assert read == an_input(question=a_question(bare=True))
    assert "facts" not in read.to_wire()


def test_waived_review_denies_every_action_if_the_graph_allows_it():
    deny, allow = (
        Review(shape="decisions", actions=(Action(name="book", arguments={}, decisions=decisions),))
        for decisions in (("allow", "deny"), ("allow",))
    )
    waived = [
        an_input(question=a_question(bare=True, review=each)).waived().graph_value for each in (deny, allow)
    ]
    assert waived == [{"decisions": [{"type": "reject"}]}, None]
