"""JSON Schema validators of bounded work: no schema and no answer can hold up the event loop for long.

Built from the jsonschema library's validators, with four of its keywords replaced and all of them counted:

- `pattern` and `patternProperties` use pydantic's regular expressions, which need linear time. The library's
  are Python's: `^(a+)+$` with 27 characters took 4.9 s. A pattern that needs backtracking (look-around,
  back-references) is a fault of its schema.
- `uniqueItems` compares by hash; the library's compares each item with all others (77 KB took 38 s).
- Every keyword that is applied costs steps, so references that multiply run out of them.
"""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from itertools import islice
from typing import Any, cast

import attrs
from jsonschema import Draft202012Validator, FormatChecker, ValidationError
from jsonschema.validators import extend, validator_for  # pyright: ignore[reportUnknownVariableType]
from pydantic_core import SchemaError as PatternError
from pydantic_core import SchemaValidator, core_schema
from pydantic_core import ValidationError as NoMatch
from referencing import Registry
from referencing.exceptions import Unresolvable

from ..domain.encoding import encode, encode_sorted
from .input_schema import TooMuchToCheckError

LARGEST_SCHEMA_BYTES = 64 * 1024
"""The most that a question's schema may take as JSON: a list of 1,000 choices with titles takes 45 KiB."""

LONGEST_PATTERN = 1000
"""The most characters of one pattern. The engine itself bounds what `{1000}` may multiply (10 MiB)."""

LONGEST_MATCHED = 8192
"""The most characters that a text with a pattern may have: time grows with text times pattern, 30 ms here."""

MOST_STEPS = 50_000
"""How many steps checking an answer may take; the form of a flight search takes some 100."""

MOST_SCHEMA_STEPS = 300_000
"""How many steps checking a schema may take: 1,000 choices take 164,000 (0.3 s) of its long metaschema."""

_CHARACTERS_PER_STEP = 100

Keyword = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]

_steps_left: ContextVar[int] = ContextVar("_steps_left")


def validator_of(schema: Mapping[str, Any]) -> Any:
    """Return the bounded validator for a schema; it fetches nothing. Raises `TooMuchToCheckError`."""
    kind = _bounded(validator_for(dict(schema), Draft202012Validator))
    _refuse_unbounded(schema)
    return kind(schema, registry=_NOTHING_IS_FETCHED, format_checker=kind.FORMAT_CHECKER)


def fault_of_schema(schema: Mapping[str, Any]) -> ValidationError | None:
    """Return the first fault of a schema. Raises `TooMuchToCheckError` where it is beyond the bounds."""
    _refuse_unbounded(schema)
    described: Any = validator_for(dict(schema), Draft202012Validator).META_SCHEMA
    kind = _bounded(validator_for(described, Draft202012Validator))
    # The metaschema says `"format": "regex"` of each pattern, at any depth: the format checker tries them.
    validator = kind(described, format_checker=kind.FORMAT_CHECKER)
    return next(iter(first_errors(validator, schema, most=1, steps=MOST_SCHEMA_STEPS)), None)


def first_errors(
    validator: Any, value: Any, *, most: int, steps: int = MOST_STEPS
) -> Sequence[ValidationError]:
    """Return what is wrong with a value, up to so many errors.

    Raises `TooMuchToCheckError` once that took too many steps.
    """
    before = _steps_left.set(steps)
    try:
        return list(islice(validator.iter_errors(value), most))
    except RecursionError:
        raise TooMuchToCheckError("it is nested too deeply") from None
    except Unresolvable as error:
        raise TooMuchToCheckError(f"the question's schema refers to {error}") from error
    finally:
        _steps_left.reset(before)


_NOTHING_IS_FETCHED: Any = Registry[Any]()


def _refuse_unbounded(schema: Mapping[str, Any]) -> None:
    """Raise `TooMuchToCheckError` for a schema that is too large, or would use the library's patterns."""
    if len(encode(schema)) > LARGEST_SCHEMA_BYTES:
        raise TooMuchToCheckError(f"its schema is larger than {LARGEST_SCHEMA_BYTES // 1024} KiB")
    keywords: set[str] = set()
    pending: list[Any] = [*schema.values()]
    while pending:
        each = pending.pop()
        if isinstance(each, Mapping):
            part = cast("Mapping[str, Any]", each)
            keywords.update(part)
            pending.extend(part.values())
        elif isinstance(each, list | tuple):
            pending.extend(cast("Iterable[Any]", each))
    # The library's `unevaluatedProperties` matches the patterns of other keywords by itself, with Python's.
    if {"patternProperties", "unevaluatedProperties"} <= keywords.union(schema):
        raise TooMuchToCheckError("its schema has `patternProperties` beside `unevaluatedProperties`")


