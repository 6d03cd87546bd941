"""The pictures of a trip: its route on a map, its hotels, and what another day would cost."""

import re

import pytest
from playwright.async_api import expect

from tests.browser.looking import drawn, too_wide, violations
from tests.browser.visitor import PHONE

pytestmark = pytest.mark.asyncio(loop_scope="module")

FLIGHTS = "Flights from Berlin to Tokyo on 10 March 2027"
CITY = re.compile(r"^\d+ hotels within \d+ km of the centre of Lisbon$")
BOTH = "Flights and a hotel in Lisbon from Berlin, 10 to 14 March 2027"
ROUTE = re.compile(r"^Route from Berlin to Tokyo, 8,9\d\d km; the cheapest flight (stops in|is nonstop)")


async def name_of(option):
    return (await option.locator(".unseen").text_content()).partition(",")[0]


def cover(one, other):
    across = one["x"] < other["x"] + other["width"] and other["x"] < one["x"] + one["width"]
    return across and one["y"] < other["y"] + other["height"] and other["y"] < one["y"] + one["height"]


def route_of(visitor):
    return visitor.page.get_by_role("img", name=ROUTE)


def days_of(visitor):
    return visitor.page.locator("price-days li").get_by_role("button")


async def test_map_shows_the_route_in_words_and_as_a_line(visitor, demo):
    ada = await visitor(demo)
    await ada.say(FLIGHTS)
    await expect(route_of(ada)).to_be_visible()
    await expect(route_of(ada).get_by_text("Berlin")).to_be_visible()
    await expect(route_of(ada).locator(".land")).to_have_attribute("d", re.compile(r"(M[\d. -]+h0){300}"))
    await expect(route_of(ada).locator(".ways")).to_have_attribute("d", re.compile(r"^M[\d.]+ [\d.]+(L|$)"))


async def test_map_shows_the_stops_of_the_flight_under_the_pointer(visitor, demo):
    ada = await visitor(demo)
    await ada.say("Flights from London to New York on 10 March 2027")
    await expect(ada.agent("Flights")).to_contain_text("Done")
    route = ada.page.get_by_role("img", name=re.compile("^Route from London to New York.+; the cheapest"))
    name = await route.get_attribute("aria-label")
    await expect(ada.replies("I found")).to_have_count(1)
    await drawn(ada.page)  # what still glides would leave the pointer
    cards = ada.page.locator("flight-card")
    await cards.filter(has_text="Nonstop").first.hover()
    await expect(route.locator(".stop")).to_have_count(0)
    await cards.filter(has_text="1 stop").first.hover()
    await expect(route.locator(".stop")).to_have_count(1)
    await expect(route.locator(".legs")).to_have_attribute("d", re.compile("M.+M"))
    assert await route.get_attribute("aria-label") == name


async def test_chosen_day_of_the_chart_keeps_the_focus(visitor, demo):
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


BEGIN = """userId => {
  const board = document.querySelector("trip-board");
  const state = board.data;
  const { search } = state.shown;
  const next = { ...search, task_id: "next", status: "running", agents: {}, partials: {} };
  const shown = { search: next, before: search };
  board.data = { ...state, userId: userId ?? state.userId, task: next, shown };
  return ["route-map", "price-days"].filter(name => board.querySelector(name).hidden);
}"""


async def test_pictures_stay_until_a_new_search_names_its_request(visitor, demo):
    ada = await visitor(demo)
    await ada.say(FLIGHTS)
    await expect(ada.replies("I found")).to_have_count(1)
    await expect(days_of(ada)).to_have_count(7)
    await expect(route_of(ada)).to_be_visible()
    await ada.is_at_rest()
    assert await ada.page.evaluate(BEGIN) == []
    assert await ada.page.evaluate(BEGIN, "another-trip") == ["route-map", "price-days"]


async def test_hotel_on_the_map_and_its_card_point_at_each_other(visitor, demo):
    ada = await visitor(demo)
    await ada.say(BOTH)
    await expect(ada.replies("I found")).to_have_count(1)
    city = ada.page.get_by_role("listbox", name=CITY)
    await expect(city).to_be_hidden()
    await ada.tab("Hotels").click()
    await expect(ada.page.get_by_role("img", name=re.compile("^Route"))).to_have_count(0)
    options, pointed = city.get_by_role("option"), ada.page.locator(".offers > .pointed")
    selected, labelled = city.get_by_role("option", selected=True), city.locator(".priced")
    await expect(labelled.nth(3)).to_be_attached()
    await drawn(ada.page)
    assert await options.count() > await labelled.count() >= 4
    boxes = [await each.bounding_box() for each in await labelled.locator(":scope > :first-child").all()]
    area = await city.bounding_box()
    for at, box in enumerate(boxes):
        assert area["x"] <= box["x"]
        assert box["x"] + box["width"] <= area["x"] + area["width"]
        assert not any(cover(box, other) for other in boxes[at + 1 :])
    await labelled.nth(2).hover()
    await expect(pointed).to_contain_text(await name_of(labelled.nth(2)))
    name = await name_of(labelled.last)
    await labelled.last.click()
    await ada.box.hover()
    await expect(pointed).to_contain_text(name)
    await expect(pointed).to_be_in_viewport(ratio=0.9)
    await expect(selected).to_contain_text(name)
    await city.focus()
    await city.press("Home")
    await expect(pointed).to_contain_text(await name_of(options.first))
    await city.press("ArrowRight")
    second = await name_of(options.nth(1))
    await expect(pointed).to_contain_text(second)
    await city.press("Enter")
    for scheme in ("light", "dark"):
        assert await violations(ada.page, scheme) == []
    await ada.page.get_by_role("button", name=f"Show {second}").press("Enter")
    await expect(pointed).to_be_focused()
    await expect(pointed).to_contain_text(second)


async def test_tap_on_a_hotel_leads_to_its_card_on_a_phone(visitor, demo):
    ada = await visitor(demo, viewport=PHONE, has_touch=True)
    await ada.say(BOTH)
    await expect(ada.replies("I found")).to_have_count(1)
    await ada.page.get_by_role("button", name="Trip", exact=True).click()
    await expect(ada.page.get_by_role("img", name=re.compile("^Route from Berlin to Lisbon"))).to_be_visible()
    city = ada.page.get_by_role("listbox", name=CITY)
    await city.locator(".priced").last.tap()
    show = ada.page.get_by_role("button", name=re.compile("^Show .+ Demo"))
    name = (await show.get_attribute("aria-label")).removeprefix("Show ")
    told = ada.page.locator("city-map .told")
    await expect(told).to_have_text(re.compile(rf"^{re.escape(name)}, €[\d,.]+ · .+ km$"))
    assert await too_wide(ada.page) == []
    await show.tap()
    await expect(ada.page.locator(".offers > .pointed").filter(has_text=name)).to_be_in_viewport()
