import assert from "node:assert/strict";
import { test } from "node:test";

import { newsOf } from "../../frontend/lib/announcements.js";
import { graphEntries } from "../../frontend/lib/graph-entries.js";
import { enterWords, otherPolicy, otherWords, policies, policyOf } from "../../frontend/lib/policies.js";
import { initialState, reduce } from "../../frontend/lib/reduce.js";
import { nameOf } from "../../frontend/lib/steps.js";

const at = (seconds) => new Date(Date.UTC(2026, 10, 20, 20, 0, 0) + seconds * 1000).toISOString();
const hello = { type: "hello", epoch: "e", seq: 0 };
const nothing = { type: "snapshot", seq: 0, epoch: "e", status: null, partial_results: null, history: [] };

/** The state after these events, one a second. */
function after(...events) {
  const numbered = events.map((event, place) => ({ task_id: "t1", at: at(place), ...event, seq: place + 1 }));
  return [hello, nothing, ...numbered].reduce(reduce, initialState("ada"));
}

/** The state of a page that comes when the server has this to tell. */
function arriving(history, status = {}) {
  const task = { task_id: "t1", status: "running", message: "plan", created_at: at(0), updated_at: at(0), queued: [], input_requests: [] };
  return [hello, { ...nothing, seq: 99, status: { ...task, ...status }, history }].reduce(reduce, initialState("ada"));
}

const said = (id, role, text, more = {}) => ({
  type: "message", message_id: id, task_id: id.split(".")[0], role, text, interrupted: false, client_id: null, ...more,
});
const sent = (id, text) => said(id, "user", text, { steer: "pending", client_id: `c-${id}` });
const told = (id, steer, text, more = {}) => ({ type: "steer", message_id: id, steer, text, revision: 0, ...more });
const status = (name, more = {}) => ({ type: "status_update", status: name, reason: null, message: "plan", ...more });
const call = (call_id, tool, state) => ({ type: "tool_update", call_id, tool, state, effect: "read", summary: "" });
const texts = (state) => graphEntries(state).map(({ tag, data }) => (tag === "step-list" ? data.steps.map(nameOf) : (data.text ?? tag)));
const waits = ({ pending }) => pending.map(({ text, revision }) => [text, revision]);

const RUNNING = [said("t1.0", "user", "plan"), status("running"), call("a", "search", "running")];
const STEERED = [...RUNNING, sent("t2.0", "by train"), told("t2.0", "pending", "by train")];
const TAKEN = [...STEERED, call("a", "search", "completed"), told("t2.0", "taken_in", "by train"), call("b", "book", "running")];

test("pending message waits in order under the id it was sent with, outside the transcript", () => {
  const state = after(...STEERED, sent("t3.0", "and back"));
  assert.deepEqual(waits(state), [["by train", 0], ["and back", 0]]);
  assert.equal(state.pending[0].client_id, "c-t2.0");
  assert.deepEqual(texts(state), ["plan", ["Search"]]);
});

test("edit changes its text, for whoever comes later too, and an older one nothing", () => {
  const state = after(...STEERED, told("t2.0", "pending", "by bus", { revision: 2 }), told("t2.0", "pending", "on foot", { revision: 1 }));
  assert.deepEqual(waits(state), [["by bus", 2]]);
  const pending = [{ message_id: "t2.0", text: "by bus", revision: 2, at: at(3) }];
  const late = arriving([said("t1.0", "user", "plan", { at: at(0) }), { ...sent("t2.0", "by bus"), at: at(3) }], { pending });
  assert.deepEqual(waits(late), [["by bus", 2]]);
  assert.equal(late.pending[0].client_id, "c-t2.0");
  assert.deepEqual(texts(late).slice(0, 1), ["plan"]);
});

