"""Understands a message: as a search, an act on an offer or a booking, a tour of several cities, or talk."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial

from .beside import read_each
from .dialogue.bookings import (
    after_a_stop,
    beside_a_search,
    going_on,
    is_just_booked,
    may_choose,
    not_booked,
    on_condition,
    wished_in,
    with_act,
    with_choice,
)
from .dialogue.changes import before_changes
from .dialogue.found import (
    about_what_was_found,
    agents_found,
    as_told,
    left_as_it_is,
    searches_otherwise,
    with_order,
    with_step,
    words_of_places,
)
from .dialogue.prompt import Prompt, Situation
from .dialogue.search_requests import understand_search
from .dialogue.whole_requests import (
    beside_tour,
    with_changed_tour,
    with_tour,
    with_tour_again,
    with_unused,
    without_tour,
)
from .english.bookings.acts import (
    find_act,
    find_offer_instead,
    put_right,
    without_names,
)
from .english.bookings.existing import find_booking_changed
from .english.details.airlines import find_airlines
from .english.details.prices import OF_SEVERAL_COUNTRIES, with_currency_of
from .english.details.unsearched import preferences
from .english.found.forms import asks, find_supposition, question_beside_a_remark
from .english.found.lists import find_order_beside, find_step, is_about_those_shown, wish_for_those
from .english.found.offers import find_cancelling, find_choice, find_named_choice, find_next
from .english.found.questions import compares_places, question_about, read_question, without_places_in_list
from .english.language.sentences import (
    corrected,
    negation_before,
    with_each_denied,
    without_a_first,
    without_hedges,
)
from .english.language.tables import phrases_of, words_of
from .english.language.text import Text, text_of, tokens_of
from .english.places.goals import hotels_elsewhere, left_out, without_criterion
from .english.places.places import find_places
from .english.reader import read_message
from .english.slot_words import WORDS
from .english.talk.decisions import condition_of, turned_down
from .english.talk.remarks import services_in
from .english.talk.stops import breaks_off, only_answers_later
from .english.tours.tours import changed_tour, find_tour, is_part_of
from .english.unread import find_withdrawn, without_phrases
from .found import NEXT, PLACES_COMPARED, TOPICS_OF_ONE, FoundQuestion, Which
from .languages.detect import ForeignReader, foreign_in
from .message import BookingAct, Reader
from .places.gazetteer import load_gazetteer
from .queries import filters
from .result import Agent, BookingWish, Preference, Refused, Understanding
from .slot_table import SLOTS
from .tokens import TOKENS_AT_MOST, tokenise

_NEGATIONS = words_of("language").negations
_SAID = phrases_of("english")
_WORDS_TOLD = 6
_LEAST_WANTED = 2
"""Words of the shortest clause that wants something."""

_ASKS_FOR_A_TIME = frozenset({"when", "whens", "time"})


def understand(
    message: str,
    *,
    previous: Understanding | None,
    today: date,
    prompt: Prompt | None = None,
    unread: Sequence[str] = (),
    recent: Sequence[Understanding] = (),
    alike: Sequence[Understanding] = (),
    history: Sequence[int] = (),
    redo_to: int | None = None,
    deciding: bool = False,
    unfinished: bool = False,
    answered: FoundQuestion | None = None,
    offered: Collection[Agent] = tuple(SLOTS),
) -> Understanding:
    """Return what a message means, given what was understood before it and today's date.

    `unread` are words that were left out of the message; the others make up its `Situation`. Never raises,
    whatever the message; what makes no sense is `other`.
    """
    situation = Situation(
        previous, today, prompt, recent, alike, history, redo_to, deciding, unfinished, answered, offered
    )
    message = with_each_denied(without_hedges(message))
    if OF_SEVERAL_COUNTRIES.search(message):
        message = with_currency_of(_countries_in(message, previous), message)
    message = message if foreign_in(message) else corrected(message)
    read = partial(_understood, situation=situation)
    wrong = range(0)
    if not situation.is_open and wished_in(situation.earlier, previous):
        wrong = find_booking_changed(text_of(message), just_booked=is_just_booked(previous))
    rest = text_of(message).without(wrong).source if wrong else message
    is_plain = prompt is None and not (deciding or wrong or foreign_in(message))
    understood = read_each(text_of(message), previous, read) if previous and is_plain else read(rest)
    if wrong and not understood.booking:
        stays = Refused(said=text_of(message).spelled(wrong.start, wrong.stop), reason="booking_stays")
        others = (one for one in understood.refused if one.said not in stays.said)
        understood = replace(understood, refused=(*others, stays))
    preferred = preferences(text_of(message)) if understood.agents and not foreign_in(message) else ()
    if preferred:
        understood = _with_preferences(understood, read(without_phrases(text_of(message), preferred)))
    resumed = situation.earlier[understood.resumes] if understood.resumes is not None else None
    before = resumed or previous
    withdrawn = find_withdrawn(text_of(message), before.unused) if before and before.unused else ()
    if withdrawn:
        told = [one.said for one in understood.refused if one.reason == "not_understood"]
        withdrawn += find_withdrawn(text_of(message), told)
    if understood.agents and understood.tour is None and prompt is None and not foreign_in(message):
        text = text_of(message)
        # "Emirates or Qatar" are no cities.
        others = left_out(text.without(tokens_of(find_airlines(text))), _cities_told(understood))
        told = {one.said for one in understood.refused}
        others = tuple(one for one in others if one.said not in told)
        understood = replace(understood, refused=(*understood.refused, *others)) if others else understood
        understood = with_order(find_order_beside(text_of(message)), understood)
        understood = _with_way_back(text, understood)
    if understood.agents:
        not_read = filter(None, (*unread, _beyond_what_is_read(message)))
        told = (Refused(said=said, reason="not_understood") for said in not_read)
        understood = replace(understood, refused=(*understood.refused, *told))
    service = _service_in(message, understood, previous, offered)
    if service != understood.service:
        understood = replace(understood, service=service)
    if previous and _is_of_the_service(understood, previous):
        kept = left_as_it_is(previous)
        understood = replace(kept, refused=(Refused(said=previous.service, reason="other_service"),))
    searched = _cities_told(understood)
    is_untold = previous and unfinished and not deciding
    untold = [one for one in previous.refused if one.said not in searched] if previous and is_untold else []
    understood = _without_counts(understood, previous)
    return with_unused(understood, before, withdrawn=withdrawn, untold=untold)


def _is_of_the_service(understood: Understanding, previous: Understanding) -> bool:
    """Whether a day within the stay is that of the tour that was asked for: "the 14th, in the morning"."""
    was, now = previous.hotel, understood.hotel
    day = now.check_in or understood.flight.departure_date
    is_within = bool(was.check_in and was.check_out and day and was.check_in < day < was.check_out)
    is_alone = (now.check_out, understood.wanted) == (was.check_out, previous.wanted)
    return bool(previous.service) and understood.relation in ("refine", "answer") and is_within and is_alone


def _without_counts(understood: Understanding, previous: Understanding | None) -> Understanding:
    """The same without the count that a change of the party comes to: "one dropped out so 7 now"."""
    now = {understood.flight.passengers, understood.hotel.guests}
    before = {previous.flight.passengers, previous.hotel.guests} if previous else now
    counts = {str(count) for count in now - before if count}
    left = tuple(
        one
        for one in understood.refused
        if one.reason != "not_understood" or not one.said.split() or one.said.split()[-1] not in counts
    )
    return understood if left == understood.refused else replace(understood, refused=left)


def _countries_in(message: str, previous: Understanding | None) -> list[str]:
    """The countries of the cities of a message, then those of the request before: of its stay first."""
    named = [one.place for one in find_places(text_of(message), load_gazetteer()).mentions]
    known = (previous.hotel.city, previous.flight.origin, previous.flight.destination) if previous else ()
    return [place.city.country for place in (*named, *known) if place]


def _with_preferences(understood: Understanding, without: Understanding) -> Understanding:
    """The same, which tells the limits that only what is preferred sets: `without` is read without that."""
    preferred = tuple(
        Preference(slot=slot.name, said=told(understood.of(agent), value))
        for agent in SLOTS
        if agent in understood.agents
        for slot, value in filters(agent, understood.of(agent))
        if getattr(without.of(agent), slot.field) == slot.empty and (told := WORDS[slot.name].told)
    )
    return replace(understood, preferred=preferred)


def _beyond_what_is_read(message: str) -> str:
    """Return how what is too far behind in a message to be read begins, "" if all is read."""
    tokens = tokenise(message)
    if len(tokens) < TOKENS_AT_MOST:
        return ""
    words = message[tokens[-1].end :].split(maxsplit=_WORDS_TOLD)
    return " ".join(words[:_WORDS_TOLD]) + " \u2026" if words else ""


def _cities_told(understood: Understanding) -> frozenset[str]:
    """The cities that a request is about, or that its reply names."""
    flight = understood.flight
    places = [flight.origin, flight.destination, understood.hotel.city, understood.car.city]
    places += [*flight.via, *flight.avoided]
    asked = (name.split(",")[0] for one in understood.alternatives for name in (one.taken, *one.others))
    names = (getattr(getattr(place, "city", place), "name", str(place)) for place in places if place)
    return frozenset((*names, *asked, *((flight.airline,) if flight.airline else ())))


def _service_in(
    message: str, understood: Understanding, previous: Understanding | None, offered: Collection[Agent]
) -> str:
    """The service of others that the conversation is about after a message, "" if about none.

    "An automatic, please" is about the rental car of the message before, if it is about nothing else.
    """
    named = [one.said for one in understood.refused if one.reason == "other_service"]
    if named or understood.relation != "other":
        return named[-1] if named else ""
    services = services_in(text_of(message), offered)
    return services[-1].name if services else previous.service if previous else ""


@dataclass(slots=True)
class _Turn:
    """A message while it is understood: `text` are its words, `known` is the request before without its tour.

    A search knows neither tours nor bookings: it is made in a situation without them, and what the requests
    before held of them is put back at the end if the message leaves it as it was.
    """

    message: str
    text: Text
    read: Reader
    situation: Situation
    known: Understanding | None
    searched: Situation

    def search(self, message: str, reader: Reader | None = None) -> Understanding:
        undo_to = before_changes(self.situation)
        return understand_search(message, reader or self.read, self.searched, undo_to)

    @property
    def stops_what_runs(self) -> bool:
        """Whether a search runs that it stops: "can I cancel that?"."""
        is_searching = self.situation.unfinished and not self.situation.deciding
        return is_searching and breaks_off(self.text)

    def going_on(self, understood: Understanding) -> Understanding:
        return going_on(understood, self.known, deciding=self.situation.deciding)


def _understood(message: str, situation: Situation) -> Understanding:
    previous, prompt, deciding = situation.previous, situation.prompt, situation.deciding
    # Of another language not one word is taken: a request that is half read is searched as nobody means it.
    foreign = foreign_in(message)
    read = ForeignReader(foreign) if foreign else read_message
    text = without_criterion(without_a_first(text_of("" if foreign else message)))
    # Tours first: to the readers of searches, a list of cities is one goal and others that come too many.
    before = previous.tour if previous else None
    # Of a flight that was asked for, nights in turn make stops; of a stay alone they make none.
    is_of_stay = previous is not None and previous.wanted == ("hotel",)
    tour = find_tour(text, today=situation.today, is_of_stay=is_of_stay)
    if tour is not None and not (before and is_part_of(tour.wish, before)):
        return _with_stay_told(with_tour(tour, previous), previous)
    if beside := _of_the_tour(text, situation):
        return beside
    known = without_tour(previous) if previous else None
    recent, alike = (
        [_without_booking(without_tour(request)) for request in some]
        for some in (situation.recent, situation.alike)
    )
    searched = _without_booking(known) if known else None
    searched = replace(situation, previous=searched, recent=recent, alike=alike)
    turn = _Turn(message, text, read, situation, known, searched)
    step = None
    unnamed, named = without_names(text)
    # "Not that one, the second": of the offer that is asked about only the no is said.
    instead = put_right(text_of(turned_down(text) or message) if deciding else text)
    act = find_act(unnamed) or _offer_instead(instead, previous if deciding else None)
    chosen = find_choice(instead, agents_found(previous)) if prompt is None else None
    chosen = chosen if chosen is not None and may_choose(chosen, previous) else None
    act = with_choice(act, chosen, previous if deciding else None)
    act = None if act is not None and _is_asked_about(act, turn) else act
    if act is not None and not deciding and only_answers_later(text):
        return left_as_it_is(previous)  # "I'll book it tomorrow"
    if act is None and chosen is not None and not deciding:
        return about_what_was_found(chosen, previous)
    if act is None and prompt is None:
        # Another assistant's offers are not those that were found here.
        asked = _of_a_condition(turn) if deciding else _of_a_price(turn)
        asked = asked or _of_those(turn) or _of_a_supposition(turn) or _of_offers(turn)
        if asked is not None:
            return beside_tour(asked, previous)
        step = None if deciding else find_step(text, agents_found(previous))
    if act is None:
        understood = turn.going_on(turn.search(message))
        understood = with_step(step, understood, known, is_complaint=is_about_those_shown(text))
        if understood.relation == "other" and prompt is None and not deciding and not understood.question:
            chosen = find_named_choice(text, agents_found(previous))
            understood = replace(understood, question=chosen)
    elif prompt is not None:
        # Another assistant's offers are no offers of ours: what names one of them is a wish for it.
        understood = beside_a_search(act, turn.search(message))
    else:
        act, known, before = after_a_stop(act, known, searched.previous, situation.earlier)
        turn.searched = replace(searched, previous=before)
        question = _asked_beside(act, previous)
        act = act.alone if question else act
        understood = with_act(act, message, known, turn.search, situation)
        understood = _with_names(understood, named)
        understood = replace(understood, question=question) if question and understood.booking else understood
    resumed = situation.earlier[understood.resumes] if understood.resumes is not None else None
    if resumed and resumed.tour:
        return with_tour_again(understood, resumed)
    return beside_tour(understood, previous)


def _with_stay_told(understood: Understanding, previous: Understanding | None) -> Understanding:
    """Return a tour that tells that the stay of the trip it is made of is left out of it."""
    tour, is_told = understood.tour, any(one.reason == "tour_of_flights" for one in understood.refused)
    if is_told or not (
        tour and previous and previous.hotel.city and previous.flight.destination in tour.cities
    ):
        return understood
    stay = Refused(said="hotel", reason="tour_of_flights")
    return replace(understood, refused=(*understood.refused, stay))


def _with_way_back(text: Text, understood: Understanding) -> Understanding:
    """Return a flight that is to be a round trip with the last day of the stay, or told that it has none."""
    flight, said = understood.flight, text.find(_SAID.round_trip)
    if said < 0 or negation_before(text, said) >= 0 or understood.booking:
        return understood
    is_told = understood.relation in ("refine", "add") and "flight" in understood.agents
    if not is_told or flight.departure_date is None or flight.return_date:
        return understood
    if (end := understood.hotel.check_out) and end > flight.departure_date:
        return replace(understood, flight=replace(flight, return_date=end))
    one_way = Refused(said=text.spelled(said, said + 2), reason="no_day_back")
    return replace(understood, refused=(*understood.refused, one_way))


def _of_the_tour(text: Text, situation: Situation) -> Understanding | None:
    """Return what a message changes about the tour before it, or asks about that; None if it does neither.

    Nor does it search for hotels that are spoken of as found where none of the requests has looked for any.
    """
    previous, others = situation.previous, () if situation.deciding else situation.earlier
    if previous is None:
        return None
    places = [place for one in (previous, *others) for place in (one.hotel.city, one.flight.destination)]
    elsewhere = hotels_elsewhere(text, [place.city for place in places if place])
    if elsewhere:
        return beside_tour(replace(left_as_it_is(previous), refused=elsewhere), previous)
    if previous.tour is None:
        return None
    changed = changed_tour(text, previous.tour, today=situation.today)
    if changed is not None:
        return with_changed_tour(changed)
    is_asked = question_about(text, previous.tour) is not None
    return beside_tour(left_as_it_is(previous), previous) if is_asked else None


def _of_a_condition(turn: _Turn) -> Understanding | None:
    """Return the question whether the offer that is asked about is as a yes depends on; None without one.

    What cannot be looked up is told as not used, and the offer is asked about again.
    """
    previous, text = turn.situation.previous, turn.text
    wish, condition = previous.booking if previous else None, condition_of(text)
    if turn.known is None or wish is None or not wish.offers or condition is None:
        return None
    if not condition:
        said = Refused(said=text.source.strip(), reason="not_understood")
        return replace(left_as_it_is(previous), refused=(said,))
    return on_condition(turn.search(condition), turn.known, wish)


def _of_a_price(turn: _Turn) -> Understanding | None:
    """Return the request as it is, where what a message wants hangs on a price; it is told as not done.

    "If it's over 200 dollars then look at the 22nd".
    """
    text, previous = turn.text, turn.situation.previous
    at = text.find(_SAID.if_dearer)
    amount = at + text.match(_SAID.if_dearer, at)
    is_told = text[amount].is_number or text[amount + 1].is_number
    # "Drop the hotel if it's over 200" hangs on it, too; nothing is wanted by "what if it's over 200?".
    others = [token for token in text.tokens[amount + 2 :] if token.is_word] or text.tokens[:at]
    is_limit = text.has_any(_NEGATIONS, 0, at)  # "show me none if they are over 200"
    if previous is None or at < 0 or is_limit or not is_told or len(others) < _LEAST_WANTED:
        return None
    said = Refused(said=text.source.strip(), reason="not_understood")
    return replace(left_as_it_is(previous), refused=(said,))


def _of_those(turn: _Turn) -> Understanding | None:
    """Return the search for those alone that the last answer told of: "show me only those"."""
    previous = turn.situation.previous
    last = turn.situation.answered or (previous.question if previous else None)
    wish = wish_for_those(turn.text, last, agents_found(previous)) if last else ""
    return turn.going_on(turn.search(wish)) if wish else None


def _of_a_supposition(turn: _Turn) -> Understanding | None:
    """Return the search for those who are supposed to travel; no offer at hand tells their price."""
    previous = turn.situation.previous
    supposed, found = find_supposition(turn.text), agents_found(previous)
    if not (supposed and found and turn.known):
        return None
    asked_for = turn.search(supposed)
    if searches_otherwise(asked_for, turn.known, None):
        return turn.going_on(asked_for)
    asked, _ = read_question(turn.text, words_of_places(previous), found)
    is_of_refund = asked is not None and asked.topic == "refund"  # "what if my sister gets sick?"
    return None if is_of_refund else left_as_it_is(previous)


def _of_offers(turn: _Turn) -> Understanding | None:
    """Return a question about what was found, or the search that an answer to it takes; None to all else."""
    text, previous, known = turn.text, turn.situation.previous, turn.known
    found = agents_found(previous)
    if found and (alone := question_beside_a_remark(text)):
        asked = _of_offers(replace(turn, message=alone, text=text_of(alone)))
        if asked is not None and asked.question is not None:
            return asked
    if found and (compared := _of_places(turn)):
        return about_what_was_found(compared, previous)
    question, may_search = read_question(text, words_of_places(previous), found)
    if turn.situation.deciding and question is not None and question.wanted == NEXT:
        return None  # what follows is no yes to the offer that is asked about
    if turn.situation.deciding and previous and question is not None and question.topic == "shown":
        return not_booked(question, previous)
    if question and question.topic == "refund" and turn.stops_what_runs:
        question = None
    is_way_back = question is not None and (question.topic, question.way) == ("departure", "back")
    is_one_way = known is not None and known.flight.return_date is None
    if is_way_back and is_one_way and text.vocabulary.isdisjoint(_ASKS_FOR_A_TIME):
        question = None  # "and the return flight?" adds one to a flight that has none
    if known and may_search:
        words = without_places_in_list(text, question) if question else turn.message
        asked_for = turn.search(words, as_told(turn.read, question))
        if searches_otherwise(asked_for, known, question):
            return turn.going_on(asked_for)
    if question is not None:
        return about_what_was_found(question, previous)
    return None


def _of_places(turn: _Turn) -> FoundQuestion | None:
    """Return the question which place is cheaper: of those to choose from, or of the requests before."""
    text, previous = turn.text, turn.situation.previous
    now = {*words_of_places(previous)}
    chosen = [one for one in previous.alternatives if one.slot == "flight.destination"] if previous else []
    names = {token.norm for one in chosen for name in (one.taken, *one.others) for token in tokenise(name)}
    if any(one.is_choice for one in chosen) and compares_places(text, names | now):
        return FoundQuestion(topic="untold", agent="flight", wanted=PLACES_COMPARED)
    before = {word for one in turn.situation.earlier for word in words_of_places(one)}
    is_named = "from" not in text.vocabulary and not text.vocabulary.isdisjoint(before - now)
    if is_named and compares_places(text, before | now):
        return FoundQuestion(topic="best_request", which=Which(by="price"))
    return None


def _is_asked_about(act: BookingAct, turn: _Turn) -> bool:
    """Whether an act is only asked about: whether what is found, and not booked, can be cancelled."""
    if turn.situation.deciding and act.is_conditional:
        return True
    is_found = act.wish.action == "cancel" and act.is_of_request and bool(agents_found(turn.known))
    is_asked = is_found and find_cancelling(turn.text) is not None and not turn.stops_what_runs
    return is_asked and not wished_in(turn.situation.earlier, turn.situation.previous)


def _asked_beside(act: BookingAct, previous: Understanding | None) -> FoundQuestion | None:
    """Return what a message that books an offer asks of it beside: "book it, is breakfast included?"."""
    wish, rest, found = act.wish, text_of(act.rest), agents_found(previous)
    if wish.action not in ("book", "hold") or act.also_wish or act.cancelled or not (found and asks(rest)):
        return None
    kinds = (wish.kind,) if wish.kind in found else found
    question, _ = read_question(rest, words_of_places(previous), kinds)
    is_of_it = question is not None and question.topic in TOPICS_OF_ONE and question.which == Which()
    return question if is_of_it else None


def _without_booking(request: Understanding) -> Understanding:
    return replace(request, booking=None) if request.booking else request


def _with_names(understood: Understanding, named: str) -> Understanding:
    """The same, which tells that names of those for whom it is booked are not taken."""
    if not (named and understood.booking):
        return understood
    return replace(understood, refused=(*understood.refused, Refused(said=named, reason="no_names")))


def _offer_instead(text: Text, asked_about: Understanding | None) -> BookingAct | None:
    """Return the act on an offer that is named while another one is asked about."""
    wish = asked_about.booking if asked_about else None
    if not wish or wish.action not in ("book", "hold"):
        return None
    if not wish.then and (following := find_next(text)):
        which = Which(is_next=True, by=following.by, descending=following.descending)
        return BookingAct(
            wish=BookingWish(action=wish.action, kind=wish.kind, which=which), rest="", rest_by_name=""
        )
    return find_offer_instead(text, wish.action)
