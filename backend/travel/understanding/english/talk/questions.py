"""Whether a message asks about something rather than for it, turns from what was said, or refers to it."""

from ..language.tables import phrases_of, words_of
from ..language.text import Text

_SAID = phrases_of("talk")
_WORDS = words_of("talk")

_NO_QUESTIONS = {("do", "not"), ("has", "to"), ("have", "to")}
_OF_US = frozenset({("do", "you"), ("do", "u")})
_OF_WHICH = _WORDS.utmost | _WORDS.asking_which | _WORDS.beside
_SHORT_OF = 2
_SHORT = 12
_WORDS_BEFORE = 4


def question_beside(text: Text) -> range:
    """Return the tokens of a question behind what it asks about: "with breakfast, is that possible?"."""
    begun = text.find(_SAID.whether_it_goes, 1)
    after = begun + text.match(_SAID.whether_it_goes, begun)
    is_end = all(
        not text[at].is_word or text.norm(at) in _WORDS.behind_a_tag for at in range(after, text.length)
    )
    is_beside = begun > 0 and (text.norm(begun - 1) in _WORDS.questions_ends or begun > _SHORT_OF)
    return range(begun, text.length) if is_beside and is_end else range(0)


def asks_for_more(text: Text) -> bool:
    """Return whether a message wants to see other results than those it was shown."""
    return text.has(_SAID.more)


def asks_what_a_word_means(text: Text) -> bool:
    """Return whether a message asks for an explanation: "what does nonstop mean?"."""
    is_what = not text.said(0, 2).isdisjoint(("what", "whats"))
    is_meant = is_what and not text.vocabulary.isdisjoint(_WORDS.means) and text.length <= _SHORT
    return is_meant or text.has(_SAID.explain)


def asks_about_what_is_found(text: Text) -> bool:
    """Return whether a message asks about the results there are, and for nothing else.

    "Which one is the cheapest?" wants nothing searched, unlike "something cheaper" or "other options".
    """
    if text.length > _SHORT:
        return False
    is_which = not text.vocabulary.isdisjoint(_WORDS.utmost) and text.vocabulary <= _OF_WHICH
    return text.has(_SAID.found) or (is_which and not text.vocabulary.isdisjoint(_WORDS.asking_which))


def asks_about(text: Text) -> bool:
    """Return whether a message asks a question rather than for something."""
    if asks_what_a_word_means(text) or (_begins_a_question(text, 0) and not text.match(_SAID.asking_for, 1)):
        return True
    first = _after_openers(text, 0)
    if first and (text.norm(first), text.norm(first + 1)) in _OF_US and _begins_a_question(text, first):
        return True
    if text.norm(text.length - 1) != "?":
        return False
    # The last sentence, after others, may be a question: "I'm reading. Is Paris nice?".
    signs = (at for at in range(text.length - 2, -1, -1) if text.norm(at) in (".", ",", "!", ";"))
    start = next(signs, -1) + 1
    return start > 0 and _begins_a_question(text, start)


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
        (text.match(_SAID.tell, first) or _begins_a_question(text, _after_openers(text, first)))
        and 0 <= text.find(_SAID.shown, first) < after
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
