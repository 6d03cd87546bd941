"""The table in the terms of the LangGraph API, which reports less than Detour does."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from checks.conformance.phases import Phase
from checks.conformance.table import Outcome

UNREPORTED: Mapping[str, str] = {
    "calls": "what became of each tool call",
    "meanwhile": "the same, while something still ran",
    "accounts": "how many accounts were given",
    "adopted": "which calls the next task took over",
    "agrees": "whether account and kept results agree",
}
"""The fields that the API has no notion of, each with its meaning. They are not compared."""

_DECLARED = "its tools have to be declared to Detour"
NOT_APPLICABLE: Mapping[str, str] = dict.fromkeys(
    (
        "permission",
        "read running",
        "two reads, one finished",
        "write not sent yet",
        "write running",
        "thread running",
        "subprocess running",
    ),
    _DECLARED,
)


def translated(phase: Phase, event: str, outcome: Outcome) -> Sequence[Outcome]:
    """Return an outcome of the table in the terms of the API; several where it may have several forms.

    The API gives no reason for an end, and what a completed run has said is in its conversation alone. That
    has neither the server's notes nor a mark that an answer was cut short, and need not have the questions.
    After a crash the same run may be tried again, where Detour's table has a second task.
    """
    told = replace(
        outcome,
        old=outcome.old.partition(" ")[0],
        new=outcome.new.partition(" ")[0],
        text="" if outcome.old == "completed" else outcome.text,
        history=tuple(each.removesuffix(" (cut short)") for each in outcome.history if each != "system"),
        not_compared=frozenset(UNREPORTED) | ({"kept"} if outcome.old == "completed" else set()),
    )
    outcomes = [told]
    if phase.asks:
        # The question, and the form that answered it, may be kept apart from the conversation.
        answered = event in ("process killed", "steered")
        outcomes.append(replace(told, history=(told.history[0], *told.history[3 if answered else 2 :])))
    elif event == "process killed":
        # A run that is tried again ends as one run, and answers its message before the next one is entered.
        in_turn = tuple(role for each in told.history if each == "user" for role in (each, "assistant"))
        again = replace(told, old="completed", new="", text="", not_compared=told.not_compared | {"kept"})
        outcomes += [again, replace(again, history=in_turn)]
    return outcomes
