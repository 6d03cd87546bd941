"""Words of a message that no reader has made anything of: what may be a wish that would be lost.

A reader need not tell what it has read. Whether words count is tried out: they do if the message says
something else without them, or if they say something by themselves. So the words of a new reader count by
themselves, and no list of them has to be kept in step.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace

from ...message import Message
from ...result import Refused
from ..language.numbers import NUMBER_WORDS
from ..language.sentences import clauses, negation_before
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from .words import BEGIN_TELLING, KNOWN, NO_WISH, OPENERS, REASONS, TIES, UNITS, WISHING

_FACTS_WORDS = words_of("facts")
_LANGUAGE_SAID = phrases_of("language")
_SAID = phrases_of("unread")
_WORDS = words_of("unread")

_PHRASES_AT_MOST = 6
"""How many are tried out, at a reading each; a message with more of them is not about a journey."""
_LONGEST = 300
"""Words of the longest message that is tried out: each further reading of 8,000 letters takes 10 ms."""
_TIES_AT_MOST = 3
_LEADS_AT_MOST = 3
_LETTERS_OF_A_COUNTRY = 2

_Phrase = tuple[int, int]


def find_unread(
    text: Text, taken: Collection[int], told: Message, read: Callable[[str], Message]
) -> tuple[Refused, ...]:
    """Return the phrases that change nothing of what the message tells, in the user's words.

    `taken` are tokens that readers have made something of, `told` is what the whole message says, and `read`
    reads what is left of it.
    """
    if text.length > _LONGEST:
        return ()
    phrases = [phrase for clause in _told_apart(text) for phrase in _phrases(text, clause, taken)]
    if not phrases or len(phrases) > _PHRASES_AT_MOST:
        return ()

    def is_unread(*some: _Phrase) -> bool:
        return _is_same(told, read(_without(text, some)))

    if len(phrases) == 1 or not is_unread(*phrases):
        smaller = ((one,) if is_unread(one) else _words_of(text, one, taken) for one in phrases)
        phrases = [one for some in smaller for one in some if one in phrases or is_unread(one)]

    def is_something(phrase: _Phrase) -> bool:
        first, after = phrase  # with its small words: "vegan" alone is taken for Vigan
        return _says_something(read(text.spelled(_led(text, first, 0, taken), after)))

    phrases = [one for one in phrases if not is_something(one)]
    return tuple(
        Refused(said=text.spelled(first, _with_noun(text, first, after)), reason="not_understood")
        for first, after in joined(text, phrases)
    )


def _with_noun(text: Text, first: int, after: int) -> int:
    """The index after what a number alone counts: "2 cars", which says more than "2"."""
    is_alone = after == first + 1 and text[first].is_number
    is_noun = text[after].is_word and len(text.norm(after)) > 2 and text.norm(after) not in _WORDS.of_grammar
    return after + (is_alone and is_noun)


def telling_words(text: Text) -> tuple[str, ...]:
    """Return the phrases that may carry what a message is about, whether or not any reader knows them."""
    if text.length > _LONGEST:
        return ()
    phrases = [phrase for clause in _told_apart(text) for phrase in _phrases(text, clause, ())]
    return tuple(text.spelled(*one) for one in joined(text, phrases))


def phrases_in(text: Text, clause: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the phrases of a clause that may carry a wish, whether or not any reader knows them."""
    yield from _phrases(text, clause, ())


def wishes_beside(text: Text, taken: Collection[int]) -> tuple[Refused, ...]:
    """Return the phrases outside the tokens `taken` that can only be wishes: "with a sea view".

    For acts and tours, of which every word is known that they are told by.
    """
    phrases = [phrase for clause in _told_apart(text) for phrase in _phrases(text, clause, taken)]
    led = [one for one in phrases if text.norm(one[0]) in _WORDS.lead_a_wish]
    return tuple(Refused(said=text.spelled(*one), reason="not_understood") for one in joined(text, led))


