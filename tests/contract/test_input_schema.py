"""Answers and their schemas: what fits is completed, what does not is refused with the field's name."""

import pytest

from backend.domain.inputs import Question
from backend.errors import BadInput
from backend.tasks.input_schema import answer_in_words, checked, required, schema_fault

FORM = Question(
    agent="flight",
    prompt="Where from, and when?",
    schema={
        "type": "object",
        "properties": {
            "origin": {"type": "string", "minLength": 1},
            "day": {"type": "string", "format": "date"},
            "people": {"type": "integer", "minimum": 1, "default": 1},
            "to": {
                "oneOf": [
                    {"const": "SJC", "title": "San Jose, US"},
                    {"const": "SJO", "title": "San José, CR"},
                ]
            },
            "bags": {"type": "object", "properties": {"kind": {"enum": ["small", "big"]}}},
        },
        "required": ["origin", "day", "to"],
        "additionalProperties": False,
    },
    defaults={"to": "SJC"},
)
RIGHT = {"origin": "Berlin", "day": "2026-12-10"}


def test_what_is_left_out_is_taken_from_the_defaults():
    assert checked(FORM, RIGHT) == {**RIGHT, "people": 1, "to": "SJC"}
    assert checked(FORM, {**RIGHT, "to": "SJO", "people": 2}) == {**RIGHT, "people": 2, "to": "SJO"}
    assert required(FORM) == ("origin", "day")


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ({}, "origin: Field required."),
        ({"origin": "Berlin"}, "day: Field required."),
        ({**RIGHT, "origin": ""}, "origin: Field required."),
        ({**RIGHT, "origin": None}, "origin: should be text."),
        ({**RIGHT, "origin": 3}, "origin: should be text."),
        ({**RIGHT, "day": "10 December"}, "day: should be a date, such as 2026-12-10."),
        ({**RIGHT, "day": "2026-02-30"}, "day: should be a date, such as 2026-12-10."),
        ({**RIGHT, "people": "two"}, "people: should be a whole number."),
        ({**RIGHT, "people": 1.5}, "people: should be a whole number."),
        ({**RIGHT, "people": 0}, "people: 0 is less than the minimum of 1."),
        ({**RIGHT, "to": "NRT"}, "to: is none of the choices."),
        ({**RIGHT, "bags": {"kind": "huge"}}, "bags.kind: is none of the choices."),
        ({**RIGHT, "seat": "window"}, "seat: there is no such field."),
        ({**RIGHT, "people": 2**70}, "answer: Integer exceeds 64-bit range."),
    ],
)
def test_what_does_not_fit_is_refused_with_the_name_of_the_field(answer, sentence):
    with pytest.raises(BadInput) as refused:
        checked(FORM, answer)
    assert refused.value.message == sentence


def test_all_that_does_not_fit_is_in_the_details():
    with pytest.raises(BadInput) as refused:
        checked(FORM, {"day": 3, "seat": "window"})
    assert {each["field"] for each in refused.value.details} == {"origin", "day", "seat"}


def test_a_schema_that_is_none_is_found():
    assert schema_fault(FORM.schema) is None
    assert schema_fault({"type": "text"}) is not None
    assert schema_fault({"properties": 3}) is not None


def test_a_schema_that_refers_elsewhere_is_not_fetched():
    away = Question(agent="a", prompt="?", schema={"$ref": "http://127.0.0.1:9/away.json"})
    with pytest.raises(BadInput, match="refers to"):
        checked(away, {"a": 1})


def only(**field: object) -> Question:
    return Question(
        agent="a", prompt="?", schema={"type": "object", "properties": {"x": field}, "required": ["x"]}
    )


@pytest.mark.parametrize(
    ("question", "message", "answer"),
    [
        (only(type="string"), " Ada ", {"x": "Ada"}),
        (only(type="string", maxLength=2), "Ada", None),
        (only(type="integer"), "3", None),
        (only(enum=["S", "L"]), "l", {"x": "L"}),
        (only(enum=["S", "L"]), "M", None),
        (only(oneOf=[{"const": 1, "title": "One way"}]), "one way", {"x": 1}),
        (FORM, "Berlin", None),
        (Question(agent="a", prompt="?", schema={"type": "object"}), "anything", None),
    ],
)
def test_a_message_is_the_answer_where_text_or_a_choice_is_all_that_is_asked_for(question, message, answer):
    assert answer_in_words(question, message) == answer


@pytest.mark.parametrize(
    ("schema", "message", "answer"),
    [
        ({"properties": {"a": {"anyOf": [True, {"const": 1, "title": "One"}]}}}, "one", {"a": 1}),
        ({"properties": {"a": True}}, "anything", {"a": "anything"}),
        ({"$schema": "http://json-schema.org/draft-03/schema#", "required": True}, "anything", None),
    ],
)
def test_a_schema_may_hold_what_is_true_of_anything(schema, message, answer):
    question = Question(agent="a", prompt="?", schema={"type": "object", **schema})
    assert schema_fault(question.schema) is None
    assert answer_in_words(question, message) == answer


def test_what_the_oldest_draft_requires_is_refused_in_words():
    schema = {
        "$schema": "http://json-schema.org/draft-03/schema#",
        "type": "object",
        "properties": {"a": {"type": "string", "required": True}},
    }
    with pytest.raises(BadInput, match="'a' is a required property"):
        checked(Question(agent="a", prompt="?", schema=schema), {})
