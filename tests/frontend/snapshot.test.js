import assert from "node:assert/strict";
import { test } from "node:test";

import { initialState, reduce } from "../../frontend/lib/reduce.js";

const run = (...events) => events.reduce(reduce, initialState("ann"));
const hello = (epoch) => ({ type: "hello", epoch, seq: 9, heartbeat_s: 20 });
const standing = (more = {}) => ({ task_id: "t1", status: "running", message: "hi", agents: {}, queued: [], input_requests: [], ...more });
const found = (more = {}) => ({ partial_results: {}, text: "", interrupted: [], ...more });
const snapshot = (more = {}) => {
  return { type: "snapshot", seq: 7, epoch: "e", status: standing(), partial_results: found(), history: [], ...more };
};
const receipt = { type: "page_receipt", task_id: "t0", receipt: { task_id: "t0", tool_calls: [] } };
const asked = { seq: 1, type: "input_request", task_id: "t0", request_id: "r1", kind: "question" };
const resolved = { seq: 2, type: "input_resolved", task_id: "t0", request_id: "r1", outcome: "answered" };

test("facts missing from a snapshot stay true in the same log", () => {
  const state = run(hello("e"), asked, resolved, receipt, { type: "reset" }, snapshot());
  assert.deepEqual([Object.keys(state.receipts), state.resolved.length, state.seq], [["t0"], 1, 7]);
});

test("nothing of another log survives its hello or snapshot", () => {
  const known = [hello("e"), asked, resolved, receipt, { type: "page_bookings", bookings: [{}] }];
  for (const anew of [[hello("f"), snapshot({ epoch: "f" })], [{ type: "reset" }, snapshot({ epoch: "f" })]]) {
    const state = run(...known, ...anew);
    assert.deepEqual([state.receipts, state.resolved, state.answering, state.bookings], [{}, [], {}, null]);
    assert.deepEqual([state.epoch, state.synced], ["f", true]);
  }
});

test("user who never wrote has an empty snapshot, and one who was deleted too", () => {
  const state = run(snapshot(), snapshot({ seq: 0, epoch: "f", status: null, partial_results: null }));
  assert.deepEqual([state.task, state.tasks, state.requests, state.interrupted, state.queued], [null, {}, [], {}, []]);
});

test("leftovers of interrupted tasks survive a reload, with their time if the history has it", () => {
  const left = (task_id) => ({ task_id, message: task_id, reason: "superseded", at: "b", text: "", partial_results: { hotel: [{}] } });
  const history = [{ message_id: "t1.0", role: "user", text: "t1", task_id: "t1", at: "a" }];
  const state = run(snapshot({ history, partial_results: found({ interrupted: [left("t1"), left("t0")] }) }));
  assert.deepEqual(Object.keys(state.interrupted), ["t0", "t1"]);
  assert.deepEqual(Object.values(state.interrupted).map((each) => each.began), [null, "a"]);
  assert.equal(state.interrupted.t1.partials.hotel.length, 1);
});

test("page that comes back knows how far the agents of an interrupted task were, as it was there", () => {
  const was = [
    { seq: 1, type: "status_update", task_id: "t0", status: "running", at: "a" },
    { seq: 2, type: "agent_update", task_id: "t0", agent: "hotel", state: "interrupted", count: 3 },
    { seq: 3, type: "status_update", task_id: "t0", status: "interrupted", reason: "superseded", at: "b" },
  ];
  const left = { task_id: "t0", message: "", reason: "superseded", at: "b", text: "", partial_results: {} };
  const state = run(hello("e"), ...was, { type: "reset" }, snapshot({ partial_results: found({ interrupted: [left] }) }));
  assert.equal(state.interrupted.t0.agents.hotel.count, 3);
  assert.equal(state.interrupted.t0.began, "a");
});

test("stop that was told before a snapshot is under way only as long as that task is", () => {
  const stopping = { type: "page_stopping", task_id: "t1" };
  assert.equal(run(snapshot(), stopping, snapshot()).stopping, "t1");
  const agent = { ...stopping, agent: "hotel" };
  assert.deepEqual(run(snapshot(), agent, snapshot()).stoppingAgents, ["hotel"]);
  assert.deepEqual(run(snapshot(), agent, snapshot({ status: standing({ status: "failed" }) })).stoppingAgents, []);
  assert.equal(run(snapshot(), stopping, snapshot({ status: standing({ status: "interrupted" }) })).stopping, null);
  assert.equal(run(snapshot(), stopping, snapshot({ status: standing({ task_id: "t2" }) })).stopping, null);
});

test("answer is under way after a snapshot only where its question is still open", () => {
  const answering = [asked, { type: "page_answering", request_id: "r1" }, { type: "reset" }];
  const open = standing({ input_requests: [{ request_id: "r1", kind: "question" }] });
  assert.equal(run(hello("e"), ...answering, snapshot({ status: open })).answering.r1.state, "sending");
  assert.deepEqual(run(hello("e"), ...answering, snapshot()).answering, {});
});

test("end of a task that a snapshot does not tell of is still told by the log", () => {
  const ended = { seq: 8, type: "status_update", task_id: "t0", status: "interrupted", reason: "superseded", at: "b" };
  const state = run(snapshot(), { ...ended, partial_results: { flight: [{ offer_id: "a" }] } });
  assert.equal(state.task.task_id, "t1");
  assert.equal(state.interrupted.t0.partials.flight.length, 1);
});
