"""The words that decide what the user is asked to allow, and those beside them, in English."""

import re
from typing import Literal

from ..language.text import Phrases, phrases, word_set

Deed = Literal["book_flight", "book_hotel", "book_car", "hold", "cancel"]

_WHAT = (
    "it", "that", "this", "that one", "this one", "the booking", "that booking", "this booking",
    "the reservation",
)  # fmt: skip
_KINDS: dict[Deed, tuple[str, ...]] = {
    "book_flight": ("the flight", "this flight", "that flight", "my flight"),
    "book_hotel": ("the hotel", "this hotel", "that hotel", "the room", "this room", "that room", "my hotel"),
    "book_car": (
        "the car", "this car", "that car", "my car", "the rental car", "this rental car", "the rental",
    ),
}  # fmt: skip
_BEFORE_A_VERB = (
    "", "just", "i'll", "we'll", "let's", "lets", "you can", "you may", "go ahead and", "i'd like you to",
    "i would like you to", "i want you to", "feel free to",
)  # fmt: skip
_YES = (
    "yes", "yeah", "yep", "yup", "ya", "yea", "yeh", "y", "sure", "sure thing", "for sure", "ok",
    "okay", "okey", "k", "alright", "all right", "of course", "absolutely", "definitely", "certainly",
    "by all means", "go ahead",
    "go for it", "let's go for it", "lets go for it", "go on then", "you may", "you can go ahead",
    "you may go ahead", "you can proceed", "you may proceed", "please do", "please do it", "please do that",
    "please do so", "do it", "let's do it", "lets do it", "let's do this", "let's do that", "just do it",
    "do so", "do that", "do this", "proceed", "please proceed", "confirm", "confirm it", "confirmed",
    "i confirm", "i confirm it", "approve", "approve it", "approved", "i approve", "accept", "accept it",
    "accepted", "i accept", "allow", "allow it", "allow that", "allow this", "allowed", "i allow it",
    "i allow that", "i allow this", "i agree", "agreed", "fine", "that's fine", "that is fine",
    "fine by me", "fine with me", "sounds good", "sounds great", "sounds fine", "sounds perfect",
    "that works", "works for me", "i'm sure", "i am sure", "yes i do", "yes i am", "yes we do",
    "yes you may", "yess", "yesss", "yessss", "yh", "ye", "yas", "okk", "okkk", "oki", "okie", "kk", "aye",
    "affirmative", "roger that", "uh huh", "okey dokey", "okie dokie", "hell yes", "hell yeah", "heck yes",
    "oh yes", "make it so", "sounds good to me", "sounds great to me", "sounds fine to me", "fine by us",
    "go for it mate", "confirm booking", "confirm the booking", "confirm my booking", "confirm this booking",
    "i confirm the booking", "i confirm my booking", "confirm this", "confirm that", "go ahead with it",
    "go ahead with that", "go ahead with the booking", "proceed with it", "proceed with that",
    "proceed with the booking", "finalise it", "finalize it", "do the booking", "let us do it", "👍", "👌",
    "✅", "✔",
)  # fmt: skip
_BOOKS = ("book", "reserve", "buy", "take", "complete")
ALLOWS: dict[Deed, Phrases] = {
    **{
        deed: phrases(
            *_YES,
            "book", "book away", "let's book", "lets book", "you can book", "proceed to book",
            "make the booking", "make that booking", "make the reservation",
            *(f"{before} {verb} {what}".strip() for before in _BEFORE_A_VERB for verb in _BOOKS
              for what in (*_WHAT, *_KINDS[deed])),
            *(f"{yes} to {what}" for yes in ("yes", "ok", "sure") for what in (*_WHAT[:5], *_KINDS[deed])),
        )
        for deed in _KINDS
    },
    "hold": phrases(
        *_YES, "hold",
        *(f"{before} {verb} {what}".strip() for before in _BEFORE_A_VERB
          for verb in ("hold", "reserve", "keep") for what in (*_WHAT, *_KINDS["book_flight"])),
    ),
    "cancel": phrases(*_YES),
}  # fmt: skip
"""By what is asked to be allowed: "hold it" allows no booking, and "book it" no cancellation."""

CANCELS = phrases(*(f"cancel {what}" for what in (*_WHAT, "my booking", "the hold")))
"""Consent to a cancellation, after a yes; alone it may as well break off."""

