/** What the operator's page knows and says: the open task, its bars, its words. */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  bars,
  doing,
  hashOf,
  INITIAL,
  keptWords,
  lasted,
  mayChange,
  openedIn,
  partWords,
  reduce,
  statusWords,
  tokens,
} from "../../frontend/lib/operating.js";

const OPENED = { userId: "ann", taskId: "t1" };
const USAGE = { input_tokens: 1200, output_tokens: 34, model_calls: 2, estimated: false };
const RECEIPT = { reason: null, settled_at: "", text_kept: 0, partial_results: {}, tool_calls: [], adopted_by: null, amendments: 0 };

/** @returns {import("../../frontend/lib/operating.js").Part} */
function part(more = {}) {
  const part = { part_id: "p", kind: "tool_call", name: "search", agent: "flight", state: "completed" };
  return /** @type {any} */ ({ ...part, began_at: null, ended_at: null, found: null, usage: null, ...more });
}

/** @returns {import("../../frontend/lib/operating.js").Timeline} */
function timeline(more = {}) {
  return /** @type {any} */ ({ task_id: "t1", status: "running", parts: [], accepted_at: at(0), ended_at: null, ...more });
}

/** @returns {import("../../frontend/lib/operating.js").RunningTask} */
function task(more = {}) {
  return /** @type {any} */ ({ task_id: "t1", phase: "working", asks: null, agents: [], calls: [], ...more });
}

/** @param {number} seconds */
function at(seconds) {
  return new Date(Date.UTC(2026, 0, 5, 9, 0, seconds)).toISOString();
}

test("running tasks stop loading once refused, until an answer comes", () => {
  const refused = reduce(INITIAL, { type: "refused" });
  assert.ok(!INITIAL.refused && refused.refused);
  const running = /** @type {any} */ ({ tasks: [] });
  assert.ok(!reduce(refused, { type: "running", running }).refused);
});

test("answer about a task that is not open any more changes nothing", () => {
  const state = reduce(INITIAL, { type: "opened", opened: OPENED });
  assert.equal(reduce(state, { type: "timeline", timeline: timeline({ task_id: "t2" }) }), state);
  assert.equal(reduce(state, { type: "unknown", taskId: "t2", error: "gone" }), state);
  assert.equal(reduce(state, { type: "timeline", timeline: timeline() }).timeline?.task_id, "t1");
});

test("open task is asked for until it has ended, or is not there", () => {
  const opened = reduce(INITIAL, { type: "opened", opened: OPENED });
  assert.ok(!mayChange(INITIAL));
  assert.ok(mayChange(opened));
  assert.ok(mayChange(reduce(opened, { type: "timeline", timeline: timeline() })));
  assert.ok(!mayChange(reduce(opened, { type: "timeline", timeline: timeline({ status: "interrupted" }) })));
  assert.ok(!mayChange(reduce(opened, { type: "unknown", taskId: "t1", error: "gone" })));
});

test("task that is being stopped is known until it is listed no more, or the stop failed", () => {
  const stopping = reduce(INITIAL, { type: "stopping", taskId: "t1" });
  const running = /** @type {any} */ ({ tasks: [task()] });
  assert.deepEqual(reduce(stopping, { type: "running", running }).stopping, ["t1"]);
  assert.deepEqual(reduce(stopping, { type: "running", running: { ...running, tasks: [] } }).stopping, []);
  assert.deepEqual(reduce(stopping, { type: "not_stopped", taskId: "t1" }).stopping, []);
});

test("bars stand on the time that the task took, and what lasts goes on until now", () => {
  const parts = [
    part({ began_at: at(2), ended_at: at(4) }),
    part({ began_at: at(5) }),
    part({ began_at: at(-5), ended_at: at(1) }), // adopted: it began before its task
    part({ ended_at: at(3) }), // of a model's step the end alone is known
  ];
  const shown = bars(timeline({ parts }), at(10)).map(({ left, width, ms }) => [left, width, ms]);
  assert.deepEqual(shown, [
    [0.2, 0.2, 2000],
    [0.5, 0.5, 5000],
    [0, 0.1, 6000],
    [0.3, 0, null],
  ]);
});

test("task line has its agents and tools, or what it waits for", () => {
  const agents = [{ agent: "flight", state: "working", count: 0, since: null }];
  const calls = [{ call_id: "c", tool: "book", agent: "flight", state: "waiting", since: "" }];
  assert.equal(doing(task({ agents, calls })), "flight, book waits");
  assert.equal(doing(task({ phase: "needs_user", asks: "permission" })), "a permission");
  assert.equal(doing(task({ phase: "queued", agents })), "behind another task of this user");
});

test("figures are written for people", () => {
  assert.deepEqual([250, 7000, 65_000, 11_520_000, 187_200_000].map(lasted), ["0.25 s", "7.0 s", "1:05 min", "3:12 h", "2 d 4 h"]);
  assert.equal(tokens(USAGE), "1,234 tokens");
  assert.equal(tokens({ ...USAGE, estimated: true }), "about 1,234 tokens");
  assert.equal(tokens({ ...USAGE, model_calls: 0 }), "");
  assert.equal(statusWords({ status: "interrupted", reason: "timed_out" }), "interrupted: timed out");
  assert.equal(partWords(part({ state: "completed_after_interrupt", found: 3 })), "completed after interrupt, 3 found");
  assert.equal(keptWords({ ...RECEIPT, partial_results: { flight: 3, hotel: 0 }, text_kept: 1 }), "3 of flight, 1 character of text");
  assert.equal(keptWords(RECEIPT), "nothing");
});

test("address names the open task, and nothing else in it is taken for one", () => {
  assert.deepEqual(openedIn(hashOf({ userId: "a@b", taskId: "t&1" })), { userId: "a@b", taskId: "t&1" });
  assert.equal(hashOf(null), "");
  assert.equal(openedIn("#token=secret"), null);
});
