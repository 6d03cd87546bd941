"""Offers of sellers, over their stand-ins: they arrive, tell their terms, and stay where they still fit."""

import re

import pytest
import pytest_asyncio
from playwright.async_api import expect

from backend.clients.cli.narrator import offer_line, offer_words
from tests.api.live import serving
from tests.browser.looking import overlapping, too_small, too_wide, violations
from tests.browser.visitor import DESKTOP, PHONE
from tests.fakes.duffel import Duffel
from tests.fakes.duffel_offers import Flight
from tests.fakes.liteapi import Hotel, LiteApi, Rate

pytestmark = pytest.mark.asyncio(loop_scope="module")

TRIP = "Flights from Berlin to Tokyo on 10 December for two and a hotel there until the 14th"
FIRST = [
    Flight("1960.00", stops=1),
    Flight("1720.00", carrier="QX", sparse=True, refund=None, change=None, bags=0),
]
THEN = [
    Flight("2410.00", carrier="XY", holdable=False, refund="no", change="80.00"),
    Flight("1990.00", carrier="YX", life_s=2),
]
KIBO = Hotel("Kibo Inn", (Rate("480.20"),), stars=0, rating=0)
ADA = {
    "title": "dr", "given_name": "Ada", "family_name": "Byronsson", "gender": "f", "born_on": "1987-07-24",
    "email": "ada@byronsson.example", "phone": "+442080160509",
}  # fmt: skip
NAMES = "(?i)byronsson|annabella|80160"
SHOWN = "(fields) => fields.map((field) => field.selectedOptions?.[0].text ?? field.value)"
STORED = """() => {
  dispatchEvent(new Event("pagehide"));
  const kept = JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]);
  dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
  return kept;
}"""
MORI = Hotel("Mori Garden", (Rate("620.00", free_days=None, tax_at_hotel=None),), stars=5, rating=9.1)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def selling(tmp_path_factory):
    """A server whose offers are those of stand-ins, and the stand-ins."""
    folder = tmp_path_factory.mktemp("selling")
    async with Duffel(held=True) as duffel, LiteApi(held=True) as liteapi:
        duffel.script("BER", "TYO", [FIRST, THEN])
        liteapi.script("35.68,139.76", [[KIBO], [MORI]])
        keys = {"duffel_token": duffel.token, "liteapi_key": liteapi.key}
        urls = {"duffel_url": duffel.url, "liteapi_url": liteapi.url, "liteapi_book_url": liteapi.book_url}
        async with serving(folder, graph="", messages_per_minute=600, **keys, **urls) as server:
            yield server, duffel, liteapi


@pytest.mark.requirement("REAL-OFFERS-ARRIVE")
async def test_offers_of_sellers_tell_their_terms_and_outlive_a_change_of_mind(selling, visitor):
    server, duffel, liteapi = selling
    ada = await visitor(server)
    await ada.is_connected()
    await ada.page.clock.install()
    await ada.say(TRIP)
    await duffel.searched()
    await liteapi.searched()
    duffel.release(1)
    liteapi.release(1)
    await expect(ada.tab("Flights")).to_have_text("Flights 2")
    await expect(ada.tab("Hotels")).to_have_text("Hotels 1")

    await ada.say("Only nonstop flights, please")
    await expect(ada.tab("Flights")).to_have_text("Flights 1")
    duffel.release()
    await expect(ada.tab("Flights")).to_have_text("Flights 3")
    liteapi.release()
    await expect(ada.tab("Hotels")).to_have_text("Hotels 2")
    await ada.is_at_rest()
    assert len(duffel.searches) == len(liteapi.searches) == 1

    card = ada.cards.filter(has_text="Exemplary Air")
    bags = "1 checked bag, 1 carry-on bag"
    await expect(card).to_contain_text(f"Basic · {bags} · Changeable for €80.00, no refund · On offer until")
    await expect(card).not_to_contain_text("Can be held")
    await expect(card.get_by_text("via Duffel")).to_be_visible()
    await expect(card.get_by_title("Test mode: nothing is bought")).to_have_text("test")
    held = ada.cards.filter(has_text="Quite Airborne").locator(".terms")
    # An offer that ends behind midnight tells its day.
    told = r"No checked bag, no carry-on bag · Can be held until .* · On offer until .*[\d:]+ · via Duffel"
    await expect(held).to_have_text(re.compile(told))
    over = ada.cards.filter(has_text="Yonder Express")
    await expect(over).to_contain_text("Expired: search again")
    await expect(over.get_by_role("button", name="Book")).to_be_hidden()
    await expect(card.get_by_role("button", name="Book")).to_be_visible()
    await expect(ada.board.get_by_text("Demo", exact=True)).to_be_hidden()
    await ada.page.clock.fast_forward("20:00")
    await expect(card).to_contain_text("Expired: search again")
    await expect(card.get_by_role("button", name="Book")).to_be_hidden()

    await ada.tab("Hotels").click()
    kibo, mori = (ada.cards.filter(has_text=name) for name in ("Kibo Inn", "Mori Garden"))
    after = "Free cancellation until Sun 6 Dec, then €480.20 · €3.20 more at the hotel · via LiteAPI"
    await expect(kibo.locator(".terms")).to_contain_text(f"4 nights · King Room, room only · {after}")
    await expect(kibo.locator(".stars, strong")).to_have_count(0)
    await expect(mori.locator(".terms")).to_contain_text("No free cancellation · via LiteAPI")
    await expect(mori).to_contain_text("9.1")

    await ada.page.set_viewport_size(PHONE)
    for view in ("Flights", "Hotels"):
        await ada.page.get_by_role("button", name=re.compile(f"^{view}")).click()
        await expect(ada.cards.first).to_be_visible()
        assert await too_wide(ada.page) == []
        assert await too_small(ada.page) == []
        assert await overlapping(ada.page, ".offers > li") == []
        assert await violations(ada.page, "light") == []
    page = await ada.board.inner_text()
    found = (await server.partial_results(ada.user_id))["partial_results"]
    offers = [offer for each in found.values() for offer in each]
    lines = "\n".join(offer_line(offer) for offer in offers)
    assert "via Duffel (test)" in lines
    untold = dict.fromkeys(("checked_bags", "refundable", "stars", "terms"))
    words = [offer_words({**offer, **more}) for offer in offers for more in ({}, untold)]
    assert all(words)
    assert not re.search("null|undefined|NaN|None", f"{page} {lines} {words}")


