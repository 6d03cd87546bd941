"""Turns a message in another language into English: from there on the rules read it.

`glosses/TAG.toml` has the phrases of a language in English, and `glosses/any.toml` what is said in each of
them alike. A message is covered by the longest phrases that stand there, by numbers, signs and names of
places. A word that is left is left out, and told, where it can only describe a noun or its clause says
nothing else; anywhere else none of the message is read.
"""

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from itertools import pairwise, product
from pathlib import Path

from ..places.gazetteer import Gazetteer, load_gazetteer, name_key
from ..tokens import Token, fold, tokenise
from .detect import ENGLISH, LANGUAGES, closes, foreign_in, foreign_reply, is_spoken

_TAGS = ("de", "es", "fr", "it", "pt")
_NUMBER = "#"
_BEFORE_THE_NOUN = "<"
_TO_THE_FRONT = ">"
_PLACE_AT_MOST = 5
_WORDS_TOLD = 4
_TELLING_LETTERS = 3
_NOUN = re.compile(
    r"(.*\b)??(?:(the|a|one) )?"
    r"((?:(?:double|single|return|rental|star) )*(?:flight|hotel|room|car|offer|stay|option)s?)"
)
_WANTING = re.compile(r" ?(?:i|we|can|please|yes|ok|and)\b", re.IGNORECASE)
_DENYING = re.compile(r"\b(?:not|no|never|without|don't)\b")
_DENIED_BEHIND = re.compile(r"\b(?:cancel|book|reserve|stop)\b[^.,;!?]*\bnot\b", re.IGNORECASE)
"""A verb that is denied behind it, as in "storniere das nicht", would be read as wanted."""
_DROPPED_IN_PART = re.compile(r"\bforget the (?!(?:flights?|hotels?|cars?)\b)", re.IGNORECASE)
"""What is not wanted any more is more than this: "pas de vol direct" drops no flight."""
_UNREAD = "?"
"""The English of a phrase that turns what stands around it: "pas de", "salvo", "wenn", "vermeide"."""
_TYPED = 0.87  # from here on it is that word, typed wrong: "viernnes"
_TYPED_AT_LEAST = 6
_BESIDE = re.compile(r".*\b(?:near|next to|nearest to)(?: the)?")
"""What is named behind it is left as it is written: "cerca de la torre Eiffel"."""
_TOWARDS = re.compile(r"(?:.* )?(?:from|to|in)")
"""Behind it also a small place counts that is written without a capital."""
_ONE = re.compile(r"\b(the (?:first|second|third|fourth|last)) one (?=hotels?\b|flights?\b|car\b)")
_SIGNS = frozenset(",.;:!?")
_ALIKE = 0.8  # from here on an unknown word may be one of these, typed wrong: "exepto"
_BINDING = re.compile(r"\b(?:book|reserve|cancel|stop|forget|yes|no thanks|if|take|sounds good)\b", re.I)
"""Of what may book, cancel, stop or decide each word is known."""
_ROLES = re.compile(
    r"(?P<t>.*\b(?:not|no(?!,)|never|without|don't|can't|or|instead|than|only)\b.*)"
    r"|(?P<d>an?|the|this|one)|(?P<m>my|our)|(?P<v>very)"
    r"|(?P<a>(?:an?|one) (?:.* )?(?:hotel|room|car))"
    r"|(?P<s>(?!the )(?:.* )?(?:hotels?|rooms?|cars?))"
    r"|(?P<n>(?!the )(?:.* )?(?:flights?|options?|offers?))"
    r"|(?P<w>with)|(?P<c>with .*)|(?P<f>for)|(?P<o>(?:from|of)(?: the)?)"
    r"|(?P<i>(?:in|on|at|to|via)(?: the| a)?)|(?P<b>(?:in|for|on|at|under|from the) .*)"
    r"|(?P<l>(?:I am|we are) looking for|I want|we want|I need|we need|find|show me|do you have|is there)"
    r"|(?P<k>and)|(?P<e>|I|we|is|are|it|it's|I am|we are|be|that|there|also|so|now|have|great|ok|hello"
    r"|sorry|please|thanks)|(?P<x>.*)"
)
"""What a phrase does in its clause, by its English. A word without any is `u`, with a capital `U`."""
_CHAIN = r"[uU](?:[oid]{0,2}[uU])*"
_END = r"(?=e*(?:$|[bcwfik]))"
_DESCRIBING = re.compile(
    rf"(?<=[dmv])[uU]+(?=[asn])"  # "a quiet hotel"
    rf"|(?<=a)v?u{_END}|(?<=s)v?u(?=ip)|(?<=[as])ou{_END}"  # "un hotel tranquilo", "hotel de lujo"
    rf"|w[dmv]*{_CHAIN}(?=e*(?:$|k))|[wf]m{_CHAIN}{_END}"  # "with a view of the sea", "with my dog in Rome"
    rf"|(?:(?<=c)|(?<=wx))k[dm]?[uU]$"  # "with a pool and a balcony"
)
_DESCRIBING_IN_GERMAN = re.compile(rf"{_DESCRIBING.pattern}|(?<=l)[uU]+(?=[ansd])")  # "suche ruhiges Hotel"
_LISTED = re.compile(r"(?<![io])p\.U")  # "vuelo Madrid, Xville"
_REMARKS = re.compile(
    r"a|about|actually|all|also|am|an|and|are|as|be|because|but|by|can|can't|cheap|do|does|don't|everything|far"
    r"|expensive|for|go|good|great|had|has|have|hello|here|how|i|i'm|is|it|it's|know|less|like|look|looking|more"
    r"|must|my|need|nice|no|not|now|of|ok|or|our|please|prefer|say|see|so|sorry|thanks|that|the|there|they|think"
    r"|this|those|to|too|very|want|was|we|what|which|who|will|with|would|you"
)
"""The English words of a clause with unknown ones which asks for nothing: "das ist mir ... draußen"."""
_SAYING_NOTHING_ELSE = re.compile(rf"(?:[dmvwek]|f(?=[dm])|{_CHAIN})*")
_SIGNS_LEFT_OUT = re.compile(r"[\u00bf\u00a1\u00ab\u00bb\u201e\u201c\u201d\"]")
_JOINT = re.compile(r"(?<=[^\W\d_])['\u2019](?=\w)|(?<=[^\W\dA-Z_])-(?=[^\W\d_])")
_WORD = re.compile(r"[^\W\d_]+[/.]?")
_ORDINAL = re.compile(r"\b(\d\d?)(?:[ºª]|er\b)")
_THOUSANDS = re.compile(r"\b(\d{1,3})\.(\d{3})(?!\d)")
_HOUR = re.compile(r"\b([01]?\d|2[0-4])(?:[:.]([0-5]\d))? ?(?:uhr|hs?)(?: ?([0-5]\d))?\b", re.IGNORECASE)
_DAY = re.compile(r"(?<![\d.,/-])([0-3]?\d)(?:/([01]?\d)(?:/(20\d\d))?|([.-])([01]?\d)\4(20\d\d)?)(?![\d/])")
_SEPTEMBER = re.compile(r"\b([0-3]?\d) sept\b\.?", re.IGNORECASE)
"""Behind a day it is the month, and no seven."""
_ALTERNATIVES = re.compile(r"\(([^)]*)\)")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})

