"""How a message relates to the request before it: a new one, a change, an addition, an answer, or neither.

The rules look at three things: whom the message names, whether what it says contradicts what is known,
and words that only make sense after something ("actually", "instead", "there").
"""

from ..details.bare import books
from ..details.hotel_names import is_same_hotel
from ..details.wishes import has_wish
from ..language.text import Text, phrases, word_set
from ..message import Message
from ..result import Agent, Place, Relation, Understanding
from ..talk.assent import assent, declines
from ..talk.closing import is_closing
from ..talk.found_words import asks_about_what_is_found
from ..talk.fresh_starts import starts_afresh
from ..talk.questions import asks_about, asks_for_more, asks_only_about, asks_what_a_word_means
from ..talk.stopping import breaks_off
from .prompt import Prompt
from .slots import Slots

_LIKES = word_set("love like hate enjoy adore loved liked hated")
_SHORT = 8

_TURN = phrases(
    "actually", "instead", "rather", "make it", "make that", "make the", "change", "switch",
    "what about", "how about", "no wait", "sorry", "i meant", "i mean", "correction", "update",
    "modify", "but", "try", "the same for", "the same but", "the same in", "same for", "same but",
    "same thing for", "same thing in", "same again for",
)  # fmt: skip
_THERE = phrases(
    "there", "same dates", "same city", "same place", "that city", "as well", "also", "too", "for the trip"
)
_GREETING = phrases("hi", "hello", "hey", "good morning", "good evening", "good afternoon")
_ADDITION = word_set("and also plus")
_MAY = phrases("may", "might", "could", "can i", "in case")
_WORDS_BEFORE = 4
_YES_OR_NO = phrases(
    "yes", "yeah", "yep", "yup", "sure", "ok", "okay", "correct", "right", "exactly", "no", "nope",
    "sounds good", "that works", "that's fine", "perfect", "fine", "go ahead", "book it", "do it",
    "please do", "great",
)  # fmt: skip
_COURTESY = phrases(
    "thanks", "thank you", "thx", "cheers", "bye", "goodbye", "good bye", "hi", "hello", "hey",
    "good morning", "good evening", "good afternoon", "see you", "that's all", "that is all",
    "nothing else", "no thanks", "no thank you", "have a nice day", "have a good day", "appreciate it",
)  # fmt: skip


def find_relation(
    message: Message, said: Slots, previous: Understanding | None, prompt: Prompt, *, is_agreed: bool
) -> Relation:
    """Return how a message relates to what went before.

    `said` is what it says, for whom it may be about; with `is_agreed` that includes what it agrees to.
    """
    text, named = message.text, message.topic.agents
    known = Slots(flight=previous.flight, hotel=previous.hotel) if previous else Slots()
    active = active_agents(previous)
    if _is_stop(message):
        return "stop"
    if is_closing(text) or asks_what_a_word_means(text) or _tells_a_liking(message):
        return "other"
    says_nothing = not (message.says_something or message.hotel_names or message.wished_of)
    says_nothing_new = says_nothing and set(named) <= set(active)
    if active and says_nothing_new and asks_about_what_is_found(text):
        return "other"
    is_refusal = says_nothing_new and not prompt.asks_details and declines(text)
    if active and is_refusal:
        return "other"
    if not named:
        if message.topic.is_elsewhere or prompt.is_elsewhere:
            return "other"
        return "answer" if is_agreed else _of_unnamed(message, said, previous, prompt)
    names_another = said.hotel.name is not None and not is_same_hotel(said.hotel.name, known.hotel.name)
    if _is_about_something_else(message, names_another=names_another, is_running=bool(active)):
        return "answer" if is_agreed else "other"
    is_turn = turns(text)
    refers = is_turn or text.has(_THERE) or text.norm(0) in _ADDITION
    if not active or previous is None or (previous.relation == "stop" and not refers):
        return "new"
    contradicts = _contradicts(said, known)
    if starts_afresh(text) and _is_complete(said, named):
        return "new"
    if not set(named) <= set(active):
        return "new" if contradicts and not refers else "add"
    answers = is_agreed or prompt.is_answered_by(said) or prompt.asks_details
    answers = answers or (_is_praise(message) and prompt.is_reply)
    if contradicts and not is_turn and not answers and _is_complete(said, named):
        return "new"
    return "answer" if answers and not (is_turn and _changes(said, known)) else "refine"


def active_agents(previous: Understanding | None) -> tuple[Agent, ...]:
    """Return the agents of a request that is still known, whether or not the last message was about it."""
    return previous.wanted if previous else ()


