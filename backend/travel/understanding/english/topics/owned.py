"""What somebody has already, and so does not look for: "I have a flight to Vienna booked, I need a hotel"."""

from collections.abc import Sequence

from ...result import Agent
from ..language.sentences import clauses
from ..language.tables import words_of
from ..language.text import Text

_WORDS = words_of("topics")

_LONGEST = 7


def owned(text: Text, hits: Sequence[tuple[int, Agent]]) -> frozenset[int]:
    """Return the hits that name what somebody has, none where nothing else is asked for."""
    if len(hits) < 2 or _WORDS.cues.isdisjoint(text.vocabulary):
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
    if not _WORDS.not_yet.isdisjoint(before) or not _WORDS.not_yet.isdisjoint(behind[:_LONGEST]):
        return False
    return _has_it(before) or _is_done(behind)


def _has_it(before: list[str]) -> bool:
    """ "I have a", "we've got our", "already have"."""
    while before and before[-1] in _WORDS.of_it:
        before = before[:-1]
    if not before or before[-1] not in _WORDS.have or not _WORDS.asks_to_have.isdisjoint(before):
        return False
    return len(before) < 2 or before[-2] in _WORDS.us


def _is_done(behind: list[str]) -> bool:
    """ "to Vienna are booked", "booked already", "is sorted"."""
    done = next((at for at, word in enumerate(behind[: _LONGEST + 1]) if word in _WORDS.done), -1)
    return done >= 0 and (
        done == 0 or not _WORDS.is_word.isdisjoint(behind[:done] + behind[done + 1 : done + 2])
    )
