"""The words hotels are called by, in English: chains, what a house calls itself, and what is no name."""

from ..language.numbers import NUMBER_WORDS
from ..language.text import word_set

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
