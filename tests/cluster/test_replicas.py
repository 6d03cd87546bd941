"""Two replicas, one conversation: what happens at one is decided where the user's task runs."""

import asyncio
from contextlib import aclosing

import pytest

from backend.domain.errors import BadInput, NotFound, NotOpen
from backend.store.event_bus import Ended, SubscriptionEnded
from backend.store.ownership import OwnedElsewhere
from backend.tasks.workflow import CALLER_TRACE
from tests.cluster.conftest import BOUND_S, bury, ended, not_in_use, sql
from tests.fakes.waiting import until

pytestmark = [pytest.mark.postgres, pytest.mark.parametrize("hints", ["listen", "poll"])]

TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


async def asked(parts, user="ann"):
    """Return the open question of a user, once there is one."""

    async def read():
        standing = await parts.store.standing(user)
        return standing.inputs[0] if standing is not None and standing.inputs else None

    return await until(read)


@pytest.mark.requirement("REPLICAS-ARE-ONE")
class TestCommand:
    async def test_message_elsewhere_interrupts_the_task_at_its_owner(self, new_replica):
        here, there = await new_replica("here"), await new_replica("there")
        first = await here.post("find gate")
        accepted = await there.runner.handle_user_message("ann", "say")
        assert accepted.interrupted_task_id == first
        assert (await ended(there, "ann", first)).reason == "superseded"
        assert (await ended(there, "ann", accepted.task_id)).status == "completed"
        assert [text for role, text in await there.history() if role == "user"] == ["find gate", "say"]

    async def test_message_that_is_sent_again_elsewhere_is_accepted_once(self, new_replica):
        here, there = await new_replica("here"), await new_replica("there")
        first = await here.runner.handle_user_message("ann", "find gate", client_id="c1")
        again = await there.runner.handle_user_message("ann", "find gate", client_id="c1")
        assert (again.task_id, again.duplicate) == (first.task_id, True)
        assert len(await there.history()) == 1

    @pytest.mark.requirement("TASKS-ARE-TRACED")
    async def test_message_elsewhere_keeps_the_trace_of_its_caller_and_of_no_other(self, new_replica):
        here, there = await new_replica("here"), await new_replica("there")
        await here.post("find gate")
        token = CALLER_TRACE.set(TRACEPARENT)
        traced = await there.post("find gate")
        CALLER_TRACE.reset(token)
        untraced = await there.post("say")
        assert (await ended(there, "ann", traced)).traceparent == TRACEPARENT
        assert (await ended(there, "ann", untraced)).traceparent is None

    async def test_answer_elsewhere_resumes_the_task(self, new_replica, address):
        here, there = await new_replica("here"), await new_replica("there")
        task_id = await here.post("ask find gate")
        request = await asked(there)
        await not_in_use(address)  # a task that rests on a question occupies nobody
        answered = await there.runner.answer("ann", request.request_id, answer={"answer": "word"})
        assert answered["task_id"] == task_id
        with pytest.raises(NotOpen):
            await here.runner.answer("ann", request.request_id, answer={"answer": "word"})
        there.script.open_gates()
        assert (await ended(here, "ann", task_id)).status == "completed"
        assert [each[0] for each in there.script.answers] == ["ann"]

    async def test_one_of_two_answers_at_two_replicas_counts(self, new_replica, address):
        here, there = await new_replica("here"), await new_replica("there")
        task_id = await here.post("ask find gate")
        request = await asked(there)
        await not_in_use(address)
        outcomes = await asyncio.gather(
            here.runner.answer("ann", request.request_id, answer={"answer": "of here"}),
            there.runner.answer("ann", request.request_id, answer={"answer": "of there"}),
            return_exceptions=True,
        )
        assert [type(each) for each in outcomes].count(NotOpen) == 1
        counted = "of there" if isinstance(outcomes[0], NotOpen) else "of here"
        here.script.open_gates()
        there.script.open_gates()
        assert (await ended(here, "ann", task_id)).status == "completed"
        assert [text for _, text in await here.history() if text.startswith("of ")] == [counted]

    async def test_stop_elsewhere_returns_the_receipt(self, new_replica):
        here, there = await new_replica("here"), await new_replica("there")
        task_id = await here.post("find gate")
        receipt = await there.runner.stop("ann")
        assert receipt is not None
        assert (await ended(there, "ann", task_id)).reason == "stopped"

    async def test_delayed_message_elsewhere_waits_at_the_owner(self, new_replica):
        here, there = await new_replica("here"), await new_replica("there")
        first = await here.post("find gate")
        later = await there.post("say", policy="enqueue", after_s=3600.0)
        task = await there.task(later)
        assert (task.status, (await here.task(first)).status) == ("queued", "running")
        assert task.not_before > task.created_at
        await there.runner.stop("ann", later)
        assert (await there.task(later)).reason == "stopped"

    async def test_item_put_elsewhere_is_the_owners(self, new_replica):
        here, there = await new_replica("here"), await new_replica("there")
        await here.post("find gate")
        item = {"namespace": ["a"], "key": "k"}
        put = {"do": "put", **item, "value": {"n": 1}}
        assert await there.runner.use_items("ann", [put]) == [True]
        for each in (here, there):
            [found] = await each.runner.use_items("ann", [{"do": "get", **item}])
            assert found["value"] == {"n": 1}
        with pytest.raises(BadInput, match="value: "):
            await there.runner.use_items("ann", [{**put, "value": {"n": "x" * 2**20}}])

    async def test_refusal_of_the_owner_keeps_its_words(self, new_replica):
        here, there = await new_replica("here"), await new_replica("there")
        await here.post("gate")
        with pytest.raises(Exception, match="There is no task 'nothing'") as refused:
            await there.runner.stop("ann", "nothing")
        with pytest.raises(NotFound) as refused_here:
            await here.runner.stop("ann", "nothing")
        assert refused.value.to_json() == refused_here.value.to_json()
        assert refused.value.status_code == 404

    async def test_short_reply_comes_with_its_hint_and_a_long_one_is_read(self, new_replica, monkeypatch):
        here, there = await new_replica("here"), await new_replica("there")
        first = await here.post("find gate")
        looked = []
        reply_to = there.replica.registry.reply_to

        async def looks(user_id, command_id):
            looked.append(user_id)
            return await reply_to(user_id, command_id)

        monkeypatch.setattr(there.replica.registry, "reply_to", looks)
        # However slow the machine is: whoever waits so long looks for the reply.
        monkeypatch.setattr("backend.replicas.owners.ASK_OWNER_AGAIN_S", BOUND_S)
        await there.post("find gate")
        assert looked == []
        assert (await ended(there, "ann", first)).reason == "superseded"
        monkeypatch.setattr("backend.replicas.postgres.TOLD_BYTES", 10)
        await there.post("say")
        assert looked == ["ann"]

    async def test_reply_whose_hint_is_lost_is_read(self, new_replica, monkeypatch):
        here, there = await new_replica("here"), await new_replica("there")
        await here.post("find gate")
        monkeypatch.setattr("backend.replicas.owners.ASK_OWNER_AGAIN_S", 0.05)
        monkeypatch.setattr(there.replica.registry.hints, "heard", lambda hint: None)
        task_id = await there.post("say")
        assert (await ended(there, "ann", task_id)).status == "completed"

    async def test_deletion_elsewhere_leaves_nothing_and_resets_followers(self, new_replica):
        here, there = await new_replica("here"), await new_replica("there")
        await here.post("find gate")
        epoch = await there.runner.epoch("ann")
        async with aclosing(there.log.follow("ann", 0, epoch=epoch)) as events:
            await anext(events)
            await there.runner.delete_user("ann")
            assert await here.store.position("ann") is None
            again = await here.runner.handle_user_message("ann", "say")
            assert again.epoch != epoch
            with pytest.raises(SubscriptionEnded) as over:
                async for _ in events:
                    pass
            assert over.value.reason is Ended.RESET

    async def test_fifty_messages_at_once_at_both_leave_one_task(self, new_replica):
        replicas = [await new_replica("here"), await new_replica("there")]
        messages = [replicas[number % 2].post(f"gate {number}") for number in range(50)]
        tasks = await asyncio.gather(*messages)
        assert len(set(tasks)) == 50

        async def one_left():
            found = [await replicas[0].store.get_task_metadata("ann", each) for each in tasks]
            return sum(not each.status.terminal for each in found) == 1

        await until(one_left)
        for each in replicas:
            each.script.open_gates()
        last = [each for each in await replicas[0].history() if each[0] == "user"]
        assert len(last) == 50
        assert all(not each.script.wrong for each in replicas)


