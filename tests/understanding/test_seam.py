"""Where a message is read, and where it is related to others: the seam at which a language is put in."""

import ast
from datetime import date, time
from pathlib import Path
from typing import get_args

from backend.travel.understanding import dialogue, found, message, result, slot_table
from backend.travel.understanding.dialogue.prompt import Situation
from backend.travel.understanding.dialogue.search_requests import understand_search
from backend.travel.understanding.message import Act, Background, Message, Part
from backend.travel.understanding.places.gazetteer import load_gazetteer
from backend.travel.understanding.result import Place
from backend.travel.understanding.slot_table import ROWS
from tests.understanding.conversation import TODAY, told

KINDS = (
    result.Agent,
    result.Relation,
    result.Reason,
    result.BookingAction,
    message.Moved,
    message.Scope,
    slot_table.Link,
    found.Topic,
)
VALUES = {
    *(value for kind in KINDS for value in get_args(kind)),
    *("oldest", "second", "latest"),  # Return.which
    *("youngest", "middle"),  # Shift.child, beside "oldest"
    *("origin", "destination", "named", "start", "end"),  # Other.what
    *("place", "day"),  # the kinds of slots that an answer is compared by
    *(slot.field for slot in ROWS.values()),
    *ROWS,
    *("", ".", ":"),  # of which names of slots are made, and of one value of several: "hotel.amenities:pool"
}


def city(name: str) -> Place:
    return load_gazetteer().names[name][0]


def literals(source: str) -> set[str]:
    tree = ast.parse(source)
    told_by = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in told_by)
    return {node.value for node in texts if isinstance(node.value, str)}


def test_dialogue_names_values_and_compares_with_no_word_of_a_language() -> None:
    modules = sorted(Path(dialogue.__path__[0]).glob("*.py"))
    assert len(modules) > 8
    others = {module.name: literals(module.read_text()) - VALUES for module in modules}
    assert {name: texts for name, texts in others.items() if texts} == {}


def test_what_another_reader_reads_is_related_like_what_the_reader_of_english_does() -> None:
    read = {
        "Flüge von Berlin nach Lissabon am 10. Dezember": Message(
            agents=("flight",),
            parts=(
                Part(
                    agents=("flight",),
                    origin=city("berlin"),
                    destination=city("lisbon"),
                    start=date(2026, 12, 10),
                ),
            ),
        ),
        "und Hotels dort": Message(
            agents=("hotel",), acts=frozenset({Act.REFER}), parts=(Part(agents=("hotel",)),)
        ),
        "doch lieber nach Rom": Message(
            acts=frozenset({Act.CHANGE}), parts=(Part(destination=city("rome")),), goal=city("rome")
        ),
        "erst nach 18 Uhr": Message(
            parts=(Part(),),
            slots={"flight.departs_after": time(18), "flight.departs_before": None},
            wished_of=("flight",),
        ),
        "vergiss es": Message(acts=frozenset({Act.STOP}), parts=(Part(),)),
    }
    understood, relations = None, []
    for said in read:
        situation = Situation(understood, TODAY)
        understood = understand_search(said, lambda message, background: read[message], situation)
        relations.append(understood.relation)
    assert relations == ["new", "add", "refine", "refine", "stop"]
    in_english = told(
        "Flights from Berlin to Lisbon on 10 December",
        "and hotels there",
        "make it Rome",
        "after 6 pm",
        "forget it",
    )
    assert understood == in_english
    assert in_english.flight.departs_after == time(18)


def test_reader_is_told_what_is_known_and_what_was_asked_for() -> None:
    backgrounds: list[Background] = []

    def read(message: str, background: Background) -> Message:
        backgrounds.append(background)
        return Message(parts=(Part(),))

    before = told("Find flights to Tokyo on 10 December")
    understand_search("Berlin", read, Situation(before, TODAY))
    (background,) = backgrounds
    assert (background.asked, background.running) == (("flight.origin",), ("flight",))
    assert (background.after, background.days) == (date(2026, 12, 10), (date(2026, 12, 10),))
