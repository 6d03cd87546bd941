"""Tells of a reply's sentences whether the facts bear them out.

The guard cuts a sentence into clauses, and each clause needs one line that has all of it: numbers with their
units, prices with their currencies, hours and days with what happens then, stops and durations with the way
they are of, names with "from" and "to", references, whether it is of a flight, a hotel or a car, and every
word that can make a claim ("nonstop", "cheapest", "refundable", "booked"), under a "not" where the line has
it under one. What a fact quotes of the user's is no fact, and a line that says "no flights" bears out only
what denies something, with what narrowed the search. A clause without a name of its own is about what the
clause before was about; one of all offers ("none of them") needs a fact that says so. The user's words count
where the sentence speaks of what the user asked for.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import airportsdata

_WORDS: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("guard_words.toml").read_text("utf-8"))


def _each(words: Mapping[str, str]) -> dict[str, str]:
    return {word: meaning for meaning, those in words.items() for word in those.split()}


COMMON, ASKING, FINDING, OFFERING, ACTS, NEGATIONS, COUNTED, BACK, OUT, LIMITING, MATCHING, ANOTHER = (
    frozenset(_WORDS[name].split())
    for name in (
        "common", "asking", "finding", "offering", "acts", "negations", "counted", "back", "out", "limiting",
        "matching", "another",
    )
)  # fmt: skip
ROLES, SAME, UNITS, CURRENCIES, KINDS = (
    _each(_WORDS[name]) for name in ("roles", "same", "units", "currencies", "kinds")
)
PHRASES = [(re.compile(rf"\b(?:{words})\b", re.IGNORECASE), meaning) for meaning, words in _WORDS["phrases"]]
"""What is one word where several tell it: "first class"."""
PARTS_OF_DAY: Mapping[str, Sequence[str]] = _WORDS["parts_of_day"]
COMPARED: Mapping[str, Sequence[Any]] = _WORDS["compared"]
NUMBERS = {
    **{word: str(number) for number, word in enumerate(_WORDS["numbers"].split(), start=2)},
    "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "hundred": "100", "dozen": "12",
}  # fmt: skip
MONTHS = {
    short: str(number)
    for number, month in enumerate(_WORDS["months"].split(), start=1)
    for short in (month, month[:3], month[:4])
}
WEEKDAYS = {short: day for day in _WORDS["weekdays"].split() for short in (day, day[:3], day[:4])}

NOTHING = frozenset(("not", word) for word in (*COUNTED, *KINDS, *KINDS.values()))
"""The claims that there is nothing of a kind."""

Claim = tuple[str, ...]
"""A kind and what it says: ("money", "590", "EUR", ""), ("hour", "09:05", "leaves"), ("word", "nonstop")."""

_TOKEN = re.compile(
    r"(?P<reference>(?-i:\b[A-Z]{2,}-[A-Z0-9]{3,}\b))"
    r"|(?P<iso>\b\d{4}-\d{2}-\d{2}\b)"
    r"|(?P<hour>\b\d{1,2}:\d{2}(?:\s?[ap]\.?m\b\.?)?|\b\d{1,2}(?:\.\d{2})?\s?[ap]\.?m\b\.?)"
    r"|(?P<number>\d+(?:,\d{3})*(?:\.\d+)?)"
    r"|(?P<currency>[€$£¥])"
    r"|(?P<quote>[\"\u201c\u201d])"
    r"|(?P<pause>[,:;()])"
    r"|(?P<word>[^\W\d_]+(?:['\u2019][^\W\d_]+)?)",
    re.IGNORECASE,
)
_TENS = re.compile(
    r"\b(twenty|thirty|forty|fifty)[- ](one|two|three|four|five|six|seven|eight|nine)\b", re.IGNORECASE
)
_NUMBERED = re.compile(r"^\s*(?:\d+[.)]|[-*\u2022])\s+")
_CLAUSES = re.compile(
    r";|,?\s+(?:and(?!\s+\d\d:)|but|while|whereas|with the)\s+|\s+[\u2013\u2014]\s+"
    r"|,\s+(?=(?:(?:\d+|no|the) )?(?:rental )?(?:flights?|hotels?|cars?)\b)"
)
_PROMISE = re.compile(
    r"\b(?:I|we)(?:['\u2019]ll| will|(?:['\u2019](?:m|re)| am| are) going to)\b", re.IGNORECASE
)
"""What the assistant promises, it would not do: it is over once it has replied."""
_SPAN = re.compile(r"\b(\d\d:\d\d)[-\u2013](\d\d:\d\d)\b")
_HALF = re.compile(r"\b(\w+) and a half hours?\b", re.IGNORECASE)
_IF = re.compile(r"^(\s*if\b[^,]*),", re.IGNORECASE)
_EVERY_ONE = re.compile(r"\b(?:every|none of)\b|(?<!\bin )(?<!\bat )\ball\b", re.IGNORECASE)
_EVERY = re.compile(rf"{_EVERY_ONE.pattern}|(?<!of )\b(?:these|those|they)\b", re.IGNORECASE)
"""What says something of all offers, of which only the facts tell."""
_CHEAPEST = re.compile(r"\b(?:cheapest|lowest)\b", re.IGNORECASE)
_PREDICATE = re.compile(
    r"[:,]|\b(?:is|are|isn't|being|can|cannot|can't|costs?|has|have|includes?|takes?|leaves?|departs?|arrives?"
    r"|lands?|flies|goes|comes|offers?|needs?|at|for)\b",
    re.IGNORECASE,
)
"""Where it ends what the cheapest is of: "the cheapest nonstop flight is ..."."""
_CODE = re.compile(r"\b[A-Z]{3}\b")
_CODES = re.compile(r"\b[A-Z]{3} to [A-Z]{3}\b")
_SIDES = {**dict.fromkeys(BACK, "back"), **dict.fromkeys(OUT, "out")}
_DAYS_AFTER = {"nextday": True, "sameday": False}
_LIMITS = {"after": "least", "least": "least", "minimum": "least", "between": ""}
"""Which end the words are that are limits; the others are "most"."""
_WHERE = frozenset({"from", "to", "in"})
_TRIPS = {"roundtrip": True, "oneway": False}
_PRONOUNS = frozenset({"it", "its", "this", "that"})
_ONE_OF_THEM = frozenset({"flight", "hotel", "car", "fare", "price", "offer"})
_COUNTS = frozenset({"count", "money", "minutes", "hour", "day", "number"})
"""What a "without" takes back beside words: "without 5 stars"."""
_QUALITIES = frozenset({"word", "not", "stops", "minutes", "count", "part"})
"""What the cheapest may be the cheapest of."""
_NEAR, _FAR = 3, 12
"""Words between one such as "up to", or such as "arrives", and its number or hour, at most."""
_LAST_DAY = 31


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    starts: bool

    @cached_property
    def word(self) -> str:
        """The word as it is compared: in small letters, one form for words that mean the same."""
        plain = self.text.casefold().replace("\u2019", "'").removesuffix("'s")
        return SAME.get(plain, plain)

    @property
    def is_name(self) -> bool:
        """Whether it is written as a name."""
        return self.kind == "word" and self.text[:1].isupper()


@dataclass(frozen=True)
class Line:
    """A line of the facts, or a clause, with its claims.

    `side` is the way that the clause before is of; `is_supposed` whether that supposes or denies something.
    """

    text: str
    side: str = ""
    is_supposed: bool = False

    @cached_property
    def tokens(self) -> list[_Token]:
        """Its words, numbers and signs."""
        return list(_tokens(self.text))

    @cached_property
    def in_order(self) -> list[Claim]:
        """What it says, in its order."""
        return list(_claims(self.tokens, self.side))

    @cached_property
    def claims(self) -> set[Claim]:
        """What it says."""
        return set(self.in_order)

    @cached_property
    def is_both_ways(self) -> bool:
        """Whether it tells of a way back."""
        return any(ROLES.get(each) == "back" for each in self.words)

    @cached_property
    def words(self) -> set[str]:
        """Its words, as they are compared."""
        return {each.word for each in self.tokens if each.kind == "word"}

    @cached_property
    def airports(self) -> dict[str, set[str]]:
        """The codes and the words of the names of its airports, "Orly", each with what happens there."""
        told: dict[str, set[str]] = {}
        for code, role in ((each[1], each[2]) for each in self.claims if each[0] == "name"):
            airport = airports().get(code.upper()) if _CODE.search(code.upper()) else None
            for word in (code, *re.findall(r"\w+", airport["name"].casefold())) if airport else ():
                told.setdefault(word, set()).add(role)
        return told

    @cached_property
    def kinds(self) -> set[str]:
        """The kinds of offers that it is of, by their words, or by airports: "BER to FCO"."""
        return {KINDS[word] for word in self.words & KINDS.keys()} | {
            "flight" for _ in _CODES.finditer(self.text)
        }

    @cached_property
    def denies(self) -> bool:
        """Whether it says that there is nothing of a kind: "no flights"."""
        return not self.claims.isdisjoint(NOTHING)

    @cached_property
    def narrowed(self) -> set[str]:
        """The words and numbers that tell what was searched for, of which there may be nothing."""
        limits = (each[2:] if each[0] == "limit" else each for each in self.claims)
        return {
            "nonstop" if kind == "stops" else value
            for kind, value, *more in limits
            if kind in ("word", "not", "count", "money", "minutes", "stops")
            and value not in (*COUNTED, *KINDS.values())
            and more[:1] not in (["night"], ["day"], ["person"], ["room"])
        }

    @property
    def is_proposed(self) -> bool:
        """Whether it only asks whether something is wanted: "Shall I look for later ones?"."""
        return bool(self.words & OFFERING) and self.text.rstrip().endswith("?")

    def faults(self, claims: Set[Claim], clause: "Line") -> list[Claim]:
        """Return what of a clause's claims it does not say."""
        if self.denies:
            if not clause.words & NEGATIONS:
                return [("not", "found")]
            if not clause.words & MATCHING and self.narrowed - clause.narrowed:
                return [("not", "found")]  # "no hotels in Dublin": there are some, but not for that price
            limits = {each[2:] for each in self.claims if each[0] == "limit"}
            claims = {each for each in claims if each not in limits}
        of_others = [("kind", each) for each in clause.kinds - self.kinds] if self.kinds else []
        return [*of_others, *(each for each in claims if not _is_said(each, self))]


