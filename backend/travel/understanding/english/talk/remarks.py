"""What a message says beside a search: whether it asks, greets, complains, tells a story or takes it back;
and replies to what asks for no search. They may be said while one runs, so they claim nothing about it.

Asides are clauses about something else than the journey: of the past, a birthday, a price that rose. Their
places, days and amounts change nothing: "I lived in Kyoto for 4 years", "why is nothing on Friday". To undo,
to redo and to start over say nothing else: "go back on Friday" is about a flight. A value of an earlier
request is wanted again by a sentence that names what is meant, and says that it is the earlier one.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from ...message import Right
from ...result import Agent
from ...slot_table import SLOTS
from ..language.cars import Cars, asks_for_car
from ..language.numbers import whole_number
from ..language.sentences import clauses
from ..language.tables import phrases_of, rows_of, words_of
from ..language.text import Phrases, Text, any_of
from ..slot_words import FOUND
from .decisions import decision_in
from .stops import answers_later, consults, only_answers_later, says_only

# --- Questions -----------------------------------------------------------------------------------------


_SAID = phrases_of("talk")
_WORDS = words_of("talk")
_LANGUAGE_WORDS = words_of("language")

_NO_QUESTIONS = {("do", "not"), ("has", "to"), ("have", "to")}
_OF_WHICH = _WORDS.utmost | _WORDS.asking_which | _WORDS.beside
_SHORT = 12
_WORDS_BEFORE = 4


def question_beside(text: Text) -> range:
    """Return the tokens of a question behind what it asks about: "with breakfast, is that possible?"."""
    begun = text.find(_SAID.whether_it_goes, 1)
    if begun < 0:  # as nearly always
        return range(0)
    after = begun + text.match(_SAID.whether_it_goes, begun)
    is_end = all(
        not text[at].is_word or text.norm(at) in _WORDS.behind_a_tag for at in range(after, text.length)
    )
    return range(begun, text.length) if is_end else range(0)


def asks_for_more(text: Text) -> bool:
    """Return whether a message wants to see other results than those it was shown."""
    return text.has(_SAID.more)


def asks_what_a_word_means(text: Text) -> bool:
    """Return whether a message asks for an explanation: "what does nonstop mean?"."""
    is_what = not text.said(0, 2).isdisjoint(("what", "whats"))
    is_meant = is_what and not text.vocabulary.isdisjoint(_WORDS.means)
    return is_meant or text.has(_SAID.explain)


def asks_about_what_is_found(text: Text) -> bool:
    """Return whether a message asks about the results there are, and for nothing else.

    "Which one is the cheapest?" wants nothing searched, unlike "something cheaper" or "other options".
    """
    if text.length > _SHORT:
        return False
    is_which = not text.vocabulary.isdisjoint(_WORDS.utmost) and text.vocabulary <= _OF_WHICH
    return text.has(_SAID.found) or (is_which and not text.vocabulary.isdisjoint(_WORDS.asking_which))


@lru_cache(maxsize=8)
def asks_about(text: Text) -> bool:
    """Return whether a message asks a question rather than for something."""
    return asked_from(text) < text.length


@lru_cache(maxsize=8)
def asked_from(text: Text) -> int:
    """Return where the question of a message begins, its length if it asks none.

    The last sentence, after others, may be one: "I'm reading. Is Paris nice?".
    """
    if asks_what_a_word_means(text) or (_begins_a_question(text, 0) and not text.match(_SAID.asking_for, 1)):
        return 0
    if text.norm(text.length - 1) != "?":
        return text.length
    signs = (at for at in range(text.length - 2, -1, -1) if text.norm(at) in (".", ",", "!", ";"))
    start = next(signs, -1) + 1
    return start if start > 0 and _begins_a_question(text, start) else text.length


def _begins_a_question(text: Text, at: int) -> bool:
    pair = text.norm(at), text.norm(at + 1)
    is_contracted = pair[0] == "were" and len(text[at].raw) > len("were")
    asks_why = pair == ("why", "not") and text.norm(at + 2) in _WORDS.why_not
    is_statement = is_contracted or pair in _NO_QUESTIONS or (pair[0] == "am" and pair[1] != "i")
    is_of_price = pair == ("how", "much") and any(text.match(_SAID.shown, at + step) for step in (3, 4))
    is_asked_for = text.match(_SAID.asking_for, at) > 0 and not (is_of_price or asks_why)
    is_request = is_asked_for or pair == ("will", "you")
    return pair[0] in _WORDS.asking and not is_request and not is_statement


def asks_only_about(text: Text) -> bool:
    """Return whether every sentence asks about the flight shown: "And when does my flight land in Rome?"."""
    said = [(first, after) for first, after in text.sentences if after - first > 1]
    return bool(said) and all(
        0 <= text.find(_SAID.shown, first) < after
        and (text.match(_SAID.tell, first) or _begins_a_question(text, _after_openers(text, first)))
        and text.said(first, after).isdisjoint(_WORDS.questions_wants)
        for first, after in said
    )


def goes_on_to_ask(text: Text) -> bool:
    """Return whether the first sentence is a question about what is shown: "Ok, where is it?"."""
    first, after = next(iter(text.sentences), (0, 0))
    return text.norm(after) == "?" and _begins_a_question(text, _after_openers(text, first))


def _after_openers(text: Text, first: int) -> int:
    after = text.past(_WORDS.questions_openers, first)
    return after if after < text.length else first


def turns(text: Text) -> bool:
    """Return whether a message says that something is to become different."""
    at = text.find(_SAID.turn)
    return at >= 0 and not text.match_before(_SAID.may, at, within=_WORDS_BEFORE)


def refers_back(text: Text) -> bool:
    """Return whether a message refers to what was asked for before: "there", "the same dates", "and"."""
    return text.has(_SAID.there) or text.norm(0) in _WORDS.addition


def asks_for_what_is_there(text: Text) -> bool:
    """Return whether a message asks for something at the place that was spoken of last: "a hotel there"."""
    return any(
        text.norm(at + 1) == "there"
        and text.norm(at + 2) not in _WORDS.happens
        and text.norm(at - 1) not in _WORDS.known_already
        for at in text.where(_WORDS.what_is_there)
    )


def is_of_another_place(text: Text) -> bool:
    """Return whether places do not tell where the flight starts: asked about, or in the place of the goal."""
    is_instead = 0 <= text.find(_SAID.in_its_place) <= 2 or text.norm(text.length - 1) == "instead"
    return len(text.sentences) == 1 and (is_instead or goes_on_to_ask(text))


# --- Remarks, farewells and asides ---------------------------------------------------------------------


_STOPS_SAID = phrases_of("stops")

_CONSULTS = _STOPS_SAID.consults.cues | _STOPS_SAID.must_agree.cues
_SHORT_ANSWER = 8
_FIRST_WORDS = 3
_CUES = {
    *_WORDS.aside_cues,
    *any_of(_SAID.praises_us, _SAID.asks_after_us, _SAID.past, _SAID.cost_once).cues,
}
"""Without any of these words there is no aside but one that tells who is asked first."""


def greets(text: Text) -> bool:
    """Return whether a message begins with a greeting."""
    return text.match(_SAID.greeting, 0) > 0


def decides(text: Text) -> bool:
    """Return whether a message answers a yes-or-no question in few words: a courtesy is no answer."""
    return (
        text.match(_SAID.yes_or_no, 0) > 0 and text.length <= _SHORT_ANSWER and not text.has(_SAID.courtesy)
    )


def tells_a_liking(text: Text) -> bool:
    """Return whether somebody tells what they like doing: "I love reading on planes"."""
    return text.norm(0) == "i" and text.norm(1) in _WORDS.likes and text.norm(2).endswith("ing")


def complains(text: Text) -> bool:
    """Return whether somebody says that they were not understood, or scolds: "that's not what I asked"."""
    return text.has(_SAID.complaints)


def is_about_the_price(text: Text) -> bool:
    """Return whether a short message only finds something dear or cheap: "wow that's expensive"."""
    return "?" not in text.vocabulary and text.has(_SAID.about_the_price)


def is_a_mood(text: Text) -> bool:
    """Return whether a message is no more than a sound or a word of praise: "lol", "oh dear", "nice one"."""
    at = 0
    while at < text.length and (length := text.match(_SAID.moods, at) or int(not text[at].is_word)):
        at += length
    return 0 < text.length <= at


def starts_afresh(text: Text) -> bool:
    """Return whether what a message asks for has nothing to do with what was asked before: "another trip"."""
    return text.has(_SAID.fresh)


def is_closing(text: Text) -> bool:
    """Return whether a message takes its leave, and asks for nothing beside: "that's all, thank you".

    Its "today" is courtesy, and no date of a journey.
    """
    at = text.find(_SAID.closing)
    behind = at + text.match(_SAID.closing, at)
    if at < 0 or text.norm(behind) in ("is", "to"):
        return False
    if text.norm(behind) == "with" and text.norm(behind + 1) not in _WORDS.of_the_conversation:
        return False  # "I'm done with Ryanair"
    return not any(_is_request(text, first, after) for first, after in clauses(text))


def _is_request(text: Text, first: int, after: int) -> bool:
    """Whether a clause asks for something, and is not itself the farewell."""
    if text.find(_SAID.closing, first, after) >= 0:
        return False
    return text.find(_SAID.request, first, after) >= 0


def asides(text: Text, *, is_running: bool) -> frozenset[int]:
    """Return the tokens of the clauses that want nothing.

    Where a request `is_running`, that is so of days to celebrate, too: opening one they may tell its days.
    """
    may_consult = is_running and not text.vocabulary.isdisjoint(_CONSULTS)
    may_answer = not text.vocabulary.isdisjoint(_STOPS_SAID.answers.cues)
    if not (may_consult or may_answer) and text.vocabulary.isdisjoint(_CUES):
        return frozenset()
    if may_answer and text.norm(0) != "yes" and only_answers_later(text):
        return frozenset(range(text.length))
    return frozenset(
        at
        for first, after in _parts(text)
        if _is_aside(text, first, after, is_running=is_running)
        or (may_consult and consults(text, first, after))
        or (may_answer and answers_later(text, first, after))
        for at in range(first, after)
    )


def is_only_told(text: Text) -> bool:
    """Return whether a message says nothing but what changes nothing: "I lived in Kyoto for 4 years"."""
    told = asides(text, is_running=True)
    greeted = range(*next(iter(clauses(text)), (0, 0))) if greets(text) else range(0)
    return bool(told) and all(
        at in told or at in greeted or token.norm in _WORDS.openers
        for at, token in enumerate(text.tokens)
        if token.is_word
    )


def _parts(text: Text) -> Iterator[tuple[int, int]]:
    """The clauses, also those behind a "so" or "but", and behind an "and" those that want something."""
    for first, after in clauses(text):
        begun = first
        for at in range(first + 1, after):
            is_end = text.norm(at) in _WORDS.ends and text.norm(at - 1) not in _WORDS.before_an_adverb
            if is_end or (text.norm(at) == "and" and _wants(text, at, after)):
                yield begun, at
                begun = at
        yield begun, after


def _wants(text: Text, first: int, after: int) -> bool:
    return not text.said(first, after).isdisjoint(_WORDS.wants)


def _is_aside(text: Text, first: int, after: int, *, is_running: bool) -> bool:
    first = text.past(_WORDS.openers, first, after)
    begins, said = text.norm(first), text.said(first, after)
    # "Hiya love, how are you today?": its today is no day of a journey.
    asks_after_us = text.find(_SAID.asks_after_us, first, after) >= 0 and not _wants(text, first + 1, after)
    if text.match(_SAID.praises_us, first) or asks_after_us:
        return True
    if begins == "why":
        return _asks_why(text, first)
    if _wants(text, first, after) or text.find(_SAID.just_now, first, after) >= 0:
        return False
    is_of_a_feast = not said.isdisjoint(_WORDS.feasts)
    if begins in _WORDS.prices and text.find(_SAID.cost_once, first, after) >= 0:
        return any(text[at].is_number for at in range(first, after)) and not is_of_a_feast
    # "It's miserable here in Leeds": told of where somebody is, it is no place to go to.
    is_where_one_is = "here" in said and said.isdisjoint(_WORDS.who_is_here)
    if begins in _WORDS.begins_with_weather and (is_where_one_is or not said.isdisjoint(_WORDS.weather)):
        return True
    if text.said(first, min(after, first + _FIRST_WORDS)).isdisjoint(_WORDS.tellers):
        return False
    is_of_a_feast = is_of_a_feast and is_running and begins in _WORDS.tellers
    return is_of_a_feast or not said.isdisjoint(_WORDS.originally) or text.find(_SAID.past, first, after) >= 0


def _asks_why(text: Text, at: int) -> bool:
    """ "Why is there nothing on Friday?", unlike "why don't we go on Friday"."""
    behind, who = text.norm(at + 1), text.norm(at + 2)
    proposes = who in _WORDS.proposes and behind in ("don't", "dont", "not")
    return behind in _WORDS.why and not proposes


# --- What takes back what was said before --------------------------------------------------------------


_AT_MOST = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """What may be wanted again, and the words for it."""

    what: str
    words: frozenset[str]


_KINDS = {word: row.what for row in rows_of("talk", "earlier_values", _Kind) for word in row.words}


def undoes(text: Text) -> bool:
    """Return whether a message takes back the last change, or more, and no more than praises what was."""
    at = 0
    while length := text.match(_SAID.beside, at):
        at += length
    after = at + text.match(_SAID.undoes, at)
    praised = text.find(_SAID.was_fine, after) if at < after < text.length else -1
    is_praise = praised > after and text.said(after, praised) <= _WORDS.praised
    ends = is_praise and praised + text.match(_SAID.was_fine, praised) == text.length
    return ends or undoes_both(text) or undoes_all(text) or _says_only(text, _SAID.undoes)


def redoes(text: Text) -> bool:
    """Return whether a message takes back that it took back, and says nothing else."""
    return _says_only(text, _SAID.redoes)


def starts_over(text: Text) -> bool:
    """Return whether a message begins from the start, and tells nothing yet of what is wanted."""
    return _says_only(text, _SAID.starts_over)


def takes_back(message: str) -> bool:
    """Return whether a message goes back or forth by one change."""
    text = Text(message)
    return undoes(text) or redoes(text)


def _says_only(text: Text, wanted: Phrases) -> bool:
    is_short = text.length <= _AT_MOST and not text.vocabulary.isdisjoint(wanted.cues)
    return is_short and says_only(text, wanted, _SAID.beside)


undoes_both = partial(_says_only, wanted=_SAID.undoes_both)
undoes_all = partial(_says_only, wanted=_SAID.undoes_all)


def find_right(text: Text) -> Right | None:
    """Return what of an earlier request is wanted again: "Paris was right", "go back to the old dates"."""
    if text.has(_SAID.keeps_the_return):
        return Right(what="last_day", is_before=True, is_beside=not _says_only(text, _SAID.keeps_the_return))
    at = text.find(_SAID.was_right)
    if at < 0 or text.length > _AT_MOST:
        is_kept = text.has(_SAID.keeps_a_value) and not (text.has_figures or text.has_any(_WORDS.says_more))
        return _find_earlier(text) or (Right() if is_kept and text.length <= _AT_MOST else None)
    said = text.said(0, at)
    kinds = {"day": _WORDS.days, "place": _WORDS.places, "start": _WORDS.starts, "people": _WORDS.people}
    is_oldest = bool(said & _WORDS.undoing_first)
    counts = (read for each in range(at) if (read := whole_number(text, each)))
    count = next((value for value, after in counts if text.norm(after) not in _LANGUAGE_WORDS.ordinals), None)
    return Right(
        what=next((name for name, names in kinds.items() if said & names), ""),
        count=count,
        is_oldest=is_oldest,
        is_before=is_oldest or bool(said & _WORDS.undoing_before),
    )


def _find_earlier(text: Text) -> Right | None:
    for first, after in text.sentences if not text.vocabulary.isdisjoint(_KINDS) else ():
        kept = _kept_in(text, first, after)
        if kept is not None:
            return kept
        what = _kind(text, first, after) if after - first <= _AT_MOST else ""
        if what and _is_earlier(text, first, after):
            is_oldest = bool(text.said(first, after) & _WORDS.first)
            return Right(what=what, is_oldest=is_oldest, is_before=True, is_beside=len(text.sentences) > 1)
    return None


def _kept_in(text: Text, first: int, after: int) -> Right | None:
    """What a sentence wants as it was beside all else: "no, school starts, stick with the first dates"."""
    for at in range(first, after) if text.has(_SAID.sticks) else ():
        length = text.match(_SAID.sticks, at)
        of_old = at + length + (text.norm(at + length) in _WORDS.whose)
        kind = _KINDS.get(text.norm(of_old + 1), "") if length else ""
        if kind and text.norm(of_old) in _WORDS.first | _WORDS.old:
            is_oldest = text.norm(of_old) in _WORDS.first
            is_all = at - first <= 1 and of_old + 2 >= after - 1
            return None if is_all else Right(what=kind, is_oldest=is_oldest, is_before=True, is_beside=True)
    return None


def _kind(text: Text, first: int, after: int) -> str:
    """What a sentence is about, if it says nothing but that this is to be as it was."""
    said = [text.norm(at) for at in range(first, after)]
    if any(word not in _WORDS.of_earlier_values and word not in _KINDS for word in said):
        return ""
    return next((_KINDS[word] for word in said if word in _KINDS), "")


def _is_earlier(text: Text, first: int, after: int) -> bool:
    said = text.said(first, after)
    if text.norm(first) in _WORDS.asks or "same" in said:
        return False
    if said & _WORDS.undoes or ("back" in said and text.find(_SAID.back, first, after) >= 0):
        return True
    if {"day", "before"} <= said:
        return False  # "the day before" is a day earlier
    is_kept = bool(said & _WORDS.keeps)
    if said & (_WORDS.first | (_WORDS.before - {"had", "before"})):
        return is_kept or len(said - {"the", "please", "ok"}) <= 2
    return bool(
        (is_kept and said & {"had", "before"})
        or ("earlier" in said and said & {"were", "was", "use", "keep", "take", "back"})
        or (said & {"as", "like"} and said & {"was", "were"})
    )


# --- Replies, and services of others -------------------------------------------------------------------


_SERVICES_SAID = phrases_of("services")
_SERVICES_WORDS = words_of("services")

EXAMPLE = 'for example "flights and hotels in Lisbon from Berlin, 10 to 12 December"'
NOT_UNDERSTOOD = (
    f"I did not understand that. I read English, and look for flights, hotels and rental cars: {EXAMPLE}."
)
NOTHING_TO_ALLOW = (
    'No booking is waiting for your word. "Book the cheapest flight" asks for one, and "show my bookings" '
    "lists what is booked."
)
YOU_ARE_WELCOME = "You are welcome."
HELLO = "Hello. I look for flights, hotels and rental cars; tell me what you need, or what should change."
ALL_RIGHT = "All right."
NOTHING_TO_UNDO = "There is no earlier request to go back to."
_IN_THE_LIST = (
    "What I have found so far is in the list; the cheapest of each search is in my reply when it is done."
)

_FEW = 8
"""Tokens up to which a message is taken to be no more than the courtesy in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """What is replied to one of these phrases."""

    said: Phrases
    reply: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A service of others, as it is named in a sentence, and its words.

    `agent` is the one of ours that offers it, where there is that one. With `is_bought` one asks for it
    beside a flight: its days and numbers are then its own. `told` is what is said of it, "" for the usual.
    """

    name: str
    words: Phrases
    agent: Agent | None = None
    is_bought: bool = False
    told: str = ""

    @property
    def reply(self) -> str:
        """What is said of it."""
        return self.told or f"I {'cannot look up' if self.is_bought else 'do not know about'} {self.name}."


_OF_THE_ASSISTANT = rows_of("talk", "of_the_assistant", _Answer)
_AT_ANY_LENGTH = rows_of("talk", "at_any_length", _Answer)
_IN_FEW_WORDS = rows_of("talk", "in_few_words", _Answer)
SERVICES = rows_of("services", "services", Service)
_CUES_OF_SERVICES = any_of(*(one.words for one in SERVICES)).cues


def small_talk(message: str, offered: Collection[Agent] = tuple(SLOTS)) -> str:
    """Return the reply to a message that asks for no search; never empty. `offered` are our agents."""
    text = Text(message)
    if undoes(text) or redoes(text):
        return NOTHING_TO_UNDO
    if asks_about_what_is_found(text):
        return _IN_THE_LIST
    if answer := _answer(text, _OF_THE_ASSISTANT):
        return answer
    services = services_in(text, offered)
    if services:
        return " ".join([*dict.fromkeys(service.reply for service in services), what_we_do(offered)])
    if text.has(_SAID.asks_whether) and services_in(text, ()):
        return f"{what_we_do(offered)} Tell me where, and for which days."
    decision = decision_in(message)
    if decision == "allow" and not text.vocabulary.isdisjoint(_WORDS.goes_ahead):
        return NOTHING_TO_ALLOW
    if decision == "deny":
        return ALL_RIGHT
    is_short = text.length <= _FEW
    is_agreed = is_short and text.has(_SAID.agrees) and text.vocabulary.isdisjoint(_WORDS.wishes)
    answer = _answer(text, _AT_ANY_LENGTH) or (_answer(text, _IN_FEW_WORDS) if is_short else "")
    return answer or (ALL_RIGHT if is_agreed else NOT_UNDERSTOOD)


def _answer(text: Text, rows: Sequence[_Answer]) -> str:
    """The reply of the first of these rows that a message has a phrase of, "" if it has none."""
    replies = (row.reply for row in rows if text.has(row.said))
    return next(replies, "").replace("{example}", EXAMPLE)


def what_we_do(offered: Collection[Agent] = tuple(SLOTS)) -> str:
    """Return the sentence that tells what these agents find."""
    *others, last = [FOUND[agent] for agent in SLOTS if agent in offered]
    return f"I find {', '.join(others)} and {last}."


def services_in(text: Text, offered: Collection[Agent] = tuple(SLOTS)) -> tuple[Service, ...]:
    """Return the services of others that a message speaks of, unlike those by which it only tells where.

    What one of the `offered` agents finds is no service of others.
    """
    if text.vocabulary.isdisjoint(_CUES_OF_SERVICES):
        return ()
    others = (service for service in SERVICES if service.agent not in offered)
    return tuple(service for service in others if _is_spoken_of(text, service.words, 0, text.length))


def is_why_one_goes(text: Text, at: int) -> bool:
    """Return whether it is what one travels for: "to Leeds for a meeting", unlike "looking for a concert"."""
    at += text.norm(at) in _SERVICES_WORDS.definite
    if text.norm(at) not in _SERVICES_WORDS.occasions:
        return False
    first = at - 1
    while text.norm(first) in _SERVICES_WORDS.before_an_occasion:
        first -= 1
    is_looked_for = text.norm(first - 1) in _SERVICES_WORDS.looked_for
    return text.norm(first) == "for" and first < at - 1 and not is_looked_for


def goes_on(text: Text, ours: Phrases, *, offered: Collection[Agent] = tuple(SLOTS)) -> bool:
    """Return whether a message may go on about the service of others that was spoken of before it.

    It is short, and has no word of `ours`: "which one can I check in after midnight" is of a hotel.
    """
    cars: Cars = "known" if "car" in offered else "none"
    is_ours = text.has(ours) or text.has(_SERVICES_SAID.of_a_stay) or asks_for_car(text, cars)
    return text.length <= _FEW and not is_ours


def others_in(
    text: Text, ours: Phrases, *, offered: Collection[Agent] = tuple(SLOTS)
) -> tuple[frozenset[int], tuple[str, ...]]:
    """Return the tokens of the clauses about a service of others, and the names of these services.

    A clause that has a word of `ours` is about that. What one of the `offered` agents finds is left out.
    """
    if text.vocabulary.isdisjoint(_CUES_OF_SERVICES):
        return frozenset(), ()
    tokens: set[int] = set()
    names: dict[str, None] = {}
    others = [one for one in SERVICES if one.is_bought and one.agent not in offered]
    bought = [one for one in others if not text.vocabulary.isdisjoint(one.words.cues)]
    for first, after in _parts_joined(text) if bought else ():
        told = next((one for one in bought if _is_spoken_of(text, one.words, first, after)), None)
        is_either = "or" in (text.norm(first), text.norm(after))
        if told and (is_either or text.find(ours, first, after) < 0):
            names[told.name] = None
            at = text.find(told.words, first, after)
            # "Plane or train from Paris to London": the way is that of the plane as well.
            hidden = range(at, at + text.match(told.words, at)) if is_either else range(first, after)
            tokens.update(hidden)
    return frozenset(tokens), tuple(names)


def _parts_joined(text: Text) -> list[tuple[int, int]]:
    """The clauses, those that an "and" joins apart."""
    parts: list[tuple[int, int]] = []
    for first, after in clauses(text):
        ands = [at for at in range(first + 1, after) if text.norm(at) in _SERVICES_WORDS.and_word]
        parts += zip((first, *ands), (*ands, after), strict=True)
    return parts


def _is_spoken_of(text: Text, words: Phrases, first: int, after: int) -> bool:
    at = text.find(words, first, after)
    while at >= 0 and (_is_beside(text, at) or is_why_one_goes(text, at)):
        at = text.find(words, at + 1, after)
    return at >= 0


def _is_beside(text: Text, at: int) -> bool:
    """Whether it only tells near what something is, or what it is instead of: "a car instead of a cab"."""
    while text.norm(at - 1) in _SERVICES_WORDS.definite:
        at -= 1
    before, earlier = text.norm(at - 1), text.norm(at - 2)
    is_not_wanted = before in ("of", "than") and earlier in ("instead", "rather")
    is_close = before == "to" and earlier in _SERVICES_WORDS.close
    return is_not_wanted or is_close or before in _SERVICES_WORDS.near
