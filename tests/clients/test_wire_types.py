"""The clients' types are those of the server's documents."""

import pytest

from scripts import write_types

pytestmark = pytest.mark.requirement("CLIENT-TYPES-ARE-THE-SERVERS")


def test_generated_types_are_up_to_date() -> None:
    for path, text in write_types.written().items():
        assert path.read_text("utf-8") == text, "run `make docs`"


@pytest.mark.parametrize(
    ("schema", "python", "javascript"),
    [
        ({"type": "integer"}, "int", "number"),
        ({"const": "step", "type": "string"}, 'Literal["step"]', '"step"'),
        ({"enum": ["a", "b"], "type": "string"}, 'Literal["a", "b"]', '"a" | "b"'),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "str | None", "string | null"),
        ({"type": "array", "items": {"$ref": "#/components/schemas/A"}}, "list[A]", "A[]"),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, 'list[Literal["a", "b"]]', '("a" | "b")[]'),
        (
            {"type": "object", "additionalProperties": {"type": "number"}},
            "dict[str, float]",
            "Record<string, number>",
        ),
        ({"type": "object", "additionalProperties": True}, "dict[str, Any]", "Record<string, unknown>"),
        ({"title": "Values"}, "Any", "unknown"),
    ],
)
def test_schema_is_written_in_both_languages(schema: dict, python: str, javascript: str) -> None:
    named = {"A": {"description": "One.", "properties": {"field": schema}, "required": ["field"]}}
    assert f"    field: {python}\n" in write_types.python_types(named)
    assert f"  field: {javascript};\n" in write_types.javascript_types(named)


def test_unknown_form_of_schema_is_refused() -> None:
    with pytest.raises(LookupError, match="prefixItems"):
        write_types.javascript_types({"A": {"prefixItems": []}})


def test_optional_field_may_be_missing() -> None:
    named = {"A": {"description": "One.", "properties": {"field": {"type": "null"}}, "required": []}}
    assert "field: NotRequired[None]" in write_types.python_types(named)
    assert "field?: null;" in write_types.javascript_types(named)
