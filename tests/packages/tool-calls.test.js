/** Tool calls of a task: asked for piece by piece, made, ended, and looked back at. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { fold, initialState, isOpenCall } from "../../packages/client/src/index.js";

const RUNNING = { type: "status_update", status: "running", message: "m", partial_results: {} };

function after(...frames) {
  return [RUNNING, ...frames].map((frame, place) => ({ task_id: "a", at: "", ...frame, seq: place + 1 })).reduce(fold, initialState());
}

const callsAfter = (...frames) => after(...frames).tasks.a.toolCalls;
const states = (calls) => calls.map(({ name, state }) => `${name} ${state}`);
const asks = (id, piece, offset, more = {}) => ({
  type: "tool_call", tool_call_id: id, tool: "look", arguments: piece, offset, whole: false, message_id: "m1", node: "n", ...more,
});
const asked = (id, text, more = {}) => asks(id, text, 0, { whole: true, ...more });
const update = (call_id, state, more = {}) => ({ type: "tool_update", call_id, tool: "look", state, effect: "read", summary: "", ...more });
const answer = (id, text, status) => ({ type: "graph_message", message_id: "r", role: "tool", node: "n", tool_call_id: id, text, status });

test("call keeps its id from its first piece to its result", () => {
  const told = [asks("c", '{"city": "Ro', 0)];
  const [begun] = callsAfter(...told);
  assert.deepEqual([begun.state, begun.arguments, begun.argumentsText], ["asking", null, '{"city": "Ro']);
  told.push(asks("c", 'me"}', 12, { whole: true }));
  const [whole] = callsAfter(...told);
  assert.deepEqual([whole.state, whole.arguments, "result" in whole], ["waiting", { city: "Rome" }, false]);
  told.push(update("k1", "running", { tool_call_id: "c", arguments: { city: "Rome" } }));
  told.push(update("k1", "completed", { tool_call_id: "c", result: "Sunny", summary: "Sunny" }));
  const [ended, ...others] = callsAfter(...told);
  assert.deepEqual(others, []);
  assert.deepEqual(ended, {
    id: begun.id, call_id: "k1", tool_call_id: "c", name: "look", state: "completed", arguments: { city: "Rome" },
    argumentsText: '{"city": "Rome"}', result: "Sunny", summary: "Sunny", effect: "read",
  });
  assert.deepEqual([begun, whole, ended].map(isOpenCall), [true, true, false]);
});

test("call that no model asked for has its arguments as text too", () => {
  const [call] = callsAfter(update("k1", "running", { arguments: { n: 1 } }));
  assert.deepEqual([call.id, call.argumentsText, call.tool_call_id], ["k1", '{"n":1}', undefined]);
});

test("arguments that are cut, or whose beginning was not heard, stay unknown until the call is made", () => {
  const cut = [asks("c", '{"n": 1', 0), asks("c", "", 90, { whole: true, cut: true })];
  const late = [asks("c", '{"m": 2}', 6), asks("c", "", 14, { whole: true })];
  for (const frames of [cut, late]) {
    assert.equal(callsAfter(...frames)[0].arguments, null);
    const made = callsAfter(...frames, update("k1", "running", { tool_call_id: "c", arguments: { n: 1 } }));
    assert.deepEqual(made.map((call) => call.arguments), [{ n: 1 }]);
  }
});

test("calls that a model names alike are told apart in turn", () => {
  const calls = callsAfter(
    asked("call_0", '{"n":1}'), update("k1", "completed", { tool_call_id: "call_0" }),
    asked("call_0", '{"n":2}', { message_id: "m2" }), update("k2", "failed", { tool_call_id: "call_0" }),
  );
  assert.deepEqual(states(calls), ["look completed", "look failed"]);
  assert.deepEqual(calls.map((call) => call.arguments.n), [1, 2]);
});

test("call that was not made when its task ended was not started", () => {
  const told = [asked("a", "{}"), asks("b", "{", 0), update("k1", "cancelled", { tool_call_id: "a" })];
  const ends = (status) => states(callsAfter(...told, { ...RUNNING, status }));
  assert.deepEqual(ends("interrupted"), ["look cancelled", "look not_started"]);
  assert.deepEqual(ends("input_required"), ["look cancelled", "look asking"]);
});

test("graph answers a call that no tool made, and changes none that one made", () => {
  const own = callsAfter(asked("a", "{}"), answer("a", "by hand", "success"), asked("b", "{}"), answer("b", "no", "error"));
  assert.deepEqual(own.map(({ state, result }) => [state, result]), [["completed", "by hand"], ["failed", "no"]]);
  const made = [asked("a", "{}"), update("k1", "cancelled", { tool_call_id: "a" }), answer("a", "cut", "error")];
  assert.deepEqual(states(callsAfter(...made)), ["look cancelled"]);
  assert.deepEqual(callsAfter({ ...answer("a", "x", "success"), role: "assistant" }), []);
});

test("receipt tells the outcome of a call that was open", () => {
  const receipt = { tool_calls: [{ call_id: "k1", tool: "look", effect: "write", outcome: "unknown", summary: "not known" }] };
  const state = after(update("k1", "running"), { type: "receipt", receipt });
  assert.deepEqual(state.tasks.a.toolCalls.map(({ state, summary }) => [state, summary]), [["unknown", "not known"]]);
  const of_none = fold(initialState(), { type: "receipt", seq: 1, task_id: "z", receipt });
  assert.deepEqual(of_none.tasks, {});
});

test("look back adds what a snapshot lacks, and undoes no newer news", () => {
  const kept = { call_id: "k1", tool: "look", agent: "n", state: "running", effect: "read", summary: "", arguments: { n: 1 }, result: null, ended_at: null };
  const calls = [kept, { ...kept, call_id: "k2", state: "completed", result: [1], ended_at: "t" }];
  const look = (state) => fold(state, { type: "calls", task_id: "a", calls });
  assert.deepEqual(states(look(after()).tasks.a.toolCalls), ["look running", "look completed"]);
  const ended = look(after(update("k1", "completed", { result: "x" })));
  assert.deepEqual(ended.tasks.a.toolCalls.map(({ state, result }) => [state, result]), [["completed", "x"], ["completed", [1]]]);
  assert.deepEqual(look(initialState()).tasks, {});
  const asking = look(after(asked("c", "{}"))).tasks.a.toolCalls;
  assert.equal(asking.length, 3);
  const known = fold(after(asked("c", "{}")), { type: "calls", task_id: "a", calls: [{ ...kept, tool_call_id: "c" }] });
  assert.deepEqual(states(known.tasks.a.toolCalls), ["look running"]);
});
