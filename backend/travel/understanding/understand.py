"""Understands a message: as a search, an act on an offer or a booking, a tour of several cities, or talk."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from .dialogue.bookings import beside_a_search, going_on, with_act
from .dialogue.prompt import Prompt
from .dialogue.search_requests import understand_search
from .dialogue.tours import beside_tour, with_changed_tour, with_tour, with_tour_again, without_tour
from .english.bookings.acts import find_act
from .english.language.text import Text
from .english.reader import read_message
from .english.tours.changes import changed_tour
from .english.tours.tours import find_tour
from .result import Understanding


def understand(
    message: str,
    *,
    previous: Understanding | None,
    today: date,
    prompt: Prompt | None = None,
    recent: Sequence[Understanding] = (),
    alike: Sequence[Understanding] = (),
    deciding: bool = False,
) -> Understanding:
    """Return what a message means, given what was understood before it and today's date.

    `prompt` is what another assistant said in between; without one it was ours, which asked for what was
    missing. `recent` are requests that were interrupted, latest first, and `alike` others about the same
    places; the message may resume one of them, whose index `resumes` is into `(*recent, *alike)`. With
    `deciding` the user is being asked to allow what `previous` books. Never raises, whatever the message;
    what makes no sense is `other`.
    """

    def search(text: str) -> Understanding:
        return understand_search(
            text, read_message, previous=searched, today=today, prompt=prompt, recent=earlier, alike=also
        )

    text = Text(message)
    # Tours first: to the readers of searches, a list of cities is one goal and others that come too many.
    tour = find_tour(text, today=today)
    if tour is not None:
        return with_tour(tour, previous)
    if previous and previous.tour:
        changed = changed_tour(text, previous.tour, today=today)
        if changed is not None:
            return with_changed_tour(changed)
    # A search knows neither tours nor bookings: it gets the requests before it without them, and what these
    # held is put back at the end if the message leaves it as it was.
    known = without_tour(previous) if previous else None
    searched = replace(known, booking=None) if known else None
    earlier, also = (
        [replace(without_tour(request), booking=None) for request in some] for some in (recent, alike)
    )
    act = find_act(text)
    if act is None:
        understood = going_on(search(message), known, deciding=deciding)
    elif prompt is not None:
        # Another assistant's offers are no offers of ours: what names one of them is a wish for it.
        understood = beside_a_search(act, search(message))
    else:
        understood = with_act(act, message, known, search, deciding=deciding)
    resumed = (*recent, *alike)[understood.resumes] if understood.resumes is not None else None
    if resumed and resumed.tour:
        return with_tour_again(understood, resumed)
    return beside_tour(understood, previous)
