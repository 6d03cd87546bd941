import assert from "node:assert/strict";
import { test } from "node:test";

import { graphEntries, untraced } from "../../frontend/lib/graph-entries.js";
import { initialState, reduce } from "../../frontend/lib/reduce.js";
import { lengthOf, nameOf, stateOf, summaryOf, telling } from "../../frontend/lib/steps.js";

const at = (seconds) => new Date(Date.UTC(2026, 10, 20, 20, 0, 0) + seconds * 1000).toISOString();
const snapshot = (history = []) => ({ type: "snapshot", seq: 0, epoch: "e", status: null, partial_results: null, history });

/** The state after these events, one a second. */
function after(...events) {
  const hello = { type: "hello", user_id: "ada", epoch: "e", seq: 0 };
  const numbered = events.map((event, place) => ({ task_id: "t1", at: at(place), ...event, seq: place + 1 }));
  return [hello, snapshot(), ...numbered].reduce(reduce, initialState("ada"));
}

const said = (place, role, text, more = {}) => ({ type: "message", message_id: `t1.${place}`, role, text, interrupted: false, ...more });
const status = (name, more = {}) => ({ type: "status_update", status: name, reason: null, message: "hi", current_agent: null, ...more });
const node = (agent, state, since, until = null, more = {}) => ({
  type: "agent_update", agent, state, detail: "", done: 0, total: 0, count: 0, since: at(since), until: until && at(until), ...more,
});
const call = (call_id, tool, state, summary = "") => ({ type: "tool_update", call_id, tool, state, effect: "write", summary });
const account = (call_id, tool, second) => ({
  call_id, tool, agent: "tools", effect: "write", state: "completed", summary: "ok", arguments: { n: second }, result: [second],
  started_at: at(second), ended_at: at(second + 1),
});
const text = (message_id, offset, words, more = {}) => ({ type: "text_delta", node: "model", message_id, offset, text: words, reply: true, ...more });
const shape = (state) => graphEntries(state).map(({ tag, data }) => (tag === "step-list" ? data.steps.map(nameOf) : (data.text ?? tag)));

const BEGUN = [said(0, "user", "hi"), status("running"), node("model", "working", 2), text("m1", 0, "Let me look.")];
const CALLED = [...BEGUN, node("model", "done", 2, 4), node("tools", "working", 5), call("c1", "search_docs", "running")];

test("words before a call stand among the steps in order", () => {
  const state = after(...CALLED);
  assert.deepEqual(shape(state), ["hi", ["Model", "Search docs"]]);
  const [, { data }] = graphEntries(state);
  assert.equal(data.steps[0].text, "Let me look.");
});

test("reply that follows is without what stands among the steps, also once it is whole", () => {
  const told = [...CALLED, call("c1", "search_docs", "completed", "3 pages"), text("m2", 12, "\n\nHere it is.")];
  assert.deepEqual(shape(after(...told)), ["hi", ["Model", "Search docs"], "Here it is."]);
  const whole = after(...told, said(1, "assistant", "Here it is."), status("completed"));
  assert.deepEqual(shape(whole), ["hi", ["Model", "Search docs"], "Here it is."]);
  const cut = after(...told, said(1, "assistant", "Let me look.\n\nHere it is.", { interrupted: true }), status("interrupted"));
  assert.deepEqual(shape(cut), ["hi", ["Model", "Search docs"], "Here it is."]);
});

test("words without a later step are the reply, shown once", () => {
  const state = after(...CALLED, call("c1", "search_docs", "completed"), said(1, "assistant", "Let me look."), status("completed"));
  assert.deepEqual(shape(state), ["hi", ["Search docs"], "Let me look."]);
});

test("words cut short before a later step stay where they stood", () => {
  const state = after(
    ...CALLED, call("c1", "search_docs", "cancelled"), said(1, "assistant", "Let me look.", { interrupted: true }),
    said(2, "system", "Interrupted."), status("interrupted", { reason: "stopped" }),
  );
  assert.deepEqual(shape(state), ["hi", ["Model", "Search docs"], "task-fold"]);
});

