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
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

_WORDS: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("guard_words.toml").read_text("utf-8"))


def _each(words: Mapping[str, str]) -> dict[str, str]:
    return {word: meaning for meaning, those in words.items() for word in those.split()}


COMMON, ASKING, FINDING, OFFERING, ACTS, NEGATIONS, COUNTED, BACK, LIMITING = (
    frozenset(_WORDS[name].split())
    for name in (
        "common",
        "asking",
        "finding",
        "offering",
        "acts",
        "negations",
        "counted",
        "back",
        "limiting",
    )
)
ROLES, SAME, UNITS, CURRENCIES, KINDS = (
    _each(_WORDS[name]) for name in ("roles", "same", "units", "currencies", "kinds")
)
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

NOTHING = frozenset(("not", word) for word in COUNTED)
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
    r"|(?P<pause>[,:()])"
    r"|(?P<word>[^\W\d_]+(?:['\u2019][^\W\d_]+)?)",
    re.IGNORECASE,
)
_TENS = re.compile(
    r"\b(twenty|thirty|forty|fifty)[- ](one|two|three|four|five|six|seven|eight|nine)\b", re.IGNORECASE
)
_NUMBERED = re.compile(r"^\s*(?:\d+[.)]|[-*\u2022])\s+")
_CLAUSES = re.compile(
    r";|,?\s+(?:and(?!\s+\d\d:)|but|while|whereas|with the)\s+|\s+[\u2013\u2014]\s+"
    r"|,\s+(?=(?:\d+|no) (?:rental )?(?:flights?|hotels?|cars?)\b)"
)
_PROMISE = re.compile(
    r"\b(?:I|we)(?:['\u2019]ll| will|(?:['\u2019](?:m|re)| am| are) going to)\b", re.IGNORECASE
)
"""What the assistant promises, it would not do: it is over once it has replied."""
_SPAN = re.compile(r"\b(\d\d:\d\d)[-\u2013](\d\d:\d\d)\b")
_FIRST_CLASS = re.compile(r"\bfirst[- ]class\b", re.IGNORECASE)
_CODES = re.compile(r"\b[A-Z]{3} to [A-Z]{3}\b")
_PRONOUNS = frozenset({"it", "its", "this", "that"})
_ONE_OF_THEM = frozenset({"flight", "hotel", "car", "fare", "price", "offer"})
_COUNTS = frozenset({"count", "money", "minutes", "hour", "day", "number"})
"""What a "without" takes back beside words: "without 5 stars"."""
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
    """A line of the facts, or a clause, with its claims."""

    text: str

    @cached_property
    def tokens(self) -> list[_Token]:
        """Its words, numbers and signs."""
        return list(_tokens(self.text))

    @cached_property
    def claims(self) -> set[Claim]:
        """What it says."""
        return set(_claims(self.tokens))

    @cached_property
    def words(self) -> set[str]:
        """Its words, as they are compared."""
        return {each.word for each in self.tokens if each.kind == "word"}

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

    def faults(self, claims: Set[Claim], clause: "Line") -> list[Claim]:
        """Return what of a clause's claims it does not say."""
        if self.denies and not clause.words & NEGATIONS:
            return [("not", "found")]
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

    def objection(self, sentence: str) -> str:
        """Return what of a sentence no fact says; "" if there is nothing."""
        about = self._about
        for at, clause in enumerate(_clauses(sentence)):
            fault, borne_out_by = self._look_up(clause, about, continues=at > 0 or _is_about_the_same(clause))
            if fault:
                return fault
            about = borne_out_by or about
        self._about = about
        return ""

    def _look_up(self, clause: Line, about: frozenset[int], *, continues: bool) -> tuple[str, frozenset[int]]:
        """Return what of a clause no line says, and the lines that say it all."""
        claims = clause.claims
        of_none = clause.kinds - self._kinds
        if clause.words & FINDING:
            of_none |= clause.kinds & self._lacking
        if of_none and not clause.words & (ASKING | OFFERING | NEGATIONS):
            return f"kind {min(of_none)}", frozenset()
        if clause.words & ASKING and not clause.words & FINDING:
            claims = {each for each in claims if not _is_said(each, self._wanted)}
        if clause.words & OFFERING:
            claims = {each for each in claims if each[0] != "word" or each[1] not in ACTS}
        if not claims:
            return "", frozenset()
        telling = ("name",) if continues else ("name", "money")
        tells_which = any(kind in telling or said.endswith("est") for kind, said, *_ in claims)
        # "31 flights and 40 hotels": the second is about something else, and so is all that only denies.
        is_of_another = bool(clause.kinds) and not any(clause.kinds & self._lines[at].kinds for at in about)
        is_of_none = all(kind in ("word", "not") for kind, *_ in claims)
        anything = range(len(self._lines))
        near = about if continues and about and not is_of_none else about | self._of_all
        lines = anything if tells_which or is_of_another or len(self.offers) == 1 else near
        missing = {at: self._lines[at].faults(claims, clause) for at in lines}
        whole = frozenset(at for at, faults in missing.items() if not faults)
        if whole:
            return "", whole
        nearest = min(missing.values(), key=len, default=list(claims))
        return " ".join(min(nearest)), whole


