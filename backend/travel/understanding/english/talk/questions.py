"""Whether a message asks about something rather than for it, or asks for other results than those shown."""

from ..language.tables import phrases_of, words_of
from ..language.text import Text, phrases

_SAID = phrases_of("talk")
_WORDS = words_of("talk")

_NO_QUESTIONS = {("do", "not"), ("has", "to"), ("have", "to")}
_WHETHER_IT_GOES = phrases(
    "can that be done", "can this be done", "can it be done", "could that be done", "can you do that",
    "could you do that", "does that work", "would that work", "will that work", "what do you think",
    "is that too much to ask", "am i asking too much",
    *(
        f"{is_it} {so}"
        for is_it in ("is that", "is this", "is it", "would that be", "would it be", "will that be")
        for so in ("ok", "okay", "possible", "doable", "fine", "alright", "all right", "feasible")
    ),
)  # fmt: skip
_SHORT_OF = 2
_OF_US = frozenset({("do", "you"), ("do", "u")})
_SHORT = 12


def question_beside(text: Text) -> range:
    """Return the tokens of a question behind what it asks about: "with breakfast, is that possible?"."""
    begun = next((at for at in range(1, text.length) if text.match(_WHETHER_IT_GOES, at)), 0)
    after = begun + text.match(_WHETHER_IT_GOES, begun) if begun else 0
    is_end = all(
        not text[at].is_word or text.norm(at) in _WORDS.behind_a_tag for at in range(after, text.length)
    )
    is_beside = begun > 0 and is_end and (text.norm(begun - 1) in _WORDS.questions_ends or begun > _SHORT_OF)
    return range(begun, text.length) if is_beside else range(0)


def asks_for_more(text: Text) -> bool:
    """Return whether a message wants to see other results than those it was shown."""
    return text.has(_SAID.more)


def asks_what_a_word_means(text: Text) -> bool:
    """Return whether a message asks for an explanation: "what does nonstop mean?"."""
    begins = text.find(_SAID.explain)
    if begins >= 0:
        return True
    is_what = text.norm(0) in ("what", "whats") or text.norm(1) in ("what", "whats")
    return is_what and not text.vocabulary.isdisjoint(_WORDS.means) and text.length <= _SHORT


def asks_about(text: Text) -> bool:
    """Return whether a message asks a question rather than for something."""
    if asks_what_a_word_means(text) or (_begins_a_question(text, 0) and not text.match(_SAID.asking_for, 1)):
        return True
    first = _after_openers(text, 0)
    if first and (text.norm(first), text.norm(first + 1)) in _OF_US and _begins_a_question(text, first):
        return True
    return _ends_in_question(text)


def _begins_a_question(text: Text, at: int) -> bool:
    pair = text.norm(at), text.norm(at + 1)
    is_contracted = pair[0] == "were" and len(text[at].raw) > len("were")
    is_statement = is_contracted or pair in _NO_QUESTIONS or (pair[0] == "am" and pair[1] != "i")
    is_of_price = pair == ("how", "much") and any(text.match(_SAID.shown, at + step) for step in (3, 4))
    is_request = (text.match(_SAID.asking_for, at) > 0 and not is_of_price) or pair == ("will", "you")
    return pair[0] in _WORDS.asking and not is_request and not is_statement


def _ends_in_question(text: Text) -> bool:
    """Whether the last sentence, after others, is a question of that kind: "I'm reading. Is Paris nice?"."""
    if text.norm(text.length - 1) != "?":
        return False
    start = next(
        (at + 1 for at in range(text.length - 2, -1, -1) if text.norm(at) in (".", ",", "!", ";")), 0
    )
    return start > 0 and _begins_a_question(text, start)


def asks_only_about(text: Text) -> bool:
    """Return whether every sentence asks about the flight shown: "And when does my flight land in Rome?"."""
    said = [(first, after) for first, after in text.sentences if after - first > 1]
    return bool(said) and all(
        (text.match(_SAID.tell, first) or _begins_a_question(text, _after_openers(text, first)))
        and 0 <= text.find(_SAID.shown, first) < after
        and not any(text.norm(at) in _WORDS.questions_wants for at in range(first, after))
        for first, after in said
    )


def goes_on_to_ask(text: Text) -> bool:
    """Return whether the first sentence is a question about what is shown: "Ok, where is it?"."""
    first, after = next(iter(text.sentences), (0, 0))
    return text.norm(after) == "?" and _begins_a_question(text, _after_openers(text, first))


def _after_openers(text: Text, first: int) -> int:
    return next(
        (at for at in range(first, text.length) if text.norm(at) not in _WORDS.questions_openers), first
    )
