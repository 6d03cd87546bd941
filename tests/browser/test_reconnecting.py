"""The line to the server: cut, closed, without WebSockets, signed in or not; and a server that is killed."""

import asyncio
import re

import pytest
from playwright.async_api import Route, expect

from tests.browser.offers import flights
from tests.browser.stage import FLIGHTS
from tests.browser.visitor import NETWORK

pytestmark = pytest.mark.asyncio(loop_scope="module")

BY_AIR = "Flights from Berlin to Tokyo on 10 December"
TRIP = "Flights from Berlin to Tokyo on 10 December and a hotel there until the 14th"
AWAY = "Reconnecting"
SOURCE = FLIGHTS[0]
SLOW = 5
"""Seconds between the batches of a source, for a search that is to be under way when its server is killed."""


async def searching(visitor, proxy, stage):
    """Somebody behind a line that a test can cut, who has seen two flights of eight."""
    stage.hold()
    stage.script(SOURCE, flights([500, 520]), flights([100, 110, 120]), flights([1, 2, 3]))
    ada = await visitor(proxy)
    ada.forgive(NETWORK)
    await ada.say(BY_AIR)
    await stage.until_asked(SOURCE)
    stage.let(SOURCE)
    await expect(ada.cards).to_have_count(2)
    return ada


async def once(visitor) -> None:
    """Everything that was said and found is there, and nothing of it twice."""
    await expect(visitor.replies("I found")).to_have_count(1)
    await expect(visitor.said()).to_have_count(1)
    await expect(visitor.banner.get_by_text(AWAY)).to_be_hidden()
    await expect(visitor.stop_button).to_be_disabled()
    keys = "(items) => items.map((item) => item.dataset.key)"
    shown = await visitor.board.locator(".offers > li").evaluate_all(keys)
    assert len(shown) == len(set(shown)) > 0


@pytest.mark.requirement("THE-PAGE-COMES-BACK")
async def test_cut_connection_during_a_search_loses_and_doubles_nothing(visitor, staged, stage, proxy):
    ada = await searching(visitor, proxy, stage)
    proxy.cut()
    stage.let(SOURCE)
    await expect(ada.cards).to_have_count(5)
    proxy.close()
    await expect(ada.banner.get_by_text(AWAY)).to_be_visible()
    await expect(ada.agent("Flights")).to_contain_text("Searching")
    await expect(ada.stop_button).to_be_enabled()
    stage.let(*FLIGHTS, batches=20)
    await staged.until_found(ada.user_id, 8, "flight")
    proxy.open()
    await expect(ada.tab("Flights")).not_to_have_text("Flights 5")
    await once(ada)


@pytest.mark.requirement("THE-PAGE-COMES-BACK")
async def test_page_falls_back_where_websockets_are_blocked(visitor, staged, stage, proxy):
    proxy.keeps_sockets_out = True
    ada = await searching(visitor, proxy, stage)
    stage.let(SOURCE)
    await expect(ada.cards).to_have_count(5)
    stage.let(*FLIGHTS, batches=20)
    await once(ada)


@pytest.mark.requirement("THE-PAGE-COMES-BACK")
async def test_reload_during_a_search_shows_its_progress(visitor, staged, stage, proxy):
    ada = await searching(visitor, proxy, stage)
    await ada.page.reload()
    await expect(ada.cards).to_have_count(2)
    await expect(ada.agent("Flights")).to_contain_text("Searching")
    await expect(ada.stop_button).to_be_enabled()
    stage.let(*FLIGHTS, batches=20)
    await once(ada)
    await ada.page.reload()
    await once(ada)


@pytest.mark.requirement("THE-PAGE-COMES-BACK")
async def test_unsent_message_is_sent_after_a_reload(visitor, staged, stage):
    ada = await visitor(staged)
    ada.forgive(NETWORK)
    await ada.page.route("**/chat", lambda route: route.abort())
    await ada.say("hello")
    await expect(ada.said("hello")).to_contain_text("Waiting for the server")
    await ada.page.unroute("**/chat")
    await ada.page.reload()
    await expect(ada.replies()).to_have_count(1)
    await expect(ada.said()).to_have_count(1)


