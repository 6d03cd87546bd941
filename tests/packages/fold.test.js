/** What frames add up to: events alone, and a snapshot that says the same. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { conversation, fold, initialState, taskToShow } from "../../packages/client/src/index.js";
import { recorded } from "../frontend/recorded.js";

function folded(frames, state = initialState()) {
  return frames.reduce(fold, state);
}

function numbered(...frames) {
  return frames.map((frame, index) => ({ seq: index + 1, task_id: "a", at: "", ...frame }));
}

const hello = { type: "hello", epoch: "e", seq: 9, heartbeat_s: 20 };

for (const [name, { events, snapshots }] of recorded) {
  test(`the events of the log ${name} add up to its snapshots`, () => {
    for (const snapshot of snapshots) {
      const told = fold(initialState(), snapshot);
      const heard = folded(events.slice(0, snapshot.seq));
      assert.deepEqual(heard.messages.map(shown), told.messages.map(shown));
      assert.deepEqual(heard.requests, told.requests);
      assert.deepEqual(heard.queued, told.queued);
      assert.deepEqual(heard.interrupted.map(left), told.interrupted.map(left));
      const [{ task_id, status, message, reason, agents, results }] = Object.values(told.tasks);
      const task = heard.tasks[task_id];
      assert.deepEqual(
        { status: task.status, message: task.message, reason: task.reason, agents: task.agents, results: task.results },
        { status, message, reason, agents, results },
      );
    }
  });

  test(`an event of the log ${name} that comes twice changes nothing`, () => {
    const state = folded(events);
    assert.equal(folded(events, state), state);
    for (const receipt of events.filter(({ type }) => type === "receipt")) {
      assert.deepEqual(state.receipts[receipt.task_id], receipt.receipt);
    }
  });
}

function shown({ message_id, role, text, task_id, interrupted }) {
  return { message_id, role, text, task_id, interrupted };
}

function left({ task_id, message, reason, partial_results }) {
  return { task_id, message, reason, partial_results };
}

test("reply grows, is corrected at its place in code points, and becomes a message", () => {
  const frames = numbered(
    { type: "text_delta", text: "😀 one", offset: 0 },
    { type: "text_delta", text: "two", offset: 2 },
    { type: "text_delta", text: "aside", offset: 0, reply: false },
  );
  const state = folded(frames);
  assert.equal(state.tasks.a.text, "😀 two");
  assert.deepEqual(conversation(state).map(({ text, state }) => [text, state]), [["😀 two", "streamed"]]);
  const reply = { type: "message", seq: 4, task_id: "a", message_id: "a.1", role: "assistant", text: "Two.", client_id: null };
  const after = fold(state, reply);
  assert.deepEqual(conversation(after).map(({ text, state }) => [text, state]), [["Two.", "listed"]]);
});

test("messages are in the server's order whenever they come", () => {
  const ids = ["b.0", "a.10", "a.9", "b.1"];
  const frames = numbered(...ids.map((id) => ({ type: "message", task_id: id[0], message_id: id, client_id: null })));
  assert.deepEqual(folded(frames).messages.map(({ message_id }) => message_id), ["a.9", "a.10", "b.0", "b.1"]);
});

test("sent message is shown until the server lists it, whichever answer is first", () => {
  const sending = { type: "sending", client_id: "c", text: "hi" };
  const listed = { seq: 1, type: "message", task_id: "a", message_id: "a.0", role: "user", text: "hi", client_id: "c" };
  const accepted = { type: "accepted", client_id: "c", seq: 1 };
  for (const frames of [[sending, accepted, listed], [sending, listed, accepted]]) {
    const state = folded(frames);
    assert.deepEqual(state.outbox, []);
    assert.deepEqual(conversation(state).map(({ text }) => text), ["hi"]);
  }
  assert.equal(folded([sending, accepted]).outbox[0].state, "accepted");
});

test("task rests from the word of it until something of it works again", () => {
  const asks = { type: "status_update", status: "input_required", message: "m", partial_results: {} };
  const agent = { type: "agent_update", agent: "x", state: "input_required" };
  const rests = { type: "task_resting" };
  const isResting = (...frames) => folded(numbered(...frames)).tasks.a.isResting;
  assert.equal(isResting(agent, asks), false);
  assert.equal(isResting(agent, asks, rests), true);
  assert.equal(isResting(agent, asks, rests, { ...asks, status: "running" }), false);
  assert.equal(isResting(agent, asks, rests, { ...agent, state: "working" }), false);
});

test("another log makes everything known untrue, but not what was just sent", () => {
  const before = folded([hello, ...numbered({ type: "partial_result", agent: "x", items: [1] })]);
  const state = folded([{ type: "sending", client_id: "c", text: "hi" }, { ...hello, epoch: "new" }], before);
  assert.deepEqual([state.seq, state.tasks, state.synced], [0, {}, false]);
  assert.equal(state.outbox.length, 1);
});

test("small talk does not hide the search beside it", () => {
  const state = folded(
    numbered(
      { type: "agent_update", task_id: "a", agent: "flight", state: "working" },
      { type: "status_update", task_id: "b", status: "running", message: "thanks", partial_results: {} },
    ),
  );
  assert.equal(taskToShow(state.tasks).task_id, "a");
});

test("agent may be called as an object's own method is", () => {
  const state = folded(
    numbered(
      { type: "partial_result", agent: "constructor", items: [1] },
      { type: "agent_update", agent: "toString", state: "working" },
    ),
  );
  assert.deepEqual(state.tasks.a.results.constructor, [1]);
  assert.equal(state.tasks.a.agents.toString.request, undefined);
});

test("frames of a later version change nothing but the position", () => {
  const state = folded(numbered({ type: "of_a_later_version" }));
  assert.deepEqual({ ...state, seq: 0, synced: false }, initialState());
  assert.equal(fold(state, { type: "unknown" }), state);
});

const WAITS = { message_id: "w.0", text: "card", revision: 0 };
const accepted = [
  { type: "message", task_id: "w", message_id: "w.0", role: "user", text: "card", client_id: null, steer: "pending" },
  { type: "steer", ...WAITS, steer: "pending", at: "t" },
];
const said = (id, fields) => ({ type: "message", task_id: id[0], message_id: id, text: id, role: "user", client_id: null, ...fields });
const places = ({ messages }) => messages.map(({ message_id, task_id, steer }) => [message_id, task_id, steer]);

test("message that waits begins no task, and is taken in behind what was said before", () => {
  const waits = folded(numbered(said("a.0"), ...accepted, said("a.1")));
  assert.deepEqual(waits.pending, [{ ...WAITS, at: "t" }]);
  assert.deepEqual(waits.tasks, {});
  assert.deepEqual(conversation(waits).map(({ id, state }) => [id, state]), [["a.0", "listed"], ["a.1", "listed"], ["w.0", "pending"]]);
  const later = numbered(...Array(4), { type: "steer", ...WAITS, steer: "taken_in" }, said("a.2")).slice(4);
  const state = folded(later, waits);
  assert.deepEqual(state.pending, []);
  assert.deepEqual(places(state), [["a.0", "a", undefined], ["a.1", "a", undefined], ["w.0", "a", "taken_in"], ["a.2", "a", undefined]]);
});

test("edit changes what waits, and a snapshot tells the same", () => {
  const state = folded(numbered(...accepted, { type: "steer", ...WAITS, steer: "pending", text: "my card", revision: 1, at: "later" }));
  assert.deepEqual(state.pending, [{ message_id: "w.0", text: "my card", revision: 1, at: "t" }]);
  assert.equal(state.messages[0].text, "my card");
  const status = { task_id: "a", status: "running", queued: [], input_requests: [], agents: {}, pending: state.pending };
  const snapshot = { type: "snapshot", seq: 9, epoch: "e", status, partial_results: null, history: [] };
  assert.deepEqual(fold(initialState(), snapshot).pending, state.pending);
});

test("withdrawn message is hidden, a starting one is ordinary, a merged one is in the later run", () => {
  const becomes = (steer, task_id) => folded(numbered(...accepted, said("z.0"), { type: "steer", ...WAITS, steer, task_id }));
  assert.deepEqual(conversation(becomes("withdrawn", "a")).map(({ id }) => id), ["z.0"]);
  assert.deepEqual(places(becomes("own_task", "w"))[0], ["w.0", "w", undefined]);
  assert.deepEqual(places(becomes("merged", "z")), [["w.0", "z", "merged"], ["z.0", "z", undefined]]);
  for (const fate of ["withdrawn", "own_task", "merged"]) assert.deepEqual(becomes(fate, "z").pending, []);
});
