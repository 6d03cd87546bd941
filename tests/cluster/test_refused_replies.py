"""A refusal that comes from another replica is the error that the owner has raised."""

import inspect

import pytest

from backend.domain import errors
from backend.domain.errors import BadInput, DetourError, GraphFailedError, TooManyRequests
from backend.replicas.owners import read_reply, refused_reply

KINDS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, DetourError)]


def told_elsewhere(error):
    """Return the error that a replica raises whose command was refused with one."""
    with pytest.raises(DetourError) as raised:
        read_reply("stop", refused_reply(error))
    return raised.value


@pytest.mark.requirement("REPLICAS-ARE-ONE")
@pytest.mark.parametrize("kind", KINDS)
def test_refusal_elsewhere_looks_the_same_to_a_client(kind):
    error = kind("It cannot be done.")
    error.details = [{"field": "message", "message": "too long"}]
    error.retry_after_s = 17
    told = told_elsewhere(error)
    assert type(told) is kind
    assert told.to_json() == error.to_json()
    assert (told.status_code, told.retry_after_s, str(told)) == (kind.status_code, 17, "It cannot be done.")


@pytest.mark.requirement("REPLICAS-ARE-ONE")
def test_refusal_elsewhere_keeps_its_code():
    assert told_elsewhere(BadInput("No.", code="wrong_step")).to_json()["error"]["code"] == "wrong_step"


def test_refusal_elsewhere_keeps_its_time_to_wait():
    assert told_elsewhere(TooManyRequests("Slowly.", retry_after_s=42)).retry_after_s == 42
    assert told_elsewhere(GraphFailedError("It failed.")).retry_after_s is None


@pytest.mark.requirement("RELEASES-RUN-SIDE-BY-SIDE")
@pytest.mark.parametrize("name", ["OfALaterRelease", "WENT_WRONG", "ErrorBody"])
def test_unknown_refusal_is_a_conflict(name):
    reply = refused_reply(type(name, (DetourError,), {"code": "later"})("Not now."))
    with pytest.raises(errors.Conflict) as raised:
        read_reply("stop", reply)
    assert raised.value.to_json()["error"]["code"] == "later"
