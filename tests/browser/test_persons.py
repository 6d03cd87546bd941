"""The page where people are told apart: each has their own trips, and is asked to sign in again."""

import re

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.api.issuer import Issuer

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


@pytest.mark.requirement("NOBODY-REACHES-OTHERS", "A-TOKEN-IS-ASKED-OF-THE-PAGE")
async def test_each_person_has_their_own_trips_wherever_they_sign_in(visitor, server, issuer):
    ada = await visitor(server, fragment=f"#token={issuer.token('ada')}")
    await ada.say(SAID)
    await expect(ada.replies()).to_have_count(1)
    assert "token" not in ada.page.url
    # On another machine, under another address: her trips are there.
    elsewhere = await visitor(server, fragment=f"#token={issuer.token('ada')}")
    await elsewhere.page.get_by_role("button", name=re.compile("^Trip: ")).click()
    await expect(elsewhere.page.get_by_role("button", name=SAID, exact=True)).to_be_visible()
    # Somebody else, in the same browser: nothing of hers is left.
    await elsewhere.page.get_by_role("button", name="Sign out").click()
    elsewhere.forgive("status of 401")
    await expect(elsewhere.banner.get_by_text("You are not signed in")).to_be_visible()
    await expect(elsewhere.page.get_by_text(SAID, exact=True)).to_have_count(0)
    await elsewhere.page.goto(f"http://127.0.0.1:{server.port}/#token={issuer.token('eve')}")
    await elsewhere.is_connected()
    await elsewhere.page.get_by_role("button", name=re.compile("^Trip: ")).click()
    await expect(elsewhere.page.get_by_text(SAID, exact=True)).to_have_count(0)


@pytest.mark.requirement("NOBODY-REACHES-OTHERS")
async def test_anothers_trip_is_unknown(visitor, server, issuer):
    ada = await visitor(server, fragment=f"#token={issuer.token('ada')}")
    await ada.say("Hello")
    await expect(ada.replies()).to_have_count(1)
    eve = await visitor(server, user_id=ada.user_id, fragment=f"#token={issuer.token('eve')}")
    await expect(eve.banner.get_by_text("does not know this address")).to_be_visible()
    await expect(eve.said("Hello")).to_have_count(0)


@pytest.mark.requirement("SESSIONS-END", "A-TOKEN-IS-ASKED-OF-THE-PAGE")
async def test_who_is_signed_in_no_more_is_led_to_where_one_signs_in(visitor, server, issuer):
    ada = await visitor(server)
    ada.forgive("status of 401")
    await expect(ada.banner.get_by_text("You are not signed in")).to_be_visible()
    await expect(ada.banner.get_by_role("link", name="Sign in")).to_have_attribute("href", SIGN_IN)
    await ada.page.evaluate("(hash) => (location.hash = hash)", f"token={issuer.token('ada')}")
    await ada.is_connected()
    await expect(ada.banner).to_be_hidden()
    await ada.say("Hello")
    await expect(ada.replies()).to_have_count(1)
