"""What earlier requests have found, and which of them was cheapest."""

from collections.abc import Sequence

from ....domain.partials import ShownResults
from ...stored_requests import understanding_in
from ...understanding.english.titles import title_of
from ...understanding.found import KINDS, FoundQuestion, Kind
from ...understanding.tokens import fold
from ...values.offers import cheapest_of_each_currency, currencies, currency, in_order, price, told
from ..state import TravelRun
from .wording import counted, in_its_currency, listed, name, total

NOTHING_BEFORE = "There is no earlier search whose offers I still have."


async def of_earlier(run: TravelRun, question: FoundQuestion) -> str:
    """Return what earlier requests have found, or which of all was cheapest. Raises `StoreUnavailable`."""
    shown = [each async for each in run.context.shown()]
    some = _by_title(shown)
    wanted = fold(question.which.name)
    if wanted:
        some = {title: each for title, each in some.items() if wanted in fold(title)}
        if not some:
            return f"I have no offers of a search for {question.which.name}."
    elif question.wanted:
        some = dict(list(some.items())[1:]) if shown and _title(shown[0]) in some else some
    if not some:
        return NOTHING_BEFORE
    if question.topic == "best_request":
        return _cheapest_of(some, question.agent)
    return " ".join(f"{title}: {_told(each)}." for title, each in list(some.items())[:3])


def _by_title(shown: Sequence[ShownResults]) -> dict[str, ShownResults]:
    """The latest of the requests of each title that have offers."""
    titled: dict[str, ShownResults] = {}
    for each in shown:
        if any(each.results.get(kind) for kind in KINDS):
            titled.setdefault(_title(each), each)
    return titled


def _title(shown: ShownResults) -> str:
    understanding = understanding_in(shown.request)
    return title_of(understanding) if understanding else ""


def _told(shown: ShownResults) -> str:
    return listed(
        [
            f"{counted(len(items), kind)}, the cheapest{in_its_currency(first, items)} {name(first)}"
            f" for {total(first)}"
            for kind in KINDS
            if (items := shown.results.get(kind))
            for first in in_order(items, "price")[:1]
        ]
    )


def _cheapest_of(some: dict[str, ShownResults], agent: Kind | None) -> str:
    shared = [kind for kind in KINDS if all(each.results.get(kind) for each in some.values())]
    kind = agent or (shared or KINDS)[0]
    firsts = [
        (title, first)
        for title, each in some.items()
        for first in cheapest_of_each_currency(each.results.get(kind, ()))
    ]
    if not firsts:
        return NOTHING_BEFORE
    firsts = [(title, first) for title, first in firsts if told(currency, first)]
    if not firsts:
        return "Those offers do not tell their prices."
    if len(currencies([first for _, first in firsts])) > 1:
        prices = listed([f"{title} from {total(first)}" for title, first in firsts])
        return f"These are not of one currency: {prices}."
    (best, first), *others = sorted(firsts, key=lambda each: price(each[1]))
    rest = "; ".join(f"{title} from {total(other)}" for title, other in others)
    return f"The cheapest was {best}, from {total(first)}{f'; {rest}' if rest else ''}."
