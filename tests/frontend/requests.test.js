import assert from "node:assert/strict";
import { test } from "node:test";

import { initialState, reduce } from "../../frontend/lib/reduce.js";

const TASK = "task-1";
const run = (...events) => events.reduce(reduce, initialState("ann"));
const asked = (seq, request_id = "r1") => {
  return { seq, type: "input_request", task_id: TASK, request_id, kind: "question", agent: "flight", prompt: "From?" };
};
const resolved = (seq, outcome, request_id = "r1") => {
  return { seq, type: "input_resolved", task_id: TASK, request_id, outcome };
};
const answering = { type: "page_answering", request_id: "r1" };
const answered = { type: "page_answered", request_id: "r1" };
const refused = (more) => ({ type: "page_answer_refused", request_id: "r1", error: "Told by the server.", ...more });

test("answer is on its way until the log says what became of it, though the server has taken it", () => {
  const sent = run(asked(1), answering);
  assert.equal(sent.answering.r1.state, "sending");
  const taken = reduce(sent, answered);
  assert.equal(taken.answering.r1.state, "sending");
  const told = reduce(taken, resolved(2, "answered"));
  assert.deepEqual([told.answering, told.requests, told.resolved[0].outcome], [{}, [], "answered"]);
});

test("log may say so before the server's answer comes", () => {
  const state = run(asked(1), answering, resolved(2, "answered"), answered);
  assert.deepEqual(state.answering, {});
});

test("answer that does not fit says for each field what is wrong with it, and may be given again", () => {
  const details = [{ field: "departure_date", message: "is in the past" }];
  const state = run(asked(1), answering, refused({ code: "bad_input", details }));
  assert.deepEqual(state.answering.r1, { state: "refused", error: "Told by the server.", details });
  assert.equal(state.requests.length, 1);
  assert.deepEqual(reduce(state, answering).answering.r1, { state: "sending", error: "", details: [] });
});

test("late answer explains itself, by the server's code or by what the log has told", () => {
  const words = {
    answered: /answered already, perhaps in another window/,
    allowed: /agreed to already/,
    denied: /declined already/,
    withdrawn: /was withdrawn/,
    expired: /time to answer is over/,
  };
  for (const [outcome, told] of Object.entries(words)) {
    assert.match(run(asked(1), answering, refused({ code: outcome })).answering.r1.error, told);
    const late = run(asked(1), resolved(2, outcome), answering, refused({ code: "answered" }));
    assert.match(late.answering.r1.error, told);
    assert.deepEqual(late.requests, []);
  }
});

test("refusal stays with what it is about once that is resolved, and goes with it", () => {
  const late = run(asked(1), answering, refused({ code: "answered" }), resolved(2, "answered"));
  assert.equal(late.answering.r1.state, "refused");
  const many = Array.from({ length: 10 }, (_, at) => [asked(3 + 2 * at, `m${at}`), resolved(4 + 2 * at, "denied", `m${at}`)]);
  const later = [...many.flat(), asked(23, "r9"), { ...answering, request_id: "r9" }].reduce(reduce, late);
  assert.deepEqual(Object.keys(later.answering), ["r9"]);
});

test("refusal of an answer to what is not on the page any more is told by the page itself", () => {
  const state = run(answering, refused({ code: "withdrawn" }));
  assert.deepEqual(state.answering, {});
  assert.match(state.notice, /was withdrawn/);
});

test("details that are no list of faults are left out", () => {
  assert.deepEqual(run(asked(1), refused({ details: { a: 1 } })).answering.r1.details, []);
});

test("open requests are told oldest first, and one that is asked again is the newest", () => {
  const state = run(asked(1, "r1"), asked(2, "r2"), asked(3, "r1"));
  assert.deepEqual(state.requests.map((item) => item.request_id), ["r2", "r1"]);
});

test("outcome of an unseen request is no news", () => {
  const state = run(resolved(1, "answered"));
  assert.deepEqual([state.seq, state.resolved, state.answering], [1, [], {}]);
});

test("end of a task withdraws its requests without an event", () => {
  const ended = { seq: 2, type: "status_update", task_id: TASK, status: "failed", at: "" };
  const state = run(asked(1), ended);
  assert.deepEqual([state.requests, state.resolved.map((item) => item.outcome)], [[], ["withdrawn"]]);
});
