"""The phrases of a topic are a file: what may stand in it, what is refused, and that code and files agree."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from backend.travel.understanding.english.language import tables
from backend.travel.understanding.english.language.text import Phrases, Text

CODE = Path(tables.__file__).parents[3]
TOPICS = sorted(path.stem for path in tables.FOLDER.glob("*.toml"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    by: Literal["price", "stops"]
    phrases: Phrases
    words: frozenset[str] = frozenset()


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(tables, "FOLDER", tmp_path)
    for cached in (tables.phrases_of, tables.words_of, tables.rows_of, tables.spelled, tables._read):
        cached.cache_clear()
    yield tmp_path / "trains.toml"
    for cached in (tables.phrases_of, tables.words_of, tables.rows_of, tables.spelled, tables._read):
        cached.cache_clear()


def test_choices_and_parts_are_written_out(table: Path) -> None:
    table.write_text(
        '[parts]\nwhat = ["it", "that (one|)"]\n[phrases]\nasks = ["(please |)book {what}", "go"]\n'
    )
    assert tables.spelled("trains", "asks") == (
        "please book it",
        "please book that one",
        "please book that",
        "book it",
        "book that one",
        "book that",
        "go",
    )
    assert Text("book that one now").match(tables.phrases_of("trains").asks, 0) == 3


def test_words_include_and_leave_out_words_of_others(table: Path) -> None:
    (table.parent / "cars.toml").write_text('[words]\nours = "car van"\n')
    table.write_text(
        '[words]\nrails = "train tram"\nall = "{rails} {cars.ours} ~tram bus"\nown = "{all} ~{cars.ours}"\n'
    )
    assert tables.words_of("trains").all == {"train", "car", "van", "bus"}
    assert tables.words_of("trains").own == {"train", "bus"}


def test_end_is_what_stands_outside_of_a_message(table: Path) -> None:
    table.write_text('[words]\nends = "END ."\n')
    assert Text("go").norm(1) in tables.words_of("trains").ends


def test_rows_are_objects_of_their_class(table: Path) -> None:
    table.write_text('[[picks]]\nby = "price"\nphrases = ["the cheapest"]\nwords = "a b"\n')
    (row,) = tables.rows_of("trains", "picks", Row)
    assert row.by == "price"
    assert row.words == {"a", "b"}
    assert Text("the cheapest one").match(row.phrases, 0) == 2


@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        ('[phrases]\na = ["{b}"]', r"trains.toml: b: no such list"),
        ('[phrases]\na = "b"', r"trains.toml: phrases.a: not a list of phrases"),
        ("[phrases]\na = [1]", r"trains.toml: phrases.a: not a list of phrases"),
        ('[phrases]\na = ["(b|)"]', r"trains.toml: phrases.a: an empty phrase"),
        ("[phrases]\na = [", r"trains.toml: "),
        ('[words]\na = ""', r"trains.toml: words.a: not a string of words"),
        ('[words]\na = "{b}"', r"trains.toml: words.b: not a string of words"),
        ('[[picks]]\nby = "size"\nphrases = ["b"]', r"trains.toml: picks\[1\].by: Input should be"),
        ('[[picks]]\nby = "price"', r"trains.toml: picks\[1\]: .*phrases"),
        ('[[picks]]\nby = "price"\nphrases = ["b"]\nc = 1', r"trains.toml: picks\[1\]: no field 'c'"),
        ('[words]\na = "b"', r"trains.toml: picks: no rows"),
    ],
)
def test_faulty_table_is_refused_with_its_place(table: Path, told: str, wrong: str) -> None:
    table.write_text(told)
    with pytest.raises(ValueError, match=wrong):
        _all_of("trains")


def _all_of(topic: str) -> None:
    tables.phrases_of(topic)
    tables.words_of(topic)
    tables.rows_of(topic, "picks", Row)


def test_phrases_of_all_tables_are_few_enough_to_be_read_at_each_start() -> None:
    lists = [(topic, name) for topic in TOPICS for name in tables._read(topic).get("phrases", ())]
    assert sum(len(tables.spelled(*each)) for each in lists) < 80_000


def test_every_list_is_used_and_every_list_used_exists() -> None:
    used = {(topic, name) for path in CODE.rglob("*.py") for topic, name in _lists_in(path)}
    there = {
        (topic, name)
        for topic in TOPICS
        for kind, lists in tables._read(topic).items()
        for name in (lists if kind in ("words", "phrases", "parts") else (kind,))
    }
    named = {(other or topic, name) for topic in TOPICS for other, name in _names_in(tables._read(topic))}
    assert used <= there
    assert there - used - named == set()


def _lists_in(path: Path) -> Iterator[tuple[str, str]]:
    """The lists that a module names: `SAID.asks` where `SAID = phrases_of("trains")`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    topics: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(
                targets=[ast.Name(id=alias)],
                value=ast.Call(
                    func=ast.Name(id="phrases_of" | "words_of"), args=[ast.Constant(value=str(topic))]
                ),
            ):
                topics[alias] = topic
            case ast.Call(
                func=ast.Name(id="rows_of" | "spelled"),
                args=[ast.Constant(value=str(topic)), ast.Constant(value=str(name)), *_],
            ):
                yield topic, name
            case ast.Call(func=ast.Name(id="lists_of"), args=[ast.Constant(value=str(topic))]):
                yield from ((topic, name) for name in tables._read(topic)["phrases"])
            case _:
                pass
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=alias), attr=name) if alias in topics:
                yield topics[alias], name
            case _:
                pass


def _names_in(told: object) -> Iterator[tuple[str, str]]:
    """The lists that a file names in braces, with their file ("" for its own)."""
    if isinstance(told, dict):
        for one in told.values():
            yield from _names_in(one)
    elif isinstance(told, list):
        for one in told:
            yield from _names_in(one)
    elif isinstance(told, str):
        for _, name in tables._PART.findall(told):
            if name:
                other, _, own = name.rpartition(".")
                yield other, own
