"""What is typed becomes the answer to a question, or the decision of a permission."""

import pytest

from backend.clients.cli.chat import Form, Misfit, decision

REQUEST = {
    "request_id": "q1",
    "schema": {
        "properties": {
            "destination": {
                "title": "To",
                "oneOf": [{"const": "us", "title": "San Jose, US"}, {"const": "cr"}],
            },
            "day": {"type": "string", "format": "date", "title": "Leaving on"},
            "origin": {"type": "string", "title": "From"},
            "stops": {"type": "integer"},
            "flexible": {"type": "boolean"},
        },
        "required": ["origin", "destination"],
    },
    "defaults": {"destination": "us", "day": "2026-12-03"},
}


def test_what_must_be_told_is_asked_first_and_enter_takes_the_rest():
    form = Form.of(REQUEST)
    labels = []
    for typed in ["Berlin", "", "", "", ""]:
        labels.append(form.label())
        answer = form.fill(typed)
    assert labels == [
        "From",
        "To [Enter: San Jose, US]",
        "Leaving on, a day as 2026-12-05 [Enter: 2026-12-03]",
        "stops [Enter: leave open]",
        "flexible, yes or no [Enter: leave open]",
    ]
    assert answer == {"origin": "Berlin"}


def test_values_have_the_type_of_their_field():
    form = Form.of(REQUEST)
    for typed in ["Berlin", "2", "2026-12-05", "0", "no"]:
        answer = form.fill(typed)
    assert answer == {
        "origin": "Berlin",
        "destination": "cr",
        "day": "2026-12-05",
        "stops": 0,
        "flexible": False,
    }


def test_choices_are_numbered_and_taken_by_number_or_by_title():
    form = Form.of(REQUEST)
    form.fill("Berlin")
    assert [line.text for line in form.choices()] == ["  1. San Jose, US", "  2. cr"]
    form.fill("san jose, us")
    assert form.values["destination"] == "us"


@pytest.mark.parametrize(
    "typed", [[""], ["x", "3"], ["x", "", "soon"], ["x", "", "", "few"], ["x", "", "", "", "so"]]
)
def test_what_does_not_fit_is_asked_for_again(typed):
    form = Form.of(REQUEST)
    *before, last = typed
    for each in before:
        form.fill(each)
    asked = form.label()
    with pytest.raises(Misfit):
        form.fill(last)
    assert form.label() == asked


def test_a_form_without_fields_is_answered_by_enter():
    assert Form.of({"request_id": "q1", "schema": {}}).fill("") == {}


def test_a_value_of_some_other_type_is_json():
    request = {"request_id": "q", "schema": {"properties": {"days": {"type": "array"}}}}
    assert Form.of(request).fill("[1, 2]") == {"days": [1, 2]}
    with pytest.raises(Misfit):
        Form.of(request).fill("1, 2")


@pytest.mark.parametrize(
    ("typed", "decided"), [("allow", "allow"), ("Yes ", "allow"), ("n", "deny"), ("DENY", "deny")]
)
def test_a_permission_is_decided_by_a_word(typed, decided):
    assert decision(typed) == decided


@pytest.mark.parametrize("typed", ["", "maybe", "yes please, but later", "allowed?"])
def test_nothing_else_is_taken_for_a_decision(typed):
    with pytest.raises(Misfit):
        decision(typed)


def test_a_question_may_suggest_what_does_not_fit_and_have_schemas_that_are_true_of_anything():
    properties = {
        "day": {"type": "string", "format": "date"},
        "count": {"type": "integer"},
        "share": {"type": "number"},
        "direct": {"type": "boolean"},
        "name": {"type": "string"},
        "any": True,
        "choice": {"oneOf": [True, {"const": [1], "title": "One"}], "enum": None},
    }
    defaults = {"day": "soon", "count": 1.5, "share": "half", "direct": "maybe", "name": 5}
    schema = {"properties": properties, "required": True}
    fields = Form.of({"request_id": "q", "schema": schema, "defaults": defaults}).fields
    assert {each.name: each.default for each in fields} == dict.fromkeys(properties)
    assert fields[-1].choices == (([1], "One"),)
    assert Form.of({"request_id": "q", "schema": {"properties": {"any": True}}}).fill("x") == {"any": "x"}