_Phrase = tuple[tuple[str, ...], str]


@dataclass(frozen=True, slots=True)
class InEnglish:
    """A message in English, the language that it was written in, and what of it is left out."""

    text: str
    language: str
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Glosses:
    """The phrases of a language by their first word, longest first, and the words that only it has.

    In a phrase `&` is a comma, and `#` a number, in digits or in one of the words of `numbers`. English that
    begins with `<` stands before the noun it follows, what is behind `|` if that noun is the one, and not
    just one; English that begins with `>` begins its clause. `#th` is an ordinal number. Phrases `alone` mean
    that where no word stands beside them in their clause; words that are `spelt` otherwise are read first.
    """

    phrases: dict[str, list[_Phrase]]
    alone: dict[tuple[str, ...], str]
    spelt: dict[str, str]
    numbers: dict[str, str]
    months: list[str]
    telling: frozenset[str]
    turning: frozenset[str]
    binding: frozenset[str]
    typed: list[str]
    places: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Span:
    """A phrase, place (role `p`), number (`#`), sign (`.`) or word of a message, and the space before it.

    What something is near has the role `N`: "cerca de la torre Eiffel".

    It `tells` in which language the message is, if only that has one of its words.
    """

    raw: str
    english: str
    gap: str
    role: str
    tells: bool = False


