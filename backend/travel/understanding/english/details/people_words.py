"""The words for those who travel, in English."""

from ..language.text import phrases, word_set

ADULTS = word_set(
    """
    ups grownups adults adult seniors senior pensioners students student lads ladies gals guys men women
    blokes chaps gents dudes mates fellas
    """
)
GIRLS = word_set("girls boys")
"""Grown-ups where they travel among themselves: "4 girls, hen do"."""
AMONG_THEMSELVES = word_set("hen stag bachelor bachelorette bucks hens sten girls' boys' uni college")
AFTER_GIRLS = word_set("trip weekend holiday holidays break getaway night")
CHILDREN = word_set(
    """
    children child kids kid infants infant babies baby toddlers toddler teenagers teenager teens minors
    boys boy girls girl
    """
)
PEOPLE = (
    ADULTS
    | CHILDREN
    | word_set(
        """
        people ppl persons person pax passengers passenger travellers traveller travelers traveler guests
        colleagues coworkers roommates flatmates classmates teammates employees
        guest tickets ticket seats seat friends folks individuals peoples
        """
    )
)
COUNTED = PEOPLE | {"couples"}
GROUPS = word_set("party group family team total families crew gang squad class")
AFTER_A_BARE_NUMBER = word_set(
    """
    . , ; ! ? ( and in on from to at with please next this by leaving returning departing under for total
    now not instead altogether tho though actually then only max or
    """
)
"""What may follow a number that counts people without saying so: "for two on Friday"."""

AFTER_A_PRONOUN = word_set("in at with under for from")
"""Before one of these "for one" is for a hotel or a flight, and not for one person."""

SMALL_CHILDREN = word_set("baby infant newborn toddler child kid")
WE_ARE = phrases(
    "we are", "we're", "there are", "we r", "we will be", "we'll be", "we would be", "we'd be", "we are now",
    "we're now", "there would be", "there'd be", "there will be", "there'll be", "we are just", "we're just",
    "we are only", "we're only", "we are still", "there are now", "there are only",
)  # fmt: skip
BOTH_OF_US = phrases("both of us", "us both")
MAKES = phrases(
    "that makes", "which makes", "so makes", "that makes it", "that makes us", "which makes us",
    "which makes it", "this makes us", "this makes", "makes us", "makes it", "down to", "were down to",
)  # fmt: skip
IN_TOTAL = phrases(
    "in total", "in total now", "altogether", "altogether now", "all together", "in all", "now", "total",
    "total now", "then",
)  # fmt: skip
"""Behind a number these tell that it is of all who travel: "5 in total"."""
TELLS_A_TOTAL = frozenset({*MAKES, *IN_TOTAL})
BEFORE_A_TOTAL = word_set(", so . ; now")
FRIENDS = word_set(
    """
    friends mates buddies colleagues coworkers roommates flatmates classmates cousins lads girlfriends
    boyfriends besties siblings workmates housemates bffs pals
    """
)
CLOSE = word_set(
    "best closest close oldest old good dear dearest work school uni college childhood lovely great"
)
"""Between a number and friends these tell of the friends: "my three best friends"."""
OTHERS = FRIENDS | word_set(
    "others other more lads girls friends friend mates colleagues people guests adults kids children"
)
WHO_HAVE = {"i": 1, "we": 2, "me": 1}
"""Who speaks of children, and how many of them come along: "we have a toddler"."""
WHO_HAVE_GOT = {"i've": 1, "ive": 1, "we've": 2, "weve": 2, "i'm": 1, "im": 1, "we're": 2}
HAVES = word_set("have has got with bring bringing take taking travel")
WE = word_set("we us our were weve well")
SEATS = word_set("seat seats ticket tickets place places")
LEFT = word_set("left remaining")
TALKS = word_set(
    """
    check checking talk talking discuss discussing speak speaking confirm confirming consult consulting
    clear clearing agree decide deciding coordinate sync chat chatting verify align
    """
)
STAYS_WITH = phrases(
    "staying with",
    "stay with",
    "stays with",
    "live with",
    "living with",
    "sleep at",
    "sleeping at",
    "crash with",
    "crashing with",
)
THINKS_OVER = phrases(
    *(f"{verb} {it}" for verb in ("think", "thinking", "think it", "look", "go")
      for it in ("about it", "about this", "about that", "over it", "over this", "over", "at it"))
)  # fmt: skip
WORDS_TO_A_TALK = 4
"""Tokens before "with" in which one of these tells that nobody comes along: "check it with my wife"."""
OF_WHICH = phrases("of which", "of whom", "including", "incl", "among them", "two of them", "one of them")
BETWEEN = word_set(
    """
    - grown more other additional young the extra little small minor adult teenage old male female economy
    business first premium class coach flight plane airline one way round trip return
    """
)

