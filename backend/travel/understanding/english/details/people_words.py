"""The words for those who travel, in English."""

from ..language.text import phrases, word_set

ADULTS = word_set("ups grownups adults adult seniors senior pensioners students student")
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
        guest tickets ticket seats seat friends folks individuals peoples
        """
    )
)
GROUPS = word_set("party group family team total families")
AFTER_A_BARE_NUMBER = word_set(
    """
    . , ; ! ? ( and in on from to at with please next this by leaving returning departing under for total
    now not instead altogether tho though actually then
    """
)
"""What may follow a number that counts people without saying so: "for two on Friday"."""

AFTER_A_PRONOUN = word_set("in at with under for from")
"""Before one of these "for one" is for a hotel or a flight, and not for one person."""

WE_ARE = phrases("we are", "we're", "there are")
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
BESIDE = word_set("and & , plus with")
RELATIVES = word_set(
    """
    wife husband girlfriend boyfriend partner spouse fiance fiancee friend son daughter mother father mom
    mum dad sister brother aunt uncle cousin nephew niece grandmother grandfather grandma grandpa boss
    colleague child kid baby toddler teenager boy girl infant one
    """
)
SEVERAL_RELATIVES = word_set(
    """
    friends sons daughters sisters brothers children kids boys girls colleagues cousins toddlers teenagers
    babies nephews nieces
    """
)
NO_TRAVELLER = word_set("wedding birthday s house place party is was has told said says thinks wants keeps")
"""After one of these a relative is spoken about, and does not come along: "for my brother's wedding"."""

JUST_ME = phrases(
    "just me", "only me", "just myself", "myself only", "by myself", "alone", "solo", "just for me",
    "for me only", "for myself", "single traveler", "single traveller", "single person",
)  # fmt: skip
TIMES = word_set("day days night nights week weeks month months")
"""Units of which a number is no group: "a total of five days"."""