@pytest.mark.requirement("TRAVELLERS-ARE-KEPT-APART")
async def test_who_travels_is_told_by_a_form_and_kept_nowhere_in_the_browser(selling, visitor):
    server, duffel, _liteapi = selling
    duffel.script("BER", "ROM", [[Flight("120.00")]])
    ada = await visitor(server)
    ada.forgive("status of 422")
    sent = []
    ada.page.on(
        "request", lambda request: sent.append((request.method, request.url, request.post_data or ""))
    )
    before = len(duffel.searches)
    await ada.say("Flights from Berlin to Rome on 10 December for two")
    await duffel.searched(before + 1)
    duffel.release()
    await expect(ada.tab("Flights")).to_have_text("Flights 1")
    await ada.is_at_rest()
    await server.call("PUT", f"/travellers/{ada.user_id}", json={"travellers": [ADA]})
    await ada.say("hold the cheapest flight")
    form = ada.log.get_by_role("form", name="Who travels")
    await expect(form).to_contain_text("deleted with the trip")
    first, second = (form.get_by_role("group", name=f"Traveller {number}") for number in (1, 2))
    await expect(first.get_by_label("Email")).to_have_value(ADA["email"])
    shown = await first.locator("select, input").evaluate_all(SHOWN)
    assert shown == ["Dr", "Female", "Ada", "Byronsson", "1987-07-24", ADA["phone"], ADA["email"]]
    await second.get_by_label("Title").select_option("Ms")
    await second.get_by_label("Gender").select_option("Female")
    await second.get_by_label("Given name").fill("Annabella")
    await second.get_by_label("Family name").fill("Byronsson")
    await second.get_by_label("Born on").fill("1991-02-03")
    await second.get_by_label("Email").fill("annabella@byronsson.example")
    phone = second.get_by_label("Phone")
    await phone.fill("020 8016 0509")
    scrolled = await ada.log.evaluate("(log) => log.scrollTop")
    await ada.page.evaluate("document.dispatchEvent(new CustomEvent('tell', { detail: { text: 'Told.' } }))")
    await expect(ada.page.get_by_role("region", name="Conversation").get_by_text("Told.")).to_be_visible()
    assert await ada.log.evaluate("(log) => log.scrollTop") >= scrolled > 0
    assert not re.search(NAMES, await stored(ada))
    await expect(first.get_by_label("Born on")).to_have_attribute("autocomplete", "bday")
    await expect(second.get_by_label("Born on")).to_have_attribute("autocomplete", "off")
    await phone.press("Enter")
    await expect(phone).to_have_accessible_description(re.compile("This is no number with its country"))
    await expect(phone).to_be_focused()
    await expect(form.locator("[aria-invalid]")).to_have_count(1)
    for size in (PHONE, DESKTOP):
        await ada.page.set_viewport_size(size)
        assert await too_wide(ada.page) == []
        assert await too_small(ada.page) == []
        assert await overlapping(ada.page, "travellers-form") == []
        assert await violations(ada.page, "light") == []
    await phone.fill("+44 (0)20 8016 0510")
    await form.get_by_role("button", name="Save and go on").click()
    permission = ada.log.get_by_role("group", name=re.compile("^Permission"))
    await permission.get_by_role("button", name=re.compile("^Hold")).click()
    await expect(ada.replies("Held as FLY-")).to_be_visible()

    (order,) = duffel.orders.values()
    assert [each["given_name"] for each in order["passengers"]] == ["Ada", "Annabella"]
    told = [(method, url) for method, url, body in sent if "byronsson" in body.lower()]
    assert {(method, url.rpartition("/")[0][-11:]) for method, url in told} == {("PUT", "/travellers")}

    menu = ada.page.get_by_role("button", name=re.compile("^Trip: "))
    travellers = ada.page.get_by_role("dialog", name="Travellers")
    for name in ("Annabella", "Anne"):
        await menu.click()
        await ada.page.get_by_role("button", name="Travellers", exact=True).click()
        await expect(travellers.get_by_label("Given name").last).to_have_value(name)
        await travellers.get_by_label("Given name").last.fill("Anne")
        await travellers.get_by_role("button", name="Save").click()
        await expect(travellers).to_be_hidden()
        await ada.page.keyboard.press("Escape")
    known = (await server.call("GET", f"/travellers/{ada.user_id}")).json()["travellers"]
    assert [(each["given_name"], each["phone"][-4:]) for each in known] == [("Ada", "0509"), ("Anne", "0510")]

    await ada.page.reload()
    await expect(ada.replies("Held as FLY-")).to_be_visible()
    assert not re.search(NAMES, await stored(ada) + await ada.page.content())


