"""The words that tell what is done about an offer or a booking, and which one is meant, in English."""

from collections.abc import Mapping

from ...result import Bookable, Pick
from ..language.text import Phrases, phrases, word_set

BOOKS = phrases("book", "reserve", "buy", "purchase", "lock in", "secure")
HOLDS = phrases("hold", "put a hold on", "place a hold on", "set aside")
PUTS = phrases("put", "place", "keep")
ON_HOLD = phrases("on hold")
TAKES = phrases(
    "take", "i'll have", "we'll have", "i will have", "we will have", "go with", "go for", "going with",
    "go ahead with", "grab",
)  # fmt: skip
"""Said of many things: these book only what can be nothing but an offer."""

GETS = word_set("get have")
"""With an offer and "booked" behind it: "can we get the second one booked?"."""

DOES = phrases(
    "make", "complete", "confirm", "finalise", "finalize", "place", "proceed with", "go ahead with"
)
CANCELS = phrases(
    "cancel", "cancelling", "canceling", "call off", "undo", "annul", "void", "release", "drop", "revoke",
    "give back", "get rid of", "withdraw",
)  # fmt: skip
CANCELS_LAST = phrases(
    *(
        f"{verb} {what}".strip()
        for verb in ("cancel", "undo", "revoke", "annul", "call off", "reverse", "take back")
        for what in ("", "it", "that", "this", "that one", "this one", "the whole thing", "all of it", "both",
                     "them", "them both", "both of them", "all of them", "all of that", "everything", "all",
                     "the lot", "the whole lot")
    ),
    "call it off", "call that off", "take it back", "take that back", "i want to cancel",
    "i want to cancel it", "i'd like to cancel it",
    "i'd like to cancel", "i would like to cancel", "i would like to cancel it", "i need to cancel",
    "i need to cancel it", "i have to cancel", "i have to cancel it", "we have to cancel", "unbook it",
    "unbook that", "get rid of it", "give it back", "can you cancel", "can you cancel it",
    "could you cancel it", "could you cancel that", "please cancel it", "can i cancel it", "can i cancel",
)  # fmt: skip
"""Right after a booking these are about it."""

CANCELLED_IT = word_set("it that this one them")
BEHIND_A_CANCELLATION = word_set("and , . ; ! then please now instead")
LOOKS_FOR = word_set("find search look show try check see get rebook")
BESIDE_A_CANCELLATION = phrases(
    "please", "pls", "thanks", "thank you", "ok", "okay", "no", "oh no", "oh", "sorry", "actually", "again",
    "now", "then", "wait", "hmm", "on second thought", "on second thoughts", "changed my mind",
    "i changed my mind", "i've changed my mind", "we changed our minds", "my plans changed",
    "my plans have changed", "it's too expensive", "too expensive", "i made a mistake", "that was a mistake",
    "for me", "for us", "after all", "right away", "immediately", "and", "so", "but", ",", ".", "!",
    "i don't want it", "i don't want it anymore", "i don't need it anymore", "i don't need it",
)  # fmt: skip

SHOWS = phrases(
    "show", "list", "see", "view", "display", "check", "what are", "what's", "where are", "tell me",
    "give me", "look at", "look up", "remind me of", "what about",
)  # fmt: skip

DEFINITE = word_set("the this that these those")
OURS = DEFINITE | word_set("my our")
PRONOUNS = word_set("it this that them these those")
DAYS_OF_AN_OFFER = word_set("dates days")
NEW = word_set("new other changed later earlier")
"""Who books "the new dates" books what was found for them."""
TOO = phrases("too", "also", "as well")
WHICHEVER = word_set("whichever whatever")
BOTH = phrases(
    "both", "both of them", "them both", "everything", "it all", "all of it", "the lot", "the two of them",
    "the whole lot", "the whole thing", "each of them", "one of each",
)  # fmt: skip
OF_EACH = phrases(
    "of each", "of both", "for each", "for both", "each", "both", "of the two", "ones of each", "ones",
    "one of each", "one for each", "flight and hotel", "flights and hotels",
)  # fmt: skip
"""Behind a pick these say that one of each is meant: "the cheapest of each"."""
TO_WHOM = word_set("me us")
JUST = word_set("just only")
BEHIND_A_VERB_ALONE = word_set("please pls now then thanks thank you ok")
END_A_SENTENCE = frozenset({"", ".", "!", ";"})
INDIRECT = phrases(
    "a room at", "a room in", "rooms at", "rooms in", "a seat on", "seats on", "a ticket for", "tickets for",
    "a place on", "on", "in at", "into", "a seat in", "a double room at", "a single room at",
)  # fmt: skip
"""Before a definite offer these only tell what is taken of it: "a seat on the second flight"."""

