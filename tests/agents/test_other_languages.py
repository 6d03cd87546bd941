"""Messages in other languages while a search runs: a stop stops it, and nothing else changes it."""

import pytest

from backend.travel.agents.response import STOPPED
from backend.travel.understanding.languages.detect import LANGUAGES
from tests.agents.ann import TOKYO

pytestmark = pytest.mark.virtual_time

STOPS = (
    "arrête",
    "laat maar",
    "dur",
    "停",
    "止めて",
    "basta così",
    "стоп",
    "pare, por favor",
    "zatrzymaj",
    "stopp",
    "멈춰 주세요",
)
CHANGES = {
    "es": "no, mejor a París",
    "fr": "non, plutôt à Rome",
    "de": "nein, lieber nach Rom",
    "it": "anzi, meglio a Roma",
    "nl": "nee, toch liever Parijs",
    "ru": "нет, лучше в Париж",
    "zh": "不，去巴黎",
    "ja": "やっぱりパリにします",
}


@pytest.mark.requirement("NO-LANGUAGE-IS-HALF-READ")
@pytest.mark.parametrize("said", STOPS)
async def test_a_stop_of_another_language_ends_the_search_and_keeps_what_was_found(ann, said):
    first = await ann.say(TOKYO, then_wait_s=2.5)
    await ann.say(said)
    assert (await ann.reply()).startswith(f"{STOPPED} What I had found is kept: 2 flights.")
    assert (await ann.parts.task(first)).reason == "stopped"


@pytest.mark.requirement("NO-LANGUAGE-IS-HALF-READ")
@pytest.mark.parametrize(("code", "said"), CHANGES.items())
async def test_a_change_of_mind_in_another_language_is_answered_in_it_and_the_search_goes_on(ann, code, said):
    first = await ann.say(TOKYO, then_wait_s=2.5)
    beside = await ann.say(said, then_wait_s=0.5)
    assert LANGUAGES[code].reply in [text for _, text in await ann.parts.history()][-1]
    assert (await ann.parts.task(beside)).relation == "other"
    await ann.parts.quiet()
    assert (await ann.parts.task(first)).status == "completed"


async def test_a_search_that_a_foreign_word_stopped_is_resumed_in_english(ann):
    await ann.say(TOKYO, then_wait_s=2.5)
    await ann.say("basta", then_wait_s=0.5)
    await ann.say("continue")
    assert "I found 4 flights" in await ann.reply()