def _words_of(text: Text, phrase: _Phrase, taken: Collection[int]) -> list[_Phrase]:
    """The words of a phrase one by one, each with what leads it; none where there is just one."""
    first, after = phrase
    single = [at for at in range(first, after) if _is_wish(text, at, taken)]
    others = [at for at in single if text.norm(at) not in _WORDS.completing]
    if len(single) == 1:
        return []
    return [(at if at + 1 in single else _led(text, at, first, taken), at + 1) for at in others]


def _phrases(text: Text, clause: _Phrase, taken: Collection[int]) -> Iterator[_Phrase]:
    """The words of a clause that may carry a wish, each with those that it is tied to."""
    first, after = clause
    at = first
    while at < after:
        if not _is_wish(text, at, taken):
            at += 1
            continue
        end = at + 1
        while (tied := _tied(text, end, after, taken)) > end:
            end = tied
        end += end not in taken and text.norm(end) in UNITS and text[end - 1].is_number
        # "With" leads "vegan breakfast", and not "vegan" alone.
        led = at if text.norm(end) in KNOWN else _led(text, at, first, taken)
        is_who = _is_address(text, at, end) or _is_somebody(text, at, end)
        is_why = _is_why(text, led, at, end) or (
            text.norm(at - 1) == "for" and text.norm(at) in _WORDS.titles
        )
        is_bound = end == at + 1 and text.norm(at) in _WORDS.bounds and at - 1 in taken
        if not (is_who or is_why or is_bound or _completes(text, at, end)):
            yield led, end
        at = end


def _is_wish(text: Text, at: int, taken: Collection[int]) -> bool:
    token = text[at]
    if token.is_word and len(token.raw) == 1:
        return False
    if token.is_word and len(token.raw) == _LETTERS_OF_A_COUNTRY and text.norm(at - 1) == ",":
        return False  # "Puerto Vallarta, MX", "Atlanta, Ga"
    if token.is_number or token.norm in NUMBER_WORDS:
        counted = at + 1 + (text.norm(at + 1) == "-")
        counted += (
            text.norm(counted) not in _WORDS.counted and text.norm(counted + 1) in _FACTS_WORDS.rooms
        )  # "2 separate rooms"
        return at not in taken and text.norm(counted) not in _WORDS.counted
    if (
        text.match(_LANGUAGE_SAID.under, at)
        and negation_before(text, at) >= 0
        and text[at + text.match(_LANGUAGE_SAID.under, at)].is_number
    ):
        return False  # "nothing under 4 stars": read with the number
    return at not in taken and token.is_word and token.norm not in NO_WISH and token.norm not in KNOWN


def _tied(text: Text, at: int, after: int, taken: Collection[int]) -> int:
    """The index behind the next word of the same wish, `at` if there is none."""
    for ahead in range(at, min(after, at + _TIES_AT_MOST + 1)):
        if ahead in taken:
            return at
        if _is_wish(text, ahead, taken):
            return ahead + 1
        is_sign = not text[ahead].is_word and text.is_glued(ahead) and text.is_glued(ahead + 1)
        if not is_sign and (text.norm(ahead) not in TIES or text.norm(ahead) in _WORDS.joins):
            return at
    return at


def _led(text: Text, at: int, first: int, taken: Collection[int]) -> int:
    led = at
    while (
        led > max(first, at - _LEADS_AT_MOST)
        and led - 1 not in taken
        and text.norm(led - 1) in _WORDS.leads - _WORDS.joins
    ):
        led -= 1
    return led


def _is_why(text: Text, led: int, first: int, after: int) -> bool:
    """Whether words tell for what or whom: "to see my mum", "for a wedding", but not "near my aunt"."""
    leads = {text.norm(at) for at in range(led, first)}
    words = {text.norm(at) for at in range(first, after) if text.norm(at) not in TIES}
    return text.norm(led) == "to" or (words <= REASONS and leads.isdisjoint(_WORDS.nearness))