test("taken-in message stands where the model read it, within that run", () => {
  const state = after(...TAKEN);
  assert.deepEqual([waits(state), texts(state)], [[], ["plan", ["Search"], "by train", ["Book"]]]);
  const [, , entry] = graphEntries(state);
  assert.deepEqual([entry.key, entry.data.about, entry.data.takenIn], ["c-t2.0", "Taken in here", true]);
  const whole = after(...TAKEN, call("b", "book", "completed"), said("t1.1", "assistant", "Done."), status("completed"));
  assert.deepEqual(texts(whole), ["plan", ["Search"], "by train", ["Book"], "Done."]);
});

test("page that comes later shows the same, also where the message was sent before the call that it stands behind", () => {
  const history = [
    said("t1.0", "user", "plan", { at: at(0) }),
    said("t2.0", "user", "by train", { task_id: "t1", at: at(1), steer: "taken_in", taken_in_at: at(6) }),
    said("t1.1", "assistant", "Done.", { at: at(9) }),
    said("t3.0", "user", "never mind", { at: at(4), steer: "withdrawn" }),
  ];
  const calls = [["a", "search", 2], ["b", "book", 7]].map(([call_id, tool, since]) => ({
    call_id, tool, state: "completed", summary: "", arguments: {}, result: "", started_at: at(since), ended_at: at(since + 1),
  }));
  const state = reduce(arriving(history, { status: "completed" }), { type: "page_calls", task_id: "t1", calls });
  assert.deepEqual(texts(state), ["plan", ["Search"], "by train", ["Book"], "Done."]);
});

test("earlier words stand before a taken-in message", () => {
  const text = (message_id, offset, words) => ({ type: "text_delta", node: "model", message_id, offset, text: words, reply: true });
  const state = after(...RUNNING.slice(0, 2), text("m1", 0, "A plan."), sent("t2.0", "by train"), told("t2.0", "taken_in", "by train"), text("m2", 7, "\n\nA draft."));
  assert.deepEqual(texts(state), ["plan", ["Model"], "by train", "A draft."]);
});

test("merged one stands before its message, whichever was sent first, live and for a page that comes later", () => {
  const ordinary = after(...STEERED, said("t3.0", "user", "no, stop it"), told("t2.0", "merged", "by train", { task_id: "t3" }));
  assert.deepEqual(texts(ordinary).slice(-2), ["by train", "no, stop it"]);
  const now = [sent("t3.0", "and back"), told("t2.0", "own_task", "by train", { task_id: "t2" }), told("t3.0", "merged", "and back", { task_id: "t2" })];
  assert.deepEqual(texts(after(...STEERED, ...now)).slice(-2), ["and back", "by train"]);
  const history = [
    said("t1.0", "user", "plan", { at: at(0) }),
    said("t2.0", "user", "by train", { at: at(3) }),
    said("t3.0", "user", "and back", { at: at(5), task_id: "t2", steer: "merged" }),
  ];
  assert.deepEqual(texts(arriving(history, { task_id: "t2" })).slice(0, 3), ["plan", "and back", "by train"]);
});

test("late message becomes one of its own, and a withdrawn one is gone", () => {
  const own = after(...STEERED, said("t1.1", "assistant", "Done."), status("completed"), told("t2.0", "own_task", "by train", { task_id: "t2" }));
  assert.deepEqual([waits(own), texts(own)], [[], ["plan", ["Search"], "Done.", "by train"]]);
  assert.equal(graphEntries(own).at(-1).data.about, "");
  const gone = after(...STEERED, told("t2.0", "withdrawn", "by train"));
  assert.deepEqual([waits(gone), texts(gone), gone.history.length], [[], ["plan", ["Search"]], 1]);
});

test("message left for the end says so in place, and can be withdrawn", () => {
  const later = [told("t2.0", "own_task", "by train", { task_id: "t2" }), status("queued", { task_id: "t2", message: "by train" })];
  const entry = graphEntries(after(...STEERED, ...later)).find(({ data }) => data.text === "by train");
  assert.deepEqual(entry.data.waits, { taskId: "t2" });
  const begun = graphEntries(after(...STEERED, ...later, status("completed"), status("running", { task_id: "t2" })));
  assert.equal(begun.find(({ data }) => data.text === "by train").data.waits, null);
});

