"""What a message does while another one is worked on: as it says, as its header does, or as the server."""

from collections.abc import Mapping
from typing import Any, get_args

from starlette.datastructures import Headers

from ...domain.task import Policy
from ...errors import BadInput

HEADER = "Detour-Policy"
"""For clients whose protocol has no field for it; a field counts before it."""

POLICIES: tuple[Policy, ...] = get_args(Policy)

_FAULT = f"should be one of: {', '.join(POLICIES)}"


def checked_policy(wanted: Any, field: str) -> Policy | None:
    """Return the policy that a field or a header says, None if it is missing. Raises `BadInput`."""
    if wanted is None:
        return None
    for each in POLICIES:
        if wanted == each:
            return each
    raise BadInput.of_fields((field, _FAULT))


def policy_in(headers: Headers) -> Policy | None:
    """Return the policy that a request's header says, None without it. Raises `BadInput`."""
    return checked_policy(headers.get(HEADER), HEADER)


def policy_of(named: Policy | None, default: Policy, given: Mapping[str, Any] | None) -> Policy:
    """Return the policy of a message that names one, or else the server's.

    A message that brings something for its own run can't steer another one: it waits, unless it asked to.
    """
    if named is not None:
        return named
    return "enqueue" if default == "steer" and set(given or ()) - {"graph"} else default
