"""A page that complains fails its test."""

import pytest

from tests.browser.visitor import Visitor

pytestmark = pytest.mark.asyncio(loop_scope="module")

WRONGS = {
    "error: as the test says": "console.error('as the test says')",
    "thrown: so": "setTimeout(() => { throw new Error('so'); })",
    "thrown: nobody": "void Promise.reject(new Error('nobody'))",
    "style-src": "document.body.append(Object.assign(document.createElement('style'), {innerText: 'a {}'}))",
    "img-src": "new Image().src = 'https://example.org/a.png'",
    "connect-src": "fetch('https://example.org/').catch(() => {})",
    "script-src": "document.body.append(Object.assign(document.createElement('script'), {text: '1'}))",
}


@pytest.mark.parametrize("wrong", WRONGS)
async def test_a_page_that_complains_fails_its_test(browser, demo, wrong):
    visitor = await Visitor.arrive(browser, demo.port)
    await visitor.page.evaluate(f"() => {{ {WRONGS[wrong]} }}")
    await visitor.page.evaluate("() => new Promise((resolve) => setTimeout(resolve))")
    with pytest.raises(AssertionError, match=wrong):
        await visitor.leave()