@dataclass
class Guard:
    """Tells of a reply's sentences, one after another, whether the facts bear them out.

    `facts` are lines that say what is so, `offers` lines about one offer each, of which a clause has to say
    which it means; `wanted` is what the user has said.
    """

    facts: Sequence[str]
    offers: Sequence[str] = ()
    wanted: str = ""
    _about: frozenset[int] = field(default=frozenset(), init=False)

    def __post_init__(self) -> None:
        self._lines = [Line(each) for each in (*self.facts, *self.offers)]
        self._of_all = frozenset(range(len(self.facts)))
        self._kinds = {kind for line in self._lines if not line.denies for kind in line.kinds}
        self._lacking = {kind for line in self._lines if line.denies for kind in line.kinds}
        self._wanted = Line(self.wanted)
        titles = [re.sub(r"^\w+: ", "", each).partition(",")[0] for each in self.offers]
        self._joint = [each for each in titles if " and " in each]
        demo = {"demo", "and"}
        self._titles = {at: Line(each).words - demo for at, each in enumerate(titles, len(self.facts))}
        self._named = set[str]().union(*self._titles.values())

    def objection(self, sentence: str) -> str:
        """Return what of a sentence no fact says; "" if there is nothing."""
        about = self._about
        for name in self._joint:
            sentence = sentence.replace(name, name.replace(" and ", " & "))
        for at, clause in enumerate(_clauses(sentence)):
            fault, borne_out_by = self._look_up(clause, about, continues=at > 0 or _is_about_the_same(clause))
            if fault:
                return fault
            about = borne_out_by or about
        if _EVERY_ONE.search(sentence) and not any(clause.claims for clause in _clauses(sentence)):
            return "all"  # "I looked through all of them"
        self._about = about
        return ""

    def _look_up(self, clause: Line, about: frozenset[int], *, continues: bool) -> tuple[str, frozenset[int]]:
        """Return what of a clause no line says, and the lines that say it all."""
        of_none = clause.kinds - self._kinds
        if clause.words & FINDING:
            of_none |= clause.kinds & self._lacking
        if of_none and not clause.is_supposed and not clause.words & (ASKING | OFFERING | NEGATIONS):
            return f"kind {min(of_none)}", frozenset()
        claims = self._to_be_said(clause)
        is_denied = clause.words & NEGATIONS and not clause.words & MATCHING
        if claims and is_denied and not any(map(_denies, clause.claims)):
            return "not told", frozenset()  # of what it is not so
        if not claims:
            return "", frozenset()
        names = {each.word for each in clause.tokens if each.is_name and each.word in self._named}
        names -= {place for kind, place, *_ in claims if kind in _WHERE}
        missing = {
            at: self._lines[at].faults(claims, clause)
            for at in self._candidates(clause, claims, names, about, continues=continues)
        }
        for at in missing.keys() - self._of_all:
            missing[at] = self._not_so(missing[at], at, clause, about)
        whole = frozenset[int](at for at, faults in missing.items() if not faults)
        if names and not any(kind in ("money", "hour") or said.endswith("est") for kind, said, *_ in claims):
            whole = whole if whole & {*about, *self._of_all, self._first_called(names)} else frozenset[int]()
        if whole:
            return "", whole
        nearest = min(filter(None, missing.values()), key=len, default=list(claims))
        return " ".join(min(nearest)), whole

    def _to_be_said(self, clause: Line) -> set[Claim]:
        """Return what of a clause a line has to say."""
        claims = clause.claims
        if clause.words & ASKING and not clause.words & FINDING:
            claims = {each for each in claims if not _is_said(each, self._wanted)}
        if _IF.match(f"{clause.text},"):
            claims = {each for each in claims if each[0] in _COUNTS and not _is_said(each, self._wanted)}
        if clause.words & OFFERING:
            claims = {each for each in claims if each[0] != "word" or each[1] not in ACTS}
        if clause.is_proposed:
            claims = {each for each in claims if each[0] != "stops" and each[1] not in COMPARED}
        return claims

    def _candidates(
        self, clause: Line, claims: Set[Claim], names: Set[str], about: frozenset[int], *, continues: bool
    ) -> Iterable[int]:
        """Return the lines of which one has to say it: all where the clause tells which it is about."""
        if _EVERY.search(clause.text):
            return self._of_all
        telling = set[str]() if continues else {"money"}
        if clause.words & ANOTHER:
            telling.add("hour")
        codes = {code for code in _CODE.findall(clause.text) if not all(code in each for each in self.offers)}
        tells_which = bool(names or codes) or any(
            kind in telling or said.endswith("est") for kind, said, *_ in claims
        )
        # "31 flights and 40 hotels": the second is about something else, and so is all that only denies.
        is_of_another = bool(about and clause.kinds) and not any(
            clause.kinds & self._lines[at].kinds for at in about
        )
        if tells_which or is_of_another or clause.is_proposed or len(self.offers) == 1:
            return range(len(self._lines))
        is_of_none = all(kind in ("word", "not") for kind, *_ in claims)
        return about if continues and about and not is_of_none else about | self._of_all

    def _first_called(self, names: Set[str]) -> int:
        """Return the offer that is meant by a name alone: of several the cheapest."""
        called = [at for at, title in self._titles.items() if names <= title]
        return min(called, key=lambda at: (len(self._titles[at]), at), default=-1)

    def _not_so(self, faults: list[Claim], at: int, clause: Line, about: frozenset[int]) -> list[Claim]:
        """Return the faults of an offer's line that no comparison with the other offers makes good."""
        ours, offers = self._lines[at], self._lines[len(self.facts) :]
        others = [self._lines[other] for other in (about | self._about) - self._of_all - {at}]
        # Without an offer before it the cheapest is meant.
        others = others or [each for each in offers if each.kinds == ours.kinds and each is not ours][:1]
        left = [
            each for each in faults if each[0] != "word" or not _is_compared(each[1], ours, others, clause)
        ]
        if left != [("word", "cheapest")]:
            return left
        first, _, rest = _CHEAPEST.sub("|", clause.text, count=1).partition("|")
        part = Line(first + _PREDICATE.split(rest, maxsplit=1)[0])
        names = {each.word for each in part.tokens if each.is_name}
        of = {each for each in part.claims if each[0] in _QUALITIES and each[1] not in names}
        cheapest = next((line for line in offers if not line.faults(of, clause)), None)
        return [] if of and cheapest is ours else left


