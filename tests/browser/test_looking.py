"""The page for everybody: in any state, on screen or phone, light or dark, enlarged, by keyboard alone."""

import re

import pytest
from playwright.async_api import expect

from backend.domain.errors import ProviderError
from tests.browser.looking import drawn, overlapping, too_small, too_wide, violations
from tests.browser.stage import FLIGHTS, HOTELS
from tests.browser.visitor import PHONE

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.requirement("EVERYBODY-CAN-USE-THE-PAGE"),
]

TRIP = "Flights from Berlin to Tokyo on 10 December and a hotel there until the 14th"
BY_AIR = "Flights from Berlin to Tokyo on 10 December"


async def nothing(ada, stage):
    await expect(ada.page.get_by_role("heading", name="Where would you like to go?")).to_be_visible()


async def searching(ada, stage):
    stage.hold()
    await ada.say(TRIP)
    await stage.until_asked(HOTELS[1])
    stage.let(FLIGHTS[2], HOTELS[0])
    await expect(ada.tab("Hotels")).not_to_have_text("Hotels 0")


async def found(ada, stage):
    await ada.say(TRIP)
    await expect(ada.replies("I found")).to_have_count(1)
    await ada.is_at_rest()
    await ada.tab("Hotels").click()


async def failed(ada, stage):
    for source in HOTELS:
        stage.fail(source, ProviderError("It is closed today."))
    await ada.say(TRIP)
    await expect(ada.agent("Hotels")).to_contain_text("Failed")
    await expect(ada.replies()).to_have_count(1)


async def stopped(ada, stage):
    await searching(ada, stage)
    await ada.stop_button.click()
    await ada.log.get_by_role("button", name=re.compile("^Stopped after")).click()


async def question(ada, stage):
    await ada.say("Flights to Tokyo")
    await expect(ada.log.get_by_role("form", name=re.compile("^Question"))).to_be_visible()
    await ada.log.get_by_role("button", name="Answer").click()


async def permission(ada, stage):
    await ada.say(BY_AIR)
    await expect(ada.replies("I found")).to_have_count(1)
    await ada.say("Book the cheapest")
    await expect(ada.log.get_by_role("group", name=re.compile("^Permission"))).to_be_visible()


async def booked(ada, stage):
    await permission(ada, stage)
    await ada.log.get_by_role("button", name=re.compile("^Book")).click()
    await expect(ada.tab("Bookings")).to_be_visible()
    await ada.tab("Bookings").click()
    await expect(ada.replies("Booked as DEMO-")).to_have_count(1)


async def menu(ada, stage):
    await ada.page.get_by_role("button", name=re.compile("^Trip: ")).click()
    await expect(ada.page.get_by_role("group", name="Trips")).to_be_visible()


async def shortcuts(ada, stage):
    await ada.page.get_by_role("button", name="Shortcuts").click()
    await expect(ada.page.get_by_role("dialog", name="Shortcuts")).to_be_visible()


STATES = [nothing, searching, found, failed, stopped, question, permission, booked, menu, shortcuts]


@pytest.mark.parametrize("state", STATES, ids=[state.__name__ for state in STATES])
async def test_every_state_of_the_page_is_accessible_in_light_and_dark(visitor, staged, stage, state):
    ada = await visitor(staged, reduced_motion="reduce")
    await state(ada, stage)
    assert await violations(ada.page, "light") == []
    assert await violations(ada.page, "dark") == []
    assert await too_small(ada.page) == []
    assert await too_wide(ada.page) == []


PHONE_STATES = [nothing, found, question, permission, menu]


async def on_phone(ada, state, stage):
    """Bring a phone into a state; what stands on the board is on further views there."""
    if state is found:
        await ada.say(TRIP)
        await expect(ada.replies("I found")).to_have_count(1)
    else:
        await state(ada, stage)