test("while words come in, the steps stand once, and nothing else says that a task is at work", () => {
  const state = after(...CALLED, call("c1", "search_docs", "completed"), text("m2", 12, "Here"));
  assert.deepEqual(shape(state), ["hi", ["Model", "Search docs"], "Here"]);
  assert.deepEqual(shape(after(...BEGUN.slice(0, 2))), ["hi", "progress-lines"]);
});

test("steps after an answer stand below it", () => {
  const state = after(
    said(0, "user", "hi"), status("running"), call("c1", "look", "running"), call("c1", "look", "completed"),
    said(1, "assistant", "Which?"), said(2, "user", "this"), call("c2", "book", "running"), call("c2", "book", "completed"),
    said(3, "assistant", "Done."), status("completed"),
  );
  assert.deepEqual(shape(state), ["hi", ["Look"], "Which?", "this", ["Book"], "Done."]);
});

test("call outcomes have an icon and words, and follow an amended receipt", () => {
  const words = (state) => stateOf({ kind: "call", state }).words;
  assert.equal(words("running"), "running");
  assert.equal(words("cancelled"), "cancelled");
  assert.equal(words("completed_after_interrupt"), "done, after you interrupted");
  assert.equal(words("some_new_one"), "some_new_one");
  const open = after(...CALLED, call("c1", "search_docs", "unknown", "still running"));
  const receipt = { reason: "stopped", tool_calls: [{ call_id: "c1", tool: "search_docs", outcome: "failed", summary: "no net" }] };
  const amended = reduce(open, { type: "receipt", seq: open.seq + 1, task_id: "t1", at: at(60), receipt });
  const step = amended.trails.t1.steps.find(({ key }) => key === "c1");
  assert.deepEqual([step.state, step.summary, step.until], ["failed", "no net", at(7)]);
});

test("node is left out where its calls or words tell of it, and where it took no time", () => {
  const steps = after(
    ...CALLED,
    call("c1", "search_docs", "completed"),
    node("tools", "done", 5, 8),
    node("Hook.after_model", "working", 9),
    node("plan", "done", 9, 10, { detail: "three parts" }),
    node("route", "done", 10, 10),
    node("books", "done", 10, 10, { count: 2 }),
    node("broken", "failed", 10, 10),
  ).trails.t1.steps;
  const told = telling(steps);
  assert.deepEqual(told.map(nameOf), ["Model", "Search docs", "Plan", "Books", "Broken"]);
  assert.deepEqual(told.slice(2).map(summaryOf), ["three parts", "2 results", ""]);
});

test("model that speaks within a subgraph tells of the node that is at work", () => {
  const state = after(said(0, "user", "hi"), status("running"), node("lead", "working", 2), text("m1", 0, "So", { node: "agent" }));
  assert.deepEqual(telling(state.trails.t1.steps), []);
});

test("node words beside the reply are a step of their own", () => {
  const aside = (offset, words) => text("x", offset, words, { node: "researcher", reply: false });
  const state = after(said(0, "user", "hi"), status("running"), aside(0, "I found "), aside(8, "it."));
  const [, { data }] = graphEntries(state);
  assert.deepEqual(data.steps.map(({ kind, name, text, reply }) => [kind, name, text, reply]), [["said", "researcher", "I found it.", false]]);
});

test("findings stand before the words about them, and stay for the next task", () => {
  const found = { type: "partial_result", agent: "books", items: [{ title: "One" }], count: 1 };
  const state = after(
    said(0, "user", "hi"), status("running"), found, said(1, "assistant", "One book."), status("completed"),
    { ...said(0, "user", "more"), message_id: "t2.0", task_id: "t2" }, { ...status("running"), task_id: "t2" },
    { ...status("completed"), task_id: "t2" },
  );
  assert.deepEqual(shape(state), ["hi", "found-items", "One book.", "more"]);
});

