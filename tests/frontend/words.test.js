import assert from "node:assert/strict";
import { test } from "node:test";

import { initialState, reduce } from "../../frontend/lib/reduce.js";
import { titleWords } from "../../frontend/lib/title.js";
import * as words from "../../frontend/lib/words.js";

const KNOWN = {
  linkWords: ["connecting", "live", "reconnecting", "offline", "signed_out", "refused"],
  statusWords: ["queued", "running", "input_required", "cancelling", "completed", "failed", "interrupted"],
  reasonWords: ["superseded", "stopped", "timed_out", "shutdown", "lost"],
  agentWords: ["waiting", "working", "input_required", "done", "interrupted", "failed"],
  outcomeWords: ["answered", "allowed", "denied", "withdrawn", "expired"],
  refusal: ["answered", "allowed", "denied", "withdrawn", "expired"],
};

test("every state of the contract has words of its own, without an underscore", () => {
  for (const [name, values] of Object.entries(KNOWN)) {
    const told = values.map((value) => words[name](value));
    assert.equal(new Set(told).size, values.length, name);
    for (const line of told) assert.match(line, /^[A-Za-z][^_]+$/, name);
  }
});

test("what has no word is told as it is, and nothing as nothing", () => {
  for (const name of ["linkWords", "statusWords", "reasonWords", "agentWords", "outcomeWords"]) {
    for (const odd of ["constructor", "__proto__", "new_one"]) assert.equal(words[name](odd), odd);
  }
  assert.equal(words.reasonWords(null), "");
  assert.deepEqual([words.refusal("bad_input"), words.refusal(undefined), words.refusal("toString")], [undefined, undefined, undefined]);
});

test("the title of a window tells what there is to do, then what is being done, then which trip it is", () => {
  const trips = { type: "page_trips", trips: [{ userId: "ann", name: "Rome" }, { userId: "bob", name: "Oslo" }] };
  const status = (name) => ({ seq: 1, type: "status_update", task_id: "t", status: name, at: "" });
  const asked = { seq: 2, type: "input_request", task_id: "t", request_id: "r", kind: "question" };
  const title = (...events) => titleWords(events.reduce(reduce, initialState("ann")));
  assert.equal(title(), "Detour");
  assert.equal(title(trips), "Rome – Detour");
  assert.equal(title(trips, status("running")), "Searching – Detour");
  assert.equal(title(trips, status("queued")), "Waiting – Detour");
  assert.equal(title(trips, status("cancelling")), "Stopping – Detour");
  assert.equal(title(trips, status("running"), { type: "page_stopping", task_id: "t" }), "Stopping – Detour");
  assert.equal(title(trips, status("input_required"), asked), "Needs you – Detour");
  assert.equal(title(trips, status("running"), { type: "page_connection", connection: "offline" }), "Offline – Detour");
  assert.equal(title(trips, status("completed")), "Rome – Detour");
});
