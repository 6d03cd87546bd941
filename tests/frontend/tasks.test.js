import assert from "node:assert/strict";
import { test } from "node:test";

import { initialState, reduce } from "../../frontend/lib/reduce.js";

const OLD = "task-1";
const NEW = "task-2";
const run = (...events) => numbered(events).reduce(reduce, initialState("ann"));

/** Number the events of the log in order, and leave those of the page as they are. */
function numbered(events) {
  let seq = 0;
  return events.map((event) => (event.type.startsWith("page_") ? event : { task_id: OLD, at: at(seq), ...event, seq: ++seq }));
}

const at = (second) => `2026-11-20T20:00:${String(second).padStart(2, "0")}.000Z`;
const status = (name, more = {}) => ({ type: "status_update", status: name, message: "hi", ...more });
const interrupted = (more = {}) => status("interrupted", { reason: "stopped", ...more });
const agent = (state, more = {}) => ({ type: "agent_update", agent: "hotel", state, detail: "", done: 0, total: 2, count: 0, ...more });
const found = (id, more = {}) => ({ type: "partial_result", agent: "hotel", items: [{ offer_id: id }], count: 1, ...more });
const call = (state, more = {}) => {
  return { type: "tool_update", call_id: "c1", tool: "book_hotel", effect: "write", summary: "", state, ...more };
};

test("late news of a task that has ended changes nothing but the position", () => {
  const ended = [status("running"), agent("working"), found("a"), interrupted()];
  const before = run(...ended);
  for (const late of [found("b"), agent("working"), { type: "text_delta", text: "late", offset: 0 }]) {
    assert.deepEqual(run(...ended, late), { ...before, seq: 5 });
  }
});

test("news of a task that nothing is known of changes nothing but the position", () => {
  for (const late of [found("b"), agent("working"), call("completed"), { type: "text_delta", text: "x", offset: 0 }]) {
    const state = run(status("running"), { ...late, task_id: "task-0" });
    assert.deepEqual([Object.keys(state.tasks), state.seq], [[OLD], 2]);
  }
});

test("call outcome is accepted after its task has ended, as of a booking", () => {
  const state = run(status("running"), call("running"), interrupted(), call("completed", { summary: "booked" }));
  assert.deepEqual([state.task.calls.c1.state, state.task.calls.c1.summary], ["completed", "booked"]);
});

test("interrupted task leaves what it had, since when and until when, and how far its agents were", () => {
  const said = { type: "message", message_id: `${OLD}.0`, role: "user", text: "hi" };
  const text = { type: "text_delta", text: "I have", offset: 0 };
  const state = run(said, status("running"), agent("interrupted", { count: 1 }), found("a"), text, interrupted());
  const [left] = Object.values(state.interrupted);
  assert.deepEqual([left.began, left.at, left.reason, left.message, left.text], [at(0), at(5), "stopped", "hi", "I have"]);
  assert.deepEqual([left.partials.hotel.length, left.agents.hotel.count], [1, 1]);
});

test("text of a node that does not reply is no part of the reply", () => {
  const [plan, said] = [false, true].map((reply) => ({ type: "text_delta", text: `${reply}`, offset: 0, reply }));
  assert.equal(run(status("running"), said, plan).task.reply, "true");
});

test("agent may have any name", () => {
  for (const name of ["constructor", "__proto__", "toString"]) {
    const state = run(status("running"), agent("working", { agent: name }), found("a", { agent: name }));
    assert.deepEqual(Object.keys(state.task.agents), [name]);
    assert.deepEqual(Object.entries(state.task.partials), [[name, [{ offer_id: "a" }]]]);
  }
});

test("last five interrupted tasks are remembered, in the order in which they were asked", () => {
  const ids = ["task-7", "task-1", "task-3", "task-2", "task-5", "task-4", "task-6"];
  const state = run(...ids.flatMap((task_id) => [status("running", { task_id }), interrupted({ task_id })]));
  assert.deepEqual(Object.keys(state.interrupted), ["task-3", "task-4", "task-5", "task-6", "task-7"]);
});

test("task that is told of for the first time when it ends is not thought to have begun then", () => {
  const [left] = Object.values(run(interrupted()).interrupted);
  assert.deepEqual([left.began, left.at], [null, at(0)]);
});

test("tasks that wait are listed in the order in which they came, until it is their turn or they end", () => {
  const waiting = [status("queued", { task_id: "task-2" }), status("queued", { task_id: "task-3" })];
  assert.deepEqual(run(...waiting).queued, ["task-2", "task-3"]);
  assert.deepEqual(run(...waiting, status("running", { task_id: "task-2" })).queued, ["task-3"]);
  assert.deepEqual(run(...waiting, interrupted({ task_id: "task-3" })).queued, ["task-2"]);
});

test("agent tells what it was asked for once, and since when it works each time", () => {
  const request = { city: { label: "Rome" } };
  const state = run(
    status("running"),
    agent("waiting", { request, since: null, until: null }),
    agent("working", { since: at(2), until: null }),
    agent("done", { since: at(2), until: at(9) }),
  );
  const { since, until } = state.task.agents.hotel;
  assert.deepEqual([state.task.agents.hotel.request, since, until], [request, at(2), at(9)]);
  const waits = run(status("running"), agent("working", { since: at(2) }), agent("input_required", { since: null }));
  assert.equal(waits.task.agents.hotel.since, null);
});

test("stop is under way until the task ends, whatever ends it, and a failed one says why", () => {
  const stopping = [status("running"), { type: "page_stopping", task_id: OLD }];
  assert.equal(run(...stopping, status("cancelling", { reason: "stopped" })).stopping, OLD);
  for (const end of [interrupted(), status("completed"), status("failed")]) assert.equal(run(...stopping, end).stopping, null);
  const failed = run(...stopping, { type: "page_not_stopped", task_id: OLD, error: "Try again." });
  assert.deepEqual([failed.stopping, failed.notice], [null, "Try again."]);
});

test("agent is being stopped until it has ended, or its task has; another task of that agent is not", () => {
  const stopping = [status("running"), agent("working"), { type: "page_stopping", task_id: OLD, agent: "hotel" }];
  assert.deepEqual(run(...stopping, agent("working", { count: 3 })).stoppingAgents, ["hotel"]);
  assert.deepEqual(run(...stopping, agent("interrupted")).stoppingAgents, []);
  assert.deepEqual(run(...stopping, status("completed")).stoppingAgents, []);
  assert.deepEqual(run(...stopping, agent("done", { task_id: NEW })).stoppingAgents, ["hotel"]);
  const failed = { type: "page_not_stopped", task_id: OLD, agent: "hotel", error: "Try again." };
  assert.deepEqual([run(...stopping, failed).stoppingAgents, run(...stopping, failed).stopping], [[], null]);
});

test("task state comes from the server: a lost connection or an answered stop change nothing", () => {
  const state = run(status("running"), { type: "page_connection", connection: "reconnecting" });
  assert.deepEqual([state.task.status, state.connection], ["running", "reconnecting"]);
  assert.equal(run(status("running"), { type: "page_stopping", task_id: OLD }).task.status, "running");
});

test("adopted calls are shown with their origin, and add up", () => {
  const transfer = { type: "context_transfer", from_task_id: "task-0", relation: "refine", carried: {}, dropped: ["hotel"] };
  const state = run(status("running"), { ...transfer, adopted: ["c1"] }, { ...transfer, adopted: ["c1", "c2"] });
  const { from_task_id, adopted, dropped } = state.task.transfer;
  assert.deepEqual([from_task_id, adopted, dropped], ["task-0", ["c1", "c2"], ["hotel"]]);
});