def _is_compared(word: str, line: Line, others: Sequence[Line], clause: Line) -> bool:
    """Whether a line has more, or less, than the others of what "cheaper", "later" compares."""
    if word not in COMPARED or not others or "than" in clause.words:
        return False  # what it names behind a "than" is of no line with it
    kind, unit, sign = COMPARED[word]
    # "A later flight back, at 17:25": the hour tells of which way.
    way = next((each[2] for each in clause.in_order if each[0] == kind == "hour"), "")
    ours, *theirs = (_first_of(each, kind, unit, way) for each in (line, *others))
    return all(ours and other and (ours > other) == (sign > 0) and ours != other for other in theirs)


def _first_of(line: Line, kind: str, unit: str, way: str) -> float | None:
    said = (each for each in line.in_order if each[0] == kind and unit in ("", each[-1]))
    of_way = (each[1] for each in said if kind != "hour" or _may_be_one(way, each[2]))
    return next((float(each.replace(":", ".")) for each in of_way), None)


@cache
def airports() -> Mapping[str, airportsdata.Airport]:
    """Return all airports by their codes; the first call takes a fifth of a second."""
    return airportsdata.load("IATA")


def _is_about_the_same(clause: Line) -> bool:
    """Whether a clause begins with "it", or with "the flight"."""
    first, second = (*(each.word for each in clause.tokens[:2]), "", "")[:2]
    return first in _PRONOUNS or (first == "the" and second in _ONE_OF_THEM)