test("steering message is on its way to the pending ones, unless nothing runs or something is asked", () => {
  const sending = { type: "page_sending", client_id: "c9", text: "by train", policy: "steer" };
  assert.equal(texts(reduce(after(...RUNNING), sending)).includes("by train"), false);
  assert.equal(texts(reduce(after(), sending)).includes("by train"), true);
  const asked = { type: "input_request", request_id: "r", kind: "question", prompt: "How?", agent: "", schema: {} };
  assert.equal(texts(reduce(after(...RUNNING, asked), sending)).includes("by train"), true);
  const accepted = { type: "page_accepted", client_id: "c9", task_id: "t2", steer: "own_task" };
  assert.equal(texts([sending, accepted].reduce(reduce, after(...RUNNING))).includes("by train"), true);
});

test("change is under way until the log tells of it; a stale edit is shown what is newer", () => {
  const edit = { type: "page_changing", message_id: "t2.0", how: "edit" };
  const state = reduce(after(...STEERED), edit);
  assert.deepEqual(state.changing, { "t2.0": { how: "edit", error: "" } });
  const refused = reduce(state, { type: "page_change_refused", message_id: "t2.0", how: "edit", error: "Edited.", current: { text: "by bus", revision: 3 } });
  assert.deepEqual([waits(refused), refused.changing["t2.0"].error], [[["by bus", 3]], "Edited."]);
  const saved = reduce(state, { type: "page_changed", message_id: "t2.0", text: "by car", revision: 1 });
  assert.deepEqual([waits(saved), saved.changing], [[["by car", 1]], {}]);
  const taken = reduce(state, { ...told("t2.0", "taken_in", "by train"), task_id: "t1", at: at(9), seq: 6 });
  assert.deepEqual(taken.changing, {});
  const late = { type: "page_change_refused", message_id: "t2.0", how: "edit", error: "It is not pending any more." };
  assert.equal(reduce(taken, late).notice, "It is not pending any more.");
});

test("screen readers hear that it waits, and what became of it", () => {
  const heard = (before, ...events) => {
    const next = events.map((event, place) => ({ task_id: "t1", at: at(20), ...event, seq: before.seq + 1 + place })).reduce(reduce, before);
    return [...newsOf(before, next).said.values()];
  };
  assert.deepEqual(heard(after(...RUNNING), sent("t2.0", "by train")), ["Waits to be taken in: by train"]);
  const before = after(...STEERED);
  assert.deepEqual(heard(before, told("t2.0", "pending", "by bus", { revision: 1 })), ["Edited, and waits to be taken in: by bus"]);
  for (const [steer, words] of [["taken_in", "Taken in"], ["merged", "Sent with your newer message"], ["own_task", "Became a message of its own"], ["withdrawn", "Withdrawn"]]) {
    assert.deepEqual(heard(before, told("t2.0", steer, "by train")), [`${words}: by train`]);
  }
});

test("Enter does what was chosen, else what the server does, and nothing that the graph can't do", () => {
  const policy = (chosen, server, steers = true) => policyOf({ chosen, server }, steers);
  assert.deepEqual([policy(null, null), policy(null, "steer"), policy("enqueue", "steer"), policy(null, "reject")], ["interrupt", "steer", "enqueue", "interrupt"]);
  assert.deepEqual([policy("steer", null, false), policy("nonsense", "enqueue", false)], ["enqueue", "enqueue"]);
  assert.deepEqual([policies(true), policies(false)], [["interrupt", "steer", "enqueue"], ["interrupt", "enqueue"]]);
  for (const steers of [true, false]) for (const each of policies(steers)) assert.notEqual(otherPolicy(each, steers), each);
  assert.equal(reduce(initialState("ada"), { ...hello, policy: "steer" }).policy.server, "steer");
});

test("line under the box says it in the words of the choice", () => {
  assert.equal(`${enterWords("steer")} ${otherWords("interrupt", false)}`, "Enter steers: the current run takes it in. Ctrl+Enter interrupts.");
  assert.equal(otherWords("steer", true), "⌘+Enter steers.");
});
