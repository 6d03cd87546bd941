import assert from "node:assert/strict";
import { test } from "node:test";

import { shownMessages } from "../../frontend/lib/messages.js";
import { initialState, reduce } from "../../frontend/lib/reduce.js";

const TASK = "task-1";
const run = (...events) => events.reduce(reduce, initialState("ann"));
const sending = (client_id, text = "hi") => ({ type: "page_sending", client_id, text });
const accepted = (client_id, more = {}) => ({ type: "page_accepted", client_id, task_id: TASK, ...more });
const unsent = (client_id) => ({ type: "page_unsent", client_id, error: "no network" });
const said = (seq, more = {}) => {
  return { seq, type: "message", task_id: TASK, message_id: `${TASK}.${seq - 1}`, role: "user", text: "hi", at: "", ...more };
};
const snapshot = (history) => ({ type: "snapshot", seq: 7, epoch: "e", status: null, partial_results: null, history });

test("message that was sent becomes the one that the server lists, whichever news comes first", () => {
  const listed = said(1, { client_id: "c1" });
  for (const order of [[accepted("c1"), listed], [listed, accepted("c1")], [listed, unsent("c1")]]) {
    const state = run(sending("c1"), ...order);
    assert.deepEqual([state.outbox, state.history.length], [[], 1]);
  }
});

test("message belongs to the page that sent it, whatever its words", () => {
  const state = run(sending("c1"), said(1, { client_id: "of another window" }), said(2, { client_id: null }));
  assert.deepEqual(state.outbox.map((item) => item.client_id), ["c1"]);
});

test("two messages of the same words are two", () => {
  const state = run(sending("c1"), sending("c2"), said(1, { client_id: "c2" }));
  assert.deepEqual(state.outbox.map((item) => item.client_id), ["c1"]);
});

test("answer that tells of a number the page has passed tells of a message that is listed", () => {
  const state = run(sending("c1"), said(1, { client_id: "c0" }), said(2, { client_id: "c9" }), accepted("c1", { seq: 2 }));
  assert.deepEqual(state.outbox, []);
  assert.equal(run(sending("c1"), accepted("c1", { seq: 2 })).outbox[0].state, "accepted");
});

test("message that could not be sent stays with the reason, and is tried again under the same id", () => {
  const failed = run(sending("c1"), unsent("c1"));
  assert.deepEqual(failed.outbox, [{ client_id: "c1", text: "hi", state: "unsent", error: "no network" }]);
  const again = reduce(failed, sending("c1"));
  assert.deepEqual(again.outbox.map((item) => [item.state, item.error]), [["sending", ""]]);
});

test("snapshot keeps what is still unsent, and drops what it contains or what was accepted before it", () => {
  const state = run(
    sending("c1"),
    accepted("c1"),
    sending("c2"),
    sending("c3"),
    unsent("c3"),
    sending("c4"),
    unsent("c4"),
    snapshot([said(1, { client_id: "c4" })]),
  );
  assert.deepEqual(state.outbox.map((item) => item.client_id), ["c2", "c3"]);
});

test("answer about a message that is not waited for changes nothing", () => {
  const state = run(sending("c1"));
  assert.equal(reduce(state, accepted("c2")), state);
});

test("live messages stand in the order of a snapshot: by task, then by position", () => {
  const at = (seq, task_id, place) => said(seq, { task_id, message_id: `${task_id}.${place}` });
  const state = run(
    at(1, "task-1", 0),
    at(2, "task-2", 0),
    at(3, "task-2", 10),
    at(4, "task-1", 1),
    at(5, "task-2", 9),
    at(6, "task-3", 0),
  );
  assert.deepEqual(
    state.history.map((item) => item.message_id),
    ["task-1.0", "task-1.1", "task-2.0", "task-2.9", "task-2.10", "task-3.0"],
  );
});

test("message that comes again takes the place of the first, as one that was cut short does", () => {
  const cut = said(1, { role: "assistant", text: "Here", interrupted: true });
  const state = run(said(1, { role: "assistant", text: "Here you" }), { ...cut, seq: 2 });
  assert.deepEqual(state.history.map((item) => [item.text, item.interrupted]), [["Here", true]]);
});

test("reply in progress stands last in its turn, and an unchanged list is the same object", () => {
  const running = { seq: 2, type: "status_update", task_id: TASK, status: "running", at: "" };
  const talk = (seq, more) => said(seq, { task_id: "task-2", message_id: `task-2.${seq}`, ...more });
  const delta = { seq: 4, type: "text_delta", task_id: TASK, text: "Here", offset: 0 };
  const state = run(said(1), running, talk(3), delta);
  assert.deepEqual(shownMessages(state).map((item) => item.text), ["hi", "Here", "hi"]);
  assert.equal(shownMessages(state), shownMessages(reduce(state, { type: "page_notice", text: "x" })));
  const more = reduce(state, { ...delta, seq: 5, text: " you go", offset: 4 });
  assert.equal(shownMessages(more)[1].text, "Here you go");
});
