"""Facts that a sentence only names: "barcelona has the conference", "wife says 5th".

A sentence of which nothing else can be made is about the request that is on if a phrase of it, read alone,
tells a fact of a journey. What was not used of it is told like other words that are not read.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from ....values.travel import City
from ...message import Message, Other, Part
from ...places.gazetteer import in_full
from ...result import Refused
from ..language.sentences import clauses
from ..language.tables import words_of
from ..language.text import Text, tokens_of
from ..places.finder import PlaceMention
from .find import joined, phrases_in
from .words import NO_WISH

_WORDS = words_of("unread")

_LONGEST = 30
"""Tokens of a message that is looked through: longer ones that say nothing tell a story."""
_READINGS_AT_MOST = 6

_Phrase = tuple[int, int]


def find_hint(
    text: Text, places: Collection[PlaceMention], stay: City | None, read: Callable[[str], Message]
) -> Message | None:
    """Return what the phrases of a message say that tell a fact alone, None if none of them does.

    `places` are those that were found in the message, `stay` is the city that the journey goes to, which a
    place may have been named beside, and `read` reads words as if they were all of the message.
    A place that is introduced ("from Berlin") was read, and is nothing to this request; a name that is a
    place only where it stands alone is none here: "jazz", "won".
    """
    if text.length > _LONGEST:
        return None
    named = tokens_of(one for one in places if not (one.is_placed or one.role))
    telling: list[_Phrase] = []
    others: list[_Phrase] = []
    for readings, phrase in enumerate(_candidates(text, named)):
        if readings >= _READINGS_AT_MOST:
            return None
        alone = read(text.spelled(*phrase))
        is_named = not named.isdisjoint(range(*phrase))
        tells = _tells_a_fact(alone) and (is_named or alone.goal is None)
        (telling if tells else others).append(phrase)
    if not telling:
        return None
    hint = read("".join(_joined_to(text, phrase) + text.spelled(*phrase) for phrase in telling))
    unused = (Refused(said=text.spelled(*one), reason="not_understood") for one in joined(text, others))
    parts = tuple(_in_doubt(part, stay) for part in hint.parts)
    return replace(hint, parts=parts, refused=(*hint.refused, *unused))


def _joined_to(text: Text, phrase: _Phrase) -> str:
    """What goes before a phrase where those that tell a fact are read together: "zanzibar or mauritius"."""
    return " or " if text.norm(phrase[0] - 1) == "or" else ", "


def _tells_a_fact(message: Message) -> bool:
    """Whether it tells a place, a part of town or a day: all else is read wherever it stands."""
    return any(part.named or part.district or part.start or part.end for part in message.parts)


def _in_doubt(part: Part, stay: City | None) -> Part:
    """The part, whose place may be a mere mention: the city of the request is what it may mean instead."""
    is_choice = any(one.is_choice for one in part.others)  # nobody mentions two of them by the way
    if stay is None or part.named is None or part.named.city == stay or is_choice:
        return part
    other = Other(what="named", taken=in_full(part.named.city), others=(in_full(stay),))
    return replace(part, others=(*part.others, other))


def _candidates(text: Text, named: Collection[int]) -> Iterator[_Phrase]:
    for clause in clauses(text):
        words = {text.norm(at) for at in range(*clause)}
        if not words.isdisjoint(_WORDS.against) or (
            text.norm(clause[0]) in _WORDS.others and words & _WORDS.lives
        ):
            continue
        for first, after in phrases_in(text, clause):
            while text.norm(first) in NO_WISH and first + 1 < after:
                first += 1
            parts = [first]
            for at in range(first + 1, after):
                if (at in named) != (at - 1 in named):
                    parts.append(at)
            for begun, end in zip(parts, (*parts[1:], after), strict=True):
                if not text[begun].is_number or text.norm(begun + 1) in _WORDS.ordinals:
                    yield begun, end
