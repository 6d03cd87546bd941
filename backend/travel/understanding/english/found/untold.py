"""Questions that are told by one phrase of theirs: most ask for what no offer tells, which the answer names.

Their other words are not read, so no word may be among them by which something is wished for.
"""

from ...found import FoundQuestion, Kind, Topic, Which
from ..dates.points import MONTHS
from ..language.tables import lists_of, phrases_of, words_of
from ..language.text import Phrases, Text, phrases

_SAID = phrases_of("found")
_WORDS = words_of("found")

_LONGEST = 16
_FEW = 4
_LIGHT = 3


def _asks(
    topic: Topic, *said: str, of: Kind | None = None, wanted: str = ""
) -> tuple[FoundQuestion, Phrases]:
    return FoundQuestion(topic=topic, agent=of, wanted=wanted), phrases(*said)


def _untold(wanted: str, *said: str, of: Kind | None = None) -> tuple[FoundQuestion, Phrases]:
    return _asks("untold", *said, of=of, wanted=wanted)


_OF_THE_WHOLE = (
    _asks(
        "price",
        "per room or", "per person or", "per night or", "per head or", "each or", "total or",
        "for both of us",
        "for all of us", "for everyone", "for the whole stay", "for all nights", "for the whole time",
        "for two people", "for everybody", "for us both", "for one person or", "or per person",
        "or per room", "or per night", "or each", "or in total", "or for both", "or for all",
    ),
    _asks(
        "dates",
        "round trip", "roundtrip", "one way or", "return or", "return ticket", "return flight or",
        "there and back", "both ways", "a return", "one way only", "just one way", "returns or",
    ),
    _asks(
        "bags", "with bags", "with bag", "with a bag", "with luggage", "with baggage", "with a suitcase",
        "with a checked bag", "with hand luggage", "with checked bags", "come with bags", "come with a bag",
        "come with luggage", "with suitcases", "with a carry on", "with a carry - on", of="flight",
    ),
    _asks("carrier", "budget airline", "low cost airline", "a low cost",
          "low cost",
          "good airline", "a real airline", of="flight"),
    _asks("departure", "red eye", "overnight", "night flight", "overnight flight", of="flight"),
    _untold("how quiet it is", "quiet", "noisy", "loud", "peaceful", of="hotel"),
    _untold("how safe the area is", "safe", "dangerous", "safe at night", of="hotel"),
)  # fmt: skip
"""Asked of "it", "that" or "the hotel" only: "is that per person or for both?"."""