CANCELS_TOO = phrases(
    *(f"{verb} {what}" for verb in ("cancel", "undo", "scrap", "drop") for what in _WHAT),
    "call it off", "take it back", "go back",
)  # fmt: skip
"""Beside a no these only say it again."""

BEFORE_A_NO = phrases(
    "wait", "wait wait", "hold on", "hang on", "hmm", "hm", "oh wait", "ah wait", "one sec", "sorry"
)

DENIES = phrases(
    "no", "nope", "nah", "naw", "nay", "n", "no way", "no thanks", "no thank you", "no thx", "no ty", "don't",
    "do not", "don't do it", "don't do that", "do not do it", "do not do that", "don't do this",
    "please don't", "please do not", "leave it", "leave it be", "leave that", "deny", "deny it", "denied",
    "i deny it", "refuse", "i refuse", "reject", "reject it", "rejected", "decline", "declined", "i decline",
    "rather not", "i'd rather not", "i would rather not", "better not", "i'd better not", "not now",
    "certainly not", "absolutely not", "definitely not", "of course not", "don't allow it",
    "do not allow it", "i don't allow it", "i do not allow it", "i don't want that", "i do not want that",
    "i don't want it", "i don't want this", "i don't want to", "i don't think so", "i said no",
    "let's not", "lets not", "i'll pass", "i will pass", "we'll pass", "pass", "hell no", "no chance",
    *(
        f"{no} {verb} {what}"
        for no in ("don't", "do not", "i don't want to", "please don't", "let's not")
        for verb in (*_BOOKS, "make", "hold", "cancel")
        for what in _WHAT
    ),
)  # fmt: skip
DENIES_ALONE = phrases(
    "thanks but no", "thanks but no thanks", "thank you but no", "thank you but no thank you", "noo",
    "nooo", "noooo", "nop", "god no", "heck no", "oh no", "never", "never ever", "none", "neither",
    "none of them", "neither of them", "none of these", "not today", "not really", "not this one",
    "not this", "i changed my mind", "i've changed my mind", "changed my mind",
    "we changed our mind", "we changed our minds", "actually no", "actually no thanks", "leave it for now",
    "i don't want it anymore", "we don't want it anymore", "i don't want it any more",
    "don't book it yet", "don't book that yet", "not for that money", "not for that price",
    "not at that price",
    "not at this price", "not for this price", "not for me", "not going to happen", "not gonna happen",
    "not happening", "not a chance", "can't", "i can't", "we can't", "i cannot", "we cannot", "i won't",
    "we won't", "can't do", "can't do it", "can't do that", "count me out", "i'm out", "we're out",
    "kill it", "bin it", "screw it", "screw that", "i'm good thanks", "i'm good thank you",
    "i'm fine thanks", "we're good thanks", "i'm good no thanks", "i'm only looking", "i'm just looking",
    "just looking", "only looking", "just browsing", "i'm just browsing", "i was just looking",
    "we're just looking", "negative", "-1", "don't you dare", "don't you dare book it",
    "don't you dare do it", "don't want it", "don't want that", "don't want this", "don't want this one",
    "i don't want this one", "i don't want that one", "don't want to", "i do not want it", "dont think so",
    "don't think so", "👎", "❌", "🚫", "✖", "🙅", "don't book", "do not book", "don't book anything",
    "do not book anything", "don't book yet",
)  # fmt: skip
"""These begin many a message that denies nothing: "I can't see the price"."""

KEEPS = phrases(
    "keep it",
    "keep that",
    "keep the booking",
    "keep my booking",
    "keep the hold",
    "cancel the cancellation",
    "cancel that cancellation",
    "don't cancel",
    "do not cancel",
    "don't cancel anything",
    "don't cancel my booking",
    "don't cancel the booking",
    "leave it as it is",
    "leave it as is",
)
"""Declines a cancellation."""

