import assert from "node:assert/strict";
import { test } from "node:test";

import { shownMessages } from "../../frontend/lib/messages.js";
import { initialState, reduce } from "../../frontend/lib/reduce.js";
import { isActive } from "../../frontend/lib/tasks.js";
import { recorded, snapshotAt } from "./recorded.js";

const hello = { type: "hello", user_id: "ada", epoch: "e", seq: 0, heartbeat_s: 20 };
const play = (events, state = reduce(initialState("ada"), hello)) => events.reduce(reduce, state);
const eventsOf = (name) => recorded.get(name).events;
const of = (events, type) => events.filter((event) => event.type === type);
const shownOffers = (state) => Object.values(state.task.partials).flat();
const tasksOf = (events) => [...new Set(of(events, "status_update").map((event) => event.task_id))];

/** What of a state a snapshot tells; the rest is known only to a page that was there. */
function told(state) {
  const { seq, epoch, gap, queued, pending, history, requests, interrupted, task } = state;
  const { calls: _calls, transfer: _transfer, started: _started, ...shown } = task ?? {};
  return {
    ...{ seq, epoch, gap, queued, pending, history, task: shown },
    requests: requests.map(({ at: _at, ...request }) => request),
    // What it had said is a message of the history by then.
    interrupted: Object.values(interrupted).map(({ agents: _agents, text: _text, ...left }) => left),
  };
}

test("search adds up to what its answer says", () => {
  const events = eventsOf("search");
  const state = play(events);
  const found = of(events, "partial_result").flatMap((event) => event.items);
  assert.deepEqual([state.task.status, isActive(state.task)], ["completed", false]);
  assert.deepEqual(shownOffers(state), found);
  assert.ok(found.length > 0);
  assert.deepEqual(state.history.map((message) => message.role), ["user", "assistant"]);
  assert.equal(state.task.agents.flight.request.destination.codes[0], "LIS");
});

test("search that is changed goes on where it is still wanted, and what the other had is kept apart", () => {
  const events = eventsOf("interruption");
  const [first, second] = tasksOf(events);
  const state = play(events);
  assert.equal(state.task.task_id, second);
  assert.equal(state.task.transfer.from_task_id, first);
  assert.equal(state.task.transfer.adopted.length, 1);
  assert.equal(state.task.calls[state.task.transfer.adopted[0]].tool, "search_flights");
  const left = state.interrupted[first];
  assert.equal(left.reason, "superseded");
  assert.ok(Date.parse(left.at) > Date.parse(left.began));
  assert.ok(left.partials.flight.length > 0 && left.partials.hotel.length > 0);
  assert.deepEqual(left.agents.flight.state, "interrupted");
  const outcomes = state.receipts[first].tool_calls.map((call) => [call.tool, call.outcome]);
  assert.deepEqual(Object.fromEntries(outcomes), { search_flights: "adopted", search_hotels: "cancelled" });
  const ids = state.task.partials.flight.map((offer) => offer.offer_id);
  assert.equal(new Set(ids).size, ids.length);
});

test("thanks after a search are answered and leave it shown", () => {
  const state = play(eventsOf("interruption"));
  assert.deepEqual(shownMessages(state).at(-1).text, "You are welcome.");
  assert.ok(shownOffers(state).length > 0);
});

test("from the first flight to the end of a search that is changed there is always a flight to be seen", () => {
  const events = eventsOf("interruption");
  const [, second] = tasksOf(events);
  const end = events.findIndex((event) => event.task_id === second && event.status === "completed");
  const counts = events.slice(0, end).map((_event, index) => {
    return play(events.slice(0, index + 1)).task?.partials.flight?.length ?? 0;
  });
  const first = counts.findIndex((count) => count > 0);
  assert.ok(first > 0);
  assert.ok(counts.slice(first).every((count) => count > 0), counts.join(" "));
});

test("question is open until it is answered, and one that another message withdraws says so", () => {
  const events = eventsOf("question");
  const asked = of(events, "input_request");
  for (const request of asked) {
    const open = play(events.slice(0, request.seq)).requests;
    assert.deepEqual(open.map((item) => item.request_id), [request.request_id]);
  }
  const state = play(events);
  assert.deepEqual(state.requests, []);
  assert.deepEqual(state.resolved.map((item) => item.outcome), ["answered", "withdrawn"]);
});

test("booking is asked for with its facts, and both decisions are told", () => {
  const events = eventsOf("booking");
  const [first] = of(events, "input_request");
  const [open] = play(events.slice(0, first.seq)).requests;
  assert.equal(open.kind, "permission");
  assert.match(open.facts.What, /BER to LIS/);
  const state = play(events);
  assert.deepEqual(state.resolved.map((item) => item.outcome), ["denied", "allowed"]);
  const booked = Object.values(state.task.calls).find((call) => call.effect === "write");
  assert.deepEqual([booked.tool, booked.state], ["book_flight", "completed"]);
});