_ANYWHERE = (
    _asks(
        "price",
        "break up", "breakup", "break down", "breakdown", "break it down", "break that down", "split up",
        "itemised", "itemized", "price split", "fare split", "how is the price made up",
        wanted="taxes and fees",
    ),
    _asks(
        "bags", "include bags", "include luggage", "include baggage", "include a bag",
         "include suitcases", "include checked bags", "cabin bag",
        "cabin bags", "cabin luggage", "cabin baggage", "carry on bag", "carry - on bag",
        "carry on bags", "overhead bag", "come with bags", "come with a bag", "come with luggage",
        "comes with bags", "bags extra", "luggage extra", "pay extra for bags", "extra for bags",
        "extra for luggage", "pay for bags", "pay for luggage", of="flight",
    ),
    _asks(
        "refund",
        "cancel it if", "cancel if", "cancel when", "cancel it when", "cancel in case", "cancel it in case",
        "cancel this if", "cancel that if", "cancel them if", "cancel later", "cancel it later",
        "if i cancel",
        "if we cancel", "when i cancel", "have to cancel", "need to cancel", "had to cancel", "gets sick",
        "cancellation fee", "cancelation fee", "cancellation charge", "cancellation cost", "get sick",
        "cancellation costs", "fall ill", "falls ill", "gets ill", "get ill", "plans change", "comes up",
        "our plans change", "money back if", "change my mind", "change our mind", "change our minds",
        "cancel after", "cancel it after", "cancel at the last minute", "cancel last minute", "no show",
        "cant make it", "can not make it", "lose my money", "lose the money",
    ),
    _asks(
        "change",
        "change the dates later", "change the date later", "change dates later", "change it later",
        "change it if", "change if", "change the flight if", "change the flight later", "change fee",
        "change fees", "rebooking fee", "move it later", "change my flight later", "change the dates if",
        "change the date if", "change the date afterwards", "change the dates afterwards",
        of="flight",
    ),
    _asks("price", "which currency", "what currency", wanted="other currencies"),
    _asks(
        "details", "whats included", "what is included", "what do i get", "what do we get",
        "whats in the price", "what is in the price", "what does it include", "what does that include",
        "included in that price", "included in the price", "what comes with it", "whats all included",
        "what all is included", "the catch", "a catch", "fine print", "small print",
        "whats the deal with it", "downside",
        "downsides", "the conditions", "fare rules", "terms and conditions", "fare conditions", "the rules",
    ),
    _asks("layover", "long enough", "make the connection", "miss the connection", "miss my connection",
          "tight connection", "enough time to change", "wait in between", of="flight"),
    _asks("carrier", "am i flying with", "are we flying with", "do i fly with", "which airline am i",
          "who do i fly", of="flight"),
    _asks("has", "breakfast extra", "breakfast cost", "breakfast costs", "pay for breakfast",
          of="hotel", wanted="breakfast"),
    _asks("rating", "people say", "guests say", "guests think", "people think", of="hotel"),
    _asks("dates", "how many nights is that", "how many nights is it", "what day is that",
          "which day is that",
          "what dates are those", "which days are those", "what days are those", "how long is the stay"),
    _asks("why", "why is there nothing", "why are there no", "why are there none", "why nothing", "why no",
          "why so few", "why did you find nothing", "how come there is nothing", "how come there are no",
          "why cant you find", "why didnt you find", "why dont you find", "why is there no"),
    _untold("taxes and fees", "tax", "taxes", "fees", "hidden costs", "extra costs", "resort fee",
            "surcharge",
            "surcharges", "city tax", "tourist tax", "vat", "service charge", "booking fee", "extra charges",
            "additional costs", "additional charges", "hidden cost", "prices final", "price final",
            "service fee", "cleaning fee", "extra to pay"),
    _untold("deposits", "deposit", "deposits", "prepayment", "down payment"),
    _untold("payment", "pay later", "pay now", "pay at the hotel", "pay on arrival", "pay when we arrive",
            "pay upfront", "pay up front", "pay in advance", "pay at the property", "pay when i arrive",
            "pay there", "pay afterwards", "pay in cash", "pay by card", "in installments", "instalments",
            "when do i pay", "when do we pay", "pay right away", "pay straight away", "pay after"),
    _untold("sports gear", "skis", "ski equipment", "ski gear", "surfboard", "surfboards", "surf board",
            "snowboard", "snowboards", "golf clubs", "golf bag", "golf bags", "my bike", "our bikes",
            "bicycle",
            "bicycles", "sports equipment", "sport equipment", "sports gear", "kayak", "ski bag",
            "diving gear", of="flight"),
    _untold("pushchairs and car seats", "stroller", "strollers", "pram", "buggy", "car seat", "car seats",
            "pushchair", "pushchairs", of="flight"),
    _untold("musical instruments", "guitar", "cello", "violin", "instrument", "instruments", of="flight"),
    _untold("wifi on board", "wifi on board", "wifi on the plane", "wifi on the flight", "internet on board",
            "wi fi on board", "wifi onboard", "internet on the plane", of="flight"),
    _untold("terminals and gates", "terminal", "terminals", "gate", "gates", of="flight"),
    _untold("the hours of check-in at the airport", "be at the airport", "online check in",
            "check in online", "web check in", "bag drop", "check in open", "check in opens",
            "boarding time", "boarding", of="flight"),
    _untold("how heavy bags may be", "kilos", "kilo", "kg", "how heavy", "weight", "weigh", "weight limit",
            "how many pounds", of="flight"),
    _untold("through-checked bags", "recheck", "re - check", "collect my bags", "collect our bags",
            "pick up my bags", "checked through", "bags through", of="flight"),
    _untold("the choice of seats", "choose my seat", "choose our seats", "choose seats", "pick my seat",
            "pick our seats", "pick seats", "choose a seat", "pick a seat", "seat map", "seats together",
            "reserve seats", "reserve a seat", "select seats", "choose the seats", "select a seat",
            of="flight"),
    _untold("how many are left", "seats are left", "seats left", "rooms left", "rooms are left",
            "tickets left",
            "seats available", "rooms available", "still available", "it available", "that available",
            "sold out", "they available", "how full", "many are left"),
    _untold("discounts", "discount", "discounts", "promo code", "promo codes", "promo", "promotion",
            "promotions", "voucher", "vouchers", "coupon", "coupons", "student rate", "special offers",
            "senior rate", "any deals", "student price", "student fare", "special deals", "group rate"),
    _untold("miles and points", "use miles", "use my miles", "earn miles", "collect miles", "get miles",
            "earn points", "get points", "use points", "use my points", "collect points", "loyalty",
            "frequent flyer", "avios", "loyalty program", "with points", "with miles", "pay with miles"),
    _untold("how prices will change", "price go down", "price go up", "prices go down", "prices go up",
            "price drop", "prices drop", "price change", "prices change", "price rise", "prices rise",
            "get cheaper", "wait for a better price", "should i wait", "should we wait", "price went up"),
    _untold("why they cost what they do", "why so expensive", "why is it so expensive", "why so much",
            "why are they so expensive", "why is that so expensive", "why so pricey", "why so dear",
            "why is it expensive", "why is this so expensive", "why are the prices so high", "why so cheap",
            "why is it so cheap", "why is that so cheap", "how come its so expensive", "why is it so dear"),
    _untold("how big the rooms are", "how big", "how large", "room size", "size of the room", "square meters",
            "square metres", "sqm", "spacious", "how small", "size of the rooms", of="hotel"),
    _untold("the beds", "kind of bed", "kind of beds", "how many beds", "bed type", "bed types",
            "type of bed",
            "twin or double", "double or twin", "what beds", "which beds", "king size", "king bed",
            "queen bed", "one bed or two", "bed is it", "type of beds", "separate beds", of="hotel"),
    _untold("whether parking costs extra", "parking free", "parking extra", "parking cost", "parking costs",
            "pay for parking", "charge for parking", "parking included in", of="hotel"),
    _untold("the time difference", "time difference", "time zone", "time zones", "jet lag"),
    _untold("what happens after delays", "flight is late", "is delayed", "plane is late",
            "flight gets cancelled", "miss the flight", "miss my flight", of="flight"),
    _untold("photos", "photo", "photos", "picture", "pictures", "images", "pics", "videos",
            "see the rooms", "see the room", "see the hotel"),
    _untold("links and phone numbers", "phone number", "telephone number", "phone", "email address",
            "website",
            "web site", "a link", "the link", "contact details", "their number"),
    _untold("what the staff speak", "do they speak", "staff speak", "speak english there", of="hotel"),
    _untold("the age of the house", "how old is the hotel", "how old is it", "how new", "renovated",
            "newly built", "how modern", "when was it built", "is it new", of="hotel"),
    _untold("what children pay", "kids stay free", "children stay free", "kids free", "children free",
            "kids go free", "free for kids", "free for children", "kids pay", "children pay", "infants pay",
            "child fare", "child price", "child discount", "children cost", "kids cost", "price for children",
            "price for kids", "babies pay", "baby pay", "baby fly free", "children half price"),
    _untold("how it suits families", "family friendly", "kid friendly", "child friendly", "good for kids",
            "good for families", "good for children", "suitable for kids", "suitable for children",
            "ok for kids", "kids allowed", "children allowed", "adults only", of="hotel"),
)  # fmt: skip
_ARRIVAL_HOURS = FoundQuestion(topic="untold", agent="hotel", wanted="the hours of check-in and check-out")
_PETS_IN_HOTELS = FoundQuestion(topic="has", agent="hotel", wanted="pets allowed", which=Which(is_all=True))
_FEW_OF_A_PET = 10
_PETS_ABOARD = FoundQuestion(topic="untold", agent="flight", wanted="pets on board")


