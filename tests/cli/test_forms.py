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


def test_required_fields_are_asked_first_and_enter_accepts_defaults():
    form = Form.of(REQUEST)
    labels = []
    for typed in ["Berlin", "", "", "", ""]:
        labels.append(form.label())
        answer = form.fill(typed)
    assert labels == [
        "From",
        "To [Enter: San Jose, US]",
        "Leaving on, like 2026-12-05 [Enter: 2026-12-03]",
        "stops [Enter: leave open]",
        "flexible, yes or no [Enter: leave open]",
    ]
    assert answer == {"origin": "Berlin"}


def test_values_get_the_type_of_their_field():
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


def test_choices_are_accepted_by_number_or_title():
    form = Form.of(REQUEST)
    form.fill("Berlin")
    assert [line.text for line in form.choices()] == ["  1. San Jose, US", "  2. cr"]
    form.fill("san jose, us")
    assert form.values["destination"] == "us"


@pytest.mark.parametrize(
    "typed", [[""], ["x", "3"], ["x", "", "soon"], ["x", "", "", "few"], ["x", "", "", "", "so"]]
)
def test_invalid_value_is_asked_for_again(typed):
    form = Form.of(REQUEST)
    *before, last = typed
    for each in before:
        form.fill(each)
    asked = form.label()
    with pytest.raises(Misfit):
        form.fill(last)
    assert form.label() == asked


def test_form_without_fields_is_answered_by_enter():
    assert Form.of({"request_id": "q1", "schema": {}}).fill("") == {}


def test_array_value_is_read_as_json():
    request = {"request_id": "q", "schema": {"properties": {"days": {"type": "array"}}}}
    assert Form.of(request).fill("[1, 2]") == {"days": [1, 2]}
    with pytest.raises(Misfit):
        Form.of(request).fill("1, 2")


@pytest.mark.parametrize(
    ("typed", "decided"), [("allow", "allow"), ("Yes ", "allow"), ("n", "deny"), ("DENY", "deny")]
)
def test_decision_is_one_word(typed, decided):
    assert decision(typed) == decided


@pytest.mark.parametrize("typed", ["", "maybe", "yes please, but later", "allowed?"])
def test_other_text_is_no_decision(typed):
    with pytest.raises(Misfit):
        decision(typed)


def test_form_ignores_unfit_defaults_and_accepts_boolean_schemas():
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