@functools.cache
def _bounded(kind: Any) -> Any:
    """Return the bounded variant of one of the library's validator classes; there is one for each draft."""
    replaced = {**kind.VALIDATORS, **_REPLACED}
    replaced["additionalProperties"] = _additional_properties(kind.VALIDATORS["additionalProperties"])
    known = {name: _counted(check) for name, check in replaced.items() if name in kind.VALIDATORS}
    formats = FormatChecker(())
    formats.checkers = {**kind.FORMAT_CHECKER.checkers, "regex": (_is_pattern, TooMuchToCheckError)}
    bounded = cast("Any", extend)(kind, validators=known, format_checker=formats)
    # The library's own takes an unbounded validator for each part that names a `$schema`, as the parts of the
    # metaschema do.
    bounded.evolve = attrs.evolve
    return bounded


def _counted(check: Keyword) -> Keyword:
    def check_counted(validator: Any, wanted: Any, instance: Any, schema: Any) -> Any:
        left = _steps_left.get() - 1 - _size(wanted) - _size(instance)
        if left < 0:
            raise TooMuchToCheckError("checking it takes too many steps")
        _steps_left.set(left)
        return check(validator, wanted, instance, schema)

    return check_counted


def _size(value: object) -> int:
    """Return the steps for a value that a keyword may go through, or put into the words of an error."""
    if isinstance(value, str):
        return len(value) // _CHARACTERS_PER_STEP
    return len(cast("list[Any]", value)) if isinstance(value, list | dict | tuple) else 0


@functools.lru_cache(maxsize=256)
def _compiled(pattern: str) -> SchemaValidator:
    """Return what matches a pattern, anywhere in a text. Raises `TooMuchToCheckError`."""
    try:
        if len(pattern) > LONGEST_PATTERN:
            raise TooMuchToCheckError("its schema has a pattern that is too long")
        return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
    except PatternError:
        raise TooMuchToCheckError(
            f"its schema has a pattern that is none, or that needs backtracking: {pattern}"
        ) from None


def _is_pattern(text: object) -> bool:
    if isinstance(text, str):
        _compiled(text)
    return True


def _matches(pattern: str, text: str) -> bool:
    if len(text) > LONGEST_MATCHED:
        raise TooMuchToCheckError(f"a text with a pattern may have {LONGEST_MATCHED} characters")
    try:
        _compiled(pattern).validate_python(text)
    except NoMatch:
        return False
    return True


def _pattern(validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if validator.is_type(instance, "string") and not _matches(pattern, instance):
        yield ValidationError(f"does not match {pattern!r}")


def _pattern_properties(
    validator: Any, patterns: Mapping[str, Any], instance: Any, _schema: Any
) -> Iterator[ValidationError]:
    if validator.is_type(instance, "object"):
        for pattern, schema in patterns.items():
            for name, value in instance.items():
                if _matches(pattern, name):
                    yield from validator.descend(value, schema, path=name, schema_path=pattern)


def _additional_properties(by_the_library: Keyword) -> Keyword:
    def check(validator: Any, wanted: Any, instance: Any, schema: Any) -> Any:
        patterns = schema.get("patternProperties")
        if patterns and validator.is_type(instance, "object"):
            # The library matches names with Python's regular expressions: it is shown neither them nor these.
            schema = {name: value for name, value in schema.items() if name != "patternProperties"}
            instance = {
                name: value
                for name, value in instance.items()
                if not any(_matches(pattern, name) for pattern in patterns)
            }
        return by_the_library(validator, wanted, instance, schema)

    return check


def _unique_items(validator: Any, wanted: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    # As JSON, with keys in order: two items are equal as JSON Schema has it, and 1 is not `true`.
    if (
        wanted
        and validator.is_type(instance, "array")
        and len({encode_sorted(_as_integers(item)) for item in instance}) < len(instance)
    ):
        yield ValidationError("has the same item twice")


def _as_integers(value: Any) -> Any:
    """Return a value with each float that is whole as an integer: for JSON Schema 1.0 equals 1."""
    if isinstance(value, float) and value.is_integer() and -(2**63) <= value < 2**64:
        return int(value)
    if isinstance(value, dict):
        return {name: _as_integers(each) for name, each in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_as_integers(each) for each in cast("list[Any]", value)]
    return value


_REPLACED: dict[str, Keyword] = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "uniqueItems": _unique_items,
}
