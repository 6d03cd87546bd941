"""What one has to know about English to tell a place from a word."""

from ..language.text import Phrases, phrases, word_set


def last_words(*sets: Phrases) -> frozenset[str]:
    """Return the last words of phrases: what stands right before the place they introduce."""
    return frozenset(phrase[-1] for some in sets for several in some.values() for phrase in several)


FALSE_FRIENDS = word_set(
    """
    adam alert alice angel au austral bar bath bay bend best bo bor bush central charity chicken circle
    columbus cork cross dang david deadhorse delta diamond enterprise erie fare farewell fes fox francis
    gap garden golden grand granite gypsum hit hope hue independence jackson king lai leo liberal loans
    lodge los lucky male man mary may mercury mobile moron most nice normal normandy of orange paradise
    page pau pie point police price rapid reading red rich rock rose rugby rush sage salmon sand save
    show split spring springs star sterling success sun superior surprise tours trail troy union van
    vale valentine warm wells west white winner wood york
    """
)
"""Names of cities that are English words or first names as well: taken only where a place must stand."""

ALSO_PRAISE = word_set("nice best superior sterling central solo")
"""Names that more likely say how something is, where nothing says that a place is meant."""

NEVER_PLACES = word_set(
    """
    about after again airport anywhere april august autumn before book booking breakfast business cabin
    cancel change cheap cheaper check city class comfort confirm couple december departure destination
    different dinner direct downtown early economy email europe evening every family february find first
    flight flights flying friday friend friends general hotel hotels house january july june later leave
    leaving lunch make march midnight monday month morning nights november october other pairs party
    people person place please price prices regular return rooms saturday search september short single
    sometime south spend spring standard station stars start staying summer sunday tell tennis theirs
    there these three thursday total tourist town travel tuesday under visit wednesday week weekend
    where winter within without women argentina australia austria belgium brazil britain bulgaria
    cambodia canada chile china colombia croatia cuba denmark egypt england estonia ethiopia finland
    france georgia germany ghana greece hungary iceland india indonesia iran ireland israel italy japan
    jordan kenya korea latvia lithuania malaysia malta mexico morocco nepal netherlands nigeria norway
    pakistan peru philippines poland portugal romania russia scotland serbia slovakia slovenia spain
    sweden switzerland taiwan tanzania texas thailand tunisia turkey ukraine vietnam wales africa asia
    america california florida hawaii carolina virginia colorado arizona nevada montana utah
    pennsylvania tennessee
    """
)
"""Words that are never taken for a misspelt city, though one may be a letter away."""

REGIONS_ALSO_WORDS = word_set("us")
"""Names of regions that count in capitals only."""

NOT_A_CODE = word_set(
    """
    ALL AND ANY ARE ASK BED BIG BUT BUY BUS CAN CAR DAY EUR FLY FOR FUN GBP GET GOT HAS HER HIM HIS HOT
    HOW JPY KID LET MAN MAY MID NEW NOT NOW OFF OLD ONE OUR OUT PAY PER PET SAY SEE SHE SIX SPA SUN TAX
    TEN THE TOO TRY TWO USA USD VIA VIP WAS WAY WHO WHY WIN YES YET YOU
    """
)
"""Words in capitals that would be airport codes but are not meant so."""

FROM = phrases(
    "from", "leaving", "leave", "departing", "depart", "out of", "originating in", "starting in",
    "starting at", "starting from", "start in", "begin in", "beginning in", "based in", "live in",
    "living in", "departing in", "departing at", "depart at", "depart in", "departure from", "departure",
    "departure city", "departing city", "origin",
    "i am in", "im in", "i'm in", "we are in", "currently in",
)  # fmt: skip
TO = phrases(
    "to", "into", "towards", "toward", "visit", "visiting", "reach", "→", "->", ">", "arriving in",
    "arrive", "arriving", "arriving at", "arrive in", "arrive at", "landing in", "land in", "bound for",
    "leaving for", "leave for", "heading for", "depart for", "departing for", "for", "destination",
)  # fmt: skip
IN = phrases("in", "at", "near", "around", "within", "inside", "outside", "across")
BACK = phrases("return to", "returning to", "back to", "home to", "back in", "back from", "returning from")
TURNS_TO = phrases(
    "make it", "make that", "what about", "how about", "change to", "change it to", "switch to",
    "switch it to", "try", "actually", "rather", "prefer", "instead", "say", "i meant", "meant", "i mean",
    "mean", "keep", "stick with", "stay with", "keep it", "leave it at",
    "let's do", "lets do", "let's try", "let's say", "let's make it", "go for", "go with", "let's pick",
    "we fancy", "i fancy", "fancy",
    "i'd prefer", "i prefer", "we prefer", "we'd prefer", "thought", "thoughts", "maybe",
    "check", "look at",
)  # fmt: skip
"""After one of these a bare place takes the place of another."""

