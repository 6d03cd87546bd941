"""What a message does in the dialogue: each act, and who tells whether it is done."""

from collections.abc import Callable

from ..message import Act
from .details.answers import books
from .details.shifts import goes_back, repeats
from .details.wishes import has_wish
from .language.text import Text
from .talk.decisions import assent, declines
from .talk.questions import (
    asks_about,
    asks_about_what_is_found,
    asks_for_more,
    asks_for_what_is_there,
    asks_only_about,
    asks_what_a_word_means,
    goes_on_to_ask,
    refers_back,
    turns,
)
from .talk.remarks import decides, greets, is_closing, starts_afresh, tells_a_liking
from .talk.stops import breaks_off, is_only_a_stop
from .talk.undoing import redoes, starts_over, undoes


def _accepts(text: Text) -> bool:
    return assent(text) == "yes"


_ACTS: tuple[tuple[Act, Callable[[Text], bool]], ...] = (
    (Act.ACCEPT, _accepts),
    (Act.DECLINE, declines),
    (Act.DECIDE, decides),
    (Act.CHANGE, turns),
    (Act.REFER, refers_back),
    (Act.ASK_FOR_WHAT_IS_THERE, asks_for_what_is_there),
    (Act.START_AFRESH, starts_afresh),
    (Act.START_OVER, starts_over),
    (Act.UNDO, undoes),
    (Act.REDO, redoes),
    (Act.GO_BACK, goes_back),
    (Act.REPEAT, repeats),
    (Act.STOP, breaks_off),
    (Act.ONLY_STOP, is_only_a_stop),
    (Act.CLOSE, is_closing),
    (Act.GREET, greets),
    (Act.ASK, asks_about),
    (Act.ASK_ON, goes_on_to_ask),
    (Act.ASK_OF_SHOWN, asks_only_about),
    (Act.ASK_OF_FOUND, asks_about_what_is_found),
    (Act.ASK_FOR_MORE, asks_for_more),
    (Act.ASK_MEANING, asks_what_a_word_means),
    (Act.TELL_LIKING, tells_a_liking),
    (Act.TELL_WISH, has_wish),
    (Act.BOOK, books),
)
"""In no order: none of them looks at what another has found."""


def acts_of(text: Text) -> frozenset[Act]:
    """Return all that a message does."""
    return frozenset(act for act, is_done in _ACTS if is_done(text))
