"""An assent swallows no wish: what is said beside it is named."""

import pytest

from backend.travel.understanding.english.language.text import Text
from backend.travel.understanding.english.unread import beside_an_assent


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("ORY ok too", "ORY"),
        ("a place with a kitchen would be great", "kitchen"),
        ("ok great, something with a sauna", "sauna"),
        ("a balcony would be great", "balcony"),
        ("sure but vegan food", "vegan food"),
        ("ok but near the river", "river"),
        ("great, with a bathtub", "bathtub"),
        ("ok CDG fine", "CDG"),
        ("a rooftop bar would be perfect", "rooftop bar"),
    ],
)
def test_what_is_said_beside_an_assent_is_named(message, said):
    assert beside_an_assent(Text(message)) == said


@pytest.mark.parametrize(
    "message",
    [
        "ok",
        "ok cool",
        "yes ok good",
        "perfect, that'll do",
        "sure, why not",
        "ok no problem",
        "that's great news",
        "great stuff",
        "ok whatever you say",
        "okay fair enough",
        "sounds good mate",
        "ok makes sense",
        "ok leave it like that",
        "no thanks",
    ],
)
def test_assent_alone_leaves_nothing(message):
    assert beside_an_assent(Text(message)) == ""
