"""A page of another origin in a real browser: it talks to the server by `fetch`, if it is allowed to."""

import contextlib

import pytest
import pytest_asyncio
from playwright.async_api import Error, Page

from tests.api.live import LiveServer, serving
from tests.protocols.conftest import TALKING
from tests.protocols.page_server import PageServer

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.requirement("STRANGERS-STAY-OUT"),
]

TOKEN = "s3cret-s3cret-s3cret-token"
PAGE = """<!doctype html><link rel="icon" href="data:,"><script>
const call = async (url, options) => {
  const response = await fetch(url, options);
  const headers = Object.fromEntries(response.headers);
  return {status: response.status, headers, body: await response.text()};
};
const send = (server, {token, ...options}, body) => call(`${server}/ai-sdk/chat`, {
  method: "POST",
  headers: {"Content-Type": "application/json", ...(token && {Authorization: `Bearer ${token}`})},
  body: JSON.stringify(body),
  ...options,
});
// The server's own events, as they come: `EventSource` can send no token.
const follow = async (server, token, user, last) => {
  const headers = {"X-Api-Key": token, "Last-Event-ID": "0", "Cache-Control": "no-store"};
  const response = await fetch(`${server}/events/${user}`, {headers});
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes(last)) {
    const {done, value} = await reader.read();
    if (done) throw new Error("it ended");
    text += value;
  }
  await reader.cancel();
  const events = text.split("\\n").filter((line) => line.startsWith("data: "));
  return events.map((line) => JSON.parse(line.slice(6)));
};
const socket = (url) => new Promise((resolve) => {
  const opened = new WebSocket(url);
  opened.onmessage = () => resolve("open");
  opened.onclose = ({code}) => resolve(code);
});
</script>"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sites():
    """Two sites: the server of `detour` allows the first one."""
    async with PageServer(PAGE) as ours, PageServer(PAGE) as others:
        yield ours, others


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def detour(tmp_path_factory, sites):
    """A server that allows the pages of the first site."""
    folder = tmp_path_factory.mktemp("named")
    origins = sites[0].origin
    async with serving(folder, graph=TALKING, token=TOKEN, allowed_origins=origins) as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def anybodys(tmp_path_factory):
    """A server that allows the pages of all sites."""
    folder = tmp_path_factory.mktemp("any")
    async with serving(folder, graph=TALKING, token=TOKEN, allowed_origins="*") as server:
        yield server


@pytest_asyncio.fixture(loop_scope="module")
async def visit(browser):
    """Return a function that opens a page; all of a test are in one profile."""
    async with contextlib.AsyncExitStack() as stack:
        profile = await browser.new_context()
        stack.push_async_callback(profile.close)

        async def visit(address: str) -> Page:
            page = await profile.new_page()
            await page.goto(address)
            return page

        yield visit


def url(server: LiveServer) -> str:
    return f"http://127.0.0.1:{server.port}"


def message(chat: str, text: str) -> dict:
    return {"id": chat, "messages": [{"id": "m1", "role": "user", "parts": [{"type": "text", "text": text}]}]}


async def sent(page: Page, server: LiveServer, chat: str, **options) -> dict:
    script = "([server, options, body]) => send(server, options, body)"
    return await page.evaluate(script, [url(server), options, message(chat, "hello")])


async def is_known(server: LiveServer, chat: str) -> bool:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    return (await server.call("GET", f"/status/{chat}", headers=headers)).status_code == 200


async def test_page_of_an_allowed_origin_sends_with_a_token_and_reads_the_stream(visit, sites, detour):
    page = await visit(sites[0].origin)
    answer = await sent(page, detour, "ada", token=TOKEN)
    assert answer["status"] == 200
    assert answer["headers"]["x-vercel-ai-ui-message-stream"] == "v1"
    assert answer["body"].endswith(
        '"finishReason":"stop","messageMetadata":{"status":"success","reason":null}}\n\ndata: [DONE]\n\n'
    )


async def test_page_follows_the_events_with_a_key_as_they_come(visit, sites, detour):
    page = await visit(sites[0].origin)
    await sent(page, detour, "eve", token=TOKEN)
    script = "([server, token]) => follow(server, token, 'eve', '\"completed\"')"
    events = await page.evaluate(script, [url(detour), TOKEN])
    assert [each["type"] for each in events][:2] == ["hello", "message"]
    assert events[-1]["status"] == "completed"


async def test_page_reads_a_refusal(visit, sites, detour):
    page = await visit(sites[0].origin)
    answer = await sent(page, detour, "ada", token="wrong")
    assert (answer["status"], "not this server's token" in answer["body"]) == (401, True)


async def test_page_of_an_origin_that_is_not_allowed_is_refused(visit, sites, detour):
    page = await visit(sites[1].origin)
    for options in ({"token": TOKEN}, {"token": TOKEN, "credentials": "include"}, {"mode": "no-cors"}):
        with contextlib.suppress(Error):
            answer = await sent(page, detour, "mallory", **options)
            assert (answer["status"], answer["body"]) == (0, ""), "an answer that it cannot read"
    assert not await is_known(detour, "mallory")
    socket = f"ws://127.0.0.1:{detour.port}/ws/mallory"
    assert await page.evaluate("(url) => socket(url)", socket) == 1006


async def test_named_origin_may_use_the_cookie_of_who_is_signed_in(visit, sites, detour):
    await sign_in(visit, detour)
    page = await visit(sites[0].origin)
    answer = await sent(page, detour, "signed", credentials="include")
    assert answer["status"] == 200
    assert (await sent(page, detour, "signed"))["status"] == 401, "a page that does not ask for it"
    assert await page.evaluate("(url) => socket(url)", f"ws://127.0.0.1:{detour.port}/ws/signed") == "open"


async def test_origin_of_any_page_gets_in_with_a_token_and_never_with_a_cookie(visit, sites, anybodys):
    await sign_in(visit, anybodys)
    for site in sites:
        page = await visit(site.origin)
        assert (await sent(page, anybodys, "ada", token=TOKEN))["status"] == 200
        assert (await sent(page, anybodys, "mallory"))["status"] == 401
        with pytest.raises(Error, match="Failed to fetch"):
            await sent(page, anybodys, "mallory", credentials="include")
        with pytest.raises(Error, match="Failed to fetch"):
            await sent(page, anybodys, "ada", token=TOKEN, credentials="include")
        socket = f"ws://127.0.0.1:{anybodys.port}/ws/mallory"
        assert await page.evaluate("(url) => socket(url)", socket) == 4401
    assert not await is_known(anybodys, "mallory")


async def sign_in(visit, server: LiveServer) -> None:
    """Sign in on the server's own page, which then works."""
    page = await visit(f"{url(server)}/#token={TOKEN}")
    await page.wait_for_function("async () => (await fetch('/status/nobody')).status === 404")
    own = "async () => (await fetch('/stop/nobody', {method: 'POST'})).status"
    assert await page.evaluate(own) == 404, "the cookie signs a post in"
