"""What somebody says who is not content with the assistant, and remarks that want nothing."""

from ..language.text import Text, phrases

_COMPLAINTS = phrases(
    "useless", "rubbish", "not what i asked", "not what i said", "not what i meant", "not what i wanted",
    "not what i want", "not what we asked", "not what we want", "not what i typed", "isn't what i asked",
    "wasn't what i asked", "got it wrong", "get it wrong", "got that wrong", "got me wrong",
    "getting it wrong", "you misunderstood", "you misunderstand", "you don't understand",
    "you didn't understand", "you do not understand", "you did not understand", "don't you understand",
    "not listening", "you never listen", "you're not listening", "don't listen", "i already told you",
    "i already said", "i told you already", "i said that already", "i already told", "i just told you",
    "i just said that", "as i said", "makes no sense", "make no sense", "doesn't make sense",
    "doesn't make any sense", "are you kidding", "you kidding", "are you joking", "is this a joke",
    "are you serious", "are you stupid", "stupid", "idiot", "terrible", "awful", "ridiculous",
    "frustrating", "annoying", "disappointing", "unbelievable", "waste of time", "wasting my time",
    "doesn't work", "does not work", "isn't working", "not working", "you keep", "wrong city",
    "wrong place", "wrong date", "wrong dates", "wrong day", "wrong days", "wrong airport", "wrong month",
    "wrong year", "wrong country", "wrong hotel", "wrong flight", "wrong number", "that's wrong",
    "that is wrong", "this is wrong", "it's wrong", "all wrong", "that's not right", "that is not right",
    "not correct", "incorrect", "that's a mistake", "you made a mistake", "not helpful", "unhelpful",
    "not helping", "no help", "why are you", "why did you", "why do you", "why would you", "why you",
    "what the hell", "wtf", "ffs", "for god's sake", "come on", "read again", "read it again",
    "read what i wrote", "try again", "that's not it", "that's not what", "i didn't say", "i didn't ask",
    "i never said", "i never asked", "i did not ask", "i did not say", "no i didn't",
)  # fmt: skip
_ABOUT_THE_PRICE = phrases(
    "expensive", "too much", "overpriced", "pricey", "steep", "a lot of money", "cheap", "good price",
    "great price", "good deal", "bargain", "costs a fortune", "can't afford", "too dear", "daylight robbery",
    "reasonable",
)  # fmt: skip
_MOODS = phrases(
    "lol", "haha", "hahaha", "wow", "omg", "oh my", "oh no", "oh dear", "oops", "nice one", "cool", "hmm",
    "hm", "ugh", "damn", "interesting", "i see", "got it", "makes sense", "good to know", "you're a star",
    "you are a star", "you're great", "well done", "brilliant", "fab", "fantastic", "you rock", "good job",
)  # fmt: skip
_ASIDE_AT_MOST = 9


def complains(text: Text) -> bool:
    """Return whether somebody says that they were not understood, or scolds: "that's not what I asked"."""
    return text.has(_COMPLAINTS)


def is_about_the_price(text: Text) -> bool:
    """Return whether a short message only finds something dear or cheap: "wow that's expensive"."""
    return text.length <= _ASIDE_AT_MOST and "?" not in text.vocabulary and text.has(_ABOUT_THE_PRICE)


def is_a_mood(text: Text) -> bool:
    """Return whether a message is no more than a sound or a word of praise: "lol", "oh dear", "nice one"."""
    at = 0
    while at < text.length:
        length = text.match(_MOODS, at) or int(not text[at].is_word)
        if not length:
            return False
        at += length
    return text.length > 0
