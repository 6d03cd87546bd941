import assert from "node:assert/strict";
import { test } from "node:test";

import { graphEntries } from "../../frontend/lib/graph-entries.js";
import { initialState, reduce } from "../../frontend/lib/reduce.js";
import { aboutOf, givenTo, lengthOf, nameOf, stateOf, telling } from "../../frontend/lib/steps.js";

const at = (seconds) => new Date(Date.UTC(2026, 10, 20, 20, 0, seconds)).toISOString();
const BEGUN = [
  { type: "message", message_id: "t1.0", role: "user", text: "hi", interrupted: false },
  { type: "status_update", status: "running", reason: null, message: "hi" },
  { type: "agent_update", agent: "model", state: "working", detail: "", since: at(2), until: null },
];

/** The state after these events, one a second. */
function after(...events) {
  const snapshot = { type: "snapshot", seq: 0, epoch: "e", status: null, partial_results: null, history: [] };
  const numbered = events.map((event, place) => ({ task_id: "t1", at: at(place), ...event, seq: place + 1 }));
  return [{ type: "hello", epoch: "e", seq: 0 }, snapshot, ...numbered].reduce(reduce, initialState("ada"));
}

const asks = (id, piece, offset, more = {}) => ({
  type: "tool_call", tool_call_id: id, tool: "search_docs", arguments: piece, offset, whole: false, message_id: "m1", node: "model", ...more,
});
const asked = (id, text) => asks(id, text, 0, { whole: true });
const call = (call_id, state, more = {}) => ({ type: "tool_update", call_id, tool: "search_docs", state, effect: "read", summary: "", ...more });
const answer = (id, text, status = "success") => ({ type: "graph_message", message_id: "r", role: "tool", node: "n", tool_call_id: id, text, status });
const over = (status) => ({ type: "status_update", status, reason: null, message: "hi" });
const calls = (state) => telling(state.trails.t1.steps).filter(({ kind }) => kind === "call");
const lines = (state) => calls(state).map((step) => `${nameOf(step)} ${stateOf(step).words}`);

test("call is a line from the first piece of it on, the same one until it has ended", () => {
  const told = [...BEGUN, asks("c", '{"topic": "so', 0)];
  const begun = after(...told);
  assert.deepEqual(lines(begun), ["Search docs preparing"]);
  assert.deepEqual(calls(begun).map(givenTo), [{ topic: "so" }]);
  assert.deepEqual(graphEntries(begun).map(({ tag }) => tag), ["chat-message", "step-list"]);
  told.push(asks("c", 'rting"}', 13, { whole: true }));
  assert.deepEqual(lines(after(...told)), ["Search docs waiting"]);
  assert.deepEqual(graphEntries(after(...told)).map(({ tag }) => tag), ["chat-message", "step-list"]);
  told.push(call("k1", "running", { tool_call_id: "c", arguments: { topic: "sorting" } }));
  assert.deepEqual(lines(after(...told)), ["Search docs running"]);
  told.push(call("k1", "completed", { tool_call_id: "c", result: "three pages" }));
  const ended = after(...told);
  assert.deepEqual(lines(ended), ["Search docs done"]);
  const [step] = calls(ended);
  assert.deepEqual([step.key, step.since, step.until], [calls(begun)[0].key, at(5), at(6)]);
  assert.deepEqual([step.given, step.result, step.isWhole], [{ topic: "sorting" }, "three pages", true]);
});

test("arguments whose beginning was not heard are not shown", () => {
  const state = after(...BEGUN, asks("c", '{"city": "Rome"}', 13), asks("c", "}", 29, { whole: true }));
  assert.deepEqual(calls(state).map(givenTo), [undefined]);
  assert.deepEqual(calls(state).map(aboutOf), [""]);
});

test("arguments are kept to a bound", () => {
  const pieces = Array.from({ length: 30 }, (_, place) => asks("c", "x".repeat(1000), place * 1000));
  const [step] = calls(after(...BEGUN, ...pieces));
  assert.equal(step.asked.text.length, 20_000);
});

test("calls that a model names alike are told apart in turn", () => {
  const state = after(
    ...BEGUN, asked("call_0", '{"n": 1}'), call("k1", "completed", { tool_call_id: "call_0", result: 1 }),
    { ...asked("call_0", '{"n": 2}'), message_id: "m2" }, call("k2", "failed", { tool_call_id: "call_0" }),
  );
  assert.deepEqual(lines(state), ["Search docs done", "Search docs failed"]);
  assert.deepEqual(calls(state).map(givenTo), [{ n: 1 }, { n: 2 }]);
});

test("call that its task never made is told so, and no other line changes", () => {
  const told = [...BEGUN, asked("a", "{}"), asks("b", '{"n', 0), call("k1", "cancelled", { tool_call_id: "a" })];
  assert.deepEqual(lines(after(...told, over("interrupted"))), ["Search docs cancelled", "Search docs not started"]);
  assert.deepEqual(lines(after(...told, over("input_required"))), ["Search docs cancelled", "Search docs preparing"]);
});

test("answer of the graph ends a call that no tool made, and changes no call that one made", () => {
  const own = after(...BEGUN, asked("a", "{}"), answer("a", "by hand"), asked("b", "{}"), answer("b", "not allowed", "error"));
  assert.deepEqual(lines(own), ["Search docs done", "Search docs not done"]);
  assert.deepEqual(calls(own).map((step) => lengthOf(step, 0)), ["", ""]);
  assert.deepEqual(calls(own).map(({ result, summary }) => [result, summary]), [["by hand", "by hand"], ["not allowed", "not allowed"]]);
  const made = after(...BEGUN, asked("a", "{}"), call("k1", "cancelled", { tool_call_id: "a" }), answer("a", "cut short", "error"));
  assert.deepEqual(lines(made), ["Search docs cancelled"]);
  assert.deepEqual(lines(after(...BEGUN, answer("x", "of no call"))), []);
});

test("receipt tells the outcome of a call that was still open", () => {
  const receipt = { tool_calls: [{ call_id: "k1", tool: "search_docs", outcome: "unknown", summary: "not known" }] };
  const state = after(...BEGUN, asked("a", "{}"), call("k1", "running", { tool_call_id: "a" }), over("interrupted"), { type: "receipt", receipt });
  assert.deepEqual(lines(state), ["Search docs not known yet"]);
});

test("call that the server tells of first is the line that its model has asked for", () => {
  const kept = {
    call_id: "k1", tool: "search_docs", state: "running", summary: "", tool_call_id: "a", arguments: { n: 1 }, result: null,
    started_at: at(4), ended_at: null,
  };
  const told = after(...BEGUN, asked("a", '{"n": 1}'));
  const known = reduce(told, { type: "page_calls", task_id: "t1", calls: [kept] });
  const heard = reduce(known, { ...call("k1", "completed", { tool_call_id: "a" }), seq: told.seq + 1, task_id: "t1", at: at(9) });
  assert.deepEqual(lines(heard), ["Search docs done"]);
  assert.equal(calls(heard)[0].isWhole, false); // its result is to be fetched
});

test("model that only asks has no line beside its calls", () => {
  const ended = { type: "agent_update", agent: "model", state: "done", detail: "", since: at(2), until: at(4) };
  const state = after(...BEGUN, asked("a", "{}"), ended, call("k1", "running", { tool_call_id: "a" }));
  assert.deepEqual(telling(state.trails.t1.steps).map(nameOf), ["Search docs"]);
});
