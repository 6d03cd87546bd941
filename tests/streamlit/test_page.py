"""The page in front of a real server, run by Streamlit's own test driver."""

from datetime import timedelta

import pytest

from backend.domain.encoding import system_clock
from tests.api.live import serving
from tests.browser.stage import FLIGHTS, HOTELS
from tests.graphs.odd import MARKUP
from tests.streamlit.conftest import staged_server

pytestmark = pytest.mark.asyncio(loop_scope="module")

DAY = (system_clock() + timedelta(days=30)).date()
LISBON = f"Find flights from Berlin to Lisbon on {DAY.isoformat()}"
KEPT = "What was kept, and the outcome of each call"


def is_kept(page):
    return [each for each in page.app.expander if each.label == KEPT]


async def found_flights(page, stage) -> None:
    """Have one of three sources answer, and hold the others."""
    stage.hold(*FLIGHTS)
    await page.say(LISBON)
    await stage.until_asked(FLIGHTS[1])
    stage.let(FLIGHTS[1], batches=99)
    await page.until_says("Flight: working, 1 of 3 sources")


async def asked_where_from(page) -> None:
    await page.say(f"Find flights to Lisbon on {DAY.isoformat()}")
    await page.until(lambda page: page.app.text_input)


async def test_results_show_as_they_arrive(visit, stage):
    page = await visit()
    await page.until_says("For example:")
    await found_flights(page, stage)
    assert 0 < len(page.cards) <= 30
    assert page.has_button("Stop")
    assert not page.app.chat_input[0].disabled
    stage.free()
    await page.until_says("Done")
    assert page.says("flights from Berlin to Lisbon")
    assert page.says("Flight: done, 3 of 3 sources")
    assert 0 < len(page.cards) <= 30
    assert not page.has_button("Stop")


@pytest.mark.requirement("STREAMLIT-STOPS-THE-TASK")
async def test_stop_button_stops_the_servers_task_and_keeps_results(visit, stage, server):
    page = await visit()
    await found_flights(page, stage)
    cards = page.cards
    await page.click("Stop")
    await page.until_says("Interrupted")
    status = await server.status(page.user_id)
    assert (status["status"], status["reason"]) == ("interrupted", "stopped")
    receipt = (await server.call("GET", f"/receipts/{page.user_id}/{status['task_id']}")).json()
    assert {call["outcome"] for call in receipt["tool_calls"]} == {"cancelled"}
    assert page.cards == cards
    assert page.says("Stopped by the user")
    (kept,) = await page.until(is_kept)
    assert any(text.value.startswith("Flight search: ") for text in kept.text)
    assert not page.has_button("Stop")


async def test_new_message_interrupts_and_names_adopted_searches(visit, stage):
    page = await visit()
    await found_flights(page, stage)
    cards = page.cards
    stage.hold(*HOTELS)
    await page.say(f"and a hotel in Lisbon from {DAY.isoformat()} for three nights")
    await page.until_says("Goes on from your previous message: flight search.")
    await page.until_says("Interrupted by a newer message")
    assert page.cards == cards
    (kept,) = await page.until(is_kept)
    assert "Flight search: continues for the next message" in [text.value for text in kept.text]
    stage.free()
    await page.until_says("Done")
    assert {tab.label for tab in page.app.tabs} == {"Flight", "Hotel"}
    assert len(page.cards) <= 30


async def test_reloaded_page_continues_with_the_task(visit, stage):
    page = await visit()
    await found_flights(page, stage)
    await page.say(f"Actually, on {(DAY + timedelta(days=1)).isoformat()}")
    await page.until(is_kept)
    await stage.until_asked(FLIGHTS[1], times=2)
    stage.let(FLIGHTS[1], batches=99)
    await page.until(lambda page: page.cards)
    again = await visit(page.user_id)
    assert again.app.query_params["user"] == page.user_id
    await again.until(is_kept)
    await again.until(lambda again: again.cards)
    await page.until(lambda page: page.cards == again.cards)
    assert again.has_button("Stop")
    kept, others = is_kept(page)[0], is_kept(again)[0]
    assert [text.value for text in kept.text] == [text.value for text in others.text]