def missing_of(previous: Understanding | None) -> tuple[str, ...]:
    """Return what the request before still lacks, also when something else was said since."""
    if previous is None:
        return ()
    agents = previous.agents or active_agents(previous)
    return Understanding(relation="new", agents=agents, flight=previous.flight, hotel=previous.hotel).missing


def _of_unnamed(message: Message, said: Slots, previous: Understanding | None, prompt: Prompt) -> Relation:
    """The relation of a message that names neither flights nor hotels."""
    text, active = message.text, active_agents(previous)
    known = Slots(flight=previous.flight, hotel=previous.hotel) if previous else Slots()
    wishes = bool(message.wished_of) or ("hotel" in active and has_wish(text))
    if not message.says_something:
        if active and asks_for_more(text):
            return "refine"
        if wishes:
            return "answer" if prompt.asks_details else "refine"
        if active and prompt.asks_details and not asks_about(text) and not text.match(_GREETING, 0):
            return "answer"
        if not active and message.is_bare and books(text):
            return "new"
        is_decided = text.match(_YES_OR_NO, 0) > 0 and text.length <= _SHORT and not text.has(_COURTESY)
        return "answer" if prompt.asked and is_decided else "other"
    if asks_about(text) and not (asks_for_more(text) or wishes) and not said.filled & {"flight.origin"}:
        return "other"
    if not active:
        has_route = said.flight.origin is not None and said.flight.destination is not None
        has_stay = said.hotel.city is not None and said.hotel.check_in is not None
        return "new" if has_route or has_stay or message.is_bare else "other"
    if not said.filled and not said.cleared:
        return "other"
    is_route = said.flight.origin is not None and said.flight.destination is not None
    is_whole = is_route and said.flight.departure_date is not None and message.shift is None
    if is_whole and _differ(said.flight.destination, known.flight.destination) and not turns(text):
        return "new"
    answers = prompt.is_answered_by(said) or prompt.asks_details
    return "answer" if answers and not (turns(text) and _changes(said, known)) else "refine"


def turns(text: Text) -> bool:
    """Whether a message says that something is to become different."""
    at = text.find(_TURN)
    return at >= 0 and not text.match_before(_MAY, at, within=_WORDS_BEFORE)


def _is_praise(message: Message) -> bool:
    """Whether a message likes what was found, and wants nothing else: "that flight works for me"."""
    return not message.says_something and assent(message.text) == "yes" and not asks_for_more(message.text)


def _tells_a_liking(message: Message) -> bool:
    """Whether somebody tells what they like doing, and nothing they want: "I love reading on planes"."""
    text = message.text
    begins = text.norm(0) == "i" and text.norm(1) in _LIKES and text.norm(2).endswith("ing")
    return begins and not message.says_something


def _is_stop(message: Message) -> bool:
    """Whether a message breaks off, and wants nothing in the same breath."""
    is_only_that = not (message.says_something or message.topic.agents or message.topic.is_elsewhere)
    return is_only_that and breaks_off(message.text)


def _is_about_something_else(message: Message, *, names_another: bool, is_running: bool) -> bool:
    """Whether flights or hotels are only mentioned: "find a restaurant near the hotel".

    A question about a hotel not spoken of before (`names_another`) asks for that hotel. While a request
    `is_running`, what it is asked about says nothing new: "is it a flight to Rome?".
    """
    if message.says_something:
        return is_running and not names_another and asks_only_about(message.text)
    if message.topic.is_elsewhere:
        return True
    return asks_about(message.text) and not names_another and not asks_for_more(message.text)


def _changes(said: Slots, known: Slots) -> bool:
    """Whether anything is said that is known to be otherwise; amenities add up."""
    both = (said.filled & known.filled) - {"hotel.amenities"}
    return any(said.value(slot) != known.value(slot) for slot in both)


def _contradicts(said: Slots, known: Slots) -> bool:
    """Whether a place is said that is another than the known one."""
    known_goal = known.flight.destination or known.hotel.city
    pairs = (
        (said.flight.origin, known.flight.origin),
        (said.flight.destination, known_goal),
        (said.hotel.city, known_goal),
    )
    return any(_differ(one, other) for one, other in pairs)


def _differ(one: Place | None, other: Place | None) -> bool:
    return one is not None and other is not None and one.city != other.city


def _is_complete(said: Slots, named: tuple[Agent, ...]) -> bool:
    """Whether a message says enough to stand alone."""
    route = said.flight.destination is not None and (said.flight.origin or said.flight.departure_date)
    stay = said.hotel.city is not None and said.hotel.check_in
    return bool(("flight" in named and route) or ("hotel" in named and stay))
