"""What a change does to the results is seen: what fits stays where it is, the rest goes to its drawer."""

import pytest
from playwright.async_api import expect

from tests.browser.offers import flight, flights
from tests.browser.stage import FLIGHTS

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.requirement("CHANGES-KEEP-WHAT-FITS")]

BY_AIR = "Flights from Berlin to Tokyo on 10 December"
WATCH = """() => {
  globalThis.left = new Set();
  globalThis.covered = [];
  const board = document.querySelector("trip-board");
  new MutationObserver(() => {
    for (const card of board.querySelectorAll(".leaving > li")) {
      if (!card.closest("[inert]")) globalThis.covered.push("can be reached");
      globalThis.left.add(/€\\d+/.exec(card.textContent)[0]);
    }
    if (!board.querySelector(".leaving")) return;
    for (const item of board.querySelectorAll(".offers > li")) {
      const isMoving = ({ effect }) => effect.getComputedTiming().delay === 0;
      if (item.getAnimations().some(isMoving)) globalThis.covered.push(item.textContent);
    }
  }).observe(board, { childList: true, subtree: true });
}"""
MEASURED = """() => {
  const board = document.querySelector("trip-board");
  const writes = new MutationObserver(() => {});
  writes.observe(board, { attributes: true, characterData: true, childList: true, subtree: true });
  globalThis.measured = [];
  let drawing = false;
  const data = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Object.getPrototypeOf(board)), "data");
  Object.defineProperty(board, "data", {
    get: () => data.get.call(board),
    set(state) {
      drawing = true;
      writes.takeRecords();
      data.set.call(board, state);
      drawing = false;
    },
  });
  const watch = (owner, name) => {
    const own = Object.getOwnPropertyDescriptor(owner, name);
    const key = own.get ? "get" : "value";
    const measure = own[key];
    Object.defineProperty(owner, name, { ...own, [key](...given) {
      if (drawing && writes.takeRecords().length) globalThis.measured.push(name);
      return measure.apply(this, given);
    } });
  };
  watch(Element.prototype, "getBoundingClientRect");
  for (const name of ["scrollWidth", "scrollHeight", "clientWidth"]) watch(Element.prototype, name);
  for (const name of ["offsetTop", "offsetWidth", "offsetHeight"]) watch(HTMLElement.prototype, name);
  watch(globalThis, "getComputedStyle");
}"""
STOPPING = [
    ("BER", "2026-12-10T10:20+01:00", "WAW", "2026-12-10T11:40+01:00"),
    ("WAW", "2026-12-10T13:20+01:00", "HND", "2026-12-11T09:40+09:00"),
]


async def found(visitor, staged, stage, **options):
    stage.script(FLIGHTS[0], [*flights([500, 520]), flight(480, *STOPPING)])
    for source in FLIGHTS[1:]:
        stage.script(source, [])
    ada = await visitor(staged, **options)
    await ada.say(BY_AIR)
    await expect(ada.replies("I found 3 flights")).to_have_count(1)
    await ada.page.evaluate(WATCH)
    return ada


async def test_fitting_results_stay_and_others_slide_to_their_drawer(visitor, staged, stage):
    ada = await found(visitor, staged, stage)
    await ada.say("only direct ones")
    await expect(ada.cards).to_have_count(2)
    await expect(ada.cards.get_by_text("Still fits")).to_have_count(2)
    await expect(ada.board.get_by_role("button", name="1 earlier search kept")).to_be_visible()
    await expect(ada.board.get_by_text("Berlin to Tokyo, 10 December: 1 flight")).to_be_visible()
    assert await ada.page.evaluate("() => [...globalThis.left]") == ["€480"]
    assert await ada.page.evaluate("() => globalThis.covered") == []
    await expect(ada.page.locator(".leaving")).to_have_count(0)
    await expect(ada.cards.first).to_contain_text("€500")


async def test_board_is_drawn_without_forced_layout(visitor, staged, stage):
    ada = await found(visitor, staged, stage, viewport={"width": 1440, "height": 900})
    await ada.page.evaluate(MEASURED)
    await ada.say("only direct ones")
    await expect(ada.cards.get_by_text("Still fits")).to_have_count(2)
    assert await ada.page.evaluate("() => globalThis.measured") == []


async def test_booking_confirms_no_results(visitor, staged, stage):
    ada = await found(visitor, staged, stage)
    await ada.say("Book the cheapest")
    await expect(ada.agent("Booking")).to_contain_text("Failed")
    await expect(ada.cards).to_have_count(3)
    await expect(ada.cards.get_by_text("Still fits")).to_have_count(0)
