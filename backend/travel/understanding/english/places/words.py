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

TRAVELLED_TO = word_set("bath bay cork erie hue male mobile nice reading split tours york columbus jackson")
"""Those of them that many travel to: they count in small letters too, where a place must stand."""

NEVER_PRAISE = word_set("bath cork erie york columbus jackson reading")
"""Those of them that tell nothing of a city they stand before, as "nice Paris" does."""

ORDINARY_WORDS = (FALSE_FRIENDS - TRAVELLED_TO - word_set("fes")) | word_set(
    """
    ablow abs ada adrian afore agen albert alexandra alma along alpha alta ambler andrews annette
    anthony argyle ashley aspen aurora bam banana beaver beverly bishop bol bole boulder boundary brady
    branches brandon britton bryan burns butte candle caro carroll cascade casper ceres chadron chester
    claris clayton clinton cody colby coleman colon columbia coro council craig cruz cue dillon dole
    douglas duncan eagle edwards eek errol eugene eunice eureka everett flat foley forbes gage gander
    gary george gladwin globe goba gooding gordon gore goto grants hail hampton hana havre hay helena
    hickory hinton hobbs homer hon hudson hughes hugo humera islands jackpot jasper jena johnson jordan
    jos junction kaiser lamar lander lar laura laurel leon leonora lock logan lonely louisa lower
    madison magan man marina marion marks mayo mena mesa midland miles minto mongo mora morris mullen
    nan nancy needles nelson newman norman ogle page parkes parsons perm perry philip pica pierre po
    powell pratt punia ranger regina rifle rogers rolla rosario roundup ruby russell ruston salem sari
    saul scone searcy sege selma seymour shelby sherman shire shirley sidney singleton sion snyder solo
    spencer stanley stanton station stewart stow stroud stuart summit sur tak tame taylor temple terrace
    tete tiko tok tyler una upland urbana vernon wa wales ware warren wick willow willows winder wink
    winslow wise young zero
    """
)
"""Names of towns that are words of every day, and of people: one of these counts only with a capital letter
and a preposition, or with its country. "Coming along" is not Along in India.
"""

BEFORE_A_WORD = word_set("the a an on my our with")
"""After one of these "bath" and "mobile" are no cities."""

ORDINARY_NAMES = frozenset(
    {
        "big spring", "bird island", "center island", "cold bay", "college park", "college station",
    "garden city", "green river", "half moon bay",
    "hall beach", "high level", "hill city", "junction city",
        "king city", "lands end", "lone rock", "mount house", "north bay", "old harbor", "old town",
        "park falls", "red dog", "rock hill", "show low", "spring point", "state college",
        "the pas", "union city", "union island", "universal city", "west branch", "west end", "west point",
    }
)  # fmt: skip
"""Of several words likewise: "the old town" is part of any city."""

PLACES_A_NAME = word_set("to from in into near via visit visiting at around → -> >")
"""One of these must stand before an ordinary word that is to be a town."""

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
    share shares shared sharp shark parts sites leads logos quite quits based bases alter assist ports third
    media vegan vegans settle settled recipe hamburger macro pristine poking canon
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
    "live near", "living near", "based near", "live close to", "based out of", "stuck in", "stranded in",
    "i am in", "im in", "i'm in", "we are in", "we're in", "currently in", "i am near", "i'm near",
    "we are near", "we're near", "since", "ex", "home airport", "nearest airport", "closest airport",
    "local airport", "my airport", "our airport", "me up in", "us up in", "me up at",
    "us up at",
)  # fmt: skip
LIVES = word_set("live lives lived living works studies working studying")
OTHERS = word_set(
    """
    they he she who parents mother father mom mum dad sister sisters brother brothers friend friends son sons
    daughter daughters family relatives grandparents cousin cousins aunt uncle wife husband boyfriend
    girlfriend kids children folks he's she's they're hes shes theyre also now
    """
)
"""Before "live in" these tell that it is another's home, and not where the journey starts."""

VISITS = word_set("visit visiting visits see seeing meet meeting surprise go going trip travel there's")
HOLDS = word_set("is was are has would seems looks will s might could may it's i we")
"""After a name one of these makes a sentence of it: "since Berlin is cold"."""

