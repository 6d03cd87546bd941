"""What must hold of a simulated cluster, on the way and at the end."""

import itertools
from collections import Counter
from collections.abc import Iterable

from backend.domain.task import Message
from tests.interruption.accounts import check_calls_any_time, check_calls_at_the_end
from tests.interruption.invariants import check_any_time, check_at_the_end
from tests.simulation.cluster import USERS, Cluster, Sent


def check_now(cluster: Cluster) -> None:
    """Check what costs nothing to look at."""
    wrong = [*cluster.surprises, *cluster.server.wrong, *cluster.database.wrong, *cluster.office.wrong]
    wrong += [each for replica in (*cluster.slots, *cluster.dead) for each in replica.script.wrong]
    wrong += [each for follower in cluster.followers for each in follower.wrong]
    assert not wrong, wrong


async def check_any_moment(cluster: Cluster) -> None:
    """Check that all that is stored agrees with itself."""
    check_now(cluster)
    for user in USERS:
        followed = await check_any_time(cluster.database.documents, user)
        await check_calls_any_time(cluster.database.documents, user, followed)
        _accepted_once(cluster, user)


async def check_the_end(cluster: Cluster) -> None:
    """Check that all has come to its end, as was promised."""
    await check_any_moment(cluster)
    documents = cluster.database.documents
    for user in USERS:
        accepted = [each.accepted for each in cluster.accepted if each.accepted.user_id == user]
        await check_at_the_end(documents, user, accepted, cluster.answered)
        await check_calls_at_the_end(documents, user, cluster.office)
        position = await documents.position(user)
        if position is not None:
            epoch = position.epoch
            _in_the_order_sent(
                each
                for each in cluster.accepted
                if (each.accepted.user_id, each.accepted.epoch) == (user, epoch)
            )
    for follower in cluster.followers:
        assert await follower.missing() is None


def _accepted_once(cluster: Cluster, user: str) -> None:
    kept = cluster.database.state.kept.get(user)
    if kept is None:
        return
    counts = Counter(each.client_id for each in kept.ordered(Message) if each.client_id)
    assert all(count == 1 for count in counts.values()), f"accepted twice: {counts.most_common(2)}"
    for sent in cluster.accepted:
        if (sent.accepted.user_id, sent.accepted.epoch) == (user, kept.epoch):
            assert counts[sent.client_id] == 1, f"accepted, and not there: {sent}"


def _in_the_order_sent(accepted: Iterable[Sent]) -> None:
    """Check that what was sent once another was accepted comes after it."""
    for one, other in itertools.permutations(accepted, 2):
        if one.told_at < other.sent_at:
            assert one.accepted.seq < other.accepted.seq, f"out of order: {one}, {other}"
