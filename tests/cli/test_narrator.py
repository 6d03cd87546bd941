"""What frames become on the screen."""

import pytest

from backend.clients.cli.narrator import (
    Line,
    Narrator,
    agent_words,
    best,
    clean,
    elapsed,
    offer_line,
    permission_lines,
    receipt_lines,
)
from backend.clients.story import Agent

FLIGHT = {
    "slices": [
        {
            "segments": [
                {"carrier": "x", "carrier_name": "Larch Demo", "origin": "BER", "destination": "SVO",
                 "departs_at": "2026-12-10T16:35:00+01:00", "arrives_at": "2026-12-10T21:00:00+03:00"},
                {"carrier": "x", "carrier_name": "Larch Demo", "origin": "SVO", "destination": "HND",
                 "departs_at": "2026-12-10T22:10:00+03:00", "arrives_at": "2026-12-11T13:25:00+09:00"},
            ],
            "duration_minutes": 770,
        }
    ],
    "price_total": {"amount": "493.88", "currency": "EUR"},
}  # fmt: skip
CHEAPER = {**FLIGHT, "price_total": {"amount": "99.10", "currency": "EUR"}}


class Told:
    """A narrator whose frames are numbered."""

    def __init__(self) -> None:
        self.narrator = Narrator()
        self.seq = 0

    def __call__(self, type_, /, *, at_s=0.0, task_id="A", **fields) -> list[str]:
        self.seq += 1
        frame = {"seq": self.seq, "type": type_, "task_id": task_id, "at": "", **fields}
        return [line.text for line in self.narrator.hear(frame, at_s)]

    def message(self, role, text, *, task_id="A", **fields):
        about = {"message_id": f"{task_id}.{self.seq}", "interrupted": False, **fields}
        return self("message", task_id=task_id, role=role, text=text, **about)

    def live(self, now_s=0.0) -> list[str]:
        return [line.text for line in self.narrator.live(now_s)]


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.mark.requirement("A-TERMINAL-OBEYS-NOBODY")
@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("a\x1b]0;title\x07b", "ab"),
        ("a\x1b]52;c;aGk=\x1b\\b", "ab"),
        ("a\x9b2Jb", "ab"),
        ("a\x1bcb", "ab"),
        ("a\x1b]8;;never ended", "a8;;never ended"),
        ("bell\x07 back\x08 null\x00", "bell back null"),
        ("over\rwritten", "over\nwritten"),
        ("two\r\nlines\tand a tab", "two\nlines and a tab"),
        ("\u202eturned\u202c", "turned"),
        ("Zürich 東京 👨‍👩‍👧", "Zürich 東京 👨‍👩‍👧"),
    ],
)
def test_control_sequences_are_removed_from_lines(text, left):
    assert clean(text) == Line("reply", text).text == left


@pytest.mark.requirement("A-TERMINAL-OBEYS-NOBODY")
def test_escape_sequence_in_two_deltas_is_removed(told):
    told("text_delta", text="a\x1b", offset=0)
    told("text_delta", text="[2Jb", offset=2)
    assert told.live()[-1] == "ab"


def test_agent_line_has_state_sources_and_count(told):
    told("status_update", status="running", reason=None, partial_results={})
    told("agent_update", agent="flight", state="working", detail="41 flights from 2 of 3 sources",
         done=2, total=3, count=41)  # fmt: skip
    assert told.live(4.2) == ["Working on it, 4.2 s", "  Flight: working, 2 of 3 sources, 41 found"]


def test_progress_is_shown_once_per_source(told):
    about = {"agent": "flight", "state": "working", "total": 3}
    assert told("agent_update", **about, detail="", done=1, count=0) == ["Flight: working, 1 of 3"]
    assert told("agent_update", **about, detail="", done=1, count=9) == []
    assert told("agent_update", **about, detail="", done=2, count=9) == ["Flight: working, 2 of 3, 9 found"]