def _is_about_the_same(clause: Line) -> bool:
    """Whether a clause begins with "it", or with "the flight"."""
    first, second = (*(each.word for each in clause.tokens[:2]), "", "")[:2]
    return first in _PRONOUNS or (first == "the" and second in _ONE_OF_THEM)


def _clauses(sentence: str) -> Iterator[Line]:
    plain = _NUMBERED.sub("", sentence).replace("*", "").replace("`", "")
    for clause in _CLAUSES.split(plain):
        if clause.strip():
            yield Line(clause)


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
    text = _SPAN.sub(r"leaves \1 arrives \2", _FIRST_CLASS.sub("firstclass", text))
    return _PROMISE.sub("promise", _TENS.sub(_in_digits, text))


def _in_digits(number: re.Match[str]) -> str:
    tens, ones = (NUMBERS.get(word.casefold(), "1") for word in number.groups())
    return str(int(tens) + int(ones))


def _claims(tokens: Sequence[_Token]) -> Iterator[Claim]:
    """Yield what a clause says. A number, its unit and its currency are one claim."""
    role, role_at, way, limit_at = "", -99, "", -99
    is_denied, is_quoted, is_without, next_at = False, False, False, 0
    for at, token in enumerate(tokens):
        before, after = tokens[:at], tokens[at + 1 : at + 4]
        if token.kind == "pause":
            is_denied = is_without = False
        elif token.kind == "quote":
            is_quoted, is_denied, is_without = not is_quoted, False, False
        elif token.word in NEGATIONS:
            is_denied, is_without = True, token.word == "without"
        elif token.word in ROLES:
            role, role_at = f"{way}{ROLES[token.word]}", at
            way = "back " if token.word in BACK else way
        elif token.word in LIMITING:
            limit_at = at
        elif at >= next_at:
            near_role = role if at - role_at <= _FAR else ""
            used, claim = _claim(token, before, after, near_role, is_denied=is_denied)
            next_at = at + 1 + used
            if claim:
                is_amount = claim[0] in _COUNTS and "offer" not in claim
                if is_quoted or (is_without and is_amount):
                    yield ("quoted", *claim)
                else:
                    yield ("limit", *claim) if is_amount and at - limit_at <= _NEAR else claim


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
        return used, ("money", value, code, _per(after[used:]))
    ordinal = 1 if next_word in ("st", "nd", "rd", "th", "of") else 0
    named = after[ordinal].word if len(after) > ordinal else ""
    month = MONTHS.get(named) or (MONTHS.get(before[-1].word) if before else None)
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
        return used, ("count", value, unit)
    return 0, ("number", value)


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
    if word in MONTHS and token.is_name:
        return None if last and last.kind == "number" else ("month", MONTHS[word])
    if word in COMMON or word in CURRENCIES:
        return ("not", word) if is_denied and word in COUNTED else None
    if token.is_name and not token.starts:
        return (last.word if last and last.word in ("from", "to") else "name", word)
    return ("not" if is_denied else "word", word)


def _is_said(claim: Claim, line: Line) -> bool:
    """Whether a line says what a clause claims."""
    kind, value, *more = claim
    if claim in (("not", "stop"), ("count", "0", "stop")):
        return "nonstop" in line.words
    same = [each for each in line.claims if each[:2] == claim[:2]]
    match kind:
        case "money" | "quoted":
            return not line.claims.isdisjoint({claim, ("not", *more)})
        case "limit":
            return any(each[:3] == claim[:3] for each in line.claims)
        case "hour" | "day" | "weekday":
            return any(_may_be_one(more[0], each[2]) for each in same)
        case "month":
            return any(each[0] == "day" and each[1].split()[1] == value for each in line.claims) or bool(same)
        case "count":
            return claim in line.claims or (more[0] == "offer" and ("number", value) in line.claims)
        case "number":
            return any(each[1].split()[0] == value for each in line.claims if each[0] not in ("word", "not"))
        case "from" | "to":
            other = ("to" if kind == "from" else "from", value)
            return value in line.words and (claim in line.claims or other not in line.claims)
        case "name":
            return value in line.words
        case "word":
            denied = {("not", value), ("quoted", "word", value), ("quoted", "not", value)}
            return value in line.words and line.claims.isdisjoint(denied)
        case _:
            is_denied = ("quoted", "word", value) in line.claims or (line.denies and value in line.words)
            return bool(same) or (kind == "not" and is_denied)


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