test("stopped search keeps what it had, and a stop that is under way ends with it", () => {
  const events = eventsOf("stop");
  const [task] = tasksOf(events);
  const found = of(events, "partial_result").at(-1).seq;
  const stopping = reduce(play(events.slice(0, found)), { type: "page_stopping", task_id: task });
  assert.equal(stopping.stopping, task);
  const state = play(events.slice(found), stopping);
  assert.equal(state.stopping, null);
  assert.deepEqual([state.task.status, state.task.reason], ["interrupted", "stopped"]);
  assert.deepEqual(state.interrupted[task].partials, state.task.partials);
  assert.equal(shownOffers(state).length, of(events, "partial_result").flatMap((event) => event.items).length);
});

test("agent that is stopped keeps what it had and finds nothing more, and the other goes on", () => {
  const events = eventsOf("agent_stop");
  const [task] = tasksOf(events);
  const stopped = of(events, "agent_update").find((event) => event.state === "interrupted").seq;
  const before = play(events.slice(0, stopped - 1));
  const stopping = reduce(before, { type: "page_stopping", task_id: task, agent: "hotel" });
  assert.deepEqual([stopping.stoppingAgents, stopping.stopping], [["hotel"], null]);
  const state = play(events.slice(stopped - 1), stopping);
  assert.deepEqual([state.stoppingAgents, state.task.status], [[], "completed"]);
  assert.deepEqual([state.task.agents.hotel.state, state.task.agents.flight.state], ["interrupted", "done"]);
  assert.deepEqual(state.task.partials.hotel, before.task.partials.hotel);
  assert.ok(state.task.partials.flight.length > 0);
  assert.deepEqual(state.interrupted, {});
});

test("search that was lost with its server is taken up by another task, which is shown", () => {
  const events = eventsOf("lost");
  const [first, second] = tasksOf(events);
  const state = play(events);
  assert.equal(state.interrupted[first].reason, "lost");
  assert.deepEqual([state.task.task_id, state.task.status], [second, "completed"]);
});

test("messages that steer stand where the model read them, and each once", () => {
  const state = play(eventsOf("steering"));
  const ends = Map.groupBy(of(eventsOf("steering"), "steer"), ({ message_id }) => message_id);
  assert.deepEqual(
    [...ends.values()].map((told) => told.at(-1)).map(({ text, steer }) => [text, steer]),
    [
      ["use the company card", "taken_in"],
      ["We are 24", "taken_in"],
      ["Not on a Monday", "withdrawn"],
      ["By train", "own_task"],
      ["Near hills", "merged"],
      ["Plan another one later", "own_task"],
      ["That is all for now", "own_task"],
    ],
  );
  const said = ["Plan an offsite", "use the company card", "We are 24", "Near hills", "By train", "Plan another one later", "That is all for now"];
  assert.deepEqual(shownMessages(state).filter(({ role }) => role === "user").map(({ text }) => text), said);
  assert.deepEqual(state.pending, []);
});

for (const [name, { events, snapshots }] of recorded) {
  test(`${name}: every event is numbered, and a replay in two parts that overlap is one replay`, () => {
    assert.deepEqual(events.map((event) => event.seq), events.map((_event, index) => index + 1));
    const whole = play(events);
    for (let cut = 0; cut <= events.length; cut += 1) {
      const before = play(events.slice(0, cut));
      assert.deepEqual(play(events.slice(Math.max(0, cut - 7)), before), whole);
    }
  });

  test(`${name}: what a page made of the events is what the server says of itself`, () => {
    assert.ok(snapshots.length > 0);
    for (const snapshot of snapshots) {
      const fresh = play([snapshot], reduce(initialState("ada"), { ...hello, epoch: snapshot.epoch }));
      const followed = play(events.slice(0, snapshot.seq));
      assert.deepEqual(told({ ...fresh, epoch: "e" }), told(followed));
    }
  });

  test(`${name}: a snapshot at any point, and what comes after it, is what a page knows that saw all`, () => {
    const whole = told(play(events));
    for (let cut = 0; cut <= events.length; cut += 1) {
      const state = play([snapshotAt(events, cut), ...events]);
      assert.deepEqual(told(state), whole, `cut behind event ${cut}`);
    }
  });

  test(`${name}: a page that comes back at any point with a snapshot knows no less for it`, () => {
    const whole = play(events);
    for (let cut = 1; cut <= events.length; cut += 1) {
      const missed = Math.floor(cut / 2);
      const state = play([{ type: "reset" }, snapshotAt(events, cut), ...events], play(events.slice(0, missed)));
      assert.deepEqual(told(state), told(whole), `snapshot behind event ${cut}`);
      assert.deepEqual([state.synced, state.notice], [true, ""]);
    }
  });
}