FLIGHTS = word_set("flight flights")
FARES = word_set("economy business first premium class coach round trip return")
SPEAKER = word_set("me myself i us ourselves")
OWNERS = word_set("my our the his her your their")
BESIDE = word_set("and & , plus with +")
RELATIVES = word_set(
    """
    wife husband girlfriend boyfriend partner spouse fiance fiancee friend son daughter mother father mom
    mum dad sister brother aunt uncle cousin nephew niece grandmother grandfather grandma grandpa boss
    colleague child kid baby toddler teenager boy girl infant one gf bf hubby wifey bestie mate buddy
    roommate flatmate grandson granddaughter stepson stepdaughter missus mam mummy daddy gran granny nana
    grandad granddad stepmother stepfather housemate coworker ex bro sis kiddo sibling bff pal workmate
    """
)
SEVERAL_RELATIVES = word_set(
    """
    friends sons daughters sisters brothers children kids boys girls colleagues cousins toddlers teenagers
    babies nephews nieces mates buddies grandsons granddaughters grandchildren grandkids roommates
    flatmates housemates coworkers teens girlfriends boyfriends besties siblings workmates classmates bffs
    pals
    """
)
ELDERS = word_set(
    """
    adults adult parents seniors grownups mum mom dad wife husband mother father kids kid child children baby
    infant toddler aged age ages year years yr yrs old yo we us our my girl boy + & and , couple
    """
)
"""Beside one of these girls and boys are children, and no friends who travel."""

OFFSPRING = word_set("son sons daughter daughters kiddo grandson granddaughter grandsons granddaughters")
WE_ALONE = word_set("we were we're we've we'd we'll weve wed")
"""Where one of these tells who comes "with our 3 kids", two do."""

FATHER_OR_MOTHER = word_set(
    "gran granny grandma nan nana grandad granddad grandpa mum mom mam mummy mother dad daddy father"
)
MAY_HAVE_A_CHILD = SMALL_CHILDREN | word_set("year yr old")
NO_CHILD = word_set("seat seats - friendly bed beds ticket fare")
"""Behind "a child" these make a thing of it: "a child seat"."""

NO_TRAVELLER = word_set(
    """
    wedding birthday s house place party is was has told said says thinks wants keeps lives live lived works
    studies already bought hates loves likes recommended recommends heard had got
    """
)
"""After one of these a relative is spoken about, and does not come along: "for my brother's wedding"."""

JUDGED = word_set(
    """
    long short early late much far important tiring hard difficult easier easy better best harder good bad
    perfect great nice ideal comfortable uncomfortable suitable surprise treat gift present exhausting
    stressful expensive hot cold loud noisy safe enough fine ok okay right nicer
    """
)
"""Before "for" these tell what somebody thinks of it, and not who comes along: "too long for my wife"."""

ALL_WHO_COME = word_set("only just actually instead sorry alone")
"""Beside one of these "with my wife" names all who travel, and otherwise at least those."""

GOES_OTHERWISE = word_set("drive driving train bus walk cycle themselves")
MAY_GO = word_set("might may will would could can want wants prefer rather d ll are be to")

VISITED = word_set("visit visiting see seeing meet meeting surprise from by")
"""After one of these a relative is where the journey goes to: "to visit my daughter"."""

IN_LAW = phrases("in law", "in laws", "-in-law", "-in-laws")
BRINGS = word_set("get fly bring send flying sending bringing getting")
"""Before relatives these tell who travels, and that the speaker does not: "fly my parents to Rome"."""

TAKES = word_set("take taking treat treating")
TRAVEL = phrases(
    "want to", "need to", "would like to", "'d like to", "are flying", "are travelling", "are traveling",
    "are coming", "are visiting", "are going", "fly", "travel", "need a flight", "need flights",
    "need a hotel", "want a flight", "will fly", "will be flying", "are looking", "plan to", "wish to",
)  # fmt: skip
"""Behind relatives these tell that they travel by themselves: "my parents want to go to Rome"."""

WANTS = word_set("want wanna are would need will plan fancy wish d ll 'd 'll")
PAIR_OF_PEOPLE = word_set(
    "senior elderly retired married young old older one the for as are were , : . a -"
) | {""}
"""Before "couple" these tell of two people."""
COUPLES = word_set("couple newlyweds honeymooners")
NO_PAIR = word_set("of more days nights weeks hours times months")

JUST_ME = phrases(
    "just me", "only me", "just myself", "myself only", "by myself", "alone", "solo", "just for me",
    "for me only", "for myself", "single traveler", "single traveller", "single person",
)  # fmt: skip
YEARS = word_set("year years yr yrs")
MONTHS_OF_AGE = word_set("month months mth mths week weeks wk")
OLD = word_set("old olds")
PUTS_RIGHT = word_set("no sorry actually wait , so now then it's its")
TIMES = word_set("day days night nights week weeks month months")
"""Units of which a number is no group: "a total of five days"."""