def test_cheapest_offers_are_shown_during_and_after_a_task(told):
    told("partial_result", agent="flight", items=[FLIGHT, CHEAPER], count=2, source="s")
    assert told.live()[1:] == [
        "Flight: 2 found, the best:",
        "  99.10 EUR  Larch Demo, Thu 10 Dec BER 16:35 to HND 13:25 +1, 12 h 50, 1 stop",
        "  493.88 EUR  Larch Demo, Thu 10 Dec BER 16:35 to HND 13:25 +1, 12 h 50, 1 stop",
    ]
    ended = told("status_update", status="completed", reason=None, partial_results={"flight": [FLIGHT]})
    assert ended[0] == "Flight: 1 found, the best:"
    assert told.live() == []
    same = told("status_update", task_id="B", status="completed", partial_results={"flight": [FLIGHT]})
    assert same == []


@pytest.mark.parametrize("offer", [{"thing": 3}, {"price_total": "dear"}, {"slices": [1]}, "words", 7])
def test_results_of_other_graphs_are_shown_as_they_are(offer):
    assert offer_line(offer)
    assert best([offer, CHEAPER], 1) == [CHEAPER]


def test_invalid_price_sorts_last():
    odd = {"price_total": {"amount": "NaN", "currency": "EUR"}}
    assert best([odd, CHEAPER], 2) == [CHEAPER, odd]


def test_prices_sort_within_their_currency():
    dollars = {**CHEAPER, "price_total": {"amount": "1.00", "currency": "USD"}}
    assert best([dollars, FLIGHT, CHEAPER], 3) == [CHEAPER, FLIGHT, dollars]


def test_reply_is_shown_line_by_line_and_once(told):
    assert told("text_delta", text="One\nTw", offset=0) == ["One"]
    assert told.live()[-1] == "Tw"
    assert told("text_delta", text="o\nThree", offset=6) == ["Two"]
    assert told.message("assistant", "One\nTwo\nThree") == ["Three"]


def test_corrected_reply_is_shown_whole(told):
    told("text_delta", text="One\nTwo", offset=0)
    assert told.message("assistant", "Something else") == ["Something else"]


def test_interrupted_reply_says_so(told):
    assert told.message("assistant", "I look", interrupted=True) == ["I look", "(interrupted here)"]


def test_repeated_frame_shows_nothing(told):
    assert told.message("user", "hello") == ["You: hello"]
    again = {
        "seq": 1,
        "type": "message",
        "task_id": "A",
        "message_id": "A.7",
        "role": "user",
        "text": "hello",
    }
    assert told.narrator.hear(again, 0.0) == []


def test_snapshot_after_a_reset_shows_only_new_messages(told):
    told.message("user", "hello")
    told.narrator.hear({"type": "reset", "reason": "gone"}, 0.0)
    history = [
        {"message_id": "A.0", "role": "user", "text": "hello"},
        {"message_id": "A.1", "role": "user", "text": "there"},
    ]
    snapshot = {"type": "snapshot", "seq": 9, "status": None, "partial_results": None, "history": history}
    assert [line.text for line in told.narrator.hear(snapshot, 0.0)] == ["You: hello", "You: there"][1:]
    assert told.narrator.story.seq == 9


def test_receipt_has_a_line_per_call():
    calls = [
        {
            "tool": "search_flights",
            "outcome": "cancelled",
            "summary": "cut short: 14 flights from 2 of 3 sources",
        },
        {"tool": "book_flight", "outcome": "completed_after_interrupt", "summary": "booked as DEMO-1"},
        {"tool": "my_own_tool", "outcome": "not_started", "summary": ""},
    ]
    assert receipt_lines({"tool_calls": calls, "amended_at": "2026-12-10T16:35:00Z"}) == [
        "Flight search: cut short: 14 flights from 2 of 3 sources",
        "Booking the flight: had begun, and was completed: booked as DEMO-1",
        "My own tool: was not started",
        "What was unknown then is settled now.",
    ]


def test_permission_shows_all_its_facts():
    lines = permission_lines(
        {"tool": "book_hotel", "facts": {"Total": "9.00 EUR", "Rooms": 2, "Names": ["a", "b"]}}
    )
    assert lines == [
        "Booking the hotel needs your permission:",
        "  Total: 9.00 EUR",
        "  Rooms: 2",
        '  Names: ["a","b"]',
    ]