def _completes(text: Text, first: int, after: int) -> bool:
    """Whether words only say more closely what stands beside them: "free wifi", "a 4 star rating"."""
    words = {text.norm(at) for at in range(first, after)} - TIES
    beside = (*range(first - 2, first), *range(after, after + 2))
    return words <= _WORDS.completing and any(text.norm(at) in KNOWN for at in beside)


def _is_address(text: Text, first: int, after: int) -> bool:
    """Whether a message begins with a name or a sound: "Angela, ...", "Urgh! ..."."""
    is_one_word = first == 0 and after == 1 and text[first].is_capitalised
    return is_one_word and text.norm(after) in (",", ".", "!", "here") and after + 1 < text.length


def _told_apart(text: Text) -> Iterator[_Phrase]:
    """The clauses that may hold a wish: none that tells why, or how things are."""
    for first, after in clauses(text):
        begun = first
        for at in range(first + 1, after + 1):
            if at == after or _begins_anew(text, at):
                if not _is_told(text, begun, at):
                    yield begun, at
                begun = at


def _begins_anew(text: Text, at: int) -> bool:
    word = text.norm(at)
    is_break = word in _WORDS.breaks and not (text.is_glued(at) and text.is_glued(at + 1))
    is_joined = word in _WORDS.joins and text.norm(at + 1) in _WORDS.subjects
    return is_break or is_joined or word == "but" or word in _WORDS.why or text.match(_SAID.asking, at) > 0


def _is_told(text: Text, first: int, after: int) -> bool:
    """Whether a clause tells why, of other people, or how things are, and wants nothing."""
    while first < after and (text.norm(first) in OPENERS or text.norm(first) in _WORDS.breaks):
        first += 1
    words = {text.norm(at) for at in range(first, after)}
    if text.norm(first) in _WORDS.why or (
        text.norm(first) in _WORDS.others and words.isdisjoint(_WORDS.needing)
    ):
        return True
    tells = text.norm(first) in BEGIN_TELLING or not words.isdisjoint(_WORDS.telling)
    return tells and words.isdisjoint(WISHING)


def _is_somebody(text: Text, first: int, after: int) -> bool:
    """ "Sue's just messaged", "Dana just texted": who tells something, unlike "near Macy's"."""
    raw = text[first].raw
    is_name = (
        after == first + 1
        and text[first].is_capitalised
        and text.norm(first - 1) not in _WORDS.leads - _WORDS.joins
    )
    is_short = len(raw) > 1 and raw.endswith("s") and not raw[-2].isalpha()
    return is_name and (is_short or text.norm(after) in _WORDS.tells_of_one)


def joined(text: Text, phrases: list[_Phrase]) -> list[_Phrase]:
    """Return the same, where words that stand side by side are one phrase."""
    joined: list[_Phrase] = []
    for first, after in phrases:
        joined.append((joined.pop()[0] if joined and joined[-1][1] == first else first, after))
    return joined


def _without(text: Text, phrases: Iterable[_Phrase]) -> str:
    letters = list(text.source)
    for first, after in phrases:
        start, end = text[first].start, text[after - 1].end
        letters[start:end] = " " * (end - start)
    return "".join(letters)


def _is_same(told: Message, left: Message) -> bool:
    """Whether a message says the same with fewer words; it may be shorter, and so look like another act."""
    return _told(told) == _told(left) and told.acts <= left.acts


def _told(message: Message) -> Message:
    """What a message asks for; a word that only tells whom it is about counts where nothing else tells."""
    is_of_stay = message.is_of_stay and not message.agents
    return replace(message, acts=frozenset(), is_bare=False, is_elsewhere=False, is_of_stay=is_of_stay)


def _says_something(message: Message) -> bool:
    return bool(message.says_something or message.slots or message.hotel_names or message.agents)