FLIGHTS = word_set("flight flights ticket tickets fare connection plane seat seats")
HOTELS = word_set("hotel hotels room rooms stay accommodation hostel apartment suite guesthouse inn property")
CARS = word_set("car cars rental rentals suv suvs convertible minivan")
OFFERS = word_set("one ones option options offer offers choice result results deal suggestion")
ALONE = word_set("flight hotel car")
"""What may stand without an article where one of each has been found: "book flight and hotel"."""

BEFORE_AN_OFFER_INSTEAD = word_set(
    """
    no nope nah not yes yeah yep ok okay sure sorry actually rather well oh , . ! - i i'd id i'll ill we
    we'd we'll want wanted would like prefer need meant mean said take have give me it make let's lets go
    with for please then instead but just
    """
)
BEHIND_AN_OFFER_INSTEAD = word_set("please pls instead then rather thanks thank you thx , . !")
_NOUNS: tuple[tuple[Bookable, frozenset[str]], ...] = (("flight", FLIGHTS), ("hotel", HOTELS), ("car", CARS))
KIND_OF: dict[str, Bookable] = {noun: kind for kind, nouns in _NOUNS for noun in nouns}
NAME_OF: Mapping[Bookable, str] = {"flight": "flight", "hotel": "hotel", "car": "rental car"}
"""What a message names each kind by."""

HEADS = KIND_OF.keys() | OFFERS
CAR_CLASSES = word_set("suv convertible minivan")
"""Nouns that tell which car it is."""

BOOKINGS = word_set("booking bookings reservation reservations hold holds")
NUMBERED = word_set("number no nr num id")
PICKS: tuple[tuple[Pick, Phrases], ...] = (
    (
        "cheapest",
        phrases(
            "cheapest", "least expensive", "lowest priced", "lowest-priced", "lowest price",
            "most affordable",
        ),
    ),
    ("fastest", phrases("fastest", "quickest", "shortest")),
    (
        "best",
        phrases(
            "best rated", "best-rated", "top rated", "top-rated", "highest rated", "highest-rated",
            "best reviewed", "best", "nicest", "top",
        ),
    ),
)  # fmt: skip
PICK_OF_FLIGHT = word_set("fastest")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
ORDINALS = {word: number for number, word in enumerate(_ORDINALS, start=1)}
OF_A_CLASS = word_set("class")
QUALIFIERS = word_set(
    """
    last latest earliest earlier later next other another previous more expensive dearest priciest morning
    afternoon evening early late longest largest biggest smallest closest nearest newest worst middle
    refundable flexible central
    """
)
"""These say which offer is meant, but nothing that one is picked by."""

NEUTRAL = word_set(
    """
    very same available direct nonstop non - stop business economy premium class return outbound round trip
    way star stars rated cheap nice good lovely new double single twin standard deluxe overall of them all
    """
)
NAMED = phrases("called", "named", "by the name of")
CARRIED_BY = word_set("with by on from via")
NOT_A_NAME = word_set(
    """
    i me my we us it a an and or but if so to for from in on at with by of please now then thanks ok okay yes
    no not some any another more than the this that these those there here you your train trains bus taxi
    cab car table restaurant tickets tour trip book booking order whole entire way day week month year time
    date rest others monday tuesday wednesday thursday friday saturday sunday january february march april
    may june july august september october november december
    """
)
ENDS = word_set(
    """
    . , ; ! ? ) and & please already booked reserved for to from in on at with by you that which now then as
    too also thanks thank if out back there this today tomorrow tonight before until till while via instead or
    because so - only alone is looks sounds seems
    """
) | {""}
"""What may follow an offer that is told without a noun: "the cheapest in town", not "the best restaurant"."""

AFTER_A_PRONOUN = ENDS - word_set("in or by back out that")
"""What may follow one that is just "it": "book it for us", unlike "take it back"."""

AFTER_WHAT_IS_TAKEN = word_set(". , ; ! and & please now then too also thanks thank as instead") | {""}
"""What may follow what is taken, where only its noun tells that it is an offer: "I'll take the flight"."""

BETWEEN_AN_OFFER_AND_IT = word_set(
    """
    . , ! ; - and please then so yes ok okay looks look sounds seems is was it's its good great fine nice
    perfect best lovely ideal works well for me us i i'll ill we we'll will can could you just go ahead right
    thanks
    """
)
"""What may stand between an offer and "book it" that is about it: "the second one looks good, book it"."""

