"""Messages as words and numbers."""

import pytest

from backend.travel.understanding.english.language.numbers import amount, whole_number
from backend.travel.understanding.english.language.text import Text, phrases
from backend.travel.understanding.tokens import TOKENS_AT_MOST, fold


@pytest.mark.parametrize(
    ("typed", "folded"),
    [
        ("São", "sao"),
        ("Sa\u0303o", "sao"),
        ("MÜNICH", "munich"),
        ("Łódź", "lodz"),
        ("Malmö", "malmo"),
        ("Tromsø", "tromso"),
        ("\u2013", "-"),
        ("\u2019", "'"),
    ],
)
def test_case_diacritics_and_kinds_of_dashes_do_not_matter(typed: str, folded: str) -> None:
    assert fold(typed) == folded


def test_every_token_knows_where_in_the_message_it_stands() -> None:
    source = "I'm flying to São Paulo, on the 10th\u2014really 🎉"
    for token in Text(source).tokens:
        assert source[token.start : token.end] == token.raw


def test_word_with_an_apostrophe_is_one_word() -> None:
    assert [token.norm for token in Text("I'm at O\u2019Hare, 'Paris'").tokens] == [
        "im",
        "at",
        "ohare",
        ",",
        "'",
        "paris",
        "'",
    ]


def test_looking_beyond_either_end_of_a_message_finds_nothing() -> None:
    text = Text("hello")
    assert text.norm(-1) == text.norm(1) == ""
    assert not text[5].is_word


def test_longest_phrase_wins() -> None:
    text = Text("make it so")
    assert text.match(phrases("make", "make it"), 0) == 2


def test_no_message_has_more_tokens_than_are_read() -> None:
    assert Text("! " * 4_000).length == TOKENS_AT_MOST


@pytest.mark.parametrize(
    ("said", "value", "length"),
    [
        ("2", 2, 1),
        ("twelve", 12, 1),
        ("twenty-one", 21, 3),
        ("twenty one nights", 21, 2),
        ("a couple of", 2, 3),
        ("thirty", 30, 1),
    ],
)
def test_whole_numbers_are_read_as_digits_or_words(said: str, value: int, length: int) -> None:
    assert whole_number(Text(said), 0) == (value, length)


@pytest.mark.parametrize("said", ["a", "of", "1" * 30, "²", "half", ""])
def test_what_is_no_whole_number_is_none(said: str) -> None:
    assert whole_number(Text(said), 0) is None


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("1,500", 1500),
        ("1.500", 1500),
        ("12.50", 12),
        ("2k", 2000),
        ("two thousand", 2000),
        ("1,500,000", 1_500_000),
    ],
)
def test_amounts_know_thousands_from_cents(said: str, value: int) -> None:
    read = amount(Text(said), 0)
    assert read is not None
    assert read[0] == value


def test_text_says_words_one_after_the_other() -> None:
    text = Text("the week after next")
    assert text.says(1, "week", "after", "next")
    assert not text.says(2, "after", "next", "month")
    assert not text.says(-1, "the")
