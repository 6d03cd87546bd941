"""Answers and their schemas: what fits is completed, what does not is refused with the field's name."""

import pytest

from backend.domain.errors import BadInput
from backend.domain.questions import Question
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


def test_omitted_fields_take_their_defaults():
    assert checked(FORM, RIGHT) == {**RIGHT, "people": 1, "to": "SJC"}
    assert checked(FORM, {**RIGHT, "to": "SJO", "people": 2}) == {**RIGHT, "people": 2, "to": "SJO"}
    assert required(FORM) == ("origin", "day")


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ({}, "origin: Field required."),
        ({"origin": "Berlin"}, "day: Field required."),
        ({**RIGHT, "origin": ""}, "origin: Field required."),
        ({**RIGHT, "origin": 3}, "origin: should be text."),
        ({**RIGHT, "day": "10 December"}, "day: should be a date, such as 2026-12-10."),
        ({**RIGHT, "day": "2026-02-30"}, "day: should be a date, such as 2026-12-10."),
        ({**RIGHT, "people": 1.5}, "people: should be a whole number."),
        ({**RIGHT, "people": 0}, "people: 0 is less than the minimum of 1."),
        ({**RIGHT, "to": "NRT"}, "to: is none of the choices."),
        ({**RIGHT, "bags": {"kind": "huge"}}, "bags.kind: is none of the choices."),
        ({**RIGHT, "seat": "window"}, "seat: there is no such field."),
        ({**RIGHT, "people": 2**70}, "answer: Integer exceeds 64-bit range."),
    ],
)
def test_answer_that_does_not_fit_names_the_field(answer, sentence):
    with pytest.raises(BadInput) as refused:
        checked(FORM, answer)
    assert refused.value.message == sentence


def test_invalid_schema_is_found():
    assert schema_fault(FORM.schema) is None
    assert schema_fault({"type": "text"}) is not None
    assert schema_fault({"properties": 3}) is not None


def test_schema_that_refers_elsewhere_is_not_fetched():
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
def test_message_is_the_answer_where_text_or_a_choice_is_asked_for(question, message, answer):
    assert answer_in_words(question, message) == answer


@pytest.mark.parametrize(
    ("schema", "message", "answer"),
    [
        ({"properties": {"a": {"anyOf": [True, {"const": 1, "title": "One"}]}}}, "one", {"a": 1}),
        ({"properties": {"a": True}}, "anything", {"a": "anything"}),
        ({"$schema": "http://json-schema.org/draft-03/schema#", "required": True}, "anything", None),
    ],
)
def test_schema_may_hold_true(schema, message, answer):
    question = Question(agent="a", prompt="?", schema={"type": "object", **schema})
    assert schema_fault(question.schema) is None
    assert answer_in_words(question, message) == answer


def test_field_required_by_the_oldest_draft_is_refused_in_words():
    schema = {
        "$schema": "http://json-schema.org/draft-03/schema#",
        "type": "object",
        "properties": {"a": {"type": "string", "required": True}},
    }
    with pytest.raises(BadInput, match="'a' is a required property"):
        checked(Question(agent="a", prompt="?", schema=schema), {})


# --- bounds --------------------------------------------------------------------------------------------


def test_pattern_is_matched_without_backtracking():
    """Told apart by what they make of a line's end: for Python's engine, which backtracks, it fits."""
    assert checked(only(type="string", pattern="^a$"), {"x": "a"})
    with pytest.raises(BadInput, match=r"x: does not match '\^a\$'\."):
        checked(only(type="string", pattern="^a$"), {"x": "a\n"})


def test_patterns_of_names_are_refused_wherever_they_are():
    """The library matches them with Python's engine: where they stand, and in two keywords beside them."""
    question = only(type="object", patternProperties={"^n": {"type": "integer"}})
    with pytest.raises(BadInput, match="its schema has `patternProperties`"):
        checked(question, {"x": {"no": "one"}})
    named = only(const='{"patternProperties":1}')
    assert checked(named, {"x": '{"patternProperties":1}'})


LOOKS_AHEAD = "^(?=.*a).+$"


