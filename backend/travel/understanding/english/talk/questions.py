"""Whether a message asks about something rather than for it, or asks for other results than those shown."""

from ..language.text import Text, phrases, word_set

_MORE = phrases(
    "cheaper", "cheapest", "something else", "anything else", "other options", "another option",
    "any other", "any others", "other ones", "another one", "more options", "more results",
    "show me more", "earlier", "later", "alternatives", "alternative", "different one",
    "different ones", "less expensive", "better", "others", "other flights", "other hotels",
    "what else", "anywhere else", "anyone else", "what other", "which other", "some other",
    "other choices", "other places", "any more", "next one", "other hotel", "other flight",
    "other houses", "others like", "different flight", "different hotel", "find others",
    "another flight", "another hotel", "faster", "shorter", "nicer", "sooner", "fewer stops",
)  # fmt: skip
_ASKING = word_set(
    """
    is are was were does do did will has have who whose why when where whats what how hows
    wheres whens whos which am
    """
)
_ASKING_FOR = phrases(
    "what about", "how about", "do you have", "are there", "is there", "have you got", "what flights",
    "what hotels", "which flights", "which hotels", "what are the", "what do you have", "how much",
    "is it possible", "what if", "are any", "do any", "does any", "does either", "do either",
    "is either", "is it available", "is that available", "are they available", "do they have",
    "does it have", "does it include", "does it come", "do they come", "do they offer", "does it offer",
    "which ones", "which of them", "which of these", "which of those", "which one leaves",
    "which one arrives",
)  # fmt: skip
_TELL = phrases(
    "can you tell me", "could you tell me", "can you give me", "could you give me", "can i get the",
    "can i have the", "can i get their", "can i have their", "may i have the", "may i know",
    "do you know", "would this", "would it", "could i have their", "could i have the",
    "could i get the",
)  # fmt: skip
_OPENERS = word_set("and also ok okay great sure alright cool good nice so , at from in to on by")
_NO_QUESTIONS = {("do", "not"), ("has", "to"), ("have", "to")}
_SHOWN = phrases(
    "it", "its", "the flight", "my flight", "this flight", "that flight", "the outbound", "the return",
    "the onward", "the departing", "the returning", "my return", "the ticket", "my ticket", "the plane",
    "the overnight stay", "this ticket", "this an economy", "this a first", "this a business",
)  # fmt: skip
_EXPLAIN = phrases(
    "what is meant by", "what do you mean by", "meaning of", "difference between", "explain what",
    "what exactly is", "what exactly does", "definition of", "stands for", "stand for",
)  # fmt: skip
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
_BEHIND_A_TAG = word_set("please pls thanks at all or not do you think for with them you lol too")
_ENDS = word_set(", . ; ! -")
_SHORT_OF = 2
_MEANS = word_set("mean means")
_OF_US = frozenset({("do", "you"), ("do", "u")})
_SHORT = 12
_WANTS = word_set("instead change rather find show need want book there other another else cheaper")


def question_beside(text: Text) -> range:
    """Return the tokens of a question behind what it asks about: "with breakfast, is that possible?"."""
    begun = next((at for at in range(1, text.length) if text.match(_WHETHER_IT_GOES, at)), 0)
    after = begun + text.match(_WHETHER_IT_GOES, begun) if begun else 0
    is_end = all(not text[at].is_word or text.norm(at) in _BEHIND_A_TAG for at in range(after, text.length))
    is_beside = begun > 0 and is_end and (text.norm(begun - 1) in _ENDS or begun > _SHORT_OF)
    return range(begun, text.length) if is_beside else range(0)


def asks_for_more(text: Text) -> bool:
    """Return whether a message wants to see other results than those it was shown."""
    return text.has(_MORE)


def asks_what_a_word_means(text: Text) -> bool:
    """Return whether a message asks for an explanation: "what does nonstop mean?"."""
    begins = text.find(_EXPLAIN)
    if begins >= 0:
        return True
    is_what = text.norm(0) in ("what", "whats") or text.norm(1) in ("what", "whats")
    return is_what and not text.vocabulary.isdisjoint(_MEANS) and text.length <= _SHORT


def asks_about(text: Text) -> bool:
    """Return whether a message asks a question rather than for something."""
    if asks_what_a_word_means(text) or (_begins_a_question(text, 0) and not text.match(_ASKING_FOR, 1)):
        return True
    first = _after_openers(text, 0)
    if first and (text.norm(first), text.norm(first + 1)) in _OF_US and _begins_a_question(text, first):
        return True
    return _ends_in_question(text)


def _begins_a_question(text: Text, at: int) -> bool:
    pair = text.norm(at), text.norm(at + 1)
    is_contracted = pair[0] == "were" and len(text[at].raw) > len("were")
    is_statement = is_contracted or pair in _NO_QUESTIONS or (pair[0] == "am" and pair[1] != "i")
    is_of_price = pair == ("how", "much") and any(text.match(_SHOWN, at + step) for step in (3, 4))
    is_request = (text.match(_ASKING_FOR, at) > 0 and not is_of_price) or pair == ("will", "you")
    return pair[0] in _ASKING and not is_request and not is_statement


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
        (text.match(_TELL, first) or _begins_a_question(text, _after_openers(text, first)))
        and 0 <= text.find(_SHOWN, first) < after
        and not any(text.norm(at) in _WANTS for at in range(first, after))
        for first, after in said
    )


def goes_on_to_ask(text: Text) -> bool:
    """Return whether the first sentence is a question about what is shown: "Ok, where is it?"."""
    first, after = next(iter(text.sentences), (0, 0))
    return text.norm(after) == "?" and _begins_a_question(text, _after_openers(text, first))


def _after_openers(text: Text, first: int) -> int:
    return next((at for at in range(first, text.length) if text.norm(at) not in _OPENERS), first)
