"""The words that tell whom a message is for, in English."""

from ...result import Agent
from ..language.text import phrases, word_set

NOT_WANTED = phrases(
    "no", "without", "without a", "without the", "forget the", "forget about the", "forget", "skip the",
    "cancel the", "drop the", "drop", "remove the", "don't need a", "don't need the", "dont need a",
    "not a", "not any", "instead of a", "instead of the", "rather than a", "rather than the",
    "do not need a", "don't need any", "don't need", "do not need", "dont need", "don't want a",
    "don't want the", "don't want any", "don't want", "dont want", "do not want", "not the",
    "cancel my", "leave out the", "don't look for", "don't show me", "do not show me", "don't show",
    "stop the", "stop searching for", "stop looking for", "no more", "not interested in",
    "never mind the", "nevermind the", "don't bother with", "hide the", "ditch the", "scrap the",
    "lose the", "forget my", "scratch", "scratch the", "no need for", "no need for a",
    "no need for the", "no need of a",
    *(
        f"{denied}{article}"
        for denied in (
            "didn't ask for", "did not ask for", "didnt ask for", "never asked for", "haven't asked for",
            "didn't want", "did not want", "never wanted",
        )
        for article in ("", " a", " any", " the")
    ),
    *(
        f"{ends} {searching}"
        for ends in ("stop", "quit", "no more")
        for searching in (
            "looking at", "looking for", "looking up", "searching", "searching for", "showing me", "showing",
            "checking", "finding", "finding me", "sending me", "giving me", "offering", "offering me",
            "suggesting", "with the", "searching for the", "the search for", "listing",
        )
    ),
)  # fmt: skip


BEFORE_ALL_THAT_IS_WANTED = word_set(", . ; : ! ? - no ok okay actually please then now so") | {""}

AGENT_NAMES: dict[str, Agent] = {
    "flight": "flight",
    "flights": "flight",
    "hotel": "hotel",
    "hotels": "hotel",
    "accommodation": "hotel",
}
