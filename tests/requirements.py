"""What the project promises, each with a name that the tests which prove it carry.

A test says `@pytest.mark.requirement("ID")` for each promise it helps to keep. `test_requirements.py`
enforces both ways: no promise without a test, no test for a promise that is not made here.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One promise: `id` is in capitals with hyphens, `promise` a sentence a user or operator could check."""

    id: str
    promise: str


REQUIREMENTS = [
    Requirement(
        id="CORE-KNOWS-NO-TRAVEL",
        promise="The interruption core knows nothing about travel, so any graph can stand behind it.",
    ),
    Requirement(
        id="ONLY-MAIN-BUILDS",
        promise="Only `main` names a concrete backend or reads settings; either is exchanged there.",
    ),
    Requirement(
        id="CANCELLATION-IS-NEVER-SWALLOWED",
        promise="No code of the server catches a cancellation, takes one back, or starts a task nobody owns.",
    ),
    Requirement(
        id="PINS-NAME-VERSIONS-ONLY",
        promise="The pin files hold names and versions only, and install the same from any index.",
    ),
    Requirement(
        id="CONTAINER-IS-LOCAL",
        promise="The container published by docker compose can be reached from this machine only.",
    ),
    Requirement(
        id="TERMINAL-IS-FINAL",
        promise="A task that has completed, failed or been interrupted changes no more, whoever writes.",
    ),
    Requirement(
        id="NUMBERS-HAVE-NO-HOLES",
        promise="A user's events are numbered one after the other; none is ever skipped or used twice.",
    ),
    Requirement(
        id="ACCEPTED-IS-DURABLE",
        promise="What was accepted survives a kill of the process at any moment, as does every number seen.",
    ),
    Requirement(
        id="FULL-DISK-ACCEPTS-NOTHING",
        promise="On a full disk what comes is refused, nothing is kept by halves, and room is all it takes.",
    ),
    Requirement(
        id="FOLLOWING-MISSES-NOTHING",
        promise="Whoever follows a user's events gets each once and in order, or is told to begin again.",
    ),
    Requirement(
        id="ONE-ACTIVE-TASK",
        promise="A user has one active task, however many messages arrive at the same instant.",
    ),
    Requirement(
        id="RETRIES-START-NOTHING",
        promise="A message sent again with its client id gets the first answer and starts nothing.",
    ),
    Requirement(
        id="NEWEST-MESSAGE-WINS",
        promise="Of a user's messages the newest is answered; what it interrupts ends with its true reason.",
    ),
    Requirement(
        id="FOUND-IS-KEPT",
        promise="What an interrupted task had found is kept, and counted alike wherever it is told.",
    ),
    Requirement(
        id="NOTHING-AFTER-THE-INTERRUPTION",
        promise="From the instant of its interruption a task publishes nothing more, however badly it ends.",
    ),
    Requirement(
        id="FINDINGS-ARE-HANDED-ON",
        promise="After an interruption the next task gets what was found, over those that found nothing.",
    ),
    Requirement(
        id="REFUSED-CHANGES-NOTHING",
        promise="A message that is refused leaves everything as it was; the task at work goes on.",
    ),
]
