import assert from "node:assert/strict";
import { test } from "node:test";

import { heldIn, withHeld } from "../../frontend/lib/held.js";
import { initialState, reduce } from "../../frontend/lib/reduce.js";
import { newTask } from "../../frontend/lib/tasks.js";

const offer = (offer_id) => ({ offer_id });
const agent = (state) => ({ state, detail: "", done: 0, total: 1, count: 0 });
const earlier = { task_id: "t1", partials: { flight: [offer("a"), offer("b"), offer("c"), offer("d")] } };
const sorted = { from_task_id: "t1", results: { flight: { stays: [0], waits: [1, 2], goes: [3] } } };
const search = (more) => ({ ...newTask("t2"), status: "running", agents: { flight: agent("working") }, sorted, ...more });
const shown = (held) => [held.search.partials.flight?.map(({ offer_id }) => offer_id), [...held.asked]];

test("results that fit stay and others are marked as searched again until new ones arrive", () => {
  assert.deepEqual(shown(withHeld(search(), earlier)), [["a", "b", "c"], ["b", "c"]]);
});

test("its own results take the place of what was asked again, and confirm what stays, once each", () => {
  const found = search({ partials: { flight: [offer("e"), offer("a")] } });
  assert.deepEqual(shown(withHeld(found, earlier)), [["e", "a"], []]);
  assert.deepEqual(shown(withHeld(search({ partials: { flight: [offer("e")] } }), earlier)), [["e", "a"], []]);
});

test("ended agent shows only its own results", () => {
  const over = search({ agents: { flight: agent("done") }, partials: { flight: [offer("e")] } });
  assert.deepEqual(shown(withHeld(over, earlier)), [["e"], []]);
});

test("nothing is held for an unknown search or unknown places", () => {
  for (const known of [null, undefined, { task_id: "t0", partials: {} }]) assert.equal(withHeld(search(), known).asked.size, 0);
  const beyond = { from_task_id: "t1", results: { flight: { stays: [9], waits: [], goes: [] }, hotel: sorted.results.flight } };
  assert.deepEqual(shown(withHeld(search({ sorted: beyond }), earlier)), [[], []]);
});

test("events of a change leave no moment without what stays and waits", () => {
  const events = [
    { type: "status_update", task_id: "t1", status: "running", message: "" },
    { type: "agent_update", task_id: "t1", agent: "flight", ...agent("working") },
    { type: "partial_result", task_id: "t1", agent: "flight", items: earlier.partials.flight },
    { type: "status_update", task_id: "t1", status: "interrupted", reason: "superseded" },
    { type: "status_update", task_id: "t2", status: "running", message: "" },
    { type: "results_sorted", task_id: "t2", ...sorted },
    { type: "agent_update", task_id: "t2", agent: "flight", ...agent("working") },
  ];
  const begun = reduce(initialState("ann"), { type: "snapshot", seq: 0, epoch: "e", status: null, partial_results: null, history: [] });
  const seen = [];
  events.reduce((state, event, at) => {
    const next = reduce(state, { at: "", seq: at + 1, ...event });
    seen.push(heldIn(next).search?.partials.flight?.length ?? 0);
    return next;
  }, begun);
  assert.deepEqual(seen, [0, 0, 4, 4, 4, 3, 3]);
});

test("results that fit stand apart from those found twice, and from none", () => {
  const ids = ({ fits, confirmed }) => [[...fits], [...confirmed]];
  assert.deepEqual(ids(withHeld(search(), earlier)), [["a"], []]);
  assert.deepEqual(ids(withHeld(search({ partials: { flight: [offer("a"), offer("e")] } }), earlier)), [[], ["a"]]);
  const over = search({ agents: { flight: agent("done") }, partials: { flight: [offer("a")] } });
  assert.deepEqual(ids(withHeld(over, earlier)), [[], ["a"]]);
  const all = { from_task_id: "t1", results: { flight: { stays: [0, 1, 2, 3], waits: [], goes: [] } } };
  assert.deepEqual(ids(withHeld(search({ sorted: all, partials: { flight: earlier.partials.flight } }), earlier)), [[], []]);
});
