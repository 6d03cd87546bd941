"""Words that decide what a message is about, as they are mistyped: "fligth", "nihgts", "stpo".

Two letters that changed places and, in longer words, one that is left out or doubled give the word away,
unless the result is a word itself. Names of cities are forgiven elsewhere, where it is known that a place
must stand.
"""

from collections.abc import Iterator


def _word_set(spelled: str) -> frozenset[str]:
    return frozenset(spelled.split())


_WORDS = _word_set(
    """
    flight flights hotel hotels night nights room rooms stop cancel return people adults guests passengers
    weekend tonight tomorrow january february april august september october november december monday
    tuesday wednesday thursday friday saturday sunday direct business economy instead actually forget change
    search breakfast tickets cheaper airport without hostel apartment returning leaving somewhere please
    nonstop restaurant morning evening afternoon cheapest fastest quickest earliest layover layovers coming
    departure arrival arriving available options booking parking kitchen luggage children passenger insurance
    """
)
_WORDS_THEMSELVES = _word_set("fight fights guess gusts potions")
_LETTERS_FOR_ONE_LESS = 6
_OTHERWISE = {
    "wich": "which", "whitch": "which", "hw": "how",
    "hotell": "hotel", "hotal": "hotel", "holtel": "hotel", "hotles": "hotels", "nite": "night",
    "nites": "nights", "janurary": "january", "januray": "january", "febuary": "february",
    "feburary": "february", "septemeber": "september", "setember": "september", "augest": "august",
    "novemeber": "november", "decemeber": "december", "dezember": "december", "tomorow": "tomorrow",
    "tommorow": "tomorrow", "tommorrow": "tomorrow", "tmrw": "tomorrow", "tmr": "tomorrow",
    "wensday": "wednesday", "wendesday": "wednesday", "saterday": "saturday", "saturaday": "saturday",
    "frinday": "friday", "sunaday": "sunday", "restuarants": "restaurants", "teh": "the", "form": "from",
    "fomr": "from", "frm": "from", "accomodation": "accommodation", "accomodations": "accommodations",
    "buisness": "business", "bussiness": "business", "canel": "cancel", "nvm": "nevermind", "pls": "please",
    "plz": "please", "tix": "tickets", "wendsday": "wednesday", "wednsday": "wednesday",
    "wedensday": "wednesday", "wensdy": "wednesday", "wedneday": "wednesday", "thrusday": "thursday",
    "thurday": "thursday", "tuseday": "tuesday", "tusday": "tuesday", "satarday": "saturday",
    "munday": "monday", "fryday": "friday", "firday": "friday", "nxt": "next", "2moro": "tomorrow",
    "2morrow": "tomorrow", "tomoro": "tomorrow", "tomorro": "tomorrow", "tmrrw": "tomorrow",
    "bak": "back", "bck": "back", "moring": "morning", "mornin": "morning", "evenin": "evening",
    "afternon": "afternoon", "arvo": "afternoon", "brekkie": "breakfast", "brekky": "breakfast",
    "pers": "persons", "childrens": "children", "childs": "children",
    "2day": "today", "2nite": "tonight", "tonite": "tonight", "wk": "week", "wks": "weeks",
    "wknd": "weekend", "wkend": "weekend", "hotl": "hotel", "htl": "hotel", "hotle": "hotel",
    "flght": "flight", "fligt": "flight", "flt": "flight", "flts": "flights", "sry": "sorry",
    "soz": "sorry", "aftr": "after", "befor": "before", "anythng": "anything", "anyting": "anything",
    "cheepest": "cheapest", "nyt": "night", "nyts": "nights", "nits": "nights", "nght": "night",
    "nghts": "nights", "arival": "arrival", "retun": "return", "ppl": "people", "pax": "passengers",
    "ticktes": "tickets", "depature": "departure", "frmo": "from", "jannuary": "january",
    "decembre": "december", "decmber": "december", "novembre": "november", "hiya": "hello",
    "heya": "hello", "hii": "hi", "heyy": "hey", "wud": "would", "cud": "could", "shud": "should",
    "poss": "possible", "smth": "something", "sth": "something", "smthg": "something",
    "sumthing": "something", "somthing": "something", "btwn": "between", "btween": "between",
    "btwen": "between", "abt": "about", "bout": "about", "coz": "because", "cuz": "because",
    "thru": "through", "thurz": "thursday", "wkends": "weekends", "bday": "birthday", "hols": "holidays",
    "apt": "apartment", "wen": "when", "wot": "what", "wat": "what", "gonna": "going", "diff": "difference",
    "avail": "available", "incl": "including",
    "thx": "thanks", "thnx": "thanks", "thanx": "thanks", "thnks": "thanks", "tq": "thanks",
    "bok": "book", "boook": "book", "boko": "book", "bokk": "book",
    "mins": "minutes", "cheep": "cheap", "chep": "cheap", "cheapst": "cheapest", "rly": "really",
    "prob": "probably", "defo": "definitely", "approx": "about", "yh": "yeah", "yea": "yeah", "yup": "yes",
    "yep": "yes", "kk": "ok", "okey": "ok", "oki": "ok",
}  # fmt: skip


def _mistyped(word: str) -> Iterator[str]:
    for at in range(len(word) - 1):
        yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if len(word) >= _LETTERS_FOR_ONE_LESS:
        for at in range(1, len(word) - 1):
            yield word[:at] + word[at + 1 :]
            yield word[:at] + word[at] + word[at:]


SPELLINGS = {
    wrong: word
    for word in sorted(_WORDS)
    for wrong in _mistyped(word)
    if wrong not in _WORDS_THEMSELVES | _WORDS
} | _OTHERWISE
"""A mistyped word, folded, to the word that is meant."""
