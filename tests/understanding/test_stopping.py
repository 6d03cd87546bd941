"""What stops a search, in the words in which people stop, and what only looks like it."""

import pytest

from tests.understanding.conversation import LISBON, told

STOPS = (
    "hold on", "hang on", "wait, don't", "no wait stop",
    "never mind, I'll take the train",
    "nevermind we'll drive", "that's enough thanks", "that is enough for now", "forget it", "stop stop",
    "STOP!!!", "ok stop searching", "leave it", "leave it for now", "scrap that", "abort", "enough",
    "Enough already.", "pause", "pause the search please", "don't", "no don't", "no more", "hold on a sec",
    "hold your horses", "could you please stop", "you can stop now", "stop looking for flights and hotels",
    "no need to search any more", "you don't have to search anymore", "thanks, that's enough for today",
    "on second thought, no", "let's call it a day", "whoa stop", "stp",
    "never mind, I'll stay with friends", "forget it, we found something",
    "ok enough thanks", "stop, I'll do it later myself", "nvm", "no stop", "stop it now please",
    "actually never mind", "hold on, let me think", "oh no, stop",
    "cancel the whole thing", "I give up", "give it a rest", "stop with this", "stop with it please",
    "can you stop", "no, stop",
    "actually stop, Sean's uncle has a minibus. leave it with me, have to ask the boys",
    "stop, my uncle has a van", "stop please, Anna's dad drives us. have to talk to the girls first",
    "cancel that, we have to ask my brother first", "never mind, have to check with my wife",
)  # fmt: skip
NO_STOPS = (
    "don't wait",
    "wait", "just a moment please", "wait a minute",
    "stop in Dubai", "with a stop in Dubai", "nonstop", "nonstop please", "one stop", "one stop at most",
    "no stops", "wait, make it Friday", "hold on, make it Friday", "hold it for me", "hold the first one",
    "hold the cheapest", "a stopover in Doha", "hang on, two people", "is it one stop or two", "don't stop",
    "please don't stop", "no, don't stop", "never stop searching", "how many stops",
    "which one has fewer stops", "forget the hotel", "stop the hotel search", "leave on Friday",
    "leave the hotel as it is", "enough room for two", "is that enough time to change planes",
    "big enough for 4", "never mind the hotel", "wait, not Paris, Rome",
    "never mind, I'll take the second one", "hold on to the flights", "don't forget the hotel",
    "keep going", "is there a bus stop near the hotel", "we want to stop in Dubai for 2 nights",
    "forget Lisbon, make it Porto",
    "never mind, I'll fly on Friday", "not yet", "wait for me", "pause in Dubai for a night",
    "that's enough, now find a hotel in Rome", "no more than one stop",
    "don't include flights with two stops", "stop in Dubai, then Rome", "cancel that, make it Rome",
    "leave it on Friday", "I'll take the train one", "no",
    "never mind, my boss pays, business class", "stop, we'll stay two weeks", "stop, my wife comes too",
    "no, the cheaper one with a stop", "no without the stop", "don't mind the stop", "the stop is too long",
    "please stop showing me red-eyes", "stop with the red eyes please", "why did you stop?",
    "stop suggesting Lufthansa", "is there a short stop", "another stop is fine",
    "forget it, I'll stay in Rome", "forget it, I'll stay at the Hilton", "never mind, I'll go by Friday",
)  # fmt: skip


@pytest.mark.requirement("STOPS-IN-MANY-WORDS")
@pytest.mark.parametrize("said", STOPS)
def test_stop_is_understood_and_forgets_nothing(said: str) -> None:
    understood = told(LISBON, said)
    assert (understood.relation, understood.agents) == ("stop", ())
    assert understood.flight == told(LISBON).flight


@pytest.mark.requirement("STOPS-IN-MANY-WORDS")
@pytest.mark.parametrize("said", NO_STOPS)
def test_what_only_has_such_words_stops_nothing(said: str) -> None:
    assert told(LISBON, said).relation != "stop"


@pytest.mark.parametrize(
    "said",
    [
        "can i cancel it if someone gets sick", "could we cancel it in case of illness",
        "what if I have to cancel",
        "what happens if we cancel it", "how do i cancel it", "is it possible to cancel",
        "am I allowed to cancel it",
        "can I cancel that up to the day before", "why did you stop?", "why did it stop", "did you stop",
        "please stop showing me red-eyes", "stop asking me that", "stop sending me so many results",
        "stop being so slow", "stop repeating yourself",
    ],
)  # fmt: skip
def test_question_about_cancelling_or_dislike_stops_nothing(said: str) -> None:
    assert told(LISBON, said).relation != "stop"


@pytest.mark.parametrize(
    "said",
    [
        "can you cancel it", "could you cancel that please", "can I cancel the search",
        "cancel it, why did I ask",
        "stop, you are showing me nonsense", "stop it",
    ],
)  # fmt: skip
def test_request_to_cancel_is_a_stop(said: str) -> None:
    assert told(LISBON, said).relation == "stop"
