"""The page where people are told apart: each has their own trips, and is asked to sign in again."""

import re

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.api.issuer import Issuer, bearer

pytestmark = pytest.mark.asyncio(loop_scope="module")

SAID = "Flights from Berlin to Tokyo on 10 December"
SIGN_IN = "https://id.example/sign-in"


@pytest.fixture
def issuer() -> Issuer:
    return Issuer()


@pytest_asyncio.fixture(loop_scope="module")
async def server(process, issuer):
    server = process(**issuer.settings(sign_in_url=SIGN_IN))
    await server.start()
    return server


@pytest.fixture
def arrive(visitor, server, issuer):
    """Return a function that opens the page as a person, by a link, and says that it is them."""

    async def come(person, **options):
        came = await visitor(server, fragment=f"#token={issuer.token(person)}", **options)
        await answer(came.page, f"Sign in as {person}?", "Sign in")
        if "user_id" not in options:
            await came.is_connected()
        return came

    return come


async def answer(page, question, button):
    """Answer a question of the page, and wait until it was done."""
    chosen = page.get_by_role("dialog", name=question).get_by_role("button", name=button, exact=True)
    if button != "Sign in":
        await chosen.click()
        await expect(chosen).to_have_count(0)
        return
    async with page.expect_response(lambda response: response.url.endswith("/session")):
        await chosen.click()


async def stored(page):
    """What the browser has stored of the page, but for how it looks."""
    return await page.evaluate("() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)]")


@pytest.mark.requirement("NOBODY-REACHES-OTHERS", "A-TOKEN-IS-ASKED-OF-THE-PAGE")
async def test_persons_have_their_own_trips_on_any_device(arrive, server, issuer):
    ada = await arrive("ada")
    await ada.say(SAID)
    await expect(ada.replies()).to_have_count(1)
    assert "token" not in ada.page.url
    # On another machine, under another address: her trips are there.
    elsewhere = await arrive("ada")
    await elsewhere.page.get_by_role("button", name=re.compile("^Trip: ")).click()
    await expect(elsewhere.page.get_by_role("button", name=SAID, exact=True)).to_be_visible()
    # Somebody else, in the same browser: nothing of hers is left.
    await elsewhere.page.get_by_role("button", name="Sign out").click()
    elsewhere.forgive("status of 401")
    await expect(elsewhere.banner.get_by_text("You are not signed in")).to_be_visible()
    await expect(elsewhere.page.get_by_text(SAID, exact=True)).to_have_count(0)
    assert await stored(elsewhere.page) == []
    await elsewhere.page.goto(f"http://127.0.0.1:{server.port}/#token={issuer.token('eve')}")
    await answer(elsewhere.page, "Sign in as eve?", "Sign in")
    await elsewhere.is_connected()
    await elsewhere.page.get_by_role("button", name=re.compile("^Trip: ")).click()
    await expect(elsewhere.page.get_by_text(SAID, exact=True)).to_have_count(0)


@pytest.mark.requirement("NOBODY-REACHES-OTHERS")
async def test_trip_of_another_person_is_unknown(arrive):
    ada = await arrive("ada")
    await ada.say("Hello")
    await expect(ada.replies()).to_have_count(1)
    eve = await arrive("eve", user_id=ada.user_id)
    await expect(eve.banner.get_by_text("does not know this address")).to_be_visible()
    await expect(eve.said("Hello")).to_have_count(0)


@pytest.mark.requirement("SESSIONS-END", "A-TOKEN-IS-ASKED-OF-THE-PAGE")
async def test_signed_out_visitor_is_led_to_the_sign_in(visitor, server, issuer):
    ada = await visitor(server)
    ada.forgive("status of 401")
    await expect(ada.banner.get_by_text("You are not signed in")).to_be_visible()
    link = ada.banner.get_by_role("link", name="Sign in")
    await expect(link).to_have_attribute("href", SIGN_IN)
    # It comes back with the word that it was given, and nothing is asked.
    await link.evaluate("(link) => link.addEventListener('click', (event) => event.preventDefault())")
    await link.click()
    state = (await link.get_attribute("href")).partition("state=")[2]
    assert re.fullmatch("[0-9a-f]{32}", state)
    token = issuer.token("ada")
    await ada.page.evaluate("(hash) => (location.hash = hash)", f"token={token}&state={state}")
    await ada.is_connected()
    await expect(ada.banner).to_be_hidden()
    await ada.say("Hello")
    await expect(ada.replies()).to_have_count(1)