BEFORE_NO_OFFER = word_set("not no than on by isnt arent except without instead but until from for")
"""Before an offer these say that another one is meant, or that it is no offer."""

WANTING = word_set("like want need wish love try trying you")
"""Before "to book" these want it done; others tell what for: "find a hotel to book the rooms"."""

HOLDS_FOR = word_set("for until till while overnight")
TRAILS = phrases(
    "for now", "for me", "for us", "on the list", "in the list", "from the list", "on your list",
    "you found", "you showed me", "you have found", "you've found", "with my card", "right away", "right now",
    "if possible", "if you can", "if available", "if it is available", "if it's available",
    "if it is still available", "if it's still available", "if still available", "of them", "of those",
    "only", "alone",
)  # fmt: skip
"""What is said of an offer without telling anything new."""

_FOR_ANOTHER_REQUEST = [
    f"{led} {whose} {earlier} {found}"
    for led in ("from", "of", "in")
    for whose in ("the", "my", "your")
    for earlier in ("previous", "earlier", "old", "kept")
    for found in ("search", "request", "list", "results", "offers", "ones", "trip")
]
EARLIER = phrases(
    *_FOR_ANOTHER_REQUEST, "from before", "from earlier", "from last time", "you found before", "you kept",
    "you found earlier", "you showed me before", "you showed me earlier", "you showed before",
    "you had before",
    "you had found before", "i saw before", "i saw earlier", "we saw before", "we had before", "i had before",
    "that i saw before", "that i saw earlier", "that you found before", "that you found earlier",
    "that you kept", "from the search before", "from the request before", "from the one before",
    "from the first search",
)  # fmt: skip
"""Behind an offer these say that it is one of those found for another request than the last one."""

OF_A_SEARCH = word_set("search request results list offers")
"""Behind a city these name what was found for it: "the third one from the Tokyo search"."""

NOT_DONE = word_set("don't dont not never can't cant cannot won't wont without didn't didnt")
NOT_YET = word_set("if before when once after unless whether until till how why what where about")
"""Before the verb these say that it is not to be done now, or not by us."""
PUT_OFF = word_set("later myself ourselves yourself elsewhere if unless someday")
QUESTIONS = word_set(
    """
    what whats how hows why when whens where wheres which who whos is are was were do does did should would
    shall has have had am will isnt arent dont doesnt
    """
)
REQUESTS = phrases(
    "would you",
    "will you",
    "do me a favour and",
    "do book",
    "do reserve",
    "do the needful",
    "please do the needful",
    "do the necessary",
)
OPENERS = word_set("ok okay so and then but well yes yeah great perfect please now or good fine , alright")
QUOTES = frozenset('"“”«»„')

BOUGHT = word_set("booked reserved held bought purchased")
DONE_BY = word_set("i we you i've we've you've ive weve youve")
US = word_set("i we you and or to")
WILL = word_set("will shall")
"""Behind anybody else than us these tell what others do: "my boss will book it"."""

BEFORE_BOOKINGS = word_set("my our all the any some current existing open other of")
BEFORE_A_BOOKING = OURS | word_set("booked existing current whole of")
OWN = word_set("my our all any existing current")
AFTER_BOOKINGS = word_set("so far now please then again there are do i have we thanks at the moment yet list")
OF_A_BOOKING = word_set("reference references number numbers code codes ref id confirmation details status")
"""What is asked of a booking: its list tells all of them."""
ASKS_WHAT = word_set("what which have did whats is was has are how")
PAID = word_set("paid spent")
BY_US = word_set("i we you u")
ENDS_WHAT = word_set("now already yet then please")
WORDS_TO_WHAT = 2
"""What may stand before the question: "remind me what I booked"."""

WENT_THROUGH = tuple(
    tuple(each.split())
    for each in (
        "did it go through", "did that go through", "has it gone through", "has that gone through",
        "did my booking go through", "did the booking go through", "did our booking go through",
        "am i booked",
        "are we booked", "is my booking confirmed", "is the booking confirmed", "is our booking confirmed",
        "is it confirmed", "is that confirmed", "did it work", "did the booking work",
        "did my payment go through",
        "did the payment go through", "is it all booked", "is everything booked", "was it booked",
        "has it been booked", "has my booking been confirmed", "was my booking successful",
        "did you get it booked",
        "so did it go through", "and did it go through", "did this go through", "is my flight confirmed",
        "is my hotel confirmed", "are we confirmed", "am i confirmed", "did the reservation go through",
    )
)  # fmt: skip
"""How one asks whether a booking was made."""