test("server's record of calls is merged by time, with arguments and results", () => {
  const history = [
    { message_id: "t1.0", task_id: "t1", role: "user", text: "hi", at: at(0), interrupted: false, client_id: null },
    { message_id: "t1.1", task_id: "t1", role: "assistant", text: "Done.", at: at(9), interrupted: false, client_id: null },
  ];
  const state = [{ type: "hello", epoch: "e", seq: 0 }, snapshot(history)].reduce(reduce, initialState("ada"));
  assert.deepEqual(untraced(state), ["t1"]);
  const known = reduce(state, { type: "page_calls", task_id: "t1", calls: [account("c2", "later", 5), account("c1", "first", 2)] });
  assert.deepEqual(untraced(known), []);
  assert.deepEqual(shape(known), ["hi", ["First", "Later"], "Done."]);
  const [first] = known.trails.t1.steps;
  assert.deepEqual([first.given, first.result, first.isWhole], [{ n: 2 }, [2], true]);
});

test("calls of a task active at page load are fetched without undoing newer news", () => {
  const status = { task_id: "t1", status: "running", message: "hi", created_at: at(0), updated_at: at(0), queued: [], input_requests: [] };
  const began = { ...snapshot([{ message_id: "t1.0", role: "user", text: "hi", task_id: "t1", at: at(0), client_id: null }]), status };
  const ended = { ...call("c2", "later", "completed"), task_id: "t1", at: at(6), seq: 1 };
  const state = [{ type: "hello", epoch: "e", seq: 0 }, began, ended].reduce(reduce, initialState("ada"));
  assert.deepEqual(untraced(state), ["t1"]);
  const calls = [account("c1", "first", 2), { ...account("c2", "later", 5), state: "running", ended_at: null }];
  const known = reduce(state, { type: "page_calls", task_id: "t1", calls });
  assert.deepEqual(known.trails.t1.steps.map(({ key, state: how }) => [key, how]), [["c1", "completed"], ["c2", "completed"]]);
});

test("earlier words stand before the running call", () => {
  const status = { task_id: "t1", status: "running", message: "hi", created_at: at(0), updated_at: at(0), queued: [], input_requests: [] };
  const history = [{ message_id: "t1.0", role: "user", text: "hi", task_id: "t1", at: at(0), client_id: null }];
  const began = { ...snapshot(history), status, partial_results: { partial_results: {}, text: "Let me look.", interrupted: [] } };
  const runs = { ...account("c1", "first", 2), state: "running", ended_at: null };
  const calls = { type: "page_calls", task_id: "t1", calls: [runs] };
  const state = [{ type: "hello", epoch: "e", seq: 0 }, began, calls].reduce(reduce, initialState("ada"));
  assert.deepEqual(shape(state), ["hi", ["", "First"]]);
  assert.equal(state.trails.t1.steps[0].text, "Let me look.");
  assert.deepEqual(shape(reduce(state, calls)), ["hi", ["", "First"]]);
});

test("trails of the last tasks stay, and those of another log go", () => {
  let state = after();
  for (let task = 0; task < 40; task += 1) {
    state = reduce(state, { ...call("c", "look", "running"), task_id: `t${task + 10}`, at: at(task), seq: state.seq + 1 });
  }
  assert.deepEqual([Object.keys(state.trails).length, Object.keys(state.trails).at(-1)], [30, "t49"]);
  assert.deepEqual(reduce(state, { type: "hello", epoch: "other", seq: 0 }).trails, {});
});

test("times are told so that they can be read", () => {
  const took = (seconds) => lengthOf({ since: at(0), until: at(seconds) }, 0);
  assert.deepEqual([took(0.01), took(0.4), took(12.3), took(75)], ["", "0.4 s", "12 s", "1:15 min"]);
  assert.equal(lengthOf({ since: at(0), until: null }, Date.parse(at(3.7))), "3 s");
});