async def test_answered_form_continues_the_task(visit):
    page = await visit()
    await asked_where_from(page)
    (where_from, where_to) = page.app.text_input
    request_id = where_from.key.rpartition(":")[0]
    assert where_to.key == f"{request_id}:destination"
    assert where_to.value == "Lisbon, Portugal"
    await page.until_says("Needs you")
    where_from.set_value("Berlin")
    await page.click("Answer")
    assert not page.app.text_input
    await page.until_says("flights from Berlin to Lisbon")


async def test_invalid_answer_is_explained_and_kept_in_the_form(visit):
    page = await visit()
    await asked_where_from(page)
    page.app.text_input[0].set_value("Nowhereville Upon Nothing")
    await page.click("Answer")
    (refusal,) = page.app.error
    assert refusal.value.endswith(".")
    assert page.app.text_input[0].value == "Nowhereville Upon Nothing"
    page.app.text_input[0].set_value("Berlin")
    await page.click("Answer")
    assert not page.app.error
    await page.until_says("flights from Berlin to Lisbon")


async def test_late_answer_is_explained(visit, server):
    page = await visit()
    await asked_where_from(page)
    (request,) = (await server.status(page.user_id))["input_requests"]
    await server.answer(page.user_id, request["request_id"], origin="Hamburg")
    page.app.text_input[0].set_value("Berlin")
    await page.click("Answer")
    (refusal,) = page.app.error
    assert "answered" in refusal.value
    await page.until(lambda shown: not shown.app.text_input)
    await page.until_says("flights from Hamburg to Lisbon")


async def test_message_withdraws_the_open_question(visit):
    page = await visit()
    await asked_where_from(page)
    await page.say(f"no, flights from Hamburg to Porto on {DAY.isoformat()}")
    await page.until(lambda shown: not shown.app.text_input)
    await page.until_says("flights from Hamburg to Porto")


@pytest.mark.parametrize(("label", "told"), [("Allow", "Booked as DEMO-"), ("Don't", "Not allowed.")])
async def test_permission_shows_its_facts_and_is_allowed_or_denied(visit, label, told):
    page = await visit()
    await page.say(LISBON)
    await page.until_says("Done")
    await page.say("book the cheapest flight")
    await page.until_says("Booking the flight needs your permission:")
    assert page.says("€")
    again = await visit(page.user_id)
    await again.until_says("Booking the flight needs your permission:")
    await again.click(label)
    for shown in (again, page):
        await shown.until(lambda shown: not shown.has_button("Allow"))
        await shown.until_says(told)


@pytest.mark.requirement("STREAMLIT-LOSES-NOTHING")
async def test_lost_connection_is_shown_and_unsent_message_is_sent_once(visit, proxy, tmp_path):
    async with staged_server(tmp_path, allowed_hosts=(f"127.0.0.1:{proxy.port}",)) as (server, stage):
        proxy.target = server.port
        page = await visit(port=proxy.port)
        await found_flights(page, stage)
        before = page.cards
        proxy.close()
        await page.until_says("No connection to the server")
        await page.say("and a hotel")
        assert page.says("Not sent. The server cannot be reached.")
        assert page.cards == before
        stage.free()
        proxy.open()
        await page.until_says("Done")
        assert not page.says("No connection to the server")
        await page.click("Send again")
        await page.until(lambda page: not page.has_button("Send again") and not page.says("sending"))
        messages = (await server.history(page.user_id))["messages"]
        assert [each["text"] for each in messages if each["role"] == "user"] == [LISBON, "and a hotel"]


async def test_unsent_message_can_be_dropped(visit, proxy):
    proxy.close()
    page = await visit(port=proxy.port)
    await page.say(LISBON)
    assert page.says("Not sent.")
    await page.click("Drop it")
    assert not page.says(LISBON)