def test_question_is_open_until_it_is_resolved(told):
    told("status_update", status="input_required", reason=None, partial_results={})
    told("input_request", request_id="q1", kind="question", agent="a", prompt="?", schema={}, defaults={})
    assert told.narrator.story.waits_for_user
    assert told("input_resolved", request_id="q1", outcome="withdrawn") == ["The question was withdrawn."]
    assert told.narrator.story.requests == []


def test_adopted_search_is_shown(told):
    told("tool_update", call_id="c1", tool="search_flights", state="running", effect="read", summary="")
    told_of = told(
        "context_transfer", task_id="B", from_task_id="A", carried={}, adopted=["c1", "c2"], dropped=[]
    )
    assert told_of == ["Goes on from your previous message: flight search."]


def test_interrupted_agent_shows_the_kept_count():
    assert agent_words("hotel", Agent("interrupted", "interrupted", 1, 2, 8)) == "Hotel: interrupted, 8 kept"


def test_long_wait_is_shown_in_minutes():
    assert (elapsed(4.21), elapsed(125)) == ("4.2 s", "2 min 05 s")


class Steered:
    """Messages that are to steer, told as the server tells of them."""

    def __init__(self, told: Told) -> None:
        self.told = told

    def accepted(self, text, *, task_id):
        about = {"message_id": f"{task_id}.0", "interrupted": False, "steer": "pending"}
        said = self.told("message", task_id=task_id, role="user", text=text, **about)
        return said + self("pending", text, task_id=task_id)

    def __call__(self, steer, text, *, task_id="W", revision=0):
        about = {"message_id": f"{task_id}.0", "steer": steer, "text": text, "revision": revision}
        return self.told("steer", **about)


@pytest.fixture
def steered(told) -> Steered:
    return Steered(told)


@pytest.mark.requirement("CLIENTS-STEER")
def test_pending_message_has_a_number_until_it_is_taken_in(told, steered):
    told("status_update", status="running", reason=None, partial_results={})
    assert steered.accepted("card", task_id="W") == ["(1) waits to be taken in: card"]
    assert steered.accepted("seat", task_id="X") == ["(2) waits to be taken in: seat"]
    assert told.live() == [
        "Working on it, 0.0 s",
        "(1) waits to be taken in: card",
        "(2) waits to be taken in: seat",
    ]
    assert steered("pending", "my card", revision=1) == ["(1) is now: my card"]
    assert told.narrator.waiting_message("1")["text"] == "my card"
    assert steered("taken_in", "my card") == ["You: my card", "Taken in; it is read next."]
    assert told.narrator.waiting_message("1") is None
    assert steered("withdrawn", "seat", task_id="X") == ["(2) is withdrawn: seat"]
    assert told.live() == ["Working on it, 0.0 s"]


@pytest.mark.requirement("CLIENTS-STEER")
@pytest.mark.parametrize(
    ("steer", "words"),
    [
        ("own_task", "It is now a message of its own."),
        ("merged", "It is read before the newer message."),
        ("of_a_later_version", "of_a_later_version"),
    ],
)
def test_message_not_taken_in_is_shown_with_its_outcome(steered, steer, words):
    steered.accepted("card", task_id="W")
    assert steered(steer, "card") == ["You: card", words]


@pytest.mark.requirement("CLIENTS-STEER")
def test_snapshot_shows_a_pending_message_once(told, steered):
    waits = {"message_id": "W.0", "text": "card", "revision": 0, "at": ""}
    said = {"message_id": "W.0", "task_id": "W", "role": "user", "text": "card", "steer": "pending"}
    status = {"task_id": "A", "status": "running", "message": "", "agents": {}, "pending": [waits]}
    status |= {"created_at": "2026-12-01T10:00:00Z", "updated_at": "2026-12-01T10:00:00Z"}
    for seq, lines in ((9, ["(1) waits to be taken in: card"]), (10, [])):
        snapshot = {
            "type": "snapshot",
            "seq": seq,
            "status": status,
            "partial_results": None,
            "history": [said],
        }
        assert [line.text for line in told.narrator.hear(snapshot, 0.0)] == lines
    told.seq = 10
    assert steered("taken_in", "card") == ["You: card", "Taken in; it is read next."]