@pytest.mark.requirement("ANY-REPLICA-IS-FOLLOWED")
class TestFollower:
    async def test_follower_sees_events_of_another_replica_without_a_gap(self, new_replica):
        here, there = await new_replica("here"), await new_replica("there")
        await here.post("find gate")
        epoch = await there.runner.epoch("ann")
        seen = []
        async with aclosing(there.log.follow("ann", 0, epoch=epoch)) as events:
            accepted = await here.runner.handle_user_message("ann", "say find say find")
            async for batch in events:
                seen += [each.seq for each in batch]
                if any(b'"completed"' in each.frame for each in batch):
                    break
        assert seen == list(range(1, len(seen) + 1))
        assert (await ended(there, "ann", accepted.task_id)).status == "completed"

    async def test_follower_of_a_user_deleted_elsewhere_sees_the_new_log(self, new_replica, address):
        here, there = await new_replica("here"), await new_replica("there")
        await ended(here, "ann", await here.post("say"))
        await not_in_use(address)
        of_before = await here.runner.epoch("ann")
        await there.runner.delete_user("ann")
        epoch = await here.runner.epoch("ann")  # though the user is still in memory here
        assert epoch != of_before
        async with aclosing(here.log.follow("ann", 0, epoch=epoch)) as events:
            accepted = await there.runner.handle_user_message("ann", "say")
            assert (accepted.epoch, (await anext(events))[0].seq) == (epoch, 1)

    async def test_epoch_of_an_unknown_user_is_the_same_at_all_replicas(self, new_replica):
        here, there = await new_replica("here"), await new_replica("there")
        assert await here.runner.last_request("ann") is None  # in memory by now
        epoch = await here.runner.epoch("ann")
        assert await there.runner.epoch("ann") == epoch
        assert (await here.runner.handle_user_message("ann", "say")).epoch == epoch

    async def test_lost_hints_are_made_up_for_by_the_next_one(self, new_replica, monkeypatch):
        here, there = await new_replica("here"), await new_replica("there")
        task_id = await here.post("find gate")
        told = here.replica.registry.tell
        lost = []
        monkeypatch.setattr(here.replica.registry, "tell", lambda *hint: lost.append(hint))
        seen = []
        async with aclosing(there.log.follow("ann", 0)) as events:
            seen += [each.seq for each in await anext(events)]
            await here.runner.handle_user_message("ann", "find find")
            await ended(there, "ann", task_id)
            assert lost
            monkeypatch.setattr(here.replica.registry, "tell", told)
            last = await here.runner.handle_user_message("ann", "say")
            async for batch in events:
                seen += [each.seq for each in batch]
                if any(last.task_id.encode() in each.frame for each in batch):
                    break
        assert seen == list(range(1, len(seen) + 1))


