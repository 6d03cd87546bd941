"""A decision on a permission, in the words and forms of all clients."""

from typing import Any

import pytest

from backend.domain.errors import BadInput
from backend.protocols.answers import Answer, arguments

PERMISSION = {"kind": "permission", "request_id": "q1", "schema": {}}


async def decided(value: Any) -> Any:
    found = await arguments(None, "ann", Answer(PERMISSION, value, "resume"), checks=True)
    return found["decision"], found["note"]


@pytest.mark.parametrize("allow", ["allow", "accept", "approve", "yes", True])
async def test_decision_comes_in_the_words_of_any_client(allow):
    for form in (allow, {"decision": allow}, {"approved": allow}, {"decision": None, "type": allow}):
        assert await decided(form) == ("allow", None)
    assert await decided({"decision": allow, "note": "Near the river."}) == ("allow", "Near the river.")


@pytest.mark.parametrize("deny", ["deny", "reject", False, {"approved": False}, [{"type": "ignore"}]])
async def test_denial_comes_in_the_words_of_any_client(deny):
    assert await decided(deny) == ("deny", None)


@pytest.mark.parametrize(
    "value", [None, "", "perhaps", 1, {}, [], [True], {"note": "allow"}, [{"type": "x"}]]
)
async def test_anything_else_decides_nothing(value):
    with pytest.raises(BadInput, match=r"^resume: should be allow or deny"):
        await decided(value)


async def test_denial_has_the_reason_of_ag_ui_and_no_changed_arguments_are_dropped():
    assert await decided({"approved": False, "reason": "too dear"}) == ("deny", "too dear")
    with pytest.raises(BadInput, match=r"^resume\.editedArgs: "):
        await decided({"approved": True, "editedArgs": {"price": 1}})
