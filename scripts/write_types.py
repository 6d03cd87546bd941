"""Writes the clients' types from the server's OpenAPI document: `python -m scripts.write_types`.

`backend/clients/wire.py` gets them for Python, `packages/client/types.d.ts` for JavaScript. The document has
the schemas of all frames and answers. `frontend/lib/asked-types.js` gets the fields of agents' requests from
the table of slots, which the document does not have. `tests/clients/test_wire_types.py` fails when they are
stale.
"""

import asyncio
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from backend.travel.understanding.requested import request_schema
from backend.travel.understanding.slot_table import SLOTS
from tests.api.live import running

ROOT = Path(__file__).resolve().parents[1]
PYTHON = ROOT / "backend/clients/wire.py"
ASKED = ROOT / "frontend/lib/asked-types.js"
JAVASCRIPT = ROOT / "packages/client/types.d.ts"

WANTED = (
    "Frame",
    "ChatAnswer",
    "AnsweredAnswer",
    "ReceiptAnswer",
    "StoppedAgentAnswer",
    "StoppingAnswer",
    "StatusAnswer",
    "PendingListAnswer",
    "PendingAnswer",
    "PartialResultsAnswer",
    "HistoryAnswer",
    "CallsAnswer",
    "StateView",
    "StateHistoryAnswer",
    "GraphsAnswer",
    "ErrorAnswer",
)
"""What the clients get, with all that it is made of."""

EVENT: Mapping[str, Any] = {
    "description": "What every event has.",
    "properties": {"seq": {"type": "integer"}, "task_id": {"type": "string"}, "at": {"type": "string"}},
    "required": ["seq", "task_id", "at"],
}
"""A base of the classes for Python."""

ABOUT = "What a server sends and answers; written by `scripts/write_types.py` from its OpenAPI document."

ABOUT_ASKED = "What agents were asked to find, null while unsaid; written by `scripts/write_types.py`."
_TYPES_OF_THE_PAGE = (("types.js", "Money"), ("asked.js", "Spot"))

Schema = Mapping[str, Any]
Spell = Callable[[Schema], str]


async def schemas_of_a_server() -> dict[str, Schema]:
    """Return the schemas of the OpenAPI document of a server with graphs of its own."""
    with tempfile.TemporaryDirectory() as folder:
        async with running(Path(folder)) as client:
            document = (await client.call("GET", "/v1/openapi.json")).json()
    known: dict[str, Schema] = document["components"]["schemas"]
    return {name: known[name] for name in sorted(_reachable(known, WANTED))}


def _reachable(schemas: Mapping[str, Schema], names: Iterable[str]) -> set[str]:
    found: set[str] = set()
    left = list(names)
    while left:
        if (name := left.pop()) not in found:
            found.add(name)
            left += _references({name: schemas[name]})
    return found


def python_types(schemas: Mapping[str, Schema]) -> str:
    """Return a module of types for Python."""
    lines = [f'"""{ABOUT}"""', "", "from __future__ import annotations", ""]
    lines += ["from typing import Any, Literal, NotRequired, TypedDict", ""]
    left = {name: schema for name, schema in schemas.items() if "properties" in schema}
    if any(_has_all(schema, EVENT) for schema in left.values()):
        left["_Event"] = EVENT
    classes = dict(left)

    def write_class(name: str) -> None:
        schema = left.pop(name)
        bases = [base for base in classes if base != name and _has_all(schema, classes[base])]
        for base in bases:
            if base in left:
                write_class(base)
        lines.extend(["", "", f"class {name}({', '.join(bases) or 'TypedDict'}):", *_docstring(schema)])
        inherited = {field for base in bases for field in classes[base]["properties"]}
        for field, value in schema["properties"].items():
            if field not in inherited:
                kind = _python(value)
                lines.append(
                    f"    {field}: {kind if field in schema['required'] else f'NotRequired[{kind}]'}"
                )

    for name, schema in schemas.items():
        if name in left:
            write_class(name)
        elif "enum" in schema:
            lines += ["", "", f"{name} = {_python(schema)}", f'"""{schema["description"]}"""']
    for name, schema in schemas.items():
        if "oneOf" in schema or "anyOf" in schema:
            # After the classes: an alias, unlike a class, needs what it names.
            lines += ["", "", f"{name} = {_python(schema)}"]
    return _formatted(_with_long_lists_once("\n".join(lines) + "\n"))


def _with_long_lists_once(text: str) -> str:
    """Return the module with each list of many choices only once, named after its field."""
    for field, choices in re.findall(r"^    (\w+): (Literal\[[^]]{100,}])$", text, re.MULTILINE):
        alias = f"_{field.capitalize()}"
        text = f"{text.replace(choices, alias)}\n\n{alias} = {choices}\n"
    return text


