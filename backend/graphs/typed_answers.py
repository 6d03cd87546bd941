"""Reads a typed message as the answer to an open question, or as something else, which withdraws it.

A text question could take every message for its answer, and would swallow a change of mind. So a message that
calls off or turns away in its first words, or asks back, is no answer. The rule is one of plain English words
and errs on the side of an answer: "Actually, Rome" and "Rome?" are answers. Whoever means such words as an
answer sends them with `POST /answer`.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..domain.inputs import DECISION_SCHEMA, InputRequest
from ..domain.reviews import Decision
from ..errors import BadInput
from ..tasks.input_schema import answer_in_words, asks_for_text, checked

_YES = ("yes", "allow", "approve", "accept")
_NO = ("no", "deny", "reject")

_PADDING = frozenset({"oh", "ok", "okay", "no", "well", "hm", "hmm", "sorry", "please", "just", "but"})
"""Words that are passed over in front."""

_CALLS_OFF = re.compile(
    r"(never ?mind|forget (it|that|about it)|(i|i've|i have) changed my mind|on second thoughts?)\b"
)
"""What calls off however the message continues."""

_STOPS = re.compile(
    r"(stop|cancel|abort|quit|drop|leave|scrap|skip)( (it|that|this|everything|all of it))?( now)?"
    r"|wait( a (moment|minute|second))?|hold on|hang on"
)
"""What calls off as the whole first clause: "Stop at the museum" may well be an answer."""

_STOPS_ALONE = frozenset({"drop", "leave", "skip"})
"""Words that call off only with what they refer to: "skip" alone may be an answer."""

_TURNS_AWAY = re.compile(r"(instead|actually)\b(?! of\b)")
"""What turns away in front of a whole request."""

_ASKS = re.compile(
    r"(what|which|who|where|when|why|how)('s)?\b"
    r"|(whose|can|could|do|does|did|is|are|was|were|will|would|should|may|shall)\b"
)
"""What a question that asks back begins with."""

_SHORTEST_REQUEST = 5
"""Words from which "Actually ..." counts as a request: fewer correct an answer ("Actually make it Rome")."""

_SHORTEST_QUESTION = 3
"""Words from which a question counts as one that asks back."""


def typed_answer(message: str, asked: Sequence[InputRequest]) -> Mapping[str, Mapping[str, Any]]:
    """Return what a message answers: the first open question that its text fits, or nothing.

    A plain yes or no decides on what is asked to be allowed, if that is a single thing.
    """
    to_decide = [each for each in asked if _asks_to_decide(each)]
    for request in asked:
        if _asks_to_decide(request):
            answer = _decided(request, message) if len(to_decide) == 1 else None
        else:
            answer = _text(request, message)
        if answer is not None:
            return {request.request_id: answer}
    return {}


def is_no_answer(message: str) -> bool:
    """Tell whether a message calls off what is asked, turns to something else, or asks back."""
    text = message.casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    clause, *_ = re.split(r"[,.;:!?\n]| [-\N{EN DASH}\N{EM DASH}] ", _unpadded(text), maxsplit=1)
    clause = clause.strip().removesuffix(" please")
    words = len(text.split())
    if _CALLS_OFF.match(clause) or (_STOPS.fullmatch(clause) and clause not in _STOPS_ALONE):
        return True
    if _TURNS_AWAY.match(clause) and words >= _SHORTEST_REQUEST:
        return True
    return text.rstrip().endswith("?") and words >= _SHORTEST_QUESTION and bool(_ASKS.match(clause))


def _unpadded(text: str) -> str:
    """Return a text without the words in front that say nothing: "oh no, wait" is "wait"."""
    text = text.strip()
    while (word := re.match(r"[\w']+", text)) and word.group() in _PADDING and word.end() < len(text):
        text = text[word.end() :].lstrip(" ,.!-")
    return text


def _asks_to_decide(request: InputRequest) -> bool:
    question = request.question
    return request.permission is not None or question.review is not None or question.schema == DECISION_SCHEMA


def _decided(request: InputRequest, message: str) -> Mapping[str, Any] | None:
    word = message.strip().rstrip(".!").casefold()
    decision: Decision | None = "allow" if word in _YES else "deny" if word in _NO else None
    review = request.question.review
    if review is None:
        return {"decision": decision} if decision else None
    if len(review.actions) > 1:
        return None
    action = next(iter(review.actions))
    if action.decisions == ("respond",) and not is_no_answer(message):
        return _fitting(request, {"decision": "respond", "note": message})
    return _fitting(request, {"decision": decision}) if decision in action.decisions else None


def _text(request: InputRequest, message: str) -> Mapping[str, Any] | None:
    if asks_for_text(request.question) and is_no_answer(message):
        return None
    return answer_in_words(request.question, message)


def _fitting(request: InputRequest, answer: Mapping[str, Any]) -> Mapping[str, Any] | None:
    try:
        return checked(request.question, answer)
    except BadInput:
        return None