CORRECTS = phrases(
    "actually",
    "instead",
    "rather",
    "make it",
    "make that",
    "change to",
    "change it to",
    "switch to",
    "switch it to",
    "i meant",
    "meant",
)
"""With one of these a bare place takes the place of the goal, also where the start has been asked for."""

NOT_THERE = phrases(
    "not", "instead of", "rather than", "except", "anywhere but", "anything but", "don't want",
    "do not want", "dont want", "forget", "forget about", "no more", "never", "no", "keep out of", "replace",
    "swap", "exchange",
)  # fmt: skip
"""After one of these a place is one that is not wanted."""
OPPOSES = phrases("not", "instead of", "rather than")
IS = word_set("is s are would looks sounds seems might")
OVER = word_set("via over through")
THEN = word_set("then afterwards afterward onwards onward after later next finally")
NICER = word_set(
    "nicer better prettier cheaper warmer closer nearer sunnier quieter lovelier easier more much even way"
)
"""Behind a place and "is" these put it forward: "Valencia is nicer"."""

SENTENCE_BOUNDS = frozenset({"", ".", "!", "?", ";"})
CLAUSE_BOUNDS = SENTENCE_BOUNDS | {",", "-", ":"}
SMALL_BEFORE_A_PLACE = word_set("to in from for going go fly flying the at")
ONLY_BEFORE_A_PLACE = word_set("to from in into")
TRAVELS = {
    "to": word_set("flight flights fly flying plane trip travel travelling traveling go"),
    "from": word_set("flight flights fly flying plane"),
    "in": word_set("hotel hotels hostel hostels accommodation"),
}
"""Words that go with a preposition, so that a place must follow even where it is written small."""
NEVER_UNKNOWN = word_set(
    """
    north south east west northern southern eastern western centre center town city here there that this
    stay home church museum event concert catch take book booked see somewhere anywhere nowhere abroad
    advance premium english euros dollars hilton hyatt marriott sheraton radisson novotel ibis rsvp mind
    """
)
"""Words that name no city but need not be told to be none."""
HOUSES = word_set(
    """
    hotel hotels inn guesthouse hostel lodge resort suites bed house airport party restaurant theatre
    theater museum bar club gallery galleries park venue station
    """
)
"""After one of these, or before it, a name is that of a house and not of a city."""

INTRODUCTIONS = last_words(FROM, TO, IN, BACK, TURNS_TO)
BETWEEN_PREPOSITION_AND_PLACE = word_set(
    """
    the city of is will should be downtown central beautiful sunny lovely greater airport : area center
    centre old town
    """
)
JOINS_A_PAIR = word_set("to - → > /")
FILLERS = word_set(
    """
    please pls thanks thank you airport city ok okay yes sure um uh er hmm hm the a for on in at and or i
    my maybe no nope wait sorry actually oh well then instead only just rather
    """
)
"""Words beside which a name or a date still stands alone."""

ENDS_A_PLACE = word_set(
    """
    . , ; : ! ? ) - → > / & + and or from to in on for with at by next this tomorrow today tonight
    please instead between under below during around near hotel hotels flight flights via return
    returning leaving departing monday tuesday wednesday thursday friday saturday sunday january
    february april may june july august september october november december until then airport one two
    three four
    """
)
"""What follows a place written in small letters; other words say that it was no place."""