def _clauses(sentence: str) -> Iterator[Line]:
    plain = _IF.sub(r"\1;", _NUMBERED.sub("", sentence).replace("*", "").replace("`", ""))
    texts: list[str] = []
    for text in filter(str.strip, _CLAUSES.split(_plainer(plain))):
        line = Line(text)
        goes_on = texts and Line(texts[-1]).denies and not line.kinds and not line.words & FINDING
        # "No hotels with a pool and parking" is one clause.
        texts.append(f"{texts.pop()} and {text}" if goes_on else text)
    side, is_supposed = "", False
    for text in texts:
        clause = Line(text, side, is_supposed)
        yield clause
        is_supposed = bool(clause.words & NEGATIONS or _IF.match(f"{text},"))
        side = next((_SIDES[each.word] for each in clause.tokens[::-1] if each.word in _SIDES), side)


def _tokens(text: str) -> Iterator[_Token]:
    starts = True
    for match in _TOKEN.finditer(_plainer(text)):
        kind, word = match.lastgroup or "", match.group().strip()
        if kind == "word" and word.casefold() in NUMBERS:
            kind, word = "number", NUMBERS[word.casefold()]
        yield _Token(kind, word, starts)
        starts = False


def _plainer(text: str) -> str:
    """Return a text with a word or a number for what several tell: "12:00-15:50", "first class"."""
    text = _SPAN.sub(r"leaves \1 arrives \2", _HALF.sub(r"\1 h 30 min", text))
    for phrase, meaning in PHRASES:
        text = phrase.sub(meaning, text)
    return _PROMISE.sub("promise", _TENS.sub(_in_digits, text))


