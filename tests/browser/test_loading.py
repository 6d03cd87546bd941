"""What a load of the page takes over the wire: at first, and at a reload."""

import pytest
from playwright.async_api import expect

from tests.fakes.waiting import until

pytestmark = pytest.mark.asyncio(loop_scope="module")

MOST_BYTES = 120_000


async def loaded(ada, go, *, last: str) -> list[tuple[str, int]]:
    """Return the path of every file that a load fetched, with its bytes over the wire.

    The load is over once the file whose path begins with `last` is there: the icon of a first one, which the
    browser fetches behind all else.
    """
    heard = await ada.page.context.new_cdp_session(ada.page)
    paths: dict[str, str] = {}
    fetched: list[tuple[str, int]] = []
    heard.on(
        "Network.requestWillBeSent", lambda event: paths.update({event["requestId"]: event["request"]["url"]})
    )
    heard.on("Network.requestServedFromCache", lambda event: paths.pop(event["requestId"], None))

    def finished(event) -> None:
        if event["requestId"] in paths and event["encodedDataLength"]:
            path = "/" + paths[event["requestId"]].split("/", 3)[-1].split("?")[0]
            fetched.append((path, event["encodedDataLength"]))

    heard.on("Network.loadingFinished", finished)
    await heard.send("Network.enable")
    await go()
    await expect(ada.page.get_by_role("heading", name="Where would you like to go?")).to_be_visible()

    async def is_over() -> bool:
        return any(path.startswith(last) for path, _ in fetched)

    await until(is_over, every_s=0.05)
    await heard.detach()
    return fetched


async def test_first_load_is_under_120_kb_and_a_reload_is_one_request(visitor, staged):
    ada = await visitor(staged)
    await ada.is_connected()
    await ada.page.goto("about:blank")
    cleared = await ada.page.context.new_cdp_session(ada.page)
    await cleared.send("Network.clearBrowserCache")
    first = await loaded(ada, ada.open, last="/static/icon")
    assert sum(size for _, size in first) < MOST_BYTES, first
    assert len(first) <= 6, first
    again = await loaded(ada, ada.page.reload, last="/")
    assert [path for path, _ in again] == ["/"], again