def _words(phrase: str) -> tuple[str, ...]:
    plain = _JOINT.sub(" ", phrase).replace("'", " ").replace("&", ",")
    return tuple(token.norm for token in tokenise(plain))


def phrases_in(rows: str) -> list[tuple[str, str]]:
    """The phrases of `a, b(c|d) = english` in each line, one by one, with umlauts also spelt out."""
    found: list[tuple[str, str]] = []
    for line in filter(str.strip, rows.splitlines()):
        said, _, english = line.partition("=")
        for phrase in said.split(","):
            fixed, some = _ALTERNATIVES.split(phrase)[::2], _ALTERNATIVES.findall(phrase)
            for taken in product(*(each.split("|") for each in some)):
                spelt = "".join(part for pair in zip(fixed, (*taken, ""), strict=True) for part in pair)
                found += [(each, english.strip()) for each in {spelt, spelt.translate(_UMLAUTS)}]
    return found


def _longest_first(phrases: Iterable[_Phrase]) -> list[_Phrase]:
    return sorted(phrases, key=lambda each: -len(each[0]))


def load_glosses() -> None:
    """Read the tables, which the first message would wait for: 0.2 s in all."""
    for tag in _TAGS:
        _glosses(tag)


@lru_cache(maxsize=len(_TAGS))
def _glosses(tag: str) -> _Glosses:
    tables = Path(__file__).with_name("glosses")
    own, common = (
        tomllib.loads((tables / f"{each}.toml").read_text(encoding="utf-8")) for each in (tag, "any")
    )
    no_words = {*own.pop("not_telling").split(), *ENGLISH}
    by_first: dict[str, dict[tuple[str, ...], str]] = {}
    telling, turning, binding, typed = set[str](), set[str](), set[str](), set[str]()
    alone = {_words(said): english for said, english in phrases_in(own.pop("alone"))}
    spelt = {fold(said.strip()): meant for said, meant in phrases_in(own.pop("spelt"))}
    telling.update(word for word in spelt if len(word) >= _TELLING_LETTERS)
    for name, rows in (*common.items(), *own.items()):
        for said, english in phrases_in(rows):
            words = _words(said)
            by_first.setdefault(words[0], {})[words] = english
            turning.update(words if english in (_UNREAD, "not") and len(words) == 1 else ())
            no_words.update(_words(english) if name in own else words)
            telling.update(word for word in words if len(word) >= _TELLING_LETTERS and name != "places")
            binds = len(words) == 1 and (_BINDING.search(english) or _DENYING.search(english))
            some = binding if binds else typed
            some.update(words if name not in ("places", "numbers") else ())
    return _Glosses(
        phrases={first: _longest_first(some.items()) for first, some in by_first.items()},
        alone=alone,
        spelt=spelt,
        numbers={_words(said)[0]: english for said, english in phrases_in(own["numbers"])},
        months=[line.partition("=")[0].split(",")[0].strip() for line in own["months"].strip().splitlines()],
        telling=frozenset(telling - no_words),
        turning=frozenset(turning),
        binding=frozenset(binding - typed | turning),
        typed=[word for word in typed - binding - turning if len(word) >= _TYPED_AT_LEAST],
        places=frozenset(english for _, english in phrases_in(own["places"])),
    )


@lru_cache(maxsize=16)
def in_english(message: str, spoken: str = "") -> InEnglish | None:
    """Return a message that is in another language in English; None if it is not, or too little is known.

    None as well for one that only stops or says good-bye, which needs no English. A few words that are of
    no language by themselves ("e da Bologna?") are of the one that is `spoken`.
    """
    foreign = foreign_in(message)
    if foreign is not None:
        only_stops = foreign.stops and not foreign.goes_on
        if only_stops or _is_closing(message, foreign.language):
            return None
    words = {token.norm for token in tokenise(_JOINT.sub(" ", message))}
    language = foreign.language if foreign else spoken
    told = [language] if language in _TAGS else []
    for tag in dict.fromkeys((*told, *_TAGS)):
        glosses = _glosses(tag)
        if tag in told or not glosses.telling.isdisjoint(words):
            spans = _spans_put_right(message, glosses)
            english = _joined(spans)
            is_turned = _DENIED_BEHIND.search(english) or _DROPPED_IN_PART.search(english)
            is_whole = not _unknown(spans) and not is_turned
            if is_whole and (tag in told or any(span.tells for span in spans)):
                return InEnglish(english, tag)
    stops = foreign is not None and foreign.stops
    return _in_part(message, told[0]) if told and not stops and is_spoken(message, told[0]) else None