def _in_digits(number: re.Match[str]) -> str:
    tens, ones = (NUMBERS.get(word.casefold(), "1") for word in number.groups())
    return str(int(tens) + int(ones))


def _claims(tokens: Sequence[_Token], side: str) -> Iterator[Claim]:
    """Yield what a clause or a line says, each part up to a semicolon by itself."""
    has_back = any(each.word in BACK for each in tokens)
    ends = [at for at, each in enumerate(tokens) if each.text == ";"]
    for start, end in zip([0, *(at + 1 for at in ends)], [*ends, len(tokens)], strict=True):
        yield from _claims_of(tokens[start:end], "" if start else side, has_back=has_back)


def _claims_of(tokens: Sequence[_Token], side: str, *, has_back: bool) -> Iterator[Claim]:
    """Yield what a part says. A number, its unit and its currency are one claim."""
    role, role_at, limit_at = "", -_FAR - 1, -_FAR
    is_denied, is_quoted, is_without, next_at = False, False, False, 0
    for at, token in enumerate(tokens):
        before, after = tokens[:at], tokens[at + 1 : at + 6]
        if token.kind == "pause":
            is_denied = is_without = False
            role = role.replace("until", "")
        elif token.kind == "quote":
            is_quoted, is_denied, is_without = not is_quoted, False, False
        elif token.word in NEGATIONS:
            is_denied, is_without = True, token.word == "without"
        elif token.word in ROLES:
            is_behind = token.word in BACK and at == role_at + 1  # "you arrive back at"
            now = role if is_behind else ROLES[token.word]
            role, role_at = f"{'back ' if is_behind or side == 'back' else ''}{now}", at
            side = _SIDES.get(token.word, side or ("out" if has_back else ""))
        elif token.word in LIMITING:
            limit_at = at
        elif at >= next_at:
            side = _SIDES.get(token.word, side)
            near_role = role if at - role_at <= _FAR else ""
            used, claim = _claim(token, before, after, near_role, is_denied=is_denied)
            next_at = at + 1 + used
            if claim and not is_quoted:
                claim = _on_the_way(claim, side, [each.word for each in after[used : used + 4]])
            if claim:
                if is_quoted or (is_without and _is_amount(claim)):
                    yield ("quoted", *claim)
                    continue
                claim = _within(claim, tokens[limit_at].word if at - limit_at <= _NEAR else "", before)
                if claim[0] == "limit" and claim[1]:
                    limit_at = -_FAR  # only "between" has two
                yield claim


