"""Offers that only those shown tell apart, in their conversation: "book the last one", "no, the 9:15 one"."""

from dataclasses import replace

from ..found import FoundQuestion, Which
from ..message import BookingAct
from ..result import BookingWish, Understanding

_OF_OFFERS = ("book", "hold")


def may_choose(chosen: FoundQuestion, previous: Understanding | None) -> bool:
    """Return whether "the first one" is an offer: no place to choose from, and nothing that is asked.

    "The other one" and "the later one" are the other reading that was told, unless offers were told since.
    """
    if previous is None or previous.missing:
        return False
    if any(not one.taken for one in previous.alternatives):
        return False
    is_compared = chosen.which.is_other or chosen.which.is_of_two
    return not (is_compared and previous.alternatives and previous.question is None)


def with_choice(
    act: BookingAct | None, chosen: FoundQuestion | None, asked_about: Understanding | None
) -> BookingAct | None:
    """Return the act on the offer that its own words do not tell, or the same act.

    While the user is `asked_about` another offer, the one that is chosen is meant instead.
    """
    if chosen is None or chosen.topic != "chosen" or not _is_only_shown(chosen.which):
        return act
    open_wish = asked_about.booking if asked_about else None
    if act is None and chosen.wanted == "book":
        act = BookingAct(wish=BookingWish(action="book", kind=chosen.agent), rest="", rest_by_name="")
    elif act is None and open_wish is not None and open_wish.action in _OF_OFFERS:
        act = BookingAct(
            wish=BookingWish(action=open_wish.action, kind=open_wish.kind), rest="", rest_by_name=""
        )
    if act is None or act.wish.action not in _OF_OFFERS:
        return act
    wish = act.wish
    if wish.number or wish.shown or wish.is_earlier or wish.reference or (wish.pick and not act.unread):
        return act
    told = replace(wish, pick=None, name=None, which=chosen.which, kind=chosen.agent or wish.kind)
    return replace(act, wish=told, rest="", rest_by_name="", unread="")


def _is_only_shown(which: Which) -> bool:
    """Whether an offer is told in a way that wishes for a booking have no words for."""
    is_first = which.by not in (None, "price")
    is_special = which.hours or which.is_nonstop or which.is_of_two or which.is_other or which.is_last
    return bool(is_special or is_first) and not which.numbers