def _has_all(schema: Schema, base: Schema) -> bool:
    """Return whether a schema has the fields of another one, and more."""
    return len(base["properties"]) > 1 and _fields(base).items() < _fields(schema).items()


def _fields(schema: Schema) -> Mapping[str, tuple[str, bool]]:
    return {
        name: (_python(value), name in schema["required"]) for name, value in schema["properties"].items()
    }


def _references(schemas: Mapping[str, Schema]) -> set[str]:
    return set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(schemas)))


def _formatted(source: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--quiet", "--stdin-filename", PYTHON, "-"]
    return subprocess.run(command, input=source, capture_output=True, check=True, text=True, cwd=ROOT).stdout


def _docstring(schema: Schema) -> list[str]:
    text: str = schema["description"]
    lines = f'"""{text}\n"""' if "\n" in text else f'"""{text}"""'
    return [f"    {line}".rstrip() for line in lines.split("\n")] + [""]


def _python(schema: Schema) -> str:
    names = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
    return _spelled(
        schema,
        _python,
        names,
        anything="Any",
        items="list[{}]",
        by_name="dict[str, {}]",
        one_of="Literal[{}]",
    )


def javascript_types(schemas: Mapping[str, Schema]) -> str:
    """Return the declarations of the types for JavaScript and TypeScript."""
    lines = [f"/** {ABOUT} */"]
    for name, schema in schemas.items():
        lines += ["", *_comment(schema)]
        if "properties" in schema:
            lines.append(f"export interface {name} {{")
            for field, value in schema["properties"].items():
                optional = "" if field in schema["required"] else "?"
                lines.append(f"  {field}{optional}: {_javascript(value)};")
            lines.append("}")
        else:
            lines.append(f"export type {name} = {_javascript(schema)};")
    return "\n".join(lines) + "\n"


def asked_types() -> str:
    """Return the types of what agents were asked to find, as comments that the page's modules import."""
    lines = ["/**", f" * {ABOUT_ASKED}", " *"]
    lines += [f' * @typedef {{import("./{file}").{name}}} {name}' for file, name in _TYPES_OF_THE_PAGE]
    for agent in SLOTS:
        lines += [" *", f" * @typedef {{object}} {agent.capitalize()}Request"]
        for field, schema in request_schema(agent)["properties"].items():
            lines.append(f" * @property {{{_javascript(schema)}}} {field}")
    return "\n".join([*lines, " */", "", "export {};"]) + "\n"


def _comment(schema: Schema) -> list[str]:
    described = schema.get("description", "").strip().split("\n")
    if described == [""]:
        return []
    return (
        [f"/** {described[0]} */"]
        if len(described) == 1
        else ["/**", *(f" * {each}".rstrip() for each in described), " */"]
    )


def _javascript(schema: Schema) -> str:
    names = {
        "string": "string",
        "integer": "number",
        "number": "number",
        "boolean": "boolean",
        "null": "null",
    }
    return _spelled(
        schema,
        _javascript,
        names,
        anything="unknown",
        items="({})[]",
        by_name="Record<string, {}>",
        one_of="",
    )


def _spelled(
    schema: Schema,
    spell: Spell,
    names: Mapping[str, str],
    *,
    anything: str,
    items: str,
    by_name: str,
    one_of: str,
) -> str:
    """Return how a language spells a schema. Raises `LookupError` for a form that is not known."""
    match schema:
        case {"$ref": str(reference)}:
            return reference.rpartition("/")[2]
        case {"const": constant}:
            return (one_of or "{}").format(json.dumps(constant))
        case {"enum": [*choices]}:
            if one_of:
                return one_of.format(", ".join(json.dumps(each) for each in choices))
            return " | ".join(json.dumps(each) for each in choices)
        case {"anyOf": [*choices]} | {"oneOf": [*choices]}:
            return " | ".join(dict.fromkeys(spell(each) for each in choices))
        case {"type": "array", "items": inner}:
            spelled = spell(inner)
            return items.format(spelled) if " " in spelled else items.replace("({})", "{}").format(spelled)
        case {"type": "object", "additionalProperties": inner}:
            return by_name.format(anything if inner is True else spell(inner))
        case {"type": str(name)}:
            return names[name]
        case _ if schema.keys() <= {"title", "description", "default"}:
            return anything
        case _:
            raise LookupError(f"no type is known for {schema}")


def written() -> dict[Path, str]:
    """Return all files as they should be."""
    schemas = asyncio.run(schemas_of_a_server())
    return {
        PYTHON: python_types(schemas),
        JAVASCRIPT: javascript_types(schemas),
        ASKED: asked_types(),
    }


def main() -> None:
    """Write all files."""
    for path, text in written().items():
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
