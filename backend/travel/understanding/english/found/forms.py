"""How a message is put: as a question, a proposal, a remark beside one; and whether it denies or narrows."""

from ..dates.points import MONTHS
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from ..talk.remarks import question_beside
from .offers import ALL_MORE, ALL_MOST, Coverage, take_counts, take_numbers

_SAID = phrases_of("found")
_PEOPLE = words_of("people")
_WORDS = words_of("found")

_FEW = 7
_VERY_FEW = 4
_LIGHT = 3


def first_word(text: Text, first: int = 0, after: int | None = None) -> int:
    """Return the index of the first word that says something, the end of the part if none does."""
    end = text.length if after is None else after
    return next((at for at in range(first, end) if text.norm(at) not in _WORDS.openers), end)


def is_marked(text: Text) -> bool:
    """Return whether a question mark ends a message."""
    return text.norm(text.length - 1) == "?"


def asks(text: Text) -> bool:
    """Return whether a message is put as a question at all."""
    return is_marked(text) or begins_as_question(text)


def begins_as_question(text: Text) -> bool:
    """Return whether a part of it begins with a word that asks: "the 2nd looks good, who flies it?"."""
    for start in (0, *(at + 1 for at in text.where(_WORDS.signs))):
        first = first_word(text, start)
        said, behind = text.norm(first), text.norm(first + 1)
        is_duty = said in ("have", "has") and behind == "to"  # "have to ask the boys"
        if (behind if said in _WORDS.leads else said) in _WORDS.asking and not is_duty:
            return True
    return is_marked(text) and not _WORDS.asking.isdisjoint(text.vocabulary)


def begins_to_ask(text: Text) -> bool:
    """Return the same, also of words that ask where the rest is clear: "y is it so dear"."""
    first = first_word(text)
    is_told = text.norm(first) == "were" and len(text[first].raw) > len("were")  # "we're bringing our dog"
    asking = text.norm(first) in _WORDS.composed_asking or text.has(_SAID.asks_at_its_end)
    return (asking or begins_as_question(text)) and not is_told


def begins_with_what_is_asked(text: Text) -> bool:
    """Return whether it begins with what is asked for, and no word that asks: "the price?"."""
    first = first_word(text)
    first += text.norm(first) == "the"
    return text.norm(first) in _WORDS.plain_nouns and text.norm(first + 1) != "than"  # "no more than one"


def asks_for_a_price(text: Text) -> bool:
    """Return whether a message asks for a price or for the first in an order: "how much for 3 people?"."""
    return begins_as_question(text) and (text.has(_SAID.prices_asked) or text.has(ALL_MOST))


def names_a_day(text: Text) -> bool:
    """Return whether a message names a day, for which there may be another search."""
    return not (_WORDS.weekdays | MONTHS.keys()).isdisjoint(text.vocabulary - {"may"}) or text.has_figures


def denies(text: Text) -> bool:
    """Return whether a question is for what is not so: "which hotels do not have wifi", not "or not?"."""
    some = (at for at in text.where(_WORDS.denials) if at > first_word(text))
    return any(text.norm(at - 1) != "or" and text.norm(at + 1) not in _WORDS.not_denied for at in some)


def tells_a_need(text: Text) -> bool:
    """Return whether a clause tells a need: "does it include bags? I need two", not "do I need to"."""
    led = _WORDS.asking | _WORDS.lead_to_a_clause
    some = (at for at in text.where(_WORDS.needs) if text.norm(at - 1) in ("i", "we"))
    return any(text.norm(at - 2) not in led for at in some)


def is_put_as_question(text: Text) -> bool:
    """Return whether it asks for a fact, and not that something is done, proposed or narrowed down."""
    is_short = is_marked(text) and text.length <= _FEW
    if not (is_short or begins_to_ask(text)):
        return False
    first = first_word(text)
    is_wish = not _WORDS.composed_wishes.isdisjoint(text.vocabulary)
    is_compared = text.has(ALL_MORE) or text.has(_SAID.how_much_more)
    is_proposed = text.norm(first) in _WORDS.propose or text.match(_SAID.proposals, first)
    if is_proposed or text.has(_SAID.searches) or (is_wish and not is_compared):
        return False
    # "With breakfast, is that possible?" is a wish.
    return not (_asks_for_a_deed(text) or _narrows(text) or question_beside(text))


def _asks_for_a_deed(text: Text) -> bool:
    """Whether somebody is to do something: "can you find", "could we get", "please show"."""
    for at in text.where(_WORDS.deeds):
        if text.match(_SAID.facts_told, at):
            continue
        is_asked = text.norm(at - 1) in _WORDS.by_whom and text.norm(at - 2) in _WORDS.able
        is_begun = at == first_word(text) and text.norm(at) != "do"  # "do they have ..." asks
        if is_asked or is_begun:
            return True
    return False


