"""Going back along the requests of a conversation, and stops in other languages."""

import pytest

from backend.travel.agents.response import STARTED_OVER, STOPPED
from backend.travel.understanding.codec import from_json
from backend.travel.understanding.languages.detect import LANGUAGES
from tests.agents.ann import TOKYO
from tests.understanding.conversation import flight, hotel

pytestmark = pytest.mark.virtual_time
OSLO = "flights from Paris to Oslo on 5 December"


async def understood(ann, task_id):
    return from_json((await ann.parts.task(task_id)).request["understanding"])


async def after(ann, *messages):
    """What the last of the messages means, each sent once the one before is answered."""
    for each in messages:
        task_id = await ann.say(each)
    return await understood(ann, task_id)


@pytest.mark.requirement("UNDO-GOES-BACK")
@pytest.mark.parametrize("said", ["undo that", "put it back please"])
async def test_undo_takes_back_the_last_change_and_names_the_request(ann, said):
    now = await after(ann, TOKYO, "make it 12 December", said)
    assert str(flight(now)["departure_date"]) == "2026-12-10"
    reply = await ann.reply()
    assert reply.startswith("Back to your earlier request.")
    assert "Tokyo" in reply
    assert "10 December" in reply
    assert "I found 4 flights" in reply


@pytest.mark.requirement("UNDO-GOES-BACK")
async def test_undo_twice_goes_back_two_and_redo_comes_forward(ann):
    said = [TOKYO, "make it 12 December", "for two people", "undo"]
    assert "passengers" not in flight(await after(ann, *said))
    back = await after(ann, "undo that")
    assert str(flight(back)["departure_date"]) == "2026-12-10"
    forth = await after(ann, "redo")
    assert (str(flight(forth)["departure_date"]), flight(forth).get("passengers")) == ("2026-12-12", None)
    assert flight(await after(ann, "redo"))["passengers"] == 2


@pytest.mark.requirement("UNDO-GOES-BACK")
async def test_undo_removes_an_added_agent_while_it_searches(ann):
    await ann.say(TOKYO)
    adding = await ann.say("and a hotel there for 3 nights", then_wait_s=1.5)
    now = await understood(ann, await ann.say("undo that"))
    assert (now.agents, hotel(now)) == (("flight",), {})
    assert (await ann.parts.task(adding)).reason == "superseded"


@pytest.mark.requirement("UNDO-GOES-BACK")
async def test_undo_returns_to_another_place_and_takes_back_a_stop(ann):
    now = await after(ann, TOKYO, "flights from Paris to Rome on 12 December", "undo")
    assert flight(now)["destination"] == "Tokyo"
    task = await ann.say("for two people", then_wait_s=1)
    await ann.say("stop")
    assert (await ann.parts.task(task)).reason == "stopped"
    again = await after(ann, "undo that")
    assert (flight(again)["destination"], flight(again)["passengers"]) == ("Tokyo", 2)


@pytest.mark.requirement("UNDO-GOES-BACK")
async def test_value_that_was_right_is_restored_alone(ann):
    said = [OSLO, "I mean from Brussels, not Paris", "for two people", "ugh no, Paris was right"]
    now = await after(ann, *said)
    assert flight(now).items() >= {"origin": "Paris", "destination": "Oslo", "passengers": 2}.items()
    now = await after(ann, "make it the 7th", "no the first date was right")
    assert (str(flight(now)["departure_date"]), flight(now)["origin"]) == ("2026-12-05", "Paris")


@pytest.mark.requirement("START-OVER-FORGETS")
@pytest.mark.parametrize("said", ["start over", "let's start again from scratch"])
async def test_start_over_forgets_the_request(ann, said):
    await ann.say(TOKYO, then_wait_s=1.5)
    task_id = await ann.say(said)
    assert (await ann.reply()).startswith(STARTED_OVER)
    now = await understood(ann, task_id)
    assert (now.wanted, flight(now)) == ((), {})
    after_that = await after(ann, "just a hotel in Graz on Friday, one night")
    assert (hotel(after_that)["city"], flight(after_that)) == ("Graz", {})