@pytest.mark.requirement("SESSIONS-END")
async def test_signed_out_operator_is_led_to_the_sign_in(visitor, server):
    ada = await visitor(server)
    ada.forgive("status of 401")
    page = ada.page
    await page.goto(f"http://127.0.0.1:{server.port}/operate")
    await expect(page.get_by_role("alert")).to_have_text("You are not signed in, or not any more.")
    await expect(page.get_by_text("Loading")).to_have_count(0)
    await expect(page.get_by_role("button")).to_have_count(0)  # nothing is known that it could drain
    link = page.get_by_role("link", name="Sign in")
    await link.evaluate("(link) => link.addEventListener('click', (event) => event.preventDefault())")
    await link.click()
    assert re.fullmatch(re.escape(SIGN_IN) + "[?]state=[0-9a-f]{32}", await link.get_attribute("href"))


@pytest.mark.requirement("A-TOKEN-IS-ASKED-OF-THE-PAGE")
async def test_foreign_sign_in_link_needs_consent(arrive, issuer):
    ada = await arrive("ada")
    await ada.say("Hello")
    await expect(ada.replies()).to_have_count(1)
    await ada.page.evaluate("(hash) => (location.hash = hash)", f"token={issuer.token('eve')}")
    await answer(ada.page, "Sign in as eve?", "Do not sign in")
    assert "token" not in ada.page.url
    await ada.page.reload()
    await expect(ada.replies()).to_have_count(1)  # she is still herself


@pytest.mark.requirement("SESSIONS-END")
async def test_session_ended_elsewhere_leaves_nothing_in_the_browser(arrive):
    ada, elsewhere = await arrive("ada"), await arrive("ada")
    await ada.say(SAID)
    await expect(ada.replies()).to_have_count(1)
    await ada.box.fill("and a hotel")
    await elsewhere.page.get_by_role("button", name=re.compile("^Trip: ")).click()
    await elsewhere.page.get_by_role("button", name="Sessions").click()
    dialog = elsewhere.page.get_by_role("dialog", name="Where you are signed in")
    await expect(dialog.get_by_role("listitem")).to_have_count(2)
    await expect(dialog.get_by_role("listitem").filter(has_text="This browser")).to_have_count(1)
    await dialog.get_by_role("button", name=re.compile("^End the session of Chrome")).click()
    await expect(dialog.get_by_role("listitem")).to_have_count(1)
    await dialog.get_by_role("button", name="Close").click()
    # Her line is looked at every 30 s; another one is asked for when the page comes back to the front.
    ada.forgive("status of 401")
    await ada.page.evaluate("() => window.dispatchEvent(new Event('online'))")
    await expect(ada.banner.get_by_text("You are not signed in")).to_be_visible()
    await expect(ada.page.get_by_text(SAID, exact=True)).to_have_count(0)
    await expect(ada.box).to_have_value("")
    assert await stored(ada.page) == []


@pytest.mark.requirement("SESSIONS-END")
async def test_pages_all_have_a_sign_out(issuer, server, visitor):
    olga = await visitor(server)
    olga.forgive("status of 401")
    page, root = olga.page, f"http://127.0.0.1:{server.port}"
    for path in ("/operate", "/docs"):
        await page.goto(f"{root}/operate#token={issuer.token('olga', 'operate')}")
        await answer(page, "Sign in as olga?", "Sign in")
        await expect(page.get_by_text("Nothing is running here.")).to_be_visible()
        await page.goto(f"{root}{path}")
        await page.get_by_role("button", name="Sign out").click()
        await expect(
            page.get_by_text(re.compile("not signed in|Sign in on the start page")).first
        ).to_be_visible()
        assert await page.context.cookies() == []
        await expect(page.get_by_role("button", name="Sign out")).to_have_count(0)


@pytest.mark.requirement("SESSIONS-END")
async def test_other_pages_are_emptied_once_a_session_is_over(issuer, server, visitor):
    olga = await visitor(server)
    olga.forgive("status of 401")
    page, root, token = olga.page, f"http://127.0.0.1:{server.port}", issuer.token("olga", "operate")
    own = bearer(token)

    async def is_over(gone):
        (session,) = (await server.http.get("/sessions", headers=own)).json()["sessions"]
        await server.http.delete(f"/sessions/{session['id']}", headers=own)
        if call is not None:
            await call.get_by_role("button", name="Send").click()
        await expect(gone).to_have_count(0)

    call = None
    await page.goto(f"{root}/operate#token={token}")
    await answer(page, "Sign in as olga?", "Sign in")
    await expect(page.get_by_text("Nothing is running here.")).to_be_visible()
    await is_over(page.get_by_text("Nothing is running here."))
    await expect(page.get_by_role("alert")).to_contain_text("You are not signed in")
    await page.goto(f"{root}/operate#token={token}")
    await answer(page, "Sign in as olga?", "Sign in")
    await page.goto(f"{root}/docs#get/v1/operate/tasks")
    call = page.locator("details.operation[open]")
    await call.get_by_role("button", name="Send").click()
    await expect(call.locator("form pre")).to_contain_text("200 OK")
    await is_over(page.get_by_text("200 OK"))
    await expect(page.get_by_text("Sign in on the start page first")).to_be_visible()
