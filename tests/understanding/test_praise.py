"""What is said to be liked, and where sentences end."""

import pytest

from backend.travel.understanding.english.language.sentences import clauses, sentence_around
from backend.travel.understanding.english.language.text import Text
from backend.travel.understanding.english.talk.decisions import find_praise


@pytest.mark.parametrize(
    "said",
    [
        "That sounds really amazing",
        "it's a wonderful hotel",
        "works for me",
        "I'll take it",
        "seems quite ok",
    ],
)
def test_liked_offer_is_found(said: str) -> None:
    assert find_praise(Text(said)) >= 0


@pytest.mark.parametrize(
    "said", ["You are awesome", "how does the way to work right now look", "a good hotel", ""]
)
def test_other_good_words_praise_nothing_that_was_found(said: str) -> None:
    assert find_praise(Text(said)) < 0


def test_sentences_end_at_their_signs() -> None:
    text = Text("Yes. That works, thanks! And when")
    spelled = [text.spelled(first, after) for first, after in text.sentences]
    assert spelled == ["Yes", "That works, thanks", "And when"]
    assert len(list(clauses(text))) == 4
    assert sentence_around(text, 3) == (2, 6)
