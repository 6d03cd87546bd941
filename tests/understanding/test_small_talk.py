"""What asks for no search is answered by what was said."""

import pytest

from backend.travel.understanding.english.talk.small_talk import NOT_UNDERSTOOD, small_talk


@pytest.mark.parametrize(
    ("message", "begins"),
    [
        ("thanks!", "You are welcome."),
        ("Thank you so much", "You are welcome."),
        ("Hello", "Hello."),
        ("good morning", "Hello."),
        ("bye", "Goodbye."),
        ("Who are you?", "I look for flights, hotels and rental cars"),
        ("hi, what can you do?", "I look for flights, hotels and rental cars"),
        ("please book the second one with my card", "To book one of the offers that I have found, name it"),
        ("go on", "There is nothing to go on with yet"),
        ("ok", "All right."),
        ("All right", "All right."),
        ("that'll do", "All right."),
    ],
)
def test_reply_fits_what_was_said(message, begins):
    assert small_talk(message).startswith(begins)


@pytest.mark.parametrize(
    "message",
    [
        *("", "?", "asdf qwer", "Ich möchte nach Rom", "quiero un vuelo", "no entiendo"),
        "hey, my neighbour told me yesterday that the sea is rather cold",
    ],
)
def test_unread_message_is_answered_with_an_example(message):
    assert small_talk(message) == NOT_UNDERSTOOD
    assert "for example" in NOT_UNDERSTOOD