def find_set_question(text: Text, agents: tuple[str, ...]) -> FoundQuestion | None:
    """Return the question that a phrase of a message tells, None without any.

    `agents` are those whose offers there may be.
    """
    if _tells_of_a_pet(text) and {"hotel", "flight"} & {*agents}:
        return _PETS_IN_HOTELS if "hotel" in agents else _PETS_ABOARD
    if not agents or not 0 < text.length <= _LONGEST or not _is_one_question(text):
        return None
    is_of_it = _is_of_what_is_shown(text)
    rows = (*_OF_THE_WHOLE, *_ANYWHERE) if is_of_it else _ANYWHERE
    question = next((question for question, said in rows if _is_asked_for(text, said)), None)
    if question is None and text.has(_SAID.check_in) and not _WORDS.untold_hours.isdisjoint(text.vocabulary):
        is_asked = text.length > _FEW or not _WORDS.nouns.isdisjoint(text.vocabulary)
        question = _ARRIVAL_HOURS if is_asked else None
    if question is None and text.has(_SAID.pets):
        stays = not _WORDS.hotels.isdisjoint(text.vocabulary)
        flies = agents == ("flight",) or not _WORDS.aboard.isdisjoint(text.vocabulary)
        question = _PETS_ABOARD if flies and not stays else None
    return question if question and question.agent in (None, *agents) else None


