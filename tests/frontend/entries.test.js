import assert from "node:assert/strict";
import { test } from "node:test";

import { entriesOf, unexplained } from "../../frontend/lib/entries.js";
import { headline } from "../../frontend/lib/progress.js";
import { initialState, reduce } from "../../frontend/lib/reduce.js";

const AT = "2026-11-20T20:00:00.000Z";

/** The state after these events, numbered as the server would. */
function after(...events) {
  const hello = { type: "hello", user_id: "ada", epoch: "e", seq: 0 };
  const snapshot = { type: "snapshot", seq: 0, epoch: "e", status: null, partial_results: null, history: [] };
  const numbered = events.map((event, at) => (event.type.startsWith("page_") ? event : { at: AT, ...event, seq: at + 1 }));
  return [hello, snapshot, ...numbered].reduce(reduce, initialState("ada"));
}

const said = (task_id, place, role, text, more = {}) => ({
  type: "message",
  message_id: `${task_id}.${place}`,
  task_id,
  role,
  text,
  interrupted: false,
  ...more,
});
const status = (task_id, name, reason = null) => ({
  type: "status_update",
  task_id,
  status: name,
  reason,
  message: "a flight",
  current_agent: null,
  partial_results: {},
});
const asked = (task_id, prompt, more = {}) => ({
  type: "input_request",
  task_id,
  request_id: `${task_id}-q1`,
  kind: "question",
  agent: "flight",
  prompt,
  schema: {},
  defaults: {},
  expires_at: AT,
  ...more,
});
const tags = (state) => entriesOf(state).map(({ tag }) => tag);
const abouts = (state) => entriesOf(state).map(({ data }) => data.about ?? "");

test("task is retried where the server has taken its message up by itself, and not once it is given up", () => {
  const retried = (reason, ...more) => {
    const marker = said("t1", 9, "system", "Interrupted.");
    const state = after(said("t1", 0, "user", "a flight"), status("t1", "interrupted", reason), marker, ...more);
    return entriesOf(state).find(({ tag }) => tag === "task-fold").data.retried;
  };
  const retry = status("t2", "running");
  for (const reason of ["lost", "shutdown"]) {
    assert.ok(retried(reason, retry), reason);
    assert.ok(retried(reason, retry, said("t2", 1, "assistant", "Found."), said("t3", 0, "user", "thanks")), reason);
    assert.ok(!retried(reason), reason);
  }
  assert.ok(!retried("stopped", retry));
  // What was given up and then asked for again: the retry of a later message is not its own.
  assert.ok(!retried("lost", said("t2", 0, "user", "a flight"), status("t2", "running"), status("t3", "running")));
});

test("open question stands where the assistant asked it, once", () => {
  const state = after(
    said("t1", 0, "user", "a flight"),
    status("t1", "running"),
    said("t1", 1, "assistant", "Where from?"),
    asked("t1", "Where from?"),
    status("t1", "input_required"),
    said("t2", 0, "user", "thanks"),
    said("t2", 1, "assistant", "You are welcome."),
  );
  assert.deepEqual(tags(state), ["chat-message", "question-form", "chat-message", "chat-message"]);
});

test("open question stands at the end if its words are not in the history", () => {
  const state = after(said("t1", 0, "user", "a flight"), status("t1", "running"), asked("t1", "Where from?"));
  assert.equal(tags(state)[1], "question-form");
});

test("oldest of several questions is asked, with the count behind it", () => {
  const state = after(
    status("t1", "running"),
    said("t1", 1, "assistant", "Where from?"),
    asked("t1", "Where from?"),
    said("t1", 2, "assistant", "Which city?"),
    asked("t1", "Which city?", { request_id: "t1-q2" }),
    status("t1", "input_required"),
  );
  const [form, next] = entriesOf(state);
  assert.equal(form.tag, "question-form");
  assert.equal(form.data.behind, 1);
  assert.equal(next.data.about, "Asked after the question above");
});

test("permission that is no longer asked stays as one line that says why", () => {
  const events = [
    said("t1", 0, "user", "book it"),
    status("t1", "running"),
    said("t1", 1, "assistant", "Shall I?"),
    asked("t1", "Shall I?", { kind: "permission", tool: "book_flight" }),
    { type: "input_resolved", task_id: "t1", request_id: "t1-q1", outcome: "withdrawn" },
  ];
  const superseded = { type: "receipt", task_id: "t1", receipt: { task_id: "t1", reason: "superseded", tool_calls: [] } };
  assert.ok(abouts(after(...events)).some((about) => /^Not booked: no longer asked, since something/.test(about)));
  assert.ok(
    abouts(after(...events, superseded)).includes("Not booked: no longer asked, because you changed your mind."),
  );
});

test("interruption is a fold, and only the newest one is the newest", () => {
  const state = after(
    said("t1", 0, "user", "a flight"),
    said("t1", 1, "system", "Interrupted by a newer message after 1.0 s. Nothing had been found yet."),
    said("t2", 0, "user", "another"),
    said("t2", 1, "system", "Stopped by the user after 1.0 s. Nothing had been found yet."),
  );
  const folds = entriesOf(state).filter(({ tag }) => tag === "task-fold");
  assert.deepEqual(
    folds.map(({ data }) => data.newest),
    [false, true],
  );
});

test("receipts are fetched for the last interruptions only, and for none that is known", () => {
  const markers = Array.from({ length: 8 }, (_, at) => said(`t${at}`, 1, "system", "Interrupted."));
  const state = after(...markers);
  assert.deepEqual(unexplained(state), ["t3", "t4", "t5", "t6", "t7"]);
  const known = { ...state, receipts: { t7: {} } };
  assert.deepEqual(unexplained(known), ["t3", "t4", "t5", "t6"]);
});