def _denies(claim: Claim) -> bool:
    return claim[0] in ("not", "quoted") or claim[:2] == ("stops", "0")


def _is_amount(claim: Claim) -> bool:
    return claim[0] in _COUNTS and "offer" not in claim


def _within(claim: Claim, limit: str, before: Sequence[_Token]) -> Claim:
    """Return a claim as a limit behind a word for one: a day to cancel "by" is none."""
    is_hour = claim[0] == "hour"
    if limit and _is_amount(claim) and (is_hour or limit != "by"):
        return ("limit", _LIMITS.get(limit, "most"), *claim)
    return ("limit", "least", *claim) if is_hour and before and before[-1].word == "from" else claim


def _on_the_way(claim: Claim, side: str, after: Sequence[str]) -> Claim:
    """Return a claim of stops or of a duration with its way, which may be told behind it."""
    is_each = bool(after) and (after[0] == "each" or after[1:2] in (["each"], ["both"]))
    behind = next((each for each in after if each not in ("on", "the", "way", "flight")), "")
    told = "" if is_each else _SIDES.get(behind, side)
    match claim:
        case ("word", "nonstop"):
            return ("stops", "0", told)
        case ("count", count, "stop"):
            return ("stops", count, told)
        case ("minutes", _) | ("word", "nextday" | "sameday"):
            return (*claim, told)
        case _:
            return claim


def _claim(
    token: _Token, before: Sequence[_Token], after: Sequence[_Token], role: str, *, is_denied: bool
) -> tuple[int, Claim | None]:
    """Return what a word or a number says with the words around it, and how many behind it belong to it."""
    next_word = after[0].word if after else ""
    if token.word in ("a", "one", "single") and next_word in ("stop", "bags"):
        return 1, ("count", "1", next_word)
    match token.kind:
        case "reference":
            return 0, ("reference", token.text)
        case "iso":
            _, month, day = token.text.split("-")
            return 0, ("day", f"{int(day)} {int(month)}", role)
        case "hour":
            return 0, ("hour", _clock(token.text), role)
        case "number":
            return _number(token, before, after, role)
        case "word":
            return 0, _of_word(token, before, role, is_denied=is_denied)
        case _:
            return 0, None


