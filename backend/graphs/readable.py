"""Turns a structured answer, which a program reads, into text for people: a list of its fields."""

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, cast

from .stream import with_plain_objects


def readable(structure: Any) -> str:
    """Return a structure as a list of its fields, nested ones indented; the text of one that has only that.

    Fields that hold nothing are left out. "" if there is nothing to show, or the structure has no JSON form.
    """
    try:
        value = with_plain_objects(structure)
    except TypeError:
        return ""
    if isinstance(value, Mapping):
        fields = [*cast("Mapping[Any, Any]", value).values()]
        if len(fields) == 1 and isinstance(fields[0], str):
            return fields[0]
    return "\n".join(_lines(value, "")) if isinstance(value, Mapping | list) else _word(value)


def _lines(value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        fields = cast("Mapping[Any, Any]", value)
        for name, each in fields.items():
            if _is_flat(each):
                yield f"{indent}- {_label(name)}: {_word(each)}"
            elif each:
                yield f"{indent}- {_label(name)}:"
                yield from _lines(each, f"{indent}  ")
        return
    for each in value:
        if _is_flat(each):
            yield f"{indent}- {_word(each)}"
        elif isinstance(each, Mapping) and all(map(_is_flat, each.values())):  # pyright: ignore[reportUnknownArgumentType,reportUnknownMemberType]
            row: Mapping[Any, Any] = each  # pyright: ignore[reportUnknownVariableType]
            yield f"{indent}- " + ", ".join(f"{_label(name)}: {_word(one)}" for name, one in row.items())
        elif each:
            yield from _lines(each, indent)


def _is_flat(value: Any) -> bool:
    return value is not None and not isinstance(value, Mapping | list)


def _word(value: Any) -> str:
    plain = value.value if isinstance(value, Enum) else value
    return ("no", "yes")[plain] if isinstance(plain, bool) else str(plain)


def _label(name: Any) -> str:
    words = str(name).replace("_", " ").strip()
    return words[:1].upper() + words[1:]