def _in_part(message: str, tag: str) -> InEnglish | None:
    """Return what is known of a message, if that is most of it and means the same whatever the rest means.

    A verb turns what stands around it: "quiero evitar Roma". So a word is left out where no verb stands.
    """
    glosses = _glosses(tag)
    spans = _spans_put_right(message, glosses)
    roles, turning = "".join(span.role for span in spans), glosses.turning
    words = [fold(word) for word in _unknown(spans)]
    near = (one[0] == word[0] for word in words for one in get_close_matches(word, turning, 1, _ALIKE))
    if _UNREAD in roles or _LISTED.search(roles) or any(near):
        return None
    describing = _DESCRIBING_IN_GERMAN if tag == "de" else _DESCRIBING
    left_out: list[tuple[int, int]] = []
    for clause in re.finditer(r"[^.]+", roles):
        first, after = clause.span()
        is_remark = _is_remark(spans[first:after]) and len(clause[0]) < len(roles)
        if (is_remark or _SAYING_NOTHING_ELSE.fullmatch(clause[0])) and "u" in clause[0].lower():
            left_out.append((first, after + 1))
            continue
        found = [(first + one.start(), first + one.end()) for one in describing.finditer(clause[0])]
        unknown = "".join(roles[start:end] for start, end in found).lower().count("u")
        if unknown < clause[0].lower().count("u") or (unknown and "t" in clause[0]):
            return None
        left_out += found
    gone = {at for start, end in left_out for at in range(start, end)}
    left = [span for at, span in enumerate(spans) if at not in gone]
    unread = [_text(spans[start:end]).strip(" .,;:!?") for start, end in left_out]
    english = _joined(_spans(_text(left), glosses))
    is_most = len(_text(left).split()) >= len(" ".join(unread).split()) > 0
    return InEnglish(english, tag, tuple(unread)) if is_most and not _BINDING.search(english) else None


def _is_remark(clause: Sequence[_Span]) -> bool:
    """Whether what is known of a clause asks for nothing, and no unknown word of it may be a place."""
    known = [span for span in clause if span.role not in "uU."]
    words = {word for span in known for word in span.english.lower().strip("<>").split()}
    if not all(map(_REMARKS.fullmatch, words)) or any(span.role in "p#N" for span in known):
        return False
    behind = pairwise(clause)
    return not any(_TOWARDS.fullmatch(one.english) and other.role in "uU" for one, other in behind)


def _text(spans: Iterable[_Span]) -> str:
    return "".join(span.gap + span.raw for span in spans)


def _unknown(spans: Iterable[_Span]) -> list[str]:
    return [word for span in spans if span.role in "uU?" for word in span.raw.split()]


def _is_closing(message: str, tag: str) -> bool:
    return tag in _TAGS and closes(message, LANGUAGES[tag])


def reply_in_its_language(message: str, spoken: str = "", *, example: str) -> str:
    """Return the `foreign_reply` with the words that are not known, "" if there is none."""
    reply = foreign_reply(message, spoken, example=example)
    foreign = foreign_in(message)
    words = unknown_in(message, foreign.language if foreign else spoken) if "{words}" in reply else []
    words = words[:_WORDS_TOLD]
    return reply.replace("{words}", ", ".join(words) or message)


def unknown_in(message: str, tag: str) -> list[str]:
    """Return the words of a message in the language `tag` that are in no table; [] for other languages."""
    return _unknown(_spans(message, _glosses(tag))) if tag in _TAGS else []


