"""Words that carry no wish by themselves: of grammar, courtesy, wanting, going, and telling of a journey."""

from ..details.fact_words import CABINS, CURRENCY_WORDS, NONSTOP, ROOMS, STARS, STOPS
from ..details.people_words import PEOPLE, RELATIVES, SEVERAL_RELATIVES
from ..language.amenities import AMENITIES
from ..language.text import Phrases, phrases, word_set


def _words(spelled: str) -> frozenset[str]:
    """The words of a list, folded like those of a message, in which "I'm" is "im"."""
    return word_set(spelled.replace("'", ""))


OF_GRAMMAR = _words(
    """
    a an the this that these those it its it's i im i'm ive i've id i'd ill i'll me my mine myself we
    we're were we've weve we'd wed we'll us our ours you your yours u ur he she they them their his her
    him who whom whose which what when where how why there here s d ll re ve m t and or but so if as
    than then also too both either neither nor because since though although while plus of to in on at
    by for from with without within into onto out up down over off about around near after before until
    till between during through via per vs versus is are be been being am was do does did done don't
    dont doesn't doesnt didn't didnt isn't isnt has have had having haven't hasn't can could can't cant
    couldn't will would won't wouldn't wont shall should shouldn't may might must let let's lets gonna
    wanna gotta that's this's there's what's who's it'll that'll there'll you're you'll they're she's
    he's not no yes any some all each every other others another else same one ones something anything
    nothing everything everyone someone anyone anybody somebody thing things way ways lot lots bit kind
    sort such very really quite just only even still already yet again once ever never always now soon
    later today more most less least much many few several first whatever however whether anyway anyhow
    obviously honestly hopefully specifically particular currently recently meantime moment ahead
    forward onward away along whole entire total new different certain specific own purchase deal aim
    clear omg howabout provides matching unique spanning changes beautiful en maybe perhaps probably
    possibly likely sometime anytime under below tops actually instead rather exactly basically
    literally simply above otherwise anymore longer
    """
)
OF_COURTESY = _words(
    """
    please pls plz thanks thank thx ty cheers hello hi hey dear greetings good morning afternoon
    evening sorry pardon excuse oh ok okay okey yeah yep yup ya nope nah sure alright right well hmm
    hm mm um uh uhm ah eh er great perfect cool nice fine wonderful awesome lovely excellent
    fantastic amazing super sweet yay wow ugh oops whoops haha lol god gosh damn argh man mate buddy
    sir madam kindly welcome appreciate appreciated course seems seem sounds sound looks confirm
    agreed agree apologize apologies darn crap dang obviously delightful ai bot yikes lordy boy girl
    complicated confusing confused stupid silly annoyed pity shame weird strange crazy typo mistyped mixed
    hun darling ma am dude btw fyi folks bye goodbye trouble rest chance finally last next interesting
    suffice enough bad wrong terrible annoying sweety honey correct absolutely definitely certainly
    """
)
OF_WANTING = _words(
    """
    want wants wanted need needs needed like likes liked love prefer preferred preferably preference
    wish wishes hope hoping think thinking thought guess suppose mean meant say said tell know see
    look looking looked find finding found search searching searched show give get getting got book
    booking booked reserve reserving reserved reservation reservations buy order plan planning
    planned arrange organise organize help assist assistance check checking try trying take taking
    make making made change changing changed switch move put add adding keep keeping kept use using
    choose pick select consider considering provide suggest recommend recommendation recommendations
    offer offers option options available availability possible ideal ideally interested happy glad
    better best ready able decide decided want'd would've feel fancy care mind matter matters works
    work going go goes went gone come comes coming came do doing set setting up start starting begin
    beginning end ending finish request requests requesting query information info details detail
    idea question fit suit suits suitable somewhere someplace anywhere wondering ask asking asked forget
    cancel remove drop skip stop wait hold hang case possibly modify update correct correction
    reschedule locate design devise craft crafting create creating formulate includes required
    require requires requirement requirements wanting needing plans intend intending scheduled
    schedule bring bringing catch scratch disregard remember remembered forgot realize realized read
    reading heard hear told mention mentioned says turns recommended recommed suggested suggestion
    suggestions criteria interest interests note called named name arrangement arrangements
    particular permit allow allows allowed used selected vacancy vacancies rent explore exploring
    enjoy touring fulfil fill fills cover span lasting pull insist insisting regarding concerning
    organizing organising research send call match experience happen choice choices additionally
    pay paying list result results continue proceed push pushed bump bumped shift shifted texted texting
    messaged wrote
    called phoned pricier dearer steep hoped longer
    """
)
OF_TRAVEL = _words(
    """
    travel travels traveling travelling traveled trip trips journey journeys vacation vacations
    holiday holidays getaway visit visits visiting break tour itinerary fly flies flying flight
    flights plane planes airplane airfare airfares fare fares ticket tickets airline airlines leave
    leaves leaving left depart departs departing departure departures return returns returning
    returned back arrive arrives arriving arrival head heading stay stays staying sleep sleeping
    spend spending hotel hotels room rooms accommodation accommodations lodging place places city
    cities town country destination origin location area airport airports day days date dates night
    nights week weeks month months weekend year time times people person passenger passengers
    outbound inbound outward homebound traveller travellers traveler travelers guest guests price prices
    cost costs budget euro euros
    dollar dollars pound pounds headed land lands landing upcoming round onward connecting
    international located accordingly comfortably persons consisting alot ya almost important bunch
    rental rentals hire hired car cars suv suvs
    minute max min facility facilities group lasts part side range type priced home house cheap
    cheaper cheapest affordable reasonable inexpensive pricey expensive
    """
)
OF_CHAT = _words(
    """
    tho btw np pref prefs ppl ouch ooh oooh aah gracias merci danke grazie hola bonjour hallo ciao
    tbh imo fyi asap yo hiya cheerio ta ideas value money afterwards throughout complete commit
    picking dropping patience
    """
)
"""What people write in a hurry, greet with and sigh, beside a wish."""
NO_WISH = OF_GRAMMAR | OF_COURTESY | OF_WANTING | OF_TRAVEL | OF_CHAT | CURRENCY_WORDS.keys()
"""Without any other word beside these nothing is asked for that a reader could have missed."""


