"""Forgets the users whom another replica has taken while they were only waited for here.

A task that has asked, and rests, keeps its user with no replica: whichever gets the answer claims the user.
The replica where the task rested is told nothing, and writes nothing that could be refused: so it looks.
"""

from collections.abc import Iterable

from ..log.event_log import EventLog
from ..log.ownership.registry import Registry
from .conversations import Conversations


async def forget_taken(
    conversations: Conversations, log: EventLog, registry: Registry, replica: str, counted: Iterable[str]
) -> None:
    """Drop whom a replica does not own any more, of those who rest here or are counted here.

    Raises `StoreUnavailable`.
    """
    resting = [each.user_id for each in conversations if each.resting is not None]
    known = {user_id: conversations.get(user_id) for user_id in (*resting, *counted)}
    # Of whoever is at work here the fence tells.
    waiting = {user_id: each for user_id, each in known.items() if each is None or each.idle}
    if not waiting:
        return
    owned = await registry.owned([*waiting], replica)
    for user_id, conversation in waiting.items():
        if user_id in owned or conversations.get(user_id) is not conversation:
            continue
        if conversation is None:
            if not conversations.knows(user_id):  # else taken here meanwhile, and loaded soon
                log.let_go(user_id)
        elif conversation.idle:
            conversations.end(conversation.tenure)
