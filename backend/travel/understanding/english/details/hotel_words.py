"""The words hotels are called by, in English: chains, what a house calls itself, and what is no name."""

from ..language.numbers import NUMBER_WORDS
from ..language.text import phrases, word_set

CHAINS = phrases(
    "hilton", "hiltons", "hyatt", "hyatts", "marriott", "marriot", "mariott", "sheraton", "westin",
    "radisson", "ramada", "novotel", "ibis", "mercure", "sofitel", "pullman hotel", "holiday inn",
    "holiday inn express", "crowne plaza", "intercontinental hotel", "best western",
    "best western plus", "premier inn", "travelodge", "motel 6", "super 8", "days inn", "comfort inn",
    "comfort suites", "quality inn", "la quinta", "hampton inn", "hampton by hilton", "doubletree",
    "embassy suites", "homewood suites", "fairfield inn", "residence inn", "residence inn by marriott",
    "courtyard by marriott", "courtyard marriott", "springhill suites", "towneplace suites",
    "ritz carlton", "ritz-carlton", "four seasons", "four seasons hotel", "mandarin oriental",
    "fairmont hotel", "waldorf astoria", "st regis", "st. regis", "kempinski", "steigenberger",
    "melia hotel", "nh hotel", "motel one", "moxy", "aloft hotel", "hotel indigo", "kimpton", "wyndham",
    "citizenm", "shangri-la hotel", "shangri la hotel", "peninsula hotel", "red roof inn",
    "econo lodge", "citadines", "park inn", "leonardo hotel", "scandic", "clarion hotel", "maritim",
    "express by holiday inn", "loews hotel", "omni hotel", "conrad hotel", "park hyatt", "grand hyatt",
    "hyatt regency", "hyatt place", "hilton garden inn", "staybridge suites", "candlewood suites",
    "extended stay america", "drury inn", "americinn", "baymont", "microtel", "howard johnson",
)  # fmt: skip
"""Chains of hotels all over the world, by names that are no ordinary words."""

HOUSES = phrases(
    "hotel", "inn", "lodge", "guesthouse", "guest house", "hostel", "motel", "resort", "suites",
    "b & b", "b&b", "b and b", "bed and breakfast", "bed & breakfast", "house", "hotel & suites",
    "hotel and suites", "inn & suites", "inn and suites", "lodge guesthouse", "lodge guest house",
    "house hotel", "house guesthouse", "arms hotel", "palace hotel",
)  # fmt: skip
"""What a hotel's name ends with."""

PLAIN_HOUSES = word_set("hotel house hostel motel resort suites")
"""What may as well only tell where something is: "Paris hotel", unlike "Paris Inn"."""

BEFORE_A_NAME = word_set("the at on of about for to into with from by or versus vs")
"""No hotel is spoken of behind one of these without an article, except by its name: "about acorn inn"."""

WHERE_IN_TOWN = word_set("old town city north south east west central park beach lake river hill")
"""Words that are a name only together: "the old town inn", "North Park Lodge"."""

CALLED = phrases(
    "called", "named", "name is", "by the name of", "names", "with the name", "under the name of", "name of"
)
STAYS_AT = phrases(
    "stay at", "staying at", "stayed at", "put us up at", "put me up at", "room at", "rooms at",
    "check into", "checking into", "nights at", "suite at",
)  # fmt: skip
"""What introduces the house one stays at."""

TURNS_TO = phrases(
    "what about", "what about the", "how about", "how about the", "try", "try the", "look at",
    "look at the", "check", "check the", "want", "want the", "prefer", "prefer the", "switch to",
    "switch to the", "change to", "change to the", "change it to", "change it to the",
    "change that to the", "go with", "go with the", "rating of", "rating of the", "rating for",
    "rating for the", "is there a", "is there an", "do they have a", "have a", "is the", "how's the",
    "instead of", "said", "heard", "like", "reservation at", "reservation at the", "reservations at",
    "book at", "booking at", "like the", "recommended", "recommended the", "meant", "meant the",
    "compare",
)  # fmt: skip
"""After one of these a hotel may be named by any name, if one has been named before."""

REJECTED = phrases(
    "not", "instead of", "rather than", "than", "hate", "hates", "hated", "dislike", "dislikes",
    "don't like", "doesn't like", "does not like", "do not like", "didn't like", "fan of", "boycotting",
    "avoid", "avoiding", "anything but", "sick of", "tired of", "don't want", "doesn't want", "never",
    "can't stand", "refuses to stay at", "no longer", "against",
)  # fmt: skip
"""After one of these a hotel is named that is not wanted."""

ENDS_A_NAME = word_set(
    """
    . , ; : ! ? ( ) in on for with from to please near located which that who is are was can do does has
    have i we it its if also thanks thank because since starting but or would will could and & at when
    around rated here there before after again instead then now too as someone something somebody
    """
)

NEVER_IN_A_NAME = frozenset(NUMBER_WORDS) | word_set(
    """
        a an the any some no one ones each every all both this that these those which what whichever whose
        my your our their his her its it i we you they he she me us them who where when how why there here
        and or but nor so if then than also just only even still yet too very really quite rather more
        most less least in at on of for from to with without by near about around into within over under
        as is are was were be been being am do does did done has have had will would can could should may
        might must shall let lets get got give gave take find found look looking looks see seen show
        want wants wanted need needs needed like likes liked prefer book booked booking reserve reserved
        reserving check checking try trying change changed switch call called name named stay stayed
        staying go going come coming tell say said ask know think heard read remember recommend
        recommended suggest make making search searching help please thanks thank yes yeah ok okay
        hello hi hey sorry great nice good better best bad fine cool perfect cheap cheaper cheapest
        expensive pricey moderate moderately inexpensive affordable budget luxury luxurious fancy decent
        comfortable clean quiet small big large little local central modern family boutique business
        economical upscale star stars starred rated rating price priced pricing prices range type types
        kind sort style other another same different similar new next first second third last previous
        current particular specific certain available suitable lovely beautiful nearby nearest closest
        close city town centre center downtown area areas side part north south east west northern
        southern eastern western airport beach room rooms hotel hotels place places free parking wifi
        internet wireless mentioned above actual whole entire own open full single double twin
        reservation option options something anything nothing somewhere address number phone postcode
        information info details monday tuesday wednesday thursday friday saturday sunday january february
        march april june july august september october november december today tomorrow tonight guest
        guests people person night nights bed breakfast friend friends wife husband partner boss actually
        instead maybe perhaps well oh wow ah hmm either neither wonderful amazing excellent old-fashioned
        white green theirs not never cancel stop restaurant chinese indian italian french british
        travel trip vacation weekend flight flights compare contact describe consider moment time
        romantic historic cosy cozy traditional classic posh trendy popular famous friendly pet kid kids
        child children seaside mountain country rural suburban airbnb court opera coffee tea steak
        public farm tree play light fun work authentic simple basic standard high low mid top
        rate class quality average grade middle end offered given desired following original
        chosen correct wrong right real proper
        """
)
"""Words before "hotel" or "inn" that tell what kind is meant, and never which."""
