"""Messages that are nothing but a stop, whatever else their words could mean: "hold on", "enough for today".

Unlike the words of `stopping`, which break off beside others, these stop only where no other word is said:
"hold on, make it Friday" goes on. A plan of one's own may follow: "never mind, I'll take the train".
"""

from ..language.sentences import clauses
from ..language.text import Text, phrases, word_set

_STOPS = phrases(
    "stop", "stp", "stpo", "sotp", "stopp", "stop it", "stop that", "stop this", "stop now", "stop there",
    "stop here", "stop everything", "stop all", "stop all of it", "stop searching", "stop looking",
    "stop the search", "stop the searches", "stop the searching", "hold on", "hang on", "hold it",
    "hold up", "hold your horses", "whoa", "woah", "pause", "pause it", "pause that",
    "pause the search", "don't", "do not", "cease", "enough", "that's enough", "thats enough",
    "that is enough", "this is enough", "it's enough", "enough already", "enough of that", "enough of this",
    "no more", "no more of this", "no need", "no need to search", "no need to look",
    "no need to continue", "you don't have to search", "you don't have to look", "don't search",
    "don't look", "don't continue", "don't do that", "don't do it", "i don't need it", "never mind",
    "nevermind", "nvm", "forget it", "forget that", "forget this", "forget about it", "forget about that",
    "abort", "abort it", "abort that", "abort mission", "abort the search", "quit", "quit it", "halt",
    "cancel", "cancel the search", "cancel the whole thing", "cancel everything", "drop it", "drop that",
    "drop the whole thing", "leave it", "leave it be", "leave it at that", "leave that", "let it go",
    "let it be", "let's leave it", "lets leave it", "let's stop", "lets stop", "let's call it a day",
    "call it a day", "call it off", "give it a rest", "scrap it", "scrap that", "scrap the whole thing",
    "skip it", "don't bother", "knock it off", "i changed my mind", "i've changed my mind",
    "changed my mind", "on second thought", "on second thoughts", "i give up", "break it off", "end it",
    "that's off", "it's off", "terminate",
)  # fmt: skip
_BESIDE = phrases(
    "ok", "okay", "k", "no", "nah", "oh", "hey", "hi", "please", "pls", "plz", "now", "then", "thanks",
    "thank you", "thx", "actually", "sorry", "just", "right", "well", "so", "and", "but", "ah", "uh", "um",
    "hmm", "for now", "for today", "for the moment", "for the time being", "right now", "right there",
    "at once", "immediately", "already", "altogether", "completely", "can you", "could you", "would you",
    "will you", "you can", "you may", "i want you to", "i'd like you to", "i said", "a minute", "a second",
    "a sec", "a moment", "a bit", "one second", "one sec", "one moment", "one minute", "anymore",
    "any more", "any further", "any longer", "searching", "looking", "for anything", "for everything",
    "for flights and hotels", "for hotels and flights", "for both", "to search", "everything", "all", "wait",
    "too expensive", "it's too expensive", "there", "here", "man", "mate", "guys", "dude", "again",
    "i need to think", "let me think", "yes", ",", ".", "!", "-",
)  # fmt: skip
_PLANS = phrases(
    "i'll take the", "i will take the", "we'll take the", "we will take the", "i'll take a", "we'll take a",
    "i'll drive", "i will drive", "we'll drive", "we will drive", "we drive",
    "i drive", "i'm driving", "we're driving", "i'll walk", "i'll cycle",
    "i'll stay home", "i'll stay at home", "i'll stay with friends", "we'll stay home", "we'll stay at home",
    "we'll stay with friends",
    "i'll do it", "i will do it", "we'll do it", "i'll ask", "i'll call",
    "i'll phone", "i'll look", "i will look", "i'll check", "i'll find", "i'll think", "we'll think",
    "i'll see", "we'll see", "i'll be back", "i'll come back", "i'll go with", "i'll get back",
    "i'll use", "i'm taking the", "we're taking the", "i'd rather take the", "we'd rather take the",
    "i'd rather drive", "we'd rather drive", "i found", "i've found", "we found", "we've found",
    "i already", "i have already", "i've already", "we've already",
    "the train", "we go by", "i go by", "i'll rent", "we'll rent",
)  # fmt: skip
_OURS = word_set(
    """
    flight flights fly flying plane hotel hotels room rooms first second third cheapest one other instead to
    from ?
    """
)
"""With one of these a plan is rather a wish: "never mind, I'll take the second one"."""

_DONT_WAIT = phrases("don't wait", "do not wait", "never wait", "no need to wait")
_NEGATIONS = word_set("don't dont not never no")
_AT_MOST = 16


def is_only_a_stop(text: Text) -> bool:
    """Return whether a message stops, and says nothing else but what somebody will do without us."""
    if text.length > _AT_MOST or text.has(_DONT_WAIT) or text.vocabulary.isdisjoint(_STOPS):
        return False
    begun = [first for first, _ in clauses(text)]
    after = next((at for at in begun if at and text.match(_PLANS, at)), text.length)
    if after == text.length:
        after = next((at for at in range(1, text.length) if text.match(_PLANS, at)), after)
    return _stops_alone(text, after) and _OURS.isdisjoint(text.norm(at) for at in range(after, text.length))


def _stops_alone(text: Text, end: int) -> bool:
    """Whether the tokens before `end` stop and say nothing else: "don't stop" does not."""
    at, stops = 0, False
    while at < end:
        stop = text.match(_STOPS, at)
        if stop and text.norm(at - 1) in _NEGATIONS and not _is_apart(text, at):
            return False
        stops = stops or stop > 0
        length = max(stop, text.match(_BESIDE, at))
        if not length:
            return False
        at += length
    return stops


def _is_apart(text: Text, at: int) -> bool:
    """Whether a no stands for itself there: "no stop!", unlike "don't stop" and "never stop"."""
    return text.norm(at - 1) == "no" and text.norm(at) not in ("more", "need")