def _spans(message: str, glosses: _Glosses) -> list[_Span]:
    tokens = tokenise(_with_plain_figures(message, glosses))
    gazetteer = load_gazetteer()
    spans: list[_Span] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        gap = "" if at and tokens[at - 1].end == token.start else " "
        end, english = _phrase_at(tokens, at, glosses)
        past = _past_place(tokens, at, gazetteer)
        if at == 0 or tokens[at - 1].raw in _SIGNS:
            behind = next((n for n in range(at, len(tokens)) if tokens[n].raw in _SIGNS), len(tokens))
            alone = glosses.alone.get(tuple(one.norm for one in tokens[at:behind]))
            end, english = (end, english) if alone is None else (behind, alone)
        if _is_in_a_code(tokens, at):
            end, english, role = at + 1, token.raw, "#"
        elif past > end or (past and token.raw in gazetteer.codes and not message.isupper()):
            end, english, role = past, " ".join(one.raw for one in tokens[at:past]), "p"
        elif end and english in (_UNREAD, *glosses.places):
            role = _UNREAD if english == _UNREAD else "p"
        elif end:
            said = _ROLES.fullmatch(english.lstrip("<>"))
            role = said.lastgroup if said and said.lastgroup else "x"
        elif (
            spans
            and spans[-1].role not in "p"
            and _TOWARDS.fullmatch(spans[-1].english)
            and (past := _past_place(tokens, at, gazetteer, is_behind=True))
        ):
            end, english, role = past, " ".join(one.raw for one in tokens[at:past]), "p"
        elif token.is_word and _is_beside(spans):
            end, english, role = at + 1, token.raw, "N"
        else:
            end, english = at + 1, token.raw
            role = "#" if token.is_number else "." if token.raw in _SIGNS else "x"
            role = ("U" if token.is_capitalised else "u") if token.is_word else role
        tells = role not in "pN#uU?" and any(one.norm in glosses.telling for one in tokens[at:end])
        spans.append(_Span(" ".join(one.raw for one in tokens[at:end]), english, gap, role, tells))
        at = end
    return spans


def _is_beside(spans: Sequence[_Span]) -> bool:
    """Whether what follows is named as near to what is looked for."""
    before = [span for span in spans[-2:] if span.role != "d"]
    return bool(before) and (before[-1].role == "N" or _BESIDE.fullmatch(before[-1].english) is not None)


def _joined(spans: Sequence[_Span]) -> str:
    pieces: list[str] = []
    for last, span in zip(["", *(span.role for span in spans)], spans, strict=False):
        if span.role == last == "p" and any("flight" in piece for piece in pieces[-2:-1]):
            pieces[-1:] = [" from", pieces[-1], " to"]  # "un vol Lille Nice"
        if span.raw == span.english:
            pieces.append(span.gap + span.raw)
        else:
            _put(pieces, span.english, span.gap)
    return _ONE.sub(r"\1 ", "".join(pieces).strip())


def _spans_put_right(message: str, glosses: _Glosses) -> list[_Span]:
    spans = _spans(message, glosses)
    right = _put_right(spans, glosses) if _unknown(spans) else None
    return _spans(right, glosses) if right else spans


def _put_right(spans: Sequence[_Span], glosses: _Glosses) -> str | None:
    """The message with the words right that are typed wrong, None if there are none.

    One that is near to a word which books, decides or turns, is left, as are names.
    """
    said, is_changed = list[str](), False
    for before, span in zip([None, *spans], spans, strict=False):
        word, meant = fold(span.raw), list[str]()
        is_name = before is not None and _TOWARDS.fullmatch(before.english)
        if span.role == "u" and len(word) >= _TYPED_AT_LEAST and not is_name:
            meant = get_close_matches(word, glosses.typed, 1, _TYPED)
            unsure = meant and get_close_matches(word, glosses.binding, 1, _ALIKE)
            meant = meant if meant and meant[0][0] == word[0] and not unsure else []
        said.append(span.gap + (meant[0] if meant else span.raw))
        is_changed = is_changed or bool(meant)
    return "".join(said) if is_changed else None


def _with_plain_figures(message: str, glosses: _Glosses) -> str:
    """The message with its days and hours written out: "15.12." is the 15th of December in all of them."""

    def day(found: re.Match[str]) -> str:
        month = int(found[2] or found[5])
        if not 1 <= month <= len(glosses.months) or (found[4] == "-" and not found[6]):
            return found[0]
        return f"{int(found[1])} {glosses.months[month - 1]} {found[3] or found[6] or ''}".rstrip()

    plain = _ORDINAL.sub(r"\1", _JOINT.sub(" ", _SIGNS_LEFT_OUT.sub(" ", message)))
    plain = _WORD.sub(lambda found: glosses.spelt.get(fold(found[0]), found[0]), plain)
    plain = _SEPTEMBER.sub(r"\1 septembre", plain) if glosses.numbers.get("sept") else plain
    plain = _HOUR.sub(
        lambda found: f"{found[1]}:{found[2] or found[3] or '00'}", _THOUSANDS.sub(r"\1\2", plain)
    )
    return _DAY.sub(day, plain)