async def stored(visitor) -> str:
    """Return what the browser has of the visitor once the page is put aside; it is taken up again."""
    kept = await visitor.page.evaluate(STORED)
    assert "hold the cheapest" in kept
    return kept


@pytest.mark.requirement("CHILDREN-ARE-CHILDREN", "PASSPORTS-WHERE-WANTED")
async def test_family_is_told_on_cards_form_and_permission_and_asked_for_its_passports(selling, visitor):
    server, duffel, _liteapi = selling
    duffel.script("BER", "ROM", [[Flight("120.00", documents=True)]])
    ada = await visitor(server)
    ada.forgive("status of 422")
    before = len(duffel.searches)
    await ada.say("Flights from Berlin to Rome on 10 December for 1 adult and a 7-year-old")
    await duffel.searched(before + 1)
    duffel.release()
    await ada.is_at_rest()
    card = ada.cards.first
    await expect(card).to_contain_text("€60.00 a person on average")
    await expect(card).to_contain_text("For 1 adult, a child of 7 · The airline wants a passport of each")
    passport = {"number": "C01X00T47", "country": "DE", "expires_on": "2031-01-01"}
    cid = {**ADA, "title": "mr", "given_name": "Cid", "gender": "m", "born_on": "2019-06-01"}
    known = [{**ADA, "passport": passport}, cid]
    await server.call("PUT", f"/travellers/{ada.user_id}", json={"travellers": known})
    await ada.say("book the cheapest flight")
    form = ada.log.get_by_role("form", name="Who travels")
    await expect(form).to_contain_text("2 people (1 adult, a child of 7)")
    first, second = (form.get_by_role("group", name=f"Traveller {number}") for number in (1, 2))
    await expect(first.get_by_label("Passport number")).to_have_value("C01X00T47")
    await second.get_by_label("Passport number").fill("c01x 00t48")
    await second.get_by_label("Issued by").fill("Germany")
    await second.get_by_label("Passport valid until").fill("2031-01-01")
    save = form.get_by_role("button", name="Save and go on")
    await save.click()
    country = second.get_by_label("Issued by")
    await expect(country).to_have_accessible_description(re.compile("Two letters, please"))
    for size in (PHONE, DESKTOP):
        await ada.page.set_viewport_size(size)
        assert await too_wide(ada.page) == []
        assert await overlapping(ada.page, "travellers-form") == []
        assert await violations(ada.page, "light") == []
    await country.fill("de")
    await save.click()
    permission = ada.log.get_by_role("group", name=re.compile("^Permission"))
    await expect(permission).to_contain_text("2 passengers (1 adult, a child of 7)")
    await expect(permission).to_contain_text(re.compile(r"Price holds until\s*(\w{3},? \d+ \w+, )?\d\d:\d\d"))
    await expect(permission).not_to_contain_text("UTC")
    await permission.get_by_role("button", name="Book", exact=True).click()
    await expect(ada.replies("Booked as FLY-")).to_be_visible()
    people = [*duffel.orders.values()][-1]["passengers"]
    numbers = {each["age"]: each["identity_documents"][0]["unique_identifier"] for each in people}
    assert numbers == {None: "C01X00T47", 7: "C01X00T48"}
