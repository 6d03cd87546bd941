"""JSON Schema checks of bounded work: no schema and no answer can hold up the event loop for long.

The jsonschema library's validators, with two keywords replaced, one refused and all of them counted:

- `pattern` uses pydantic's regular expressions, which need linear time. The library's are Python's: `^(a+)+$`
  with 27 characters took 4.9 s. A pattern that needs backtracking (look-around, back-references) is a fault
  of its schema. So is `patternProperties`, whose patterns the library matches in several keywords.
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
"""The most characters of a text with a pattern: time grows with text times pattern, 30 ms here."""

MOST_STEPS = 50_000
"""Steps that checking an answer may take; the form of a flight search takes some 100."""

MOST_SCHEMA_STEPS = 300_000
"""Steps that checking a schema may take: 1,000 choices take 164,000 (0.3 s) of its long metaschema."""

_CHARACTERS_PER_STEP = 100
_NOTHING_IS_FETCHED: Any = Registry[Any]()

Keyword = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]

_steps_left: ContextVar[int] = ContextVar("_steps_left")


def errors_of(value: Any, schema: Mapping[str, Any], *, most: int) -> Sequence[ValidationError]:
    """Return up to so many errors of a value; fetches nothing. Raises `TooMuchToCheckError`."""
    kind = _bounded(validator_for(dict(schema), Draft202012Validator))
    _check_size(schema)
    validator = kind(schema, registry=_NOTHING_IS_FETCHED, format_checker=kind.FORMAT_CHECKER)
    return _first_errors(validator, value, most=most, steps=MOST_STEPS)


def fault_of_schema(schema: Mapping[str, Any]) -> ValidationError | None:
    """Return the first fault of a schema. Raises `TooMuchToCheckError` if it exceeds the bounds."""
    _check_size(schema)
    metaschema: Any = validator_for(dict(schema), Draft202012Validator).META_SCHEMA
    kind = _bounded(validator_for(metaschema, Draft202012Validator))
    # The metaschema says `"format": "regex"` of each pattern, at any depth: the format checker tries them.
    validator = kind(metaschema, format_checker=kind.FORMAT_CHECKER)
    return next(iter(_first_errors(validator, schema, most=1, steps=MOST_SCHEMA_STEPS)), None)


def _first_errors(validator: Any, value: Any, *, most: int, steps: int) -> Sequence[ValidationError]:
    before = _steps_left.set(steps)
    try:
        return list(islice(validator.iter_errors(value), most))
    except RecursionError:
        raise TooMuchToCheckError("it is nested too deeply") from None
    except Unresolvable as error:
        raise TooMuchToCheckError(f"the question's schema refers to {error}") from error
    finally:
        _steps_left.reset(before)


def _check_size(schema: Mapping[str, Any]) -> None:
    encoded = encode(schema)
    if len(encoded) > LARGEST_SCHEMA_BYTES:
        raise TooMuchToCheckError(f"its schema is larger than {LARGEST_SCHEMA_BYTES // 1024} KiB")
    if b'"patternProperties":' in encoded:
        raise TooMuchToCheckError("its schema has `patternProperties`")


@functools.cache
def _bounded(kind: Any) -> Any:
    """Return the bounded variant of one of the library's validator classes; there is one for each draft."""
    replaced = {**kind.VALIDATORS, "pattern": _pattern, "uniqueItems": _unique_items}
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


def _pattern(validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if not validator.is_type(instance, "string"):
        return
    if len(instance) > LONGEST_MATCHED:
        raise TooMuchToCheckError(f"a text with a pattern may have {LONGEST_MATCHED} characters")
    try:
        _compiled(pattern).validate_python(instance)
    except NoMatch:
        yield ValidationError(f"does not match {pattern!r}")


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
