"""A page that complains fails its test, in a browser that leaves off what Playwright has it leave off."""

import re

import psutil
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
async def test_page_errors_fail_their_test(browser, demo, wrong):
    visitor = await Visitor.arrive(browser, demo.port)
    heard = "pageerror" if wrong.startswith("thrown") else "console"
    async with visitor.page.expect_event(heard):
        await visitor.page.evaluate(f"() => {{ {WRONGS[wrong]} }}")
    with pytest.raises(AssertionError, match=wrong):
        await visitor.leave()


def command_of(process):
    """The command line of a process, in a list; none of one that has just ended."""
    try:
        return [" ".join(process.cmdline())]
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return []


async def test_disabled_features_include_all_of_playwrights(browser):
    running = psutil.Process().children(recursive=True)
    commands = [line for each in running for line in command_of(each)]
    features = [re.findall(r"--disable-features=(\S+)", each) for each in commands if "--type=" not in each]
    # A program that the browser starts has the browser's own command line for a moment.
    (lists,) = {tuple(each) for each in features if each}
    playwrights, ours = (set(each.split(",")) for each in lists)
    assert playwrights < ours