@pytest.mark.parametrize("state", PHONE_STATES, ids=[state.__name__ for state in PHONE_STATES])
async def test_phone_never_scrolls_sideways_and_keeps_the_message_box(visitor, staged, stage, state):
    ada = await visitor(staged, viewport=PHONE, has_touch=True, reduced_motion="reduce")
    await on_phone(ada, state, stage)
    views = ada.page.get_by_role("navigation", name="Parts of the page").get_by_role("button")
    for nth in range(await views.count() if state is found else 0):
        await views.nth(nth).click()
        assert await too_wide(ada.page) == [], nth
        assert await too_small(ada.page) == [], nth
        assert await violations(ada.page, "light") == [], nth
        await expect(ada.box).to_be_in_viewport(ratio=1)
        await expect(ada.send_button).to_be_in_viewport(ratio=1)
    if state is found:
        await ada.box.fill("Thank you")
        await ada.send_button.click()
        await expect(ada.said("Thank you")).to_be_in_viewport()
    assert await too_wide(ada.page) == []
    assert await too_small(ada.page) == []
    assert await violations(ada.page, "dark") == []
    if state is menu:
        box = await ada.page.locator("trip-menu [popover]").bounding_box()
        assert 0 <= box["x"] <= PHONE["width"] - box["width"]
    await expect(ada.box).to_be_in_viewport(ratio=1)
    await expect(ada.send_button).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize(
    ("viewport", "root"),
    [({"width": 640, "height": 450}, ""), ({"width": 320, "height": 256}, ""), (PHONE, "200%")],
    ids=["200 %", "400 %", "a phone with text of 200 %"],
)
async def test_enlarged_page_wraps_and_never_scrolls_sideways(visitor, staged, stage, viewport, root):
    ada = await visitor(staged, viewport=viewport)
    await ada.page.evaluate("(size) => document.documentElement.style.setProperty('font-size', size)", root)
    await ada.say(TRIP)
    await expect(ada.replies("I found")).to_have_count(1)
    views = ada.page.get_by_role("navigation", name="Parts of the page").get_by_role("button")
    for nth in range(await views.count()):
        await views.nth(nth).click()
        assert await too_wide(ada.page) == [], nth


@pytest.mark.parametrize("root", ["100%", "200%"])
async def test_phone_text_never_overlaps_and_leaves_room_to_read(visitor, staged, stage, root):
    ada = await visitor(staged, viewport=PHONE, reduced_motion="reduce")
    await ada.page.evaluate("(size) => document.documentElement.style.setProperty('font-size', size)", root)
    await ada.say("Flights from Berlin to Tokyo, 10 to 14 December, and a hotel there")
    await expect(ada.replies("I found")).to_have_count(1)
    views = ada.page.get_by_role("navigation", name="Parts of the page").get_by_role("button")
    await views.nth(1).click()
    await expect(ada.board.locator("price-days button").first).to_be_visible()
    for nth in range(await views.count()):
        await views.nth(nth).click()
        assert await overlapping(ada.page, "trip-board article, trip-board price-days") == [], nth
        await expect(ada.box).to_be_in_viewport(ratio=1)
        await drawn(ada.page)
        bar = await ada.page.locator("view-tabs").bounding_box()
        assert bar["y"] + bar["height"] < PHONE["height"] / 4


