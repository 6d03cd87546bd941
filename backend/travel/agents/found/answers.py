"""Answers a question about what was found: from the offers, in a few sentences, without a search.

`answer` takes a question through four steps:

1. What is about no offer is answered at once: what is running (`doing_now`), earlier requests
   (`other_requests`), how much was found (`totals`).
2. `found_offers.read_found` reads the offers of the current request.
3. `_kinds_asked_of` tells whether flights, hotels or both are asked about.
4. A topic about a whole list has its function (`_OF_A_LIST`); of any other, `found_offers.meant` tells which
   offers it is about, and `facts.sentence` what each of them tells.

What an offer does not tell is said not to be told. The offers that an answer speaks of are pointed out to
clients, and kept with the request: "it" is the last of them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ....domain.errors import StoreUnavailable
from ...understanding.found import (
    DAYS_COMPARED,
    EACH,
    EVERYTHING,
    KINDS,
    PLACES_COMPARED,
    WHY,
    FoundQuestion,
    Kind,
    Topic,
    Which,
)
from ...values.offers import Offer
from ..state import TravelRun
from . import comparisons, doing_now, facts, lists, other_requests, totals, tours
from .found_offers import Answer, Found, Meant, meant, read_found
from .wording import counted, listed, plural

SHALL_I = "Shall I book it?"
_MOST_ONE_BY_ONE = 3
"""Of more, as after "which ones have breakfast?", it is counted, or the first are told."""
NOT_NOW = "I cannot look at what was found just now; please ask again in a moment."
_OF_ALL_KINDS: Mapping[Topic, Callable[[Found, FoundQuestion], str]] = {
    "found": lambda found, _: totals.summary(found),
    "count": totals.count,
    "untold": lists.untold,
    "why": lists.why,
}
_OF_A_LIST: Mapping[Topic, Callable[[TravelRun, Found, FoundQuestion, Kind], Answer]] = {
    "which": lists.first_of,
    "sort": lists.in_another_order,
    "under": lists.under,
    "those_with": lists.those_with,
    "difference": comparisons.differing,
    "fits": lists.fitting,
    "step": lists.stepped,
    "shown": lists.shown,
    "groups": lists.of_stars,
}


async def answer(run: TravelRun, question: FoundQuestion) -> str:
    """Return the answers to a question and to those behind it; "" if it is about no offer."""
    if question.topic == "best_request" and question.which.is_of_two and run.spoken_of.are_two:
        question = replace(question, topic="difference", agent=run.spoken_of.agent, which=Which())
    answers = [await _answer(run, one) for one in (question, *question.also)]
    unread = [f'I cannot answer "{said.rstrip("?.! ")}".' for said in question.unread] if answers[0] else []
    return " ".join(filter(None, [*answers, *unread]))


async def _answer(run: TravelRun, question: FoundQuestion) -> str:
    """Return the answer, and tell clients which offers it speaks of; "" if it is not about any offer.

    A word in small letters that names no offer was no name: "how much is dinner?".
    """
    try:
        told = await _of_no_offer(run, question)
        found = await read_found(run) if told is None else None
        if found is not None and question.topic == "found" and question.wanted == EVERYTHING:
            return await doing_now.everything(run, found)
    except StoreUnavailable:
        return NOT_NOW
    if found is None:
        return told or ""
    found = found.among() if question.which.is_among else found
    of_all = _OF_ALL_KINDS.get(question.topic)
    if of_all is not None:
        return of_all(found, question)
    kinds: list[Kind] = [
        kind for kind in found.kinds if question.agent in (None, kind) or question.topic == "total"
    ]
    near = [kind for kind in KINDS if kind in found.near and question.agent in (None, kind)]
    if not kinds and near:
        found = replace(found, offers={**found.offers, **found.near})
        kinds = [kind for kind in found.kinds if kind in near]
    if not kinds:
        if question.agent and question is run.understanding.question:
            run.speak_of(replace(run.spoken_of, agent=question.agent))
        return _nothing(found, question.agent, is_asking=bool(run.asks_on))
    if question.which.name.islower() and not _having_any(found, question.which, kinds):
        return ""
    question = _of_a_kind(question, found, kinds)
    is_share = question.wanted == EACH and found.spoken.agent is None and len(kinds) > 1
    is_of_all = question.topic == "total" and (
        question.agent or not (question.which.numbers or question.which.name)
    )
    if is_of_all or is_share:
        spoken = (
            tuple(kind for kind in kinds if kind in found.spoken.offer_ids) if is_share else question.kinds
        )
        sentence, offers = totals.shared(found, replace(question, kinds=spoken))
        told = _pointing_out(run, found, sentence, offers)
        if len(offers) > 1:
            run.speak_of(replace(run.spoken_of, agent=None))  # "and each?" is asked of the sum
        return told
    if question.wanted == EACH:
        question = replace(question, wanted="")  # the price of one kind tells it
    return "\n\n".join(
        [
            _of_kind(run, found, replace(question, agent=kind), kind)
            for kind in _kinds_asked_of(found, question, kinds)
        ]
    )


async def _of_no_offer(run: TravelRun, question: FoundQuestion) -> str | None:
    """Return the answer to a question about no offer of the current request, None to any other."""
    if question.topic == "state":
        return await (doing_now.asked_for(run) if question.wanted == "asked" else doing_now.state(run))
    if question.topic == "best_request" or (question.topic == "found" and _is_of_before(question)):
        return await other_requests.of_earlier(run, question)
    if question.topic == "difference" and question.which == Which() and question.by is None:
        return await other_requests.places_in_turn(run)
    if question.wanted == DAYS_COMPARED:
        return await other_requests.days_compared(run, question)
    if question.wanted == PLACES_COMPARED:
        return await other_requests.places_compared(run)
    if question.topic in ("found", "count") and run.understanding.tour is not None:
        return await tours.tour_so_far(run)
    return None


def _proposal(some: Meant, kind: Kind) -> str:
    """Return what is chosen ("the first one please"), and the question whether it is to be booked."""
    details = FoundQuestion(topic="details", agent=kind)
    return f"{facts.sentence(details, some.offers[0], some.subjects[0])} {SHALL_I}"


def _of_a_kind(question: FoundQuestion, found: Found, kinds: Sequence[Kind]) -> FoundQuestion:
    """Return a sum with a number in it as one with the kind spoken of last: "in all with the second one"."""
    if question.topic != "total" or question.agent or not question.which.numbers:
        return question
    last = found.spoken.agent
    return replace(question, agent=next((kind for kind in kinds if kind == last), kinds[-1]))


def _having_any(found: Found, which: Which, kinds: Sequence[Kind]) -> Sequence[Kind]:
    """Return those of the kinds of which any offer is meant."""
    return [kind for kind in kinds if not isinstance(meant(found, kind, which), str)]


def _is_of_before(question: FoundQuestion) -> bool:
    return bool(question.wanted not in ("", EVERYTHING) or question.which.name)


def _kinds_asked_of(found: Found, question: FoundQuestion, kinds: Sequence[Kind]) -> Sequence[Kind]:
    """Return whose offers a question is about that does not tell: of both if it picks from all of them.

    "The second" and "how much is it?" are about the kind that was spoken of last.
    """
    picks_from_all = question.topic in ("which", "sort", "under", "those_with", "step", "shown")
    if len(kinds) == 1 or question.agent or picks_from_all:
        return kinds
    if question.which.name:
        return _having_any(found, question.which, kinds) or kinds
    last = found.spoken.agent
    if last in kinds:
        return [kind for kind in kinds if kind == last]
    # Only one of the lists may be as long as the number that is asked about.
    return _having_any(found, question.which, kinds) or kinds


def _nothing(found: Found, agent: Kind | None, *, is_asking: bool) -> str:
    nouns = (
        plural(agent)
        if agent
        else listed([plural(kind) for kind in KINDS if kind in found.understanding.wanted])
    )
    if is_asking:
        return f"I can tell that once I have found {nouns or 'offers'}."
    if found.running:
        return f"So far no {nouns or 'offers'} have arrived; the search is still running."
    return f"There are no {nouns or 'offers'} to tell about: the last search found none."


def _pointing_out(run: TravelRun, found: Found, sentence: str, offers: Mapping[Kind, Sequence[Offer]]) -> str:
    """Return the answer once the offers that it speaks of are pointed out, and kept as those spoken of."""
    for kind, some in offers.items():
        if some:
            run.context.point_out(kind, [offer["offer_id"] for offer in some])
            run.speak_of(run.spoken_of.of(kind, list(some)))
    return f"{_so_far(found, offers)}{sentence}"


def _so_far(found: Found, offers: Mapping[Kind, Sequence[Offer]]) -> str:
    searching = [kind for kind in offers if kind in found.running]
    beyond = [
        counted(len(found.near[kind]), kind) for kind in offers if kind in {*found.near} & {*found.offers}
    ]
    if beyond:
        is_one = sum(len(found.near[kind]) for kind in offers if kind in found.near) == 1
        which = f"The {beyond[0]}" if is_one else f"None of the {listed(beyond)}"
        return f"{which} kept from before {'does not fit' if is_one else 'fits'} all you asked for. "
    if not searching:
        return ""
    return f"So far, with {listed([counted(len(found.offers[kind]), kind) for kind in searching])} found: "


def _of_kind(run: TravelRun, found: Found, question: FoundQuestion, kind: Kind) -> str:
    of_a_list = _OF_A_LIST.get(question.topic)
    if of_a_list is not None:
        sentence, offers = of_a_list(run, found, question, kind)
        return _pointing_out(run, found, sentence, {kind: offers})
    shown = found.of(kind)
    if (question.topic, kind) == ("carrier", "flight") and question.which.is_all and len(shown) > 1:
        return _pointing_out(run, found, lists.by_airline(shown), {kind: shown})
    some = meant(found, kind, question.which)
    if isinstance(some, str):
        return some
    if question.topic == "chosen":
        proposed = _pointing_out(run, found, _proposal(some, kind), {kind: some.offers[:1]})
        run.speak_of(replace(run.spoken_of, is_proposed=True))
        return proposed
    is_shared = question.topic in facts.SHARED and (kind, question.topic) != ("car", "bags")
    if not some.is_named and is_shared and len(found.of(kind)) > 1:
        counts = facts.of_all(found.of(kind), question, kind)
        return _pointing_out(run, found, counts, {kind: some.offers})
    offers = list(some.offers)
    most = len(offers) if question.which.numbers else _MOST_ONE_BY_ONE
    if len(offers) > most and is_shared:
        return _pointing_out(run, found, facts.of_all(offers, question, kind), {kind: offers})
    sentences = [
        facts.sentence(question, offer, subject)
        for offer, subject in zip(offers[:most], some.subjects, strict=False)
    ]
    if question.topic == "duration" and question.wanted == WHY:
        sentences.append(comparisons.beside_the_shortest(found, offers[0]))
    others = len(offers) - len(sentences)
    more = f" Of the {others} others, ask by number or name." if others > 0 else ""
    return _pointing_out(run, found, f"{' '.join(sentences)}{more}", {kind: offers})