def _narrows(text: Text) -> bool:
    """Whether it names a day, or a figure that is no place in the list and counts neither bags nor people."""
    if not text.has_figures:
        return names_a_day(text)
    coverage = Coverage(text)
    take_numbers(coverage, days=False)
    take_counts(coverage)
    figures = [at for at in range(text.length) if text[at].is_number and at not in coverage.used]
    return any(text.norm(at + 1) not in _WORDS.counted_bags for at in figures)


def in_turn(text: Text) -> list[str]:
    """Return the questions of a message, one behind the other: "which is cheapest, and is it direct?"."""
    parts, begun, at = list[str](), 0, 1
    while at < text.length - 1:
        behind = next((each for each in range(at, text.length) if text.norm(each) not in _WORDS.joins), at)
        behind += text.match(_SAID.if_so, behind)
        is_plea = text.match(_SAID.or_not, behind) and not text.match(_SAID.asks_to_tell, behind)
        is_asked = text.norm(behind) in _WORDS.asks_on and not is_plea
        is_noun = text.norm(text.skip({"the"}, behind, 1)) in _WORDS.nouns_asked_on
        is_more = text.norm(behind) in _WORDS.changes_beside or (
            behind > at + 1 and text.norm(behind - 1) == "also"
        )
        is_more = is_more and text.norm(begun) in _WORDS.asks_on
        is_begun = is_asked or is_noun or is_more or (text.norm(at) == "?" and behind < text.length)
        if behind > at and is_begun:
            parts.append(text.spelled(begun, at + (text.norm(at) == "?")))
            begun = behind
        at = behind + 1
    return [*parts, text.spelled(begun, text.length)]


def find_supposition(text: Text) -> str:
    """Return who is supposed to come or not where a price is asked for; "" without it.

    "How much if grandma stays home" supposes that "grandma stays home", of which no offer at hand tells.
    """
    at = next(iter(text.where(_WORDS.supposes)), 0)
    if not at:
        return ""
    after = text.length - is_marked(text)
    some = _PEOPLE.people_relatives | _PEOPLE.any_children | _PEOPLE.people | {"us", "alone"}
    is_of_people = text.has_any(some, at + 1, after)
    return (
        text.spelled(at + 1, after)
        if is_of_people and text.said(0, at) <= _WORDS.beside_what_is_supposed
        else ""
    )


def question_beside_a_remark(text: Text) -> str:
    """Return the only question of a message whose other sentences just tell something; "" if it is none.

    What they tell ("I live near Haneda, Narita is far") is no place, day or number of the request.
    """
    asking = [(first, after) for first, after in text.sentences if text.norm(after) == "?"]
    others = [one for one in text.sentences if one not in asking]
    if len(asking) != 1 or not others or not all(_is_remark(text, *one) for one in others):
        return ""
    return text.spelled(asking[0][0], asking[0][1] + 1)


def _is_remark(text: Text, first: int, after: int) -> bool:
    """Whether a sentence tells of somebody, and wants nothing."""
    begun, said = first_word(text, first, after), {text.norm(at) for at in range(first, after)}
    has_figures = any(text[at].is_number for at in range(first, after))
    is_told = text.norm(begun) in _WORDS.tellers and said.isdisjoint(_WORDS.wants) and not has_figures
    return begun == after or is_told


def after_a_stay(text: Text) -> int:
    """Return where a message goes on behind "wait, don't book yet"; 0 if it does not begin so, or ends so."""
    at = 0
    while length := text.match(_SAID.waits, at):
        at += length
    books_not = text.match(_SAID.books_not, at)
    at += books_not
    behind = at
    while books_not and (length := text.match(_SAID.waits, at)):
        at += length
    return at if behind < at < text.length else 0


def is_one_question(text: Text) -> bool:
    """Return whether a message is a question and nothing else, but for a few words before or after it."""
    wants = _WORDS.untold_wants - ({"must"} if text.has(_SAID.must_i) else set())
    if not wants.isdisjoint(text.vocabulary) or text.has_figures:
        return False
    asking = False
    for first, after in text.sentences:
        start = next((at for at in range(first, after) if text.norm(at) not in _WORDS.untold_openers), after)
        if text.norm(start) in _WORDS.untold_asking or text.norm(after) == "?":
            asking = True
        elif after - start > _LIGHT and text.length > _VERY_FEW:
            return False
    return asking or (text.length <= _VERY_FEW and text.norm(0) not in _WORDS.begin_a_wish)


def is_of_what_is_shown(text: Text) -> bool:
    """Return whether a yes-or-no question is about "it" or "the ...": "is that for both of us?"."""
    verb = next(iter(text.where(_WORDS.yes_or_no)), -1)
    return text.norm(verb + 1) in _WORDS.untold_subjects if verb >= 0 else text.norm(0) in ("thats", "its")