REASONS = phrases(
    "too expensive", "too much", "too dear", "too pricey", "too costly", "too high", "too steep", "too far",
    "too early", "too late", "too long", "too short", "too slow", "too small", "too risky",
    "too many stops", "very expensive", "so expensive", "overpriced", "a rip off", "a ripoff",
    "over budget", "over my budget", "over our budget", "out of my budget", "out of our budget",
    "out of budget", "beyond my budget", "above my budget", "more than i wanted to spend",
    "more than i can spend", "more than i want to spend", "more than i can afford",
    "more than we can afford", "more than i thought", "can't afford it", "i can't afford it",
    "i can't afford that", "i cannot afford it", "we can't afford it", "can't afford that",
    "cannot afford it", "cannot afford that", "not worth it", "not worth that", "no good", "not good",
    "not good enough", "not great", "not what i wanted", "not what i want", "not what i asked for",
    "not for me", "not interested", "too far out", "too far away", "too far off", "don't like it",
    "don't like that", "don't like this one", "wrong day", "wrong date", "wrong flight", "wrong hotel",
    "wrong one",
)  # fmt: skip
AROUND_A_REASON = phrases(
    "that's", "that is", "thats", "it's", "it is", "its", "this is", "i", "we", "way", "far", "a bit",
    "bit", "a little", "much", "just", "really", "still", "simply", "for me", "for us", "for that",
    "for it", "sorry", "the price is", "the price", "price is", "the flight", "the hotel", "the room",
    "the layover", "this one", "that one", "the flight time", "the departure", "is", "leaves", "departs",
    "lands", "arrives", "because", "cos", "cause", "as", "since", "and",
)  # fmt: skip
COURTESY = phrases(
    "please", "pls", "plz", "thanks", "thank you", "thx", "ty", "cheers", "then", "now", "right now",
    "just", "oh", "well", "great", "perfect", "good", "excellent", "for me", "for us", "mate",
    "sir", "madam", "ma'am", "dear", "man", "buddy", "my friend", "my dear", "cool", "nice", "lovely",
    "brilliant", "awesome", "fab", "fantastic", "wonderful", "amazing", "super", "and thank you",
    "and thanks", "many thanks", "thanks a lot", "thank you very much", "no objection",
    "no objections", "no complaints", "no questions", "very well", "i'm happy with that",
    "i'm happy with it", "i'm happy with this", "looks good", "looks great", "looks good to me", ",", ".",
    "!",
)  # fmt: skip
NO_TO: dict[Deed, Phrases] = {
    deed: phrases(
        *(f"{no} {what}" for no in ("no to", "but no to", "not", "but not", "and no to", "but don't book",
                                    "don't book", "skip", "but skip", "leave out", "without")
          for what in names)
    )
    for deed, names in _KINDS.items()
}  # fmt: skip
"""Behind a yes: of several that are to be booked in turn, that one is not."""

AFTER_A_YES = phrases(
    "both", "to both", "why not", "take my money", "the price is fine", "the price is ok",
    "the price is okay", "the price is good", "price is fine", "the price works", "that's right",
    "that is right", "correct", "that's correct", "that's the one", "exactly", "go", "let's go", "lets go",
    "that one", "this one", "i want it", "i want that", "i want this", "i want that one", "i want this one",
    "we want it", "we want that", "i want to", "we want to", "i want to book it", "i want to book",
    "we want to book it", "i'd like that", "we'd like that", "i would like that", "i'd like to",
    "i'd like to book it", "i would like to book it", "i'd like to book that", "all good",
    "all fine", "all correct", "it's all good", "it's all fine", "it's all correct", "everything is fine",
    "everything is correct", "everything is good", "everything looks good", "looks right", "looks correct",
    "that looks right", "that looks good", "that looks fine", "that looks correct", "it's correct",
    "it is correct", "that would be great", "that would be good", "that would be perfect",
    "that'd be great", "that'd be good", "i'm happy with that price", "i'm happy with the price",
    "i'm ok with that", "i'm okay with that", "i'm ok with the price", "i'm fine with that", "you can",
    "we are", "we're sure", "we are sure", "book me in", "book us in", "i am ok with that",
    "i am fine with that",
    "i am happy with that", "book them both", "book both", "i accept the price",
)  # fmt: skip
"""What is said beside a yes, and is none: it may as well be about a fact."""

NO_DENIAL = word_set(
    """
    problem problems worries idea clue wait rush hurry doubt need preference objection objections issue
    issues question questions matter yet hold hang moment more longer brainer biggie stress
    """
)
"""After "no" or "not" these deny nothing: "no problem", "no wait"."""
WANTS = word_set(
    """
    ? find search show look book reserve hold but instead other another cheaper else change try make take
    how what which where why tell different earlier later sooner second third fourth fifth faster nearer
    closer bigger smaller shorter nicer nonstop direct
    """
)
"""Who wants something beside the no, or asks, has not simply declined."""

