"""The pictures of a trip: its route on a map, its hotels, and what another day would cost."""

import re

import pytest
from playwright.async_api import expect

from tests.browser.visitor import PHONE

pytestmark = pytest.mark.asyncio(loop_scope="module")

FLIGHTS = "Flights from Berlin to Tokyo on 10 March 2027"
ROUTE = re.compile(r"^Route from Berlin to Tokyo, 8,9\d\d km; the cheapest flight (stops in|is nonstop)")


def route_of(visitor):
    return visitor.page.get_by_role("img", name=ROUTE)


def days_of(visitor):
    return visitor.page.locator("price-days").get_by_role("button")


async def test_a_map_tells_where_the_trip_leads_in_words_and_as_a_line_over_dotted_land(visitor, demo):
    ada = await visitor(demo)
    await ada.say(FLIGHTS)
    await expect(route_of(ada)).to_be_visible()
    await expect(route_of(ada).get_by_text("Berlin")).to_be_visible()
    await expect(route_of(ada).locator(".land")).to_have_attribute("d", re.compile(r"(M[\d. -]+h0){300}"))
    await expect(route_of(ada).locator(".ways")).to_have_attribute("d", re.compile(r"^M[\d.]+ [\d.]+(L|$)"))


async def test_the_map_shows_the_stops_of_the_flight_that_the_pointer_is_at_and_keeps_its_name(visitor, demo):
    ada = await visitor(demo)
    await ada.say("Flights from London to New York on 10 March 2027")
    await expect(ada.page.get_by_text("all 3 sources asked")).to_be_visible()
    route = ada.page.get_by_role("img", name=re.compile("^Route from London to New York.+; the cheapest"))
    name = await route.get_attribute("aria-label")
    cards = ada.page.locator("flight-card")
    await cards.filter(has_text="Nonstop").first.hover()
    await expect(route.locator(".stop")).to_have_count(0)
    await cards.filter(has_text="1 stop").first.hover()
    await expect(route.locator(".stop")).to_have_count(1)
    await expect(route.locator(".legs")).to_have_attribute("d", re.compile("M.+M"))
    assert await route.get_attribute("aria-label") == name


async def test_a_day_of_the_chart_asks_for_that_day_and_keeps_the_focus_and_its_place(visitor, demo):
    ada = await visitor(demo)
    await ada.say(FLIGHTS)
    await expect(days_of(ada)).to_have_count(7)
    earlier = days_of(ada).filter(has_text="Tue 9 Mar")
    await expect(earlier).to_have_text(re.compile(r"Leave on Tue 9 Mar: [\d,.]+ euros"))
    shown = await days_of(ada).all_text_contents()
    await earlier.focus()
    await ada.page.keyboard.press("Enter")
    await expect(ada.log.get_by_text("Leave on 9 March 2027.")).to_be_visible()
    await expect(earlier).to_have_attribute("aria-current", "date")
    await expect(earlier).to_be_focused()
    after = await days_of(ada).all_text_contents()
    assert [text[-20:] for text in after][:1] == [text[-20:] for text in shown][:1]
    await earlier.press("Enter")
    await expect(ada.log.get_by_text("Leave on 9 March 2027.")).to_have_count(1)


async def test_the_cheapest_day_is_named_in_words_and_is_the_one_that_the_bars_mark(visitor, demo):
    ada = await visitor(demo)
    await ada.say(FLIGHTS)
    summary = ada.page.locator("price-days .summary")
    await expect(summary).to_have_text(re.compile(r"cheapest", re.IGNORECASE))
    marked = await days_of(ada).filter(has_text="the cheapest").first.text_content()
    day = re.search(r"(\w{3} \d+ Mar)", marked).group(1)
    assert day in await summary.text_content()


async def test_a_stay_without_a_flight_has_its_hotels_around_the_city(visitor, demo):
    ada = await visitor(demo)
    await ada.say("Hotels in Lisbon from 10 to 14 March 2027")
    city = ada.page.get_by_role("img", name=re.compile(r"\d+ hotels within \d+ km of the centre of Lisbon"))
    await expect(city).to_be_visible()
    await expect(route_of(ada)).to_have_count(0)
    await expect(ada.page.locator("price-days")).to_be_hidden()
    await ada.page.locator("hotel-card").nth(1).hover()
    await expect(city.locator(".here")).to_have_count(1)


async def test_on_a_phone_the_pictures_fit(visitor, demo):
    ada = await visitor(demo, viewport=PHONE)
    await ada.say(FLIGHTS)
    await ada.page.get_by_role("button", name="Trip", exact=True).click()
    await expect(route_of(ada)).to_be_visible()
    await expect(days_of(ada)).to_have_count(7)
    for part in ("route-map", "price-days"):
        box = await ada.page.locator(part).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]
    assert await ada.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