def _number(
    token: _Token, before: Sequence[_Token], after: Sequence[_Token], role: str
) -> tuple[int, Claim | None]:
    """Return what a number counts, and how many of the tokens behind it say so."""
    value = token.text.replace(",", "")
    value = value.rstrip("0").rstrip(".") if "." in value else value
    next_word = after[0].word if after else ""
    code = CURRENCIES.get(before[-1].text.casefold()) if before else None
    used = 0
    if code is None and after and (code := CURRENCIES.get(after[0].text.casefold())):
        used = 1
    if code is not None:
        is_each = before[0].word == "each"
        return used, ("money", value, code, _per(after[used:]) or ("each" if is_each else ""))
    ordinal = int(next_word in ("st", "nd", "rd", "th", "of"))
    ordinal += ordinal and len(after) > 1 and after[1].word == "of"
    named = after[ordinal].word if len(after) > ordinal else ""
    month = MONTHS.get(named) or (MONTHS.get(before[-1].word) if before else None) or _month_of(after)
    if month is not None and "." not in value and int(value) <= _LAST_DAY:
        return ordinal + (named in MONTHS), ("day", f"{int(value)} {month}", role)
    if ordinal:
        return 1, ("number", value)
    unit = UNITS.get(next_word)
    used = 1
    if unit is None and len(after) > 1 and after[1].word in UNITS and after[0].word not in COMMON:
        unit, used = UNITS[after[1].word], 0  # "2 rental cars": the words between are claims of their own
    if unit == "h":
        minutes = 60 * float(value)
        if len(after) > 2 and after[1].kind == "number" and UNITS.get(after[2].word) == "min":
            minutes, used = minutes + float(after[1].text.replace(",", "")), 3
        return used, ("minutes", str(round(minutes)))
    if unit == "min":
        return 1, ("minutes", value)
    if unit is not None:
        per = _per(after[used:]) if unit == "offer" else ""
        return used, ("count", value, f"{unit} {per}" if per else unit)
    return 0, ("number", value)


def _month_of(after: Sequence[_Token]) -> str | None:
    """Return the month of a day before another one: "5 to Tue 8 December"."""
    words = [each.word for each in after if each.word not in WEEKDAYS]
    is_range = len(words) > 2 and words[0] in ("to", "until", "and") and words[1].isdigit()
    return MONTHS.get(words[2]) if is_range else None


def _per(after: Sequence[_Token]) -> str:
    """Return for what a price is: "each" for a person, "night" or "day", "" for all of it."""
    first, second = (*(each.word for each in after[:2]), "", "")[:2]
    if first == "each" or (first == "per" and UNITS.get(second, second) == "person"):
        return "each"
    return second if first in ("per", "a") and second in ("night", "day") else ""


def _of_word(token: _Token, before: Sequence[_Token], role: str, *, is_denied: bool) -> Claim | None:
    word, last = token.word, before[-1] if before else None
    if word in WEEKDAYS:
        return ("weekday", WEEKDAYS[word], role)
    if word in PARTS_OF_DAY:
        return ("part", word, role)
    if word in MONTHS and token.is_name:
        return None if last and last.kind == "number" else ("month", MONTHS[word])
    if word in KINDS and word not in COMMON:
        return ("not" if is_denied else "word", word)  # "SUV" is no name
    if word in COMMON or word in CURRENCIES or (is_denied and word in MATCHING):
        return ("not", KINDS.get(word, word)) if is_denied and word in COUNTED else None
    if token.is_name and not token.starts:
        if len(before) > 1 and last and last.word == "the":
            last = before[-2]
        return (last.word, word) if last and last.word in _WHERE else ("name", word, role)
    return ("not" if is_denied else "word", word)


def _is_said(claim: Claim, line: Line) -> bool:
    """Whether a line says what a clause claims."""
    kind, value, *more = ("stops", "0", "") if claim == ("not", "stop") else claim
    same = [each for each in line.claims if each[:2] == (kind, value)]
    match kind:
        case "money" | "quoted":
            return not line.claims.isdisjoint({claim, ("not", *more)})
        case "limit":
            limits = [each for each in line.claims if each[0] == kind and each[2:4] == claim[2:4]]
            is_start = value == "least" and claim[2:] in line.claims and line.words & {"cheapest", "from"}
            return bool(is_start) or any(each[1] == value or not (each[1] and value) for each in limits)
        case "stops" | "minutes":
            return _is_of_the_way(kind, more[0], {each[2] for each in same}, line)
        case "hour" | "day" | "weekday" | "part":
            return any(_may_be_one(more[0], each[2]) for each in _at_that_time(claim, line))
        case "month":
            return any(each[0] == "day" and each[1].split()[1] == value for each in line.claims) or bool(same)
        case "count":
            return claim in line.claims or (more[0] == "offer" and ("number", value) in line.claims)
        case "number":
            return any(each[1] == value for each in line.claims if each[0] in ("number", "count"))
        case "from" | "to" | "in":
            return _is_named(value, "", line) and _is_where(kind, value, line)
        case "name":
            return _is_named(value, more[0], line)
        case "word":
            return _is_word_of(value, more, line)
        case _:
            is_quoted = any(each[0] == "quoted" and value in each[2:] for each in line.claims)
            is_denied = is_quoted or (line.denies and value in line.words)
            return bool(same) or (kind == "not" and is_denied)


