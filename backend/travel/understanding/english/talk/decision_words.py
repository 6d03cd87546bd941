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


NO_TO: dict[Deed, Phrases] = {
    deed: phrases(
        *(f"{no} {what}" for no in ("no to", "but no to", "not", "but not", "and no to", "but don't book",
                                    "don't book", "skip", "but skip", "leave out", "without")
          for what in names)
    )
    for deed, names in _KINDS.items()
}  # fmt: skip
"""Behind a yes: of several that are to be booked in turn, that one is not."""


OPENS_A_REASON = word_set(
    """
    i we it that this these those the my our your his her he she they you its it's that's thats im i'm ill
    i'll id i'd ive i've we're we've we'll there there's don't dont not no nope nah sorry thanks thank thx
    ty because cause cos as since too way really actually just please pls deal chance man mate sir lol
    absolutely definitely never forget but , . ! -
    """
) | {""}
"""Behind "no" without a comma these begin a reason; of any other word there is to be none: "no meat"."""


MANNERS = re.compile(r"(?:(?:oh|well|all|everything) )*(?:fine|good|great) (?:thanks|thank you|thx|ty)")
"""The answer to "how are you?", and as well a "no": "fine, thanks"."""

DECISION_AT_MOST = 14
"""Tokens up to which a message can be a decision and nothing else."""
PAUSE_AT_MOST = 14