def _phrase_at(tokens: Sequence[Token], at: int, glosses: _Glosses) -> tuple[int, str]:
    """Return where the longest phrase that begins there ends, and its English; 0 if none does."""
    token = tokens[at]
    some = glosses.phrases.get(token.norm, [])
    if _number(token, glosses):
        some = _longest_first([*some, *glosses.phrases.get(_NUMBER, [])])
    for words, english in some:
        those = tokens[at : at + len(words)]
        if len(those) == len(words) and all(
            _number(one, glosses) if word == _NUMBER else word == one.norm
            for word, one in zip(words, those, strict=True)
        ):
            for word, one in zip(words, those, strict=True):
                if word == _NUMBER:
                    english = _filled(english, _number(one, glosses))
            return at + len(words), english
    return 0, ""


def _is_in_a_code(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word is part of a reference: "DEMO-7K2Q4M"."""
    token, beside = tokens[at], (*tokens[max(at - 1, 0) : at], *tokens[at + 1 : at + 3])
    glued = (one for one in beside if one.is_number and (one.end == token.start or one.start - token.end < 2))
    return token.raw.isupper() and any(glued)


def _number(token: Token, glosses: _Glosses) -> str:
    return token.raw if token.is_number else glosses.numbers.get(token.norm, "")


def _filled(english: str, number: str) -> str:
    """The English with a number in its first place."""
    if "#th" in english and english.index("#th") == english.index(_NUMBER):
        ending = {"1": "st", "2": "nd", "3": "rd"}.get(number[-1], "th")
        return english.replace("#th", number + ("th" if number[-2:-1] == "1" else ending), 1)
    return english.replace(_NUMBER, number, 1)


def _past_place(tokens: Sequence[Token], at: int, gazetteer: Gazetteer, *, is_behind: bool = False) -> int:
    """Return where the longest name of a place that begins there ends, 0 if none does.

    Names of small places count only with a capital, or if one `is_behind` a preposition: many are words of
    some language as well.
    """
    first = tokens[at]
    if first.raw in gazetteer.codes:
        return at + 1
    for end in range(min(len(tokens), at + _PLACE_AT_MOST), at, -1):
        if not all(token.is_word for token in tokens[at:end]):
            continue
        key = name_key(token.norm for token in tokens[at:end])
        if key in gazetteer.abbreviations:
            if first.raw.isupper():
                return end
        elif (
            key in gazetteer.known
            or key in gazetteer.regions
            or ((first.is_capitalised or is_behind) and key in gazetteer.names)
        ):
            return end
    return 0


def _put(pieces: list[str], english: str, gap: str) -> None:
    """Add the English of a phrase, at the place where it stands in English."""
    if english.startswith(_BEFORE_THE_NOUN):
        english = english.removeprefix(_BEFORE_THE_NOUN)
        article, noun = (["", "", *(piece.strip() for piece in pieces)])[-2:]
        english, _, of_the = english.partition("|")
        found = _NOUN.fullmatch(noun)
        if found is None:
            pieces.append(gap + english)
            return
        before, its_article, noun = found[1] or "", found[2] or "", found[3]
        if of_the and "the" in (article, its_article):
            english = of_the
        if article == "the":
            english = english.removeprefix("the ")
        elif its_article and not english.startswith("the "):
            english = f"{its_article} {english}"
        pieces[-1] = f" {before}{english} {noun}"
    elif english.startswith(_TO_THE_FRONT):
        clause = max((at + 1 for at, piece in enumerate(pieces) if piece.strip() in ",.;!?"), default=0)
        if any(_DENYING.search(piece) for piece in pieces[clause:]):
            clause = len(pieces)  # what is not to be done
        while clause < len(pieces) and _WANTING.match(pieces[clause]):
            clause += 1
        pieces.insert(clause, f" {english.removeprefix(_TO_THE_FRONT)}")
    elif english:
        pieces.append(gap + english)
