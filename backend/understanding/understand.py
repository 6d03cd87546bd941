"""What a message means: a search, an act on what was found or booked, a tour of several cities, or talk."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from backend.understanding.booking_acts import find_act
from backend.understanding.bookings import beside_a_search, going_on, with_act
from backend.understanding.prompt import Prompt
from backend.understanding.result import Understanding
from backend.understanding.search_requests import understand_search
from backend.understanding.text import Text


def understand(
    message: str,
    *,
    previous: Understanding | None,
    today: date,
    prompt: Prompt | None = None,
    recent: Sequence[Understanding] = (),
    deciding: bool = False,
) -> Understanding:
    """Return what a message means, given what was understood before it and today's date.

    `prompt` is what another assistant said in between; without one it was ours, which asked for what was
    missing. `recent` are requests that were interrupted, latest first, of which the message may take one up
    again. With `deciding` the user is being asked to allow what `previous` books. Never raises, whatever the
    message; what makes no sense is understood as `other`.
    """

    def search(text: str) -> Understanding:
        return understand_search(text, previous=searched, today=today, prompt=prompt, recent=earlier)

    searched = _without_acts(previous) if previous else None
    earlier = [_without_acts(request) for request in recent]
    text = Text(message)
    act = find_act(text)
    if act is None:
        return going_on(search(message), previous, deciding=deciding)
    if prompt is not None:
        return beside_a_search(act, search(message))
    return with_act(act, text, previous, search, deciding=deciding)


def _without_acts(request: Understanding) -> Understanding:
    """The request as far as it searches: what it booked is not to be booked once more."""
    return replace(request, booking=None)