def _is_named(name: str, role: str, line: Line) -> bool:
    """Whether a line has a name, that of an airport with what happens there."""
    roles = line.airports.get(name)
    if any(each[:3] == ("quoted", "name", name) for each in line.claims):
        return False
    return name in line.words if roles is None else any(_may_be_one(role, each) for each in roles)


def _is_where(kind: str, place: str, line: Line) -> bool:
    """Whether a line is from, to or in a place. What leads to one arrives in it."""
    if kind == "in":
        return not line.claims.isdisjoint({("in", place), ("to", place)})
    if line.is_both_ways:
        origin = next((each[1] for each in line.in_order if each[0] == "from"), "")
        return (place == origin) == (kind == "from")
    other = ("to" if kind == "from" else "from", place)
    return (kind, place) in line.claims or other not in line.claims


def _is_word_of(word: str, side: Sequence[str], line: Line) -> bool:
    """Whether a line says what a word claims; of some words it follows."""
    if word in _TRIPS:
        return line.is_both_ways == _TRIPS[word]
    if word in _DAYS_AFTER:
        back = "back " if side[0] == "back" else ""
        ends = (f"{back}leaves", f"{back}arrives")
        days = [each[1] for each in line.in_order if each[0] == "day" and each[2] in ends]
        is_next = len(set(days)) > 1 or "+1" in line.text
        return (is_next or len(days) > 1) and is_next == _DAYS_AFTER[word]
    denied = {("not", word), ("quoted", "word", word), ("quoted", "not", word)}
    return word in line.words and line.claims.isdisjoint(denied)


def _is_of_the_way(kind: str, way: str, told: set[str], line: Line) -> bool:
    """Whether stops or a duration are told of a way; without one "nonstop" is said of both ways."""
    if way == "back":
        return line.is_both_ways and not told.isdisjoint(("back", ""))
    is_of_first = way == "out" or kind == "minutes"
    return "" in told or told >= {"out", "back"} or (is_of_first and "out" in told)


def _at_that_time(claim: Claim, line: Line) -> list[Claim]:
    """Return what a line says of the hour, the day or the part of a day of a claim."""
    kind, value, role = claim
    if kind == "part":
        first, last = PARTS_OF_DAY[value]
        return [each for each in line.claims if each[0] == "hour" and first <= each[1] < last]
    if kind == "day" and role.endswith("arrives") and "+1" in line.text:
        return []
    of_kind = [each for each in line.in_order if each[0] == kind]
    same = [each for each in of_kind if each[1] == value]
    if role == "until" and any(each[2] == role for each in of_kind):
        return [each for each in same if each[2] == role]
    if kind != "hour" and role and line.is_both_ways:
        # The first day, of which nothing is said, is that of the way out, the others are of that back.
        is_back = role.startswith("back")
        return [each for each in same if each[2] or (each != of_kind[0]) == is_back]
    return same


def _may_be_one(ours: str, theirs: str) -> bool:
    """Whether two roles of an hour or a day may be one: "leaves", "back leaves", "back"; "" is any."""
    if not ours or not theirs:
        return True
    ends = {ours.removeprefix("back").strip(), theirs.removeprefix("back").strip()} - {""}
    return ours.startswith("back") == theirs.startswith("back") and len(ends) < 2


def _clock(text: str) -> str:
    """Return an hour as "09:05", whichever way it is written."""
    digits = re.findall(r"\d+", text)
    hour, minute = int(digits[0]), int(digits[1]) if len(digits) > 1 else 0
    late = "p" in text.casefold()
    hour = hour % 12 + (12 if late else 0) if re.search(r"[ap]", text, re.IGNORECASE) else hour
    return f"{hour:02}:{minute:02}"
