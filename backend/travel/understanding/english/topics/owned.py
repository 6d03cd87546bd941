"""What somebody has already, and so does not look for: "I have a flight to Vienna booked, I need a hotel"."""

from collections.abc import Sequence

from ...result import Agent
from ..language.sentences import clauses
from ..language.text import Text, word_set

_CUES = word_set(
    "have has got booked sorted bought reserved done arranged covered confirmed paid organised fixed"
)
_HAVE = word_set("have has got")
_ASKS_TO_HAVE = word_set("can could may might to would should will must do does shall i'd we'd cannot only")
_US = word_set("i we i've we've ive weve already she he they she's he's they've my")
_DONE = word_set(
    "booked sorted bought reserved done arranged covered confirmed paid organised organized fixed set"
)
_IS = word_set("is are 's was were been 're all already have has being")
_NOT_YET = word_set("not n't isn't aren't be get want need if when once unless haven't hasn't never yet")
_OF_IT = word_set("a an my our the some flight flights plane hotel return ticket tickets")
_LONGEST = 7


def owned(text: Text, hits: Sequence[tuple[int, Agent]]) -> frozenset[int]:
    """Return the hits that name what somebody has, none where nothing else is asked for."""
    if len(hits) < 2 or _CUES.isdisjoint(text.vocabulary):
        return frozenset()
    found = {at for at, _ in hits if _is_owned(text, at, hits)}
    wanted = {agent for at, agent in hits if at not in found}
    is_apart = wanted and wanted.isdisjoint(agent for at, agent in hits if at in found)
    return frozenset(found) if is_apart else frozenset()


def _is_owned(text: Text, at: int, hits: Sequence[tuple[int, Agent]]) -> bool:
    clause = next(((first, after) for first, after in clauses(text) if first <= at < after), None)
    if clause is None:
        return False
    first, after = clause
    others = [other for other, _ in hits if first <= other < after and other != at]
    first = max([other + 1 for other in others if other < at], default=first)
    after = min([other for other in others if other > at], default=after)
    before = [text.norm(index) for index in range(first, at)]
    behind = [text.norm(index) for index in range(at + 1, after)]
    if not _NOT_YET.isdisjoint(before) or not _NOT_YET.isdisjoint(behind[:_LONGEST]):
        return False
    return _has_it(before) or _is_done(behind)


def _has_it(before: list[str]) -> bool:
    """ "I have a", "we've got our", "already have"."""
    while before and before[-1] in _OF_IT:
        before = before[:-1]
    if not before or before[-1] not in _HAVE or not _ASKS_TO_HAVE.isdisjoint(before):
        return False
    return len(before) < 2 or before[-2] in _US


def _is_done(behind: list[str]) -> bool:
    """ "to Vienna are booked", "booked already", "is sorted"."""
    done = next((at for at, word in enumerate(behind[: _LONGEST + 1]) if word in _DONE), -1)
    return done >= 0 and (done == 0 or not _IS.isdisjoint(behind[:done] + behind[done + 1 : done + 2]))
