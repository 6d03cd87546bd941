"""Where to fly, as long as the user leaves it open: what is told of it lasts until a place is chosen."""

from ..message import Message
from ..result import OpenGoal, Understanding


def lacks_a_goal(understood: Understanding) -> bool:
    """Return whether flights are wanted, and nobody has told where to."""
    return "flight" in understood.wanted and understood.flight.destination is None


def goal_left_open(
    understood: Understanding, message: Message, previous: Understanding | None
) -> OpenGoal | None:
    """Return how a request leaves open where to fly after a message; None where it does not.

    Places that are spoken against add up: none of them is to be put forward.
    """
    if not lacks_a_goal(understood):
        return None
    before = previous.open_goal if previous and understood.relation != "new" else None
    against = [place for place in message.not_wanted if not place.airport]
    left_out = tuple(dict.fromkeys((*(before.left_out if before else ()), *against)))
    told = message.open_goal or before or (OpenGoal() if left_out else None)
    return OpenGoal(is_warm=told.is_warm, left_out=left_out) if told else None
