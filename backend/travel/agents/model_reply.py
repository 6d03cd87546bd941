"""Streams a reply that a model words from the facts of the rules' own reply."""

import structlog

from ...domain.encoding import encode
from ...domain.errors import ModelError, StoreUnavailable
from ..models.base import ChatModel, Question
from ..understanding.english.wording import in_words
from .model_memory import RULES, cheapest_in_short, conversation_for_model
from .state import TravelRun

_log = structlog.get_logger(__name__)


async def reply_of(model: ChatModel, run: TravelRun, facts: str) -> str:
    """Say the reply and return all that was said, `facts` in its place where the model fails.

    What had been said of an earlier attempt stays. When cancelled, the model's stream is closed, and what was
    said until then is what the user has seen.
    """
    context = run.context
    before = context.found.text
    if before:
        context.say("\n\n")
    begun = len(context.found.text)
    try:
        messages = [_instructions(run, facts), *await conversation_for_model(run)]
        await model.answer(Question(messages=messages), meter=run.journal.usage, say=context.say)
    except (ModelError, StoreUnavailable) as error:
        _log.warning("the reply continues without its model", reason=error.message)
        if len(context.found.text) > begun:
            context.say("\n\n")
        context.say(facts)
    if not context.found.text[begun:].strip():
        context.say(facts)
    return context.found.text


def _instructions(run: TravelRun, facts: str) -> dict[str, str]:
    found = {agent: cheapest_in_short(items) for agent, items in run.context.found.to_json().items()}
    text = (
        f"You are the voice of a travel assistant. Today is {in_words(run.today)}. Answer the user's last "
        "message in a few sentences, from these facts and nothing else; leave none of them out that matters, "
        "and never say that something was booked, held or cancelled unless they say so.\n"
        f"Facts: {facts}\nCheapest offers: {encode(found).decode()}\n{RULES}"
    )
    return {"role": "system", "content": text}