@pytest.mark.requirement("THE-PAGE-COMES-BACK")
async def test_unreadable_stored_state_is_fetched_anew(visitor, staged, stage, proxy):
    ada = await searching(visitor, proxy, stage)
    ada.forgive("is not a function", "is not iterable", "weak map key")
    spoil = """() => window.addEventListener("pagehide", () => {
        const kept = JSON.parse(sessionStorage.getItem("detour.state"));
        sessionStorage.setItem("detour.state", JSON.stringify({ ...kept, history: 7, requests: 7 }));
    })"""
    await ada.page.evaluate(spoil)
    await ada.page.reload()
    await expect(ada.cards).to_have_count(2)
    await expect(ada.said()).to_have_count(1)


@pytest.mark.requirement("THE-PAGE-COMES-BACK")
async def test_search_of_a_killed_server_is_finished_after_its_restart(visitor, process):
    server = process(demo_pace=SLOW)
    await server.start()
    ada = await visitor(server)
    ada.forgive(NETWORK)
    await ada.say(TRIP)
    await expect(ada.tab("Flights")).not_to_have_text("Flights 0")
    await server.kill()
    server.settings["demo_pace"] = 0
    await expect(ada.banner.get_by_text(AWAY)).to_be_visible()
    await server.start()
    await expect(ada.replies("I found")).to_have_count(1)
    await expect(ada.banner.get_by_text(AWAY)).to_be_hidden()
    await expect(ada.agent("Flights")).to_contain_text("Done")
    await expect(ada.agent("Hotels")).to_contain_text("Done")
    await expect(ada.stop_button).to_be_disabled()
    await expect(ada.log).to_contain_text(re.compile("failure of the server|server went away"))
    said = [each["role"] for each in (await server.history(ada.user_id))["messages"]]
    assert said.count("assistant") == 1


@pytest.mark.requirement("THE-PAGE-COMES-BACK")
async def test_page_starts_over_if_events_are_no_longer_kept(visitor, process, proxy):
    server = process(events_kept=100, demo_pace=0, port=0, allowed_hosts=f"127.0.0.1:{proxy.port}")
    await server.start()
    proxy.target = server.port
    ada = await visitor(proxy)
    ada.forgive(NETWORK)
    await ada.say("Hello")
    await expect(ada.replies()).to_have_count(1)
    proxy.close()
    for day in range(1, 15):
        await server.chat_to_end(ada.user_id, f"Flights from Berlin to Tokyo on {day} March")
    proxy.open()
    await expect(ada.replies("Sun 14 March")).to_have_count(1)
    await expect(ada.said()).to_have_count(15)
    await expect(ada.tab("Flights")).not_to_have_text("Flights 0")
    await expect(ada.banner.get_by_text(AWAY)).to_be_hidden()


@pytest.mark.requirement("A-TOKEN-IS-ASKED-OF-THE-PAGE")
async def test_printed_link_signs_in_and_leaves_no_token_in_the_address(visitor, process):
    server = process(token="a-long-random-token-22")
    await server.start()
    ada = await visitor(server, fragment="#token=a-long-random-token-22")
    await ada.say("Hello")
    await expect(ada.replies()).to_have_count(1)
    assert "token" not in ada.page.url
    (cookie,) = await ada.page.context.cookies()
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"
    await ada.page.reload()
    await expect(ada.replies()).to_have_count(1)
    await ada.say("Hello again")
    await expect(ada.replies()).to_have_count(2)


@pytest.mark.requirement("A-TOKEN-IS-ASKED-OF-THE-PAGE")
async def test_message_waits_for_the_sign_in_of_the_link(visitor, process):
    server = process(token="a-long-random-token-22")
    await server.start()
    ada = await visitor(server)
    ada.forgive("status of 401")
    await expect(ada.banner.get_by_text("You are not signed in: open the link")).to_be_visible()
    held: asyncio.Queue[Route] = asyncio.Queue()
    await ada.page.route("**/session", held.put)
    await ada.open("#token=a-long-random-token-22")
    signing_in = await held.get()
    await ada.say("Hello")
    await expect(ada.said("Hello")).to_be_visible()
    await signing_in.continue_()
    await expect(ada.replies()).to_have_count(1)


@pytest.mark.requirement("A-TOKEN-IS-ASKED-OF-THE-PAGE")
@pytest.mark.parametrize("fragment", ["", "#token=wrong"])
async def test_signed_out_visitor_is_told_what_to_do(visitor, process, fragment):
    server = process(token="a-long-random-token-22")
    await server.start()
    ada = await visitor(server, fragment=fragment)
    ada.forgive("status of 401")
    await expect(ada.banner.get_by_text("You are not signed in: open the link")).to_be_visible()
    await ada.say("Hello")
    await expect(ada.said("Hello")).to_contain_text("Not sent")
