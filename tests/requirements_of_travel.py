"""What the travel assistant promises, and what holds for each write; see `requirements`."""

TRAVEL: dict[str, str] = {
    "OTHER-SERVICES-ARE-NAMED": (
        "What is asked for and is none of ours is named as such, and its values fill no slot of ours."
    ),
    "NO-LANGUAGE-IS-HALF-READ": (
        "In sixteen languages a stop stops; a request is answered in its language, never half searched."
    ),
    "ENGLISH-IS-NEVER-REFUSED": "No English message is taken for foreign, whatever places it names.",
    "TWELVE-TURNS-ARE-UNDERSTOOD": "A conversation of twelve turns, interrupted at each, is understood.",
    "A-BEST-SO-FAR": (
        "A tour has a best plan soon after its search begins, and keeps it when that is cut short."
    ),
    "THE-CHEAPEST-IS-PROVEN": (
        "A tour that is called the cheapest is: no other order, day or stay costs less."
    ),
    "FARES-ARE-WHAT-A-SEARCH-FINDS": (
        "The price of a day is that of the cheapest offer which a search for that day would find."
    ),
}

BOOKINGS: dict[str, str] = {
    "BOTH-ARE-BOOKED-IN-TURN": ("Flight and hotel of one wish are asked for and booked one after the other."),
    "CANCEL-IS-ABOUT-THE-BOOKING": (
        "Right after a booking to cancel is about that, once allowed; before it, about the search."
    ),
    "A-NO-IS-A-NO": "A no with its reason denies; who asks for time decides nothing.",
    "WRITES-ARE-ALLOWED": (
        "Nothing is changed outside unless its user has allowed just this, as quoted, and in time."
    ),
    "BEGUN-IS-FINISHED": (
        "A write that has begun finishes, whatever interrupts its task; any other never begins."
    ),
    "WRITES-ARE-NEVER-SENT-AGAIN": (
        "A write without an answer is looked up, by the next process too, before it is sent again."
    ),
    "WRITES-TAKE-TURNS": "Writes of one user run one at a time; those of others do not wait for them.",
    "BOOKED-AT-MOST-ONCE": (
        "However often a booking is sent, and wherever it is cut, there are never two of it."
    ),
    "THE-LAST-SEAT-ONCE": (
        "However many buy at the same instant, at one replica or several, no seat and no room is sold twice."
    ),
    "A-KILLED-BOOKING-IS-WHOLE": (
        "A booking that a kill cuts short is there whole or not at all, and can be looked up."
    ),
    "BOOKINGS-ARE-ONES-OWN": "Nobody reaches a booking of somebody else, nor learns that there is one.",
    "A-PAYMENT-CAN-FAIL": (
        "A demo order above 5,000 EUR is declined with a sentence, and nothing of it is booked."
    ),
}
