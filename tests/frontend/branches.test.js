import assert from "node:assert/strict";
import { test } from "node:test";

import { comesAfter, START, stepBefore } from "../../frontend/lib/branches.js";

const task = (task_id, agents = {}) => ({ task_id, agents });
const SEARCHED = { flight: { request: {} } };

test("edited message comes after the last search before it", () => {
  const kept = [task("03"), task("01")];
  const tasks = { "04": task("04", SEARCHED), "05": task("05", { booking: {} }), "06": task("06", SEARCHED) };
  assert.equal(comesAfter({ kept, tasks }, "06"), "04");
  assert.equal(comesAfter({ kept, tasks }, "03"), "01");
  assert.equal(comesAfter({ kept, tasks }, "01"), START);
  assert.equal(comesAfter({ kept: null, tasks: {} }, "02"), START);
});

test("step before a message is the newest of the turn before", () => {
  const state = (id, turn, ...said) => ({ values: { messages: said.map((content) => ({ content })) }, checkpoint: { checkpoint_id: id }, metadata: { turn } });
  const states = [
    state("f", 3, "yes", "no", "yes"),
    state("e", 3, "yes", "no"),
    state("d", 2, "yes", "no"),
    state("c", 2, "yes"),
    state("b", 1, "yes"),
    state("a", 1),
  ];
  assert.equal(stepBefore(states, "no", 1), "b");
  assert.equal(stepBefore(states, "yes", 2), "d");
  assert.equal(stepBefore(states, "yes", 1), null);
  assert.equal(stepBefore([], "yes", 1), null);
});