test("message that was not sent keeps its words, says why, and can be sent again", () => {
  const state = after(
    { type: "page_sending", client_id: "c1", text: "a flight" },
    { type: "page_unsent", client_id: "c1", error: "The server can’t be reached." },
  );
  const [entry] = entriesOf(state);
  assert.deepEqual(entry.data.unsent, { clientId: "c1", error: "The server can’t be reached." });
  assert.equal(entry.data.text, "a flight");
});

test("progress stands at the end while a task is at work, and goes when it has ended", () => {
  const events = [said("t1", 0, "user", "a flight"), status("t1", "running")];
  assert.equal(tags(after(...events)).at(-1), "progress-lines");
  assert.equal(tags(after(...events, status("t1", "completed"))).includes("progress-lines"), false);
});

test("reply that is still coming is marked, and no longer once it is whole", () => {
  const events = [
    said("t1", 0, "user", "hello"),
    status("t1", "running"),
    { type: "text_delta", task_id: "t1", text: "Hel", offset: 0 },
  ];
  const coming = entriesOf(after(...events)).find(({ data }) => data.streaming);
  assert.equal(coming.data.text, "Hel");
  const whole = entriesOf(after(...events, said("t1", 1, "assistant", "Hello.")));
  assert.equal(whole.some(({ data }) => data.streaming), false);
});

test("uncancellable work is shown finishing beside the next task", () => {
  const tool = { type: "tool_update", task_id: "t1", call_id: "c", tool: "book_flight", effect: "write", summary: "" };
  const state = after(
    said("t1", 0, "user", "book it"),
    status("t1", "running"),
    { ...tool, state: "running" },
    status("t1", "cancelling", "superseded"),
    said("t2", 0, "user", "hotels in Rome"),
    status("t2", "running"),
    { type: "agent_update", task_id: "t2", agent: "hotel", state: "working", detail: "", done: 0, total: 2, count: 0 },
  );
  const lines = entriesOf(state).filter(({ tag }) => tag === "progress-lines");
  assert.deepEqual(
    lines.map(({ data }) => headline(data.task, data.stopping)),
    ["Finishing work already started: booking the flight…", "Working on it…"],
  );
});

test("unchanged entry is the same object, so nothing is drawn again", () => {
  const state = after(said("t1", 0, "user", "a flight"), said("t1", 1, "assistant", "Where from?"));
  const later = reduce(state, { ...status("t2", "running"), at: AT, seq: 3 });
  assert.equal(entriesOf(later)[0], entriesOf(state)[0]);
  assert.equal(entriesOf(later)[1].data, entriesOf(state)[1].data);
});

test("fold is the same entry until something about it changes, however much else happens", () => {
  const marked = [said("t1", 0, "user", "a flight"), said("t1", 1, "system", "Interrupted after 1.0 s.")];
  const receipt = { type: "receipt", task_id: "t1", receipt: { task_id: "t1", reason: "stopped", tool_calls: [] } };
  const foldOf = (state) => entriesOf(state).find(({ tag }) => tag === "task-fold");
  const before = after(...marked);
  const chatted = reduce(before, { ...said("t2", 0, "user", "and now?"), seq: 3 });
  assert.equal(foldOf(chatted), foldOf(before));
  const explained = reduce(chatted, { ...receipt, seq: 4 });
  assert.equal(foldOf(explained).data.receipt.reason, "stopped");
  const busy = reduce(explained, { ...status("t2", "running"), at: AT, seq: 5 });
  assert.equal(foldOf(busy).data.busy, true);
});

test("message stays the same entry from when it is sent until the server has listed it", () => {
  const sending = { type: "page_sending", client_id: "c1", text: "a flight" };
  const listed = said("t1", 0, "user", "a flight", { client_id: "c1" });
  for (const state of [after(sending), after(sending, listed)]) {
    assert.deepEqual(entriesOf(state).map((entry) => [entry.tag, entry.key]), [["chat-message", "c1"]]);
  }
});

test("later news of an interrupted task stands below its line, not as a second interruption", () => {
  const state = after(
    said("t1", 0, "user", "a flight"),
    status("t1", "running"),
    said("t1", 1, "system", "Interrupted by a newer message after 1.4 s. Nothing had been found yet."),
    status("t1", "interrupted", "superseded"),
    said("t1", 2, "system", "What was unknown is known now: Weather went through after all."),
  );
  assert.deepEqual(tags(state), ["chat-message", "task-fold", "chat-message"]);
  assert.match(entriesOf(state)[2].data.text, /^What was unknown is known now/);
});

test("suggestions stand under their reply until something is said, asked or done", () => {
  const replied = [
    said("t1", 0, "user", "a flight"),
    status("t1", "running"),
    said("t1", 1, "assistant", "I found 2 flights.", { suggestions: ["Only nonstop flights"] }),
    status("t1", "completed"),
  ];
  assert.deepEqual(tags(after(...replied)), ["chat-message", "chat-message", "next-steps"]);
  const sending = { type: "page_sending", client_id: "c1", text: "thanks" };
  assert.ok(!tags(after(...replied, sending)).includes("next-steps"));
  assert.ok(!tags(after(...replied, said("t2", 0, "user", "thanks"))).includes("next-steps"));
  assert.ok(!tags(after(...replied.slice(0, 3))).includes("next-steps"), "not while its task is active");
});