async def test_foreign_text_is_never_markup(visit):
    hostile = "**bold** $x$ ![a](http://example.org/a.png) :red[x] <b> and\u2028a line"
    page = await visit()
    await page.say(hostile)
    await page.until(lambda page: hostile in [each.value for each in page.app.text])
    assert not any("example.org" in each.value for each in page.app.markdown)


async def test_other_graph_has_cards_and_a_form(visit, tmp_path):
    async with serving(tmp_path, graph="tests.graphs.odd:graph") as hosted:
        page = await visit(port=hosted.port)
        await page.say("Find something")
        await page.until(lambda page: page.app.number_input)
        assert page.app.number_input[0].value == 3
        page.app.selectbox[-1].select_index(1)
        page.app.text_input[0].set_value("told")
        await page.click("Answer")
        await page.until_says(f"{MARKUP} told")


async def steer(page, text: str) -> None:
    page.app.toggle[0].set_value(True)
    await page.say(text)


async def go_on(page) -> None:
    page.app.selectbox[0].select_index(0)
    await page.click("Answer")


@pytest.mark.requirement("CLIENTS-STEER")
async def test_taken_in_message_stands_where_the_model_read_it(visit, tmp_path):
    async with serving(tmp_path, graph="tests.steered_graph:graph") as hosted:
        page = await visit(port=hosted.port)
        assert not page.app.toggle
        await page.say("tools")
        await page.until(lambda page: page.app.selectbox)
        await steer(page, "card")
        await page.until_says("waiting to be taken in")
        other = await visit(page.user_id, port=hosted.port)
        await other.until_says("waiting to be taken in")
        await steer(other, "seat")
        await page.until_says("seat")
        await go_on(page)
        for shown in (page, other):
            await shown.until_says("Read: tools | card | seat")
            assert [each.value for each in shown.app.caption].count("taken in while it worked") == 2
            assert not shown.says("waiting to be taken in")
            assert not shown.says("sending")


@pytest.mark.requirement("CLIENTS-STEER")
async def test_pending_message_is_withdrawn_or_interrupts(visit, tmp_path):
    async with serving(tmp_path, graph="tests.steered_graph:graph") as hosted:
        page = await visit(port=hosted.port)
        await page.say("tools")
        await page.until(lambda page: page.app.selectbox)
        await steer(page, "card")
        await page.until_says("waiting to be taken in")
        await page.click("Withdraw")
        await page.until(lambda page: not page.says("card"))
        await steer(page, "seat")
        await page.until_says("waiting to be taken in")
        await page.click("Now")
        await page.until_says("Read: tools | seat")


@pytest.mark.requirement("CLIENTS-STEER")
async def test_steering_is_not_offered_again_after_an_agent_cannot_be_steered(visit, stage):
    page = await visit()
    await found_flights(page, stage)
    await steer(page, "Actually, make it Porto")
    assert page.says("This agent cannot be steered: your message interrupted it")
    await page.until_says("Interrupted by a newer message")
    assert page.has_button("Stop")
    assert not page.app.toggle


async def test_new_trip_starts_over_and_the_old_one_keeps_its_address(visit):
    page = await visit()
    await page.say(LISBON)
    await page.until_says("Done")
    await page.click("New trip")
    assert page.app.query_params["user"] != page.user_id
    await page.until_says("For example:")
    assert not page.says(LISBON)
    again = await visit(page.user_id)
    await again.until_says(LISBON)


async def test_missing_token_is_explained_and_a_given_one_is_sent(visit, tmp_path, monkeypatch):
    async with staged_server(tmp_path, token="a-long-random-token-22") as (guarded, _):
        page = await visit(port=guarded.port)
        await page.until_says("set DETOUR_TOKEN")
        monkeypatch.setenv("DETOUR_TOKEN", "a-long-random-token-22")
        signed_in = await visit(port=guarded.port)
        await signed_in.say("hello")
        await signed_in.until(lambda page: not page.says("sending"))
        assert signed_in.says("hello")