@pytest.mark.requirement("A-DEAD-REPLICA-IS-TAKEN-OVER")
class TestOwner:
    async def test_user_with_nothing_in_memory_goes_to_the_next_replica(self, new_replica, address):
        here, there = await new_replica("here"), await new_replica("there")
        await ended(here, "ann", await here.post("say"))
        await not_in_use(address)
        task_id = await there.post("find gate")
        with pytest.raises(OwnedElsewhere):
            await here.replica.ownership.acquire("ann")
        there.script.open_gates()
        await ended(there, "ann", task_id)
        await not_in_use(address)
        # What the first one remembers of the user is of an earlier lease.
        again = await here.runner.handle_user_message("ann", "find")
        assert (await ended(here, "ann", again.task_id)).previous_task_id == task_id

    @pytest.mark.requirement("LOST-IS-TAKEN-UP")
    async def test_tasks_of_a_dead_replica_are_recovered_by_another(self, new_replica):
        here, there = await new_replica("here"), await new_replica("there")
        lost = await here.post("find gate")
        await until(lambda: here.store.get_partials("ann", 1))
        await here.die()
        there.script.open_gates()
        assert (await ended(there, "ann", lost)).reason == "lost"
        retried = (await there.store.standing("ann")).task
        assert (retried.message, retried.previous_task_id) == ("find gate", lost)
        assert (await ended(there, "ann", retried.task_id)).status == "completed"

    @pytest.mark.requirement("LOST-IS-TAKEN-UP")
    async def test_replica_with_a_users_earlier_conversation_recovers_the_tasks(self, new_replica, address):
        here, there = await new_replica("here"), await new_replica("there")
        await ended(there, "ann", await there.post("say"))
        await not_in_use(address)
        lost = await here.post("find gate")
        await here.die()
        there.script.open_gates()
        # Nobody sends a message that would claim the user: the one who lost the task only waits.
        assert (await ended(there, "ann", lost)).reason == "lost"
        retried = (await there.store.standing("ann")).task
        assert (await ended(there, "ann", retried.task_id)).status == "completed"

    async def test_user_who_is_not_recovered_yet_stays_in_use(self, new_replica, address, monkeypatch):
        here, there = await new_replica("here"), await new_replica("there")
        lost = await here.post("find gate")
        begun, go_on = asyncio.Event(), asyncio.Event()
        read = there.store.resumable

        async def nobody(_is_here):
            return ()

        async def slowly(user_id):
            begun.set()
            await go_on.wait()
            return await read(user_id)

        # Who comes with a message recovers the user, and nobody who looks around.
        monkeypatch.setattr(there.replica.ownership, "reclaim", nobody)
        monkeypatch.setattr(there.store, "resumable", slowly)
        await sql(address, "UPDATE detour.users SET owner = NULL, fence = fence + 1 WHERE user_id = 'ann'")
        sending = there.infrastructure.spawn(there.runner.handle_user_message("ann", "say"), name="send")
        await begun.wait()
        # Were it said to be idle now, and this replica ended, nobody would recover the user any more.
        there.runner.conversations.mark_all_unused()
        await there.store.commit(there.runner.conversations.get("ann").lease)
        assert await sql(address, "SELECT occupied FROM detour.users WHERE user_id = 'ann'")
        go_on.set()
        there.script.open_gates()
        assert (await ended(there, "ann", (await sending).task_id)).status == "completed"
        assert (await ended(there, "ann", lost)).reason == "lost"
        await not_in_use(address)

    async def test_message_for_a_dead_owner_is_accepted_after_recovery(self, new_replica):
        here, there = await new_replica("here"), await new_replica("there")
        await here.post("find gate")
        await here.die()
        accepted = await there.runner.handle_user_message("ann", "say")
        assert (await ended(there, "ann", accepted.task_id)).status == "completed"
        said = [text for role, text in await there.history() if role == "user"]
        assert said == ["find gate", "say"]

    async def test_replica_whose_lease_ended_joins_under_another_name(self, new_replica, address):
        here = await new_replica("here")
        name, membership = here.name, here.replica.membership
        alive = []
        membership.on_lost = lambda: alive.append(here.replica.is_alive())
        await bury(address, name)
        await membership.renew()
        assert alive == [False]
        assert here.replica.is_alive()
        assert here.name != name

    async def test_replica_that_counted_as_dead_stores_nothing_more(self, new_replica, address):
        here, there = await new_replica("here"), await new_replica("there")
        frozen = await here.post("find gate")
        await sql(
            address, "UPDATE detour.users SET owner = 'nobody', fence = fence + 1 WHERE user_id = 'ann'"
        )
        there.script.open_gates()
        taken = await there.runner.handle_user_message("ann", "say")
        here.script.open_gates()
        assert (await ended(there, "ann", frozen)).reason in ("superseded", "lost")
        assert (await ended(there, "ann", taken.task_id)).status == "completed"
        # It finds out with its next write, lets go of the user, and asks the database like anybody else.
        again = await here.runner.handle_user_message("ann", "find")
        assert (await ended(here, "ann", again.task_id)).previous_task_id == taken.task_id
        assert [text for role, text in await here.history() if role == "user"] == ["find gate", "say", "find"]

    async def test_ended_lease_is_never_renewed(self, new_replica, address):
        here = await new_replica("here")
        name = here.name
        await here.post("find gate")
        await bury(address, name)
        await here.replica.membership.renew()
        assert here.name != name
        assert await sql(address, "SELECT count(*) FROM detour.replicas WHERE replica = $1", name) == 1
        assert not await here.replica.registry.renew(name, lease_s=10)
        # Its own user is taken up again, under the new name.
        here.script.open_gates()
        await not_in_use(address)
        assert (await here.history())[-1] == ("assistant", "answered find gate")

    @pytest.mark.requirement("LOST-IS-TAKEN-UP")
    async def test_shutdown_gives_users_up_at_once(self, new_replica):
        here, there = await new_replica("here"), await new_replica("there")
        first = await here.post("find gate")
        there.script.open_gates()
        await here.close()
        assert (await ended(there, "ann", first)).reason == "shutdown"

        async def completed():
            task = (await there.store.standing("ann")).task
            return task.status == "completed" and task.previous_task_id == first

        await until(completed)

    async def test_unanswered_question_expires_at_any_replica(self, new_replica, address):
        here, there = await new_replica("here"), await new_replica("there")
        task_id = await here.post("ask")
        await asked(there)
        await not_in_use(address)
        await sql(address, "UPDATE detour.inputs SET expires_at = 0")
        for each in (there, here):
            await each.runner.sweep_questions()
        assert (await ended(here, "ann", task_id)).reason == "timed_out"