OPENS_A_REASON = word_set(
    """
    i we it that this these those the my our your his her he she they you its it's that's thats im i'm ill
    i'll id i'd ive i've we're we've we'll there there's don't dont not no nope nah sorry thanks thank thx
    ty because cause cos as since too way really actually just please pls deal chance man mate sir lol
    absolutely definitely never forget but , . ! -
    """
) | {""}
"""Behind "no" without a comma these begin a reason; of any other word there is to be none: "no meat"."""

DONT_DENIES_NOT = word_set(
    """
    hesitate stop forget worry mind wait lose miss let care know understand delay panic ask remind you
    keep leave
    """
)
"""Behind "don't" these do not decline: "don't hesitate", "don't forget my bag"."""

ALL_GOOD = phrases(
    "all good", "all fine", "all set", "all ok", "all okay", "all clear", "looks right", "looks good",
    "looks fine", "looks great", "looks ok", "it's perfect", "it's fine", "it's good", "it's great",
    "it's ok", "that's perfect", "that's fine", "that's good", "that's great", "that's ok", "that's right",
    "is perfect", "is fine", "is great", "is ok", "is okay", "go ahead", "i'm happy", "we're happy",
    "perfect", "just this", "just that", "that's all", "that's everything", "that is all", "nothing else",
)  # fmt: skip
"""Behind a bare no these say that nothing else is wanted, or nothing to be changed."""

SAID_BEFORE = phrases("i said", "i meant", "i asked", "we said", "we meant", "i told you", "i wanted the")
OTHERWISE = phrases(
    "take the train", "take the bus", "take the car", "take the ferry", "take a train", "take a bus",
    "take the night train", "go by train", "go by car", "go by bus", "we drive", "i drive", "i'll drive",
    "we'll drive", "we're driving", "i'm driving", "drive instead", "driving instead", "drive there",
    "already bought", "already booked", "already have one", "already got one", "already have it",
    "already got it", "already paid", "already reserved", "booked it already", "bought it already",
    "booked one already", "booked already", "found it elsewhere", "found one elsewhere",
    "found something else", "found another one",
    "booked elsewhere", "booked it elsewhere", "book elsewhere", "book it elsewhere", "stay with friends",
    "staying with friends", "stay with family", "staying with family", "stay at home", "stay home",
    "staying home", "staying at home", "only wanted to", "just wanted to", "only wanted",
    "just wanted a price", "only looking", "just looking", "only asking", "just asking", "only curious",
    "just curious", "only browsing", "just browsing", "was only", "not going anymore", "not going any more",
    "not travelling", "not traveling", "somebody else", "someone else booked", "do it myself",
    "book it myself", "book directly", "book it directly",
)  # fmt: skip
"""What is done instead, without us: with a no these deny, whatever else their words could mean."""

STILL_WANTED = word_set(
    "find search show change make but hold if unless cheaper first and ? what which how when where why"
)
CONDITIONS = word_set("if unless until till except before when whether once only")
PAUSES = phrases(
    "wait", "hold on", "hang on", "one moment", "just a moment", "a moment", "one second", "just a second",
    "a second", "one sec", "a sec", "one minute", "just a minute", "a minute", "give me a", "let me think",
    "let me see", "let me check", "let me ask", "think about it", "think it over", "thinking", "not sure",
    "not yet", "unsure", "undecided", "maybe", "perhaps", "hmm", "hm", "hmmm", "i'll see", "we'll see",
    "hold it", "sleep on it", "later", "in a bit",
)  # fmt: skip
FILLERS = word_set("ok okay k alright fine")
BARE_NOS = word_set("no nope nah naw nay noo nooo sorry")
PRAISE = word_set(
    """
    great perfect good excellent looks cool nice lovely brilliant awesome fab fantastic wonderful amazing
    super
    """
)
BEFORE_A_YES = word_set("sorry just really and")
"""Of the words around a reason, those that a yes may follow as well."""

MANNERS = re.compile(r"(?:(?:oh|well|all|everything) )*(?:fine|good|great) (?:thanks|thank you|thx|ty)")
"""The answer to "how are you?", and as well a "no": "fine, thanks"."""

DECISION_AT_MOST = 14
"""Tokens up to which a message can be a decision and nothing else."""
PAUSE_AT_MOST = 14
OPENERS = word_set("oh well um uh hmm hm ah so actually sorry , . !")