@pytest.mark.parametrize(
    "field",
    [
        {"pattern": LOOKS_AHEAD},
        {"pattern": "("},
        {"pattern": "a" * 1001},
        {"pattern": "(a{1000}){1000}"},
        {"patternProperties": {LOOKS_AHEAD: {}}},
        {"anyOf": [{"items": {"pattern": LOOKS_AHEAD}}]},
        {"patternProperties": {"a": {}}, "unevaluatedProperties": False},
        {"enum": ["x" * 65536]},
    ],
    ids=["ahead", "no pattern", "long", "multiplied", "of a name", "inside", "beside", "large"],
)
@pytest.mark.parametrize("draft", ["2020-12/schema", "draft-07/schema#"])
def test_schema_that_takes_too_long_to_check_cannot_be_asked_by(field, draft):
    schema = {
        "$schema": f"{'https' if '2020' in draft else 'http'}://json-schema.org/{draft}",
        "type": "object",
        "properties": {"x": field},
    }
    fault = schema_fault(schema)
    assert fault is not None
    assert len(fault) <= 400


def test_schema_of_too_many_parts_cannot_be_asked_by():
    schema = {"properties": {str(each): {} for each in range(3000)}}
    assert schema_fault(schema) == "checking it takes too many steps"


def test_stored_question_with_such_a_pattern_is_refused_in_a_sentence():
    with pytest.raises(BadInput, match=r"^answer: it cannot be checked, since its schema has a pattern"):
        checked(only(type="string", pattern=LOOKS_AHEAD), {"x": "a"})


class Item(dict):
    """Counts how often it is looked at to compare it with another one."""

    looks = 0

    def __len__(self) -> int:
        Item.looks += 1
        return super().__len__()


def test_unique_items_are_found_in_linear_time():
    items = [Item(number=each) for each in range(500)]
    unique = only(type="array", uniqueItems=True)
    Item.looks = 0
    assert checked(unique, {"x": items}) == {"x": items}
    assert Item.looks <= 5 * len(items)
    with pytest.raises(BadInput, match="x: has the same item twice"):
        checked(unique, {"x": [*items, {"number": 7.0}]})
    assert checked(unique, {"x": [1, True, "1", [1], {"a": 1}, {"b": 1}, 1.5, -1, 1e300]})


def multiplied(depth: int) -> dict:
    """Return a schema whose references double what is to be checked, so many times."""
    parts = {f"d{each}": {"allOf": [{"$ref": f"#/$defs/d{each + 1}"}] * 2} for each in range(depth)}
    return {"$defs": {**parts, f"d{depth}": {}}, "$ref": "#/$defs/d0"}


@pytest.mark.parametrize(
    ("schema", "answer", "reason"),
    [
        (multiplied(40), {}, "checking it takes too many steps"),
        ({"$ref": "#"}, {}, "it is nested too deeply"),
        ({"properties": {"x": {"items": {"type": "integer"}}}}, {"x": [1] * 40_000}, "too many steps"),
        ({"properties": {"x": {"pattern": "a"}}}, {"x": "b" * 9000}, "may have 8192 characters"),
    ],
    ids=["multiplied", "endless", "many items", "a long text"],
)
def test_answer_that_takes_too_long_to_check_is_refused(schema, answer, reason):
    with pytest.raises(BadInput, match=r"^answer: it cannot be checked, since ") as refused:
        checked(Question(agent="a", prompt="?", schema=schema), answer)
    assert reason in refused.value.message


def test_part_that_names_its_own_schema_is_bounded_as_well():
    part = {"$schema": "https://json-schema.org/draft/2020-12/schema", "pattern": "^a$"}
    with pytest.raises(BadInput, match=r"^x: does not match"):
        checked(only(**part), {"x": "a\n"})


def test_faults_are_reported_up_to_a_number_and_a_length():
    wanted = {"type": "array", "maxItems": 1, "items": {"multipleOf": 2}}
    with pytest.raises(BadInput) as refused:
        checked(only(**wanted), {"x": [1] * 5000})
    assert len(refused.value.details) == 100
    assert max(len(each["message"]) for each in refused.value.details) <= 303


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")], ids=str)
@pytest.mark.parametrize(
    ("around", "field"),
    [(lambda value: value, "x"), (lambda value: {"list": [1, value]}, "x.list.1")],
    ids=["alone", "inside"],
)
def test_number_that_json_does_not_have_is_refused_by_field(value, around, field):
    with pytest.raises(BadInput, match=rf"^{field}: should be a finite number\.$"):
        checked(only(), {"x": around(value)})
