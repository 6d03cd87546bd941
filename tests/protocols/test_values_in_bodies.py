"""A body with so many values that reading it would hold up everybody is refused before it is read."""

import orjson
import pytest

from backend.domain.errors import BadInput
from backend.http.edge.guard import BODY_LIMIT_BYTES
from backend.http.wire.bodies import MOST_VALUES, checked_values

pytestmark = pytest.mark.requirement("FLOODS-ARE-REFUSED")


def many(unit, count):
    """Return a list of a unit, so many times, longer than what is let through unseen."""
    return b"[" + b",".join([unit] * count) + b"]" + b" " * MOST_VALUES


def is_let_through(body):
    try:
        return checked_values(body) is body
    except BadInput as error:
        return str(MOST_VALUES) not in error.message


@pytest.mark.parametrize(
    "unit", [b"1", b"{}", b"[]", b'"a"', b'"\\""', b'{"a":1}', b"[[[[1]]]]", b'["\\\\"]']
)
def test_most_values_are_let_through_and_no_more(unit):
    # Each has a comma after it, but for the last: the list's own opening stands for that.
    most = MOST_VALUES // (unit.count(b"[") + unit.count(b"{") + 1)
    assert is_let_through(many(unit, most))
    assert not is_let_through(many(unit, most + 1))


@pytest.mark.parametrize("text", ["[", "{", ",", '"[', '\\"[', "\\[", '\\\\",[', "\\", '"', "\x00,", "é,"])
def test_contents_of_strings_are_no_values(text):
    text *= 2 * MOST_VALUES
    assert is_let_through(orjson.dumps({"a": text, text: [text]}))


def test_strings_hide_no_values():
    assert not is_let_through(orjson.dumps(['"\\', "[" * MOST_VALUES, *([[]] * MOST_VALUES)]))


def test_strings_beyond_number_are_not_listed():
    assert not is_let_through(b'","' * (2 * MOST_VALUES + 1))


def test_bodies_of_our_own_routes_need_no_count():
    smallest = b'{"a":[1,1]}'
    assert is_let_through(many(smallest, BODY_LIMIT_BYTES // len(smallest)))