async def test_large_text_leaves_facts_agents_and_results_apart_on_a_wide_screen(visitor, staged, stage):
    ada = await visitor(staged, viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    await ada.page.evaluate("() => document.documentElement.style.setProperty('font-size', '200%')")
    await ada.say(f"{TRIP} with a sea view")
    await expect(ada.replies("I found")).to_have_count(1)
    assert await overlapping(ada.page, "trip-board .plan") == []
    for part in await ada.page.locator("trip-board :is(.tools button, agent-row)").all():
        if await part.is_visible():
            box = await part.bounding_box()
            assert box["x"] + box["width"] <= 1280
    assert (await ada.board.bounding_box())["width"] >= 1280 / 2


SIZES = [(1920, 1080), (1280, 720), (1024, 768), (360, 740)]
SCROLLED_AWAY = "() => [document.scrollingElement.scrollHeight - innerHeight, scrollY]"


@pytest.mark.parametrize("size", SIZES, ids=[f"{width}x{height}" for width, height in SIZES])
async def test_board_scrolls_and_the_page_never_does(visitor, staged, stage, size):
    width, height = size
    ada = await visitor(staged, viewport={"width": width, "height": height}, reduced_motion="reduce")
    await ada.say(TRIP)
    await expect(ada.replies("I found")).to_have_count(1)
    await ada.is_at_rest()
    if width >= 1024:
        await ada.tab("Hotels").click()
    views = ada.page.get_by_role("navigation", name="Parts of the page").get_by_role("button")
    for nth in range(await views.count() if width < 1024 else 1):
        if width < 1024:
            await views.nth(nth).click()
        await drawn(ada.page)  # before that a wheel turns what was there
        assert await ada.page.evaluate(SCROLLED_AWAY) == [0, 0], nth
        await ada.page.mouse.move(width * 3 // 4, height // 2)
        for _ in range(4):
            await ada.page.mouse.wheel(0, 3000)
        if nth > 1 or width >= 1024:
            await ada.page.wait_for_function("() => document.querySelector('.board').scrollTop > 1000")
        assert await ada.page.evaluate(SCROLLED_AWAY) == [0, 0], nth


async def test_phone_view_is_marked_counted_and_in_sight(visitor, staged):
    ada = await visitor(staged, viewport=PHONE, has_touch=True, is_mobile=True)
    await ada.say(f"{TRIP} and a rental car")
    await expect(ada.replies("I found")).to_have_count(1)
    views = ada.page.get_by_role("navigation", name="Parts of the page")
    cars = views.get_by_role("button", name=re.compile("^Cars"))
    chat = views.get_by_role("button", name=re.compile("^Chat"))
    await cars.tap()
    await expect(cars).to_have_attribute("aria-current", "page")
    await expect(cars).to_be_in_viewport(ratio=1)
    await expect(views.locator("[aria-current]")).to_have_count(1)
    await expect(views.get_by_role("button", name=re.compile(r"^Hotels \d+"))).to_be_visible()
    await expect(ada.log).to_be_hidden()
    await expect(ada.cards.first).to_be_visible()
    await ada.say("thanks")
    await expect(chat).to_have_attribute("aria-current", "page")
    await expect(chat).to_be_in_viewport(ratio=1)
    await expect(cars).to_have_css("border-bottom-color", "rgba(0, 0, 0, 0)")


async def test_reduced_motion_stops_all_movement(visitor, staged, stage):
    ada = await visitor(staged, reduced_motion="reduce")
    await searching(ada, stage)
    stage.let(*FLIGHTS, *HOTELS)
    moving = """() => [...document.querySelectorAll("body, body *")].flatMap((node) => {
      const { animationName, transitionDuration } = getComputedStyle(node);
      const still = animationName === "none" && transitionDuration.split(", ").every((each) => each === "0s");
      return still ? [] : [node.tagName];
    })"""
    assert await ada.page.evaluate(moving) == []
    assert await ada.page.evaluate("() => document.getAnimations().length") == 0


async def test_colours_follow_the_system_until_one_is_chosen(visitor, staged, stage):
    ada = await visitor(staged, color_scheme="dark")
    await ada.is_connected()
    ground = "() => getComputedStyle(document.body).backgroundColor"
    dark = await ada.page.evaluate(ground)
    await ada.page.get_by_role("combobox", name="Colours").select_option("light")
    light = await ada.page.evaluate(ground)
    assert light != dark
    await ada.page.reload()
    await expect(ada.box).to_be_visible()
    assert await ada.page.evaluate(ground) == light


async def test_screen_reader_has_landmarks_one_heading_and_news_in_sentences(visitor, staged, stage):
    ada = await visitor(staged)
    for role in ("banner", "main", "complementary", "log"):
        await expect(ada.page.get_by_role(role)).to_have_count(1)
    await expect(ada.page.get_by_role("heading", level=1)).to_have_count(1)
    assert await ada.page.locator("html").get_attribute("lang") == "en"
    await searching(ada, stage)
    told = ada.page.get_by_role("status").filter(has_text="results so far, cheapest")
    await expect(told).to_have_text(re.compile(r"Hotels: \d+ results so far, cheapest [\d.]+ euros\."))


async def tab_to(page, target, *, presses: int = 150) -> None:
    """Press Tab until the focus is there."""
    for _ in range(presses):
        if await target.evaluate("(node) => node === document.activeElement"):
            return
        await page.keyboard.press("Tab")
    await expect(target).to_be_focused()


async def test_trip_is_planned_and_booked_by_keyboard_alone(visitor, staged, stage):
    ada = await visitor(staged)
    await expect(ada.box).to_be_visible()
    keyboard = ada.page.keyboard
    await keyboard.press("Tab")
    await expect(ada.page.get_by_role("link", name="Skip to the message box")).to_be_focused()
    await keyboard.press("Enter")
    await expect(ada.box).to_be_focused()
    await keyboard.type("Flights to Tokyo")
    await keyboard.press("Enter")
    await expect(ada.log.get_by_role("form", name=re.compile("^Question"))).to_be_visible()
    await keyboard.press("Alt+q")
    await keyboard.type("Berlin")
    await keyboard.press("Tab")
    await keyboard.type("12122026")  # day and month alike: the order is the browser's own
    await keyboard.press("Enter")
    await expect(ada.replies("I found")).to_have_count(1)
    await expect(ada.box).to_be_focused()
    await tab_to(ada.page, ada.tab("Flights"))
    book = ada.cards.first.get_by_role("button", name=re.compile("^Book"))
    await tab_to(ada.page, book)
    await keyboard.press("Enter")
    card = ada.log.get_by_role("group", name=re.compile("^Permission"))
    await expect(card).to_be_visible()
    await keyboard.press("Alt+q")
    await tab_to(ada.page, card.get_by_role("button", name=re.compile("^Book")))
    await keyboard.press("Enter")
    await expect(ada.replies("Booked as DEMO-")).to_have_count(1)
    await expect(ada.tab("Bookings")).to_be_visible()
    await tab_to(ada.page, ada.page.get_by_role("tab", selected=True))
    await keyboard.press("End")
    await expect(ada.tab("Bookings")).to_be_focused()
    await expect(ada.cards).to_contain_text("DEMO-")
