"""Rental cars on the page: found beside the trip, filtered, booked with one click and a permission, kept."""

import re

import pytest
from playwright.async_api import expect

from tests.browser.looking import overlapping, violations

pytestmark = pytest.mark.asyncio(loop_scope="module")

RENTAL = "A rental car in Rome from 10 to 14 December"


def cards(visitor):
    return visitor.board.locator("car-card").locator("visible=true")


def permission(visitor):
    return visitor.log.get_by_role("group", name=re.compile("^Permission"))


async def test_cars_are_found_filtered_booked_and_kept(visitor, demo):
    ada = await visitor(demo)
    await ada.say(RENTAL)
    await expect(ada.replies("rental cars")).to_have_count(1)
    await expect(ada.agent("Cars")).to_contain_text(re.compile(r"\d+ found"))
    first = cards(ada).first
    await expect(first).to_contain_text(re.compile("(at the airport|in the centre)"))
    await expect(first).to_contain_text(re.compile("4 days · \\d seats · \\d bags?"))
    assert await violations(ada.page, "light") == []
    assert await overlapping(ada.page, "trip-board .plan") == []

    await ada.board.get_by_role("button", name=re.compile("^Gearbox")).click()
    await ada.board.get_by_role("button", name="Automatic", exact=True).click()
    await expect(ada.log).to_contain_text("An automatic car, please.")
    await expect(cards(ada).filter(has_text="manual")).to_have_count(0)
    await expect(first).to_contain_text("automatic")

    name = await first.locator("h3 [dir]").inner_text()
    await first.get_by_role("button", name=re.compile("^Book")).click()
    await expect(permission(ada)).to_contain_text(f"{name} in Rome from Thu 10 December 2026")
    await expect(permission(ada)).to_contain_text("1 driver")
    await permission(ada).get_by_role("button", name="Book", exact=True).click()
    await expect(ada.replies("Booked as DEMO-")).to_have_count(1)
    await ada.board.get_by_role("tab", name=re.compile("^Bookings")).click()
    await expect(ada.board.locator("booking-card")).to_contain_text(name)

    await ada.say("Flights from Berlin to Tokyo on 10 December")
    await expect(ada.replies("flights from Berlin to Tokyo")).to_have_count(1)
    await ada.board.get_by_role("button", name=re.compile("earlier search.* kept")).click()
    drawer = ada.board.get_by_role("region", name="Kept from earlier searches")
    await expect(drawer).to_contain_text(re.compile(r"\d+ cars"))