def _words_of(*several: Phrases) -> frozenset[str]:
    return frozenset(
        word for some in several for phrases_of_it in some.values() for one in phrases_of_it for word in one
    )


COUNTED = PEOPLE | ROOMS | STARS | STOPS
KNOWN = COUNTED | _words_of(*AMENITIES.values(), NONSTOP, *(words for _, words in CABINS)) - _words(
    "car dog friendly allowed zero"
)
"""Words that facts are read by, wherever they stand. That they count need not be tried out: each trial
is a reading of half a millisecond.
"""

COMPLETING = _words(
    """
    free class rating ratings rated star stars seat seats adult adults cabin included include
    includes connection service system provides private style level joined standard
    """
)
"""Beside words that are read these say nothing more: "economy class", "free wifi"."""

LEADS = _words(
    """
    a an the my our your some any no not with without near by in at on for from to of into next
    close around only within via and or all as that has having including include
    """
)
"""What may stand before a word of a wish and belongs to it: "with a", "near my", "not"."""
TIES = LEADS | _words("is it be if but very really too this its their &") | CURRENCY_WORDS.keys()
"""What may stand between two words of one wish: "view of the sea"."""
UNITS = CURRENCY_WORDS.keys() | _words("day days night nights week weeks month months")
"""Behind a number these belong to it."""
JOINS = _words("and or but &")

WHY = _words("because cause cuz as since so although though while whereas unless")
"""A clause that begins with one of these tells why, and asks for nothing."""

SUBJECTS = _words("i i'm i've i'd i'll we we've we'd my our she he they he's she's")
"""Behind "and" one of these begins a clause of its own."""

ASKING = phrases(
    "i want", "i need", "i would", "i'd", "id like", "i also", "i will", "i'll", "i must", "we want",
    "we need", "we would", "we'd", "we will", "we'll", "we must", "can you", "could you", "can we",
    "could we", "can i", "could i", "please", "pls", "let's", "lets", "kindly", "what about", "how about",
)  # fmt: skip
"""Wherever one of these is said it begins a clause."""

OTHERS = _words("my our his her their she he they somebody someone she's he's they're they've")
"""A clause that begins with one of these tells of other people."""

BEGIN_TELLING = SUBJECTS | _words(
    "it it's that's thats this there there's theres you you're the what's that they"
)
"""Who or what a clause tells something of, if it begins with one of these."""
TELLING = _words(
    """
    is are was were am been said told says saying stayed read heard remembered know knew it's that's there's
    i'm he's she's they're
    """
)
"""With one of these a clause tells something, unless it has a word of a wish, too."""

TELLS_OF_ONE = _words("just texted messaged called phoned rang says said")
"""Behind a name at the beginning of a clause one of these tells of somebody: "Dana just texted"."""

NEEDING = _words("want wants need needs require requires prefer prefers must should")
WISHING = NEEDING | _words(
    """
    wanted wanna needing i'd id we'd wed like preferably request please pls plz finding get give
    show book reserve search look looking change make add include let's lets can could would only
    without avoid hope hoping wish provide ensure sure insist important hate
    """
)

OPENERS = JOINS | _words("now just so oh yes also well no ok okay and then probably obviously actually")
"""What may stand before the first word that counts."""
BREAKS = _words("( ) : - ... /")
REASONS = (
    RELATIVES
    | SEVERAL_RELATIVES
    | _words(
        """
        wedding weddings birthday anniversary honeymoon conference meeting meetings business
        hen hens stag bachelor bachelorette
        work job funeral party graduation parents family relatives fun leisure pleasure married
        reunion christmas year's years client golf golfing skiing ski snowboarding hiking trekking diving
        surfing
        """
    )
)
"""What somebody travels for, or with whom: told, and not wished for."""
LEAD_A_WISH = _words("with without near close next not no")
"""What begins with one of these is a wish wherever it stands."""
BOUNDS = _words("latest earliest")
"""Behind a day these say that it is the last or the first one: "by the 14th latest"."""
TITLES = _words("dr mr mrs ms miss prof professor")
"""Behind "for" one of these tells who travels: "for Dr Brandt"."""
NEARNESS = _words("near close next by around not without no only")
"""Behind one of these they are wished for, too: "near my aunt"."""