TO = phrases(
    "to", "into", "towards", "toward", "visit", "visiting", "reach", "→", "->", ">", "arriving in",
    "arrive", "arriving", "arriving at", "arrive in", "arrive at", "landing in", "land in", "bound for",
    "leaving for", "leave for", "heading for", "depart for", "departing for", "for", "destination",
)  # fmt: skip
IN = phrases("in", "at", "near", "around", "within", "inside", "outside", "across")
BACK = phrases(
    "return to",
    "returning to",
    "back to",
    "home to",
    "back in",
    "back from",
    "returning from",
    "return from",
    "home from",
)
BEHIND_A_SENTENCE = word_set("instead please then")
TURNS_TO = phrases(
    "can you do", "can u do", "could you do", "can we do", "could we do",
    "make it", "make that", "what about", "how about", "change to", "change it to", "switch to",
    "switch it to", "try", "actually", "rather", "prefer", "instead", "say", "i meant", "meant", "i mean",
    "mean", "i said", "we said", "i told you", "i asked for", "i typed", "i wrote", "supposed to be",
    "keep", "stick with", "stay with", "keep it", "leave it at", "let's do", "lets do", "let's try",
    "let's say", "let's make it", "go for", "go with", "let's pick", "we fancy", "i fancy", "fancy",
    "i'd prefer", "i prefer", "we prefer", "we'd prefer", "thought", "thoughts", "maybe", "this time",
    "now we want", "now i want", "now we'd like", "thinking of", "thinking about", "hoping for", "check",
    "look at",
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
    "not", "neither", "nor", "instead of", "rather than", "except", "anywhere but", "anything but",
    "don't want", "do not want", "dont want", "forget", "forget about", "no more", "never", "no",
    "keep out of", "replace", "swap", "exchange",
)  # fmt: skip
"""After one of these a place is one that is not wanted."""
ONE_OF_SEVERAL = word_set("one ones")
BEFORE_A_ROUTE = word_set("flight flights fly ticket tickets hi hello : , .") | {""}
CHANGES = word_set("change changing switch swap replace turn exchange changed")
CHANGED = word_set("it this that city destination origin place")
INTO = word_set("to with for into by")
PUTS_INSTEAD = word_set(", - but . ; to")
SAME_BUT = phrases(
    "same but", "same dates but", "same days but", "same thing but", "same trip but", "the same but",
    "same dates only", "same flight but", "same hotel but", "same search but", "same again but",
)  # fmt: skip
OPPOSES = phrases("not", "instead of", "rather than")
IS = word_set("is s are would looks sounds seems might")
OVER = word_set("via over through")
THEN = word_set("then afterwards afterward onwards onward after later next finally")
NICER = word_set(
    "nicer better prettier cheaper warmer closer nearer sunnier quieter lovelier easier more much even way"
)
"""Behind a place and "is" these put it forward: "Valencia is nicer"."""

DECIDES = phrases("it is", "it's", "it will be", "it'll be", "it shall be", "wins", "then it is")
"""Behind a place one of these says that it is chosen: "Lanzarote it is"."""

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
SETS_OUT = word_set("from leaving departing flying starting going travelling traveling , - and")
"""What may stand between a goal and where somebody sets out from."""

JOINS_A_PAIR = word_set("to - → > /")
FILLERS = word_set(
    """
    please pls thanks thank you airport city ok okay yes sure um uh er hmm hm the a for on in at and or i from
    my maybe no nope wait sorry actually oh well then instead only just rather either
    """
)
"""Words beside which a name or a date still stands alone."""

ENDS_A_PLACE = word_set(
    """
    . , ; : ! ? ) - → > / & + and or out from to in on for with at by next this tomorrow today tonight
    please instead between under below during around near hotel hotels flight flights via return
    returning leaving departing monday tuesday wednesday thursday friday saturday sunday january
    february april may june july august september october november december until then airport one two
    three four
    """
)
"""What follows a place written in small letters; other words say that it was no place."""