async def test_undo_takes_back_a_start_over(ann):
    now = await after(ann, TOKYO, "start over", "undo")
    assert flight(now)["destination"] == "Tokyo"


@pytest.mark.parametrize("said", ["continue", "actually do look, we need a bed anyway"])
async def test_stopped_search_is_continued(ann, said):
    await ann.say(TOKYO, then_wait_s=1.5)
    await ann.say("hold on")
    await ann.say(said)
    assert "I found 4 flights" in await ann.reply()


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
    "es": "no, mejor a París esquivando Lyon",
    "fr": "non, plutôt à Rome en dirigeable",
    "de": "nein, lieber per Anhalter nach Rom",
    "it": "anzi, meglio a Roma in mongolfiera",
    "pt": "não, melhor Porto de balão",
    "nl": "nee, toch liever Parijs",
    "ru": "нет, лучше в Париж",
    "zh": "不，去巴黎",
    "ja": "やっぱりパリにします",
}


@pytest.mark.requirement("NO-LANGUAGE-IS-HALF-READ")
@pytest.mark.parametrize("said", STOPS)
async def test_stop_in_another_language_ends_the_search_and_keeps_its_results(ann, said):
    first = await ann.say(TOKYO, then_wait_s=2.5)
    await ann.say(said)
    assert (await ann.reply()).startswith(f"{STOPPED} Kept: 2 flights.")
    assert (await ann.parts.task(first)).reason == "stopped"


@pytest.mark.requirement("NO-LANGUAGE-IS-HALF-READ")
@pytest.mark.parametrize(("code", "said"), CHANGES.items())
async def test_change_in_another_language_is_answered_in_it_and_the_search_continues(ann, code, said):
    first = await ann.say(TOKYO, then_wait_s=2.5)
    beside = await ann.say(said, then_wait_s=0.5)
    before, _, behind = LANGUAGES[code].reply.partition("{words}")
    reply = [text for _, text in await ann.parts.history()][-1]
    assert before in reply
    assert behind in reply
    assert "{" not in reply
    assert (await ann.parts.task(beside)).relation == "other"
    await ann.parts.quiet()
    assert (await ann.parts.task(first)).status == "completed"


READ = {
    "es": ("busco un vuelo de Berlín a Tokio el 10 de diciembre", "mejor el 12"),
    "fr": ("je cherche un vol Berlin Tokyo le 10 décembre", "plutôt le 12"),
    "de": ("Flug von Berlin nach Tokio am 10. Dezember", "doch lieber am 12."),
    "it": ("cerco un volo da Berlino a Tokyo il 10 dicembre", "meglio il 12"),
    "pt": ("quero um voo de Berlim para Tóquio dia 10 de dezembro", "melhor dia 12"),
}


@pytest.mark.requirement("NO-LANGUAGE-IS-HALF-READ")
@pytest.mark.parametrize(("code", "request_", "change"), [(code, *said) for code, said in READ.items()])
async def test_request_in_another_language_is_searched_and_changed(ann, code, request_, change):
    first = flight(await after(ann, request_))
    assert (first["origin"], first["destination"]) == ("Berlin", "Tokyo")
    reply = await ann.reply()
    assert reply.startswith(f"{LANGUAGES[code].answers_in_english} I found ")
    assert str(flight(await after(ann, change))["departure_date"]) == "2026-12-12"
    assert LANGUAGES[code].answers_in_english not in (await ann.reply()).removeprefix(reply)
    assert next(text for _, text in await ann.parts.history()) == request_


@pytest.mark.requirement("NO-LANGUAGE-IS-HALF-READ")
@pytest.mark.parametrize(
    ("code", "few", "stop"),
    [
        ("es", "y de Roma?", "cancela todo"),
        ("fr", "et de Rome ?", "annule tout"),
        ("de", "ab Rom", "alles abbrechen"),
        ("it", "e da Roma?", "annulla tutto"),
        ("pt", "e de Roma?", "cancela tudo"),
    ],
)
async def test_few_words_behind_another_language_are_read_in_it(ann, code, few, stop):
    await after(ann, READ[code][0])
    assert flight(await after(ann, few))["origin"] == "Rome"
    await after(ann, stop)
    assert "nothing was running" in (await ann.reply()).lower()