def _tells_of_a_pet(text: Text) -> bool:
    """Whether a message tells of a pet and nothing else: "me and my dog", "we have a cat"."""
    if text.length > _FEW_OF_A_PET or _WORDS.own_pets.isdisjoint(text.vocabulary):
        return False
    return all(
        text.norm(at) in _WORDS.own_pets | _WORDS.beside_a_pet for at in range(text.length)
    ) and not text.has(lists_of("amenities")["pets"])


def _is_asked_for(text: Text, said: Phrases) -> bool:
    """Whether one of the phrases is there, and no journey after it: "any deals to Rome?" is a search."""
    at = text.find(said)
    return at >= 0 and text.norm(at + text.match(said, at)) not in ("to", "from")


def names_a_day(text: Text) -> bool:
    """Return whether a message names a day, for which there may be another search."""
    return not (_WORDS.weekdays | MONTHS.keys()).isdisjoint(text.vocabulary - {"may"}) or text.has_figures


def _is_one_question(text: Text) -> bool:
    """Whether a message is a question and nothing else, but for a few words before or after it."""
    wants = (
        _WORDS.untold_wants - {"change", "must"}
        if text.has(_SAID.must_i)
        else _WORDS.untold_wants - {"change"}
    )
    if not wants.isdisjoint(text.vocabulary) or text.has_figures:
        return False
    asking = 0
    for first, after in text.sentences:
        start = next((at for at in range(first, after) if text.norm(at) not in _WORDS.untold_openers), after)
        asks = text.norm(start) in _WORDS.untold_asking or text.norm(after - 1) == "?"
        if asks:
            asking += 1
        elif after - start > _LIGHT and text.length > _FEW:
            return False
    first = text.norm(0)
    is_short = text.length <= _FEW and first not in _WORDS.wishes | {"no", "i", "we", "not", "and", "be"}
    return bool(asking) or is_short


def _is_of_what_is_shown(text: Text) -> bool:
    """Whether a yes-or-no question is about "it" or "the ...": "is that for both of us?"."""
    for at in range(text.length - 1):
        if text.norm(at) in ("is", "are", "was", "were", "does", "do"):
            return text.norm(at + 1) in _WORDS.untold_subjects
    return text.norm(0) in ("thats", "its")
