"""Words of a message that no reader has made anything of: what may be a wish that would be lost.

A reader need not tell what it has read. Whether words count is tried out: they do if the message says
something else without them, or if they say something by themselves. So the words of a new reader count by
themselves, and no list of them has to be kept in step.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from ...values.travel import City
from ..message import Message, Other, Part
from ..places.gazetteer import in_full
from ..result import Refused
from .details.facts import CABINS
from .details.prices import CURRENCY_WORDS
from .language.numbers import NUMBER_WORDS
from .language.sentences import clauses, negation_before
from .language.tables import lists_of, phrases_of, words_of
from .language.text import Text, tokens_of
from .places.finder import PlaceMention
from .talk.decisions import decision_in

_FACTS_SAID = phrases_of("facts")
_FACTS_WORDS = words_of("facts")
_LANGUAGE_SAID = phrases_of("language")
_AGREES = phrases_of("talk").agrees
_SAID = phrases_of("unread")
_WORDS = words_of("unread")

_READ = (*lists_of("amenities").values(), _FACTS_SAID.nonstop, *(one.phrases for one in CABINS))
KNOWN = (
    _WORDS.counted | {word for some in _READ for begun in some.values() for one in begun for word in one}
) - _WORDS.known_otherwise
"""Words that facts are read by, wherever they stand. That they count need not be tried out: each trial
is a reading of half a millisecond.
"""
NO_WISH = _WORDS.no_wish | CURRENCY_WORDS.keys()
"""Without any other word beside these nothing is asked for that a reader could have missed."""
_NEVER_A_WISH = {word for word in NO_WISH | KNOWN if word.isalpha()} - NUMBER_WORDS.keys()
TIES = _WORDS.leads | _WORDS.ties | CURRENCY_WORDS.keys()
"""What may stand between two words of one wish: "view of the sea"."""
UNITS = CURRENCY_WORDS.keys() | _WORDS.units
"""Behind a number these belong to it."""

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

    wanted = _told(told)

    def is_unread(*some: _Phrase) -> bool:
        left = read(without_phrases(text, some))
        return told.acts <= left.acts and _told(left) == wanted  # a shorter one may look like another act

    if len(phrases) == 1 or not is_unread(*phrases):
        smaller = ((one,) if is_unread(one) else _words_of(text, one, taken) for one in phrases)
        phrases = [one for some in smaller for one in some if one in phrases or is_unread(one)]

    def is_something(phrase: _Phrase) -> bool:
        first, after = phrase  # with its small words: "vegan" alone is taken for Vigan
        return _says_something(read(text.spelled(_led(text, first, 0, taken), after)))

    phrases = [one for one in phrases if not is_something(one)]
    return tuple(
        Refused(said=text.spelled(first, _with_noun(text, first, after)), reason="not_understood")
        for first, after in joined(phrases)
    )


def _with_noun(text: Text, first: int, after: int) -> int:
    """The index after what a number or a size is of: "2 cars", which says more than "2", "a short one"."""
    is_alone = text.norm(after - 1) in _WORDS.sizes or (after == first + 1 and text[first].is_number)
    is_noun = text[after].is_word and len(text.norm(after)) > 2 and text.norm(after) not in _WORDS.of_grammar
    return after + (is_alone and is_noun)


def telling_words(text: Text) -> tuple[str, ...]:
    """Return the phrases that may carry what a message is about, whether or not any reader knows them."""
    if text.length > _LONGEST:
        return ()
    phrases = [phrase for clause in _told_apart(text) for phrase in _phrases(text, clause, ())]
    return tuple(text.spelled(*one) for one in joined(phrases))


def wishes_beside(text: Text, taken: Collection[int]) -> tuple[Refused, ...]:
    """Return the phrases outside the tokens `taken` that can only be wishes: "with a sea view".

    For acts and tours, of which every word is known that they are told by.
    """
    orders = [one for one in _orders(text) if not set(taken) & {*range(*one)}]
    ordered = {at for one in orders for at in range(*one)} | set(taken)
    phrases = [phrase for clause in _told_apart(text) for phrase in _phrases(text, clause, ordered)]
    led = [one for one in phrases if text.norm(one[0]) in _WORDS.lead_a_wish]
    told = joined(sorted((*orders, *led)))
    return tuple(Refused(said=text.spelled(*one), reason="not_understood") for one in told)


def _orders(text: Text) -> Iterator[_Phrase]:
    """The clauses, and what an "and" joins to them, that want something done: "put it on my company card"."""
    for first, after in clauses(text):
        ands = [at for at in range(first, after) if text.norm(at) in _WORDS.joins]
        for begun, end in zip((first, *(at + 1 for at in ands)), (*ands, after), strict=True):
            begun = text.past(_WORDS.before_an_order, begun, end)
            if text.match(_SAID.orders, begun):
                yield begun, end


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
        end += text.norm(end) in UNITS and text[end - 1].is_number
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
    if at in taken or text.norm(at) in _NEVER_A_WISH:
        return False
    token = text[at]
    if token.is_word and len(token.raw) == 1:
        return False
    if token.is_word and len(token.raw) == _LETTERS_OF_A_COUNTRY and text.norm(at - 1) == ",":
        return False  # "Puerto Vallarta, MX", "Atlanta, Ga"
    if token.norm in _WORDS.sizes and text.norm(at + 1) in _WORDS.journeys:
        return False  # "a short break"
    if _is_plain(token.norm) or (token.norm in _WORDS.ordinals and at - 1 in taken):
        return False
    is_told = not text.said(at - 3, at + 1).isdisjoint(_WORDS.aged) and "driver" not in text.vocabulary
    in_brackets = (text.norm(at - 1), text.norm(at + 1)) == ("(", ")") and len(token.raw) > 1
    if (is_told and token.norm in _WORDS.aged) or (token.is_number and (is_told or in_brackets)):
        return False  # "both 74", "aged 67 and 70", "my wife (71)"
    if token.is_number or token.norm in NUMBER_WORDS:
        is_against = text.norm(at - 1) in _WORDS.against_a_count and not text[at + 1].is_word
        if (
            is_against
            or text.norm(at + 1) == "?"
            or (text.norm(at - 1) == "or" and text.norm(at - 2) in UNITS)
        ):
            return False  # "one room, not two", "do we need two?", "a day or two"
        counted = at + 1 + (text.norm(at + 1) == "-")
        counted += (
            text.norm(counted) not in _WORDS.counted and text.norm(counted + 1) in _FACTS_WORDS.rooms
        )  # "2 separate rooms"
        return text.norm(counted) not in _WORDS.counted
    if (
        text.match(_LANGUAGE_SAID.under, at)
        and negation_before(text, at) >= 0
        and text[at + text.match(_LANGUAGE_SAID.under, at)].is_number
    ):
        return False  # "nothing under 4 stars": read with the number
    return token.is_word and token.norm not in NO_WISH and token.norm not in KNOWN


def _is_plain(word: str) -> bool:
    """Whether a word is one without a wish, as it is spoken or drawn out: "lookin", "hellooo"."""
    return f"{word}g" in NO_WISH or (
        word[-2:-1] == word[-1:] and word.rstrip(word[-1:]) + word[-1:] in NO_WISH
    )


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
    leads = text.said(led - 1, first)
    words = {text.norm(at) for at in range(first, after) if text.norm(at) not in TIES}
    if text.norm(led) == "for" and (text[first].is_capitalised or _is_known_span(text, first, after)):
        return True  # "for the Fringe", "for the two weeks"
    if text.norm(led) == "with" and text.norm(led - 1) in _WORDS.carried:
        return True
    return text.norm(led) == "to" or (words <= _WORDS.reasons and leads.isdisjoint(_WORDS.nearness))


def _is_known_span(text: Text, first: int, after: int) -> bool:
    """Whether a number tells again how long the journey is: "the two weeks"."""
    is_number = text[first].is_number or text.norm(first) in NUMBER_WORDS
    return is_number and text.norm(first - 1) == "the" and bool(text.said(first + 1, after + 1) & UNITS)


def _completes(text: Text, first: int, after: int) -> bool:
    """Whether words only say more closely what stands beside them: "free wifi", "a 4 star rating"."""
    words = {text.norm(at) for at in range(first, after)} - TIES
    beside = (*range(first - 2, first), *range(after, after + 2))
    return words <= _WORDS.completing and any(text.norm(at) in KNOWN for at in beside)


def _is_address(text: Text, first: int, after: int) -> bool:
    """Whether a message begins with a name or a sound: "Angela, ...", "Urgh! ..."."""
    is_one_word = first == 0 and after == 1 and text[first].is_capitalised
    return is_one_word and text.norm(after) in (",", ".", "!", "here")


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
    while first < after and (text.norm(first) in _WORDS.openers or text.norm(first) in _WORDS.breaks):
        first += 1
    words = {text.norm(at) for at in range(first, after)}
    if text.norm(first) in _WORDS.why or (
        text.norm(first) in _WORDS.others and words.isdisjoint(_WORDS.needing)
    ):
        return True
    tells = text.norm(first) in _WORDS.begin_telling or not words.isdisjoint(_WORDS.telling)
    return tells and words.isdisjoint(_WORDS.wishing)


def _is_somebody(text: Text, first: int, after: int) -> bool:
    """ "Sue's just messaged", "Dana just texted": who tells something, unlike "near Macy's"."""
    raw = text[first].raw
    sign, before = text.norm(first - 1), text.norm(first - 2)
    is_signed = sign in (",", ".") and before in _WORDS.before_a_signature and after >= text.length - 1
    if text[first].is_capitalised and (is_signed or (sign == "." and before in _WORDS.titles)):
        return True  # "Kind regards, Jo Hill", "dott. Rossi"
    is_name = (
        after == first + 1
        and text[first].is_capitalised
        and text.norm(first - 1) not in _WORDS.leads - _WORDS.joins
    )
    is_short = len(raw) > 1 and raw.endswith("s") and not raw[-2].isalpha()
    return is_name and (
        is_short or text.norm(after) in _WORDS.tells_of_one or text.match(_SAID.and_me, after) > 0
    )


def joined(phrases: list[_Phrase]) -> list[_Phrase]:
    """Return the same, where words that stand side by side are one phrase."""
    whole: list[_Phrase] = []
    for first, after in phrases:
        whole.append((whole.pop()[0] if whole and whole[-1][1] == first else first, after))
    return whole


def without_phrases(text: Text, phrases: Iterable[tuple[int, int]]) -> str:
    """Return the message with blanks for the phrases."""
    letters = list(text.source)
    for first, after in phrases:
        start, end = text[first].start, text[after - 1].end
        letters[start:end] = " " * (end - start)
    return "".join(letters)


def _told(message: Message) -> Message:
    """What a message asks for; a word that only tells whom it is about counts where nothing else tells."""
    is_of_stay = message.is_of_stay and not message.agents
    return replace(message, acts=frozenset(), is_bare=False, is_elsewhere=False, is_of_stay=is_of_stay)


def _says_something(message: Message) -> bool:
    return bool(message.says_something or message.slots or message.agents)


_LONGEST_HINT = 30
"""Tokens of a message that is looked through: longer ones that say nothing tell a story."""
_READINGS_AT_MOST = 6


def find_hint(
    text: Text, places: Collection[PlaceMention], stay: City | None, read: Callable[[str], Message]
) -> Message | None:
    """Return what the phrases of a message say that tell a fact alone, None if none of them does.

    `places` are those that were found in the message, `stay` is the city that the journey goes to, which a
    place may have been named beside, and `read` reads words as if they were all of the message.
    A place that is introduced ("from Berlin") was read, and is nothing to this request; a name that is a
    place only where it stands alone is none here: "jazz", "won".
    """
    if text.length > _LONGEST_HINT:
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
    unused = (Refused(said=text.spelled(*one), reason="not_understood") for one in joined(others))
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
        for first, after in _phrases(text, clause, ()):
            while text.norm(first) in NO_WISH and first + 1 < after:
                first += 1
            parts = [first]
            for at in range(first + 1, after):
                if (at in named) != (at - 1 in named):
                    parts.append(at)
            for begun, end in zip(parts, (*parts[1:], after), strict=True):
                if not text[begun].is_number or text.norm(begun + 1) in _WORDS.ordinals:
                    yield begun, end


def beside_an_assent(text: Text) -> str:
    """Return the words beside an assent that may carry a wish, "" where there are none, or no assent."""
    agreeing = {at + step for at in range(text.length) for step in range(text.match(_AGREES, at))}
    if not agreeing or decision_in(text.source) is not None:
        return ""
    besides = [
        at
        for at in range(text.length)
        if at not in agreeing
        and (text[at].is_word or text[at].is_number)
        and text.norm(at) not in NO_WISH | _WORDS.no_wish_beside_an_assent
    ]
    return text.spelled(besides[0], besides[-1] + 1) if besides else ""


def find_withdrawn(text: Text, wishes: Sequence[str]) -> tuple[str, ...]:
    """Return those of the wishes, told in earlier messages, that a message takes back in one sentence."""
    found: dict[str, None] = {}
    for first, after in text.sentences if wishes else ():
        if text.find(_SAID.takes_back, first, after) < 0:
            continue
        said = {text.norm(at) for at in range(first, after)}
        found.update((wish, None) for wish in wishes if _words_of_wish(wish) <= said)
    return tuple(found)


def _words_of_wish(wish: str) -> set[str]:
    """The words of a wish that count, all of them if none does."""
    words = {token.norm for token in Text(wish).tokens if token.is_word or token.is_number}
    return words - NO_WISH or words
