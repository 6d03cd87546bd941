import assert from "node:assert/strict";
import { test } from "node:test";

import { heldIn, missingIn } from "../../frontend/lib/held.js";
import { ageOf, drawersOf, keptWords } from "../../frontend/lib/kept.js";
import { initialState, reduce } from "../../frontend/lib/reduce.js";
import { newTask } from "../../frontend/lib/tasks.js";
import * as whole from "./whole.js";

const money = { amount: "500.00", currency: "EUR" };
const request = (task_id, more = {}) => ({
  task_id,
  title: "Berlin to Tokyo, 4 March",
  message: "flights to Tokyo",
  status: "completed",
  relation: "new",
  from_task_id: null,
  found_at: "2026-11-20T09:00:00Z",
  partial_results: { flight: 2 },
  cheapest: { flight: money },
  requests: {},
  ...more,
});
const found = (...ids) => ({ flight: ids.map((offer_id) => ({ ...whole.FLIGHT, offer_id })) });
const search = (more) => ({ ...newTask("t9"), status: "completed", ...more });
const state = (more) => ({ ...initialState("ann"), ...more });

test("kept requests are drawers by name, newest first", () => {
  const kept = [request("t2", { title: "Berlin to Osaka, 4 March, nonstop", partial_results: { flight: 11, hotel: 27 } }), request("t1")];
  const drawers = drawersOf(state({ kept }), search());
  assert.deepEqual(drawers.map(({ title }) => title), [
    "Berlin to Osaka, 4 March, nonstop: 11 flights, 27 hotels",
    "Berlin to Tokyo, 4 March: 2 flights",
  ]);
  assert.equal(drawers[0].partials, null, "fetched once it is opened");
  assert.equal(keptWords(drawers), "2 earlier searches kept");
});

test("board results are in no drawer, and an empty drawer is left out", () => {
  const kept = [request("t9"), request("t2"), request("t1")];
  const keptOffers = { t2: found("a", "b"), t1: found("a", "c") };
  const drawers = drawersOf(state({ kept, keptOffers }), search({ partials: found("a", "b") }));
  assert.deepEqual(drawers.map(({ key, title }) => [key, title]), [["t1", "Berlin to Tokyo, 4 March: 1 flight"]]);
});

test("local results have their drawer before the server names it, and keep it", () => {
  const interrupted = { t1: { task_id: "t1", message: "flights to Tokyo", partials: found("a"), agents: {} } };
  const [unnamed] = drawersOf(state({ interrupted }), search());
  assert.deepEqual([unnamed.key, unnamed.foundAt], ["t1", null]);
  const [named, ...others] = drawersOf(state({ interrupted, kept: [request("t1")] }), search());
  assert.deepEqual([named.key, named.title, named.partials, others.length], ["t1", "Berlin to Tokyo, 4 March: 1 flight", found("a"), 0]);
});

test("age of a price is told in minutes, hours and days", () => {
  const at = "2026-11-20T09:00:00Z";
  const ages = [10, 59, 60 * 5, 3600 * 3 + 1, 3600 * 24, 3600 * 49].map((s) => ageOf(at, Date.parse(at) + s * 1000));
  assert.deepEqual(ages, ["just now", "just now", "5 min", "3 h", "1 day", "2 days"]);
  assert.equal(ageOf(null, 0), "");
});

test("results shown of a request new to this window are fetched", () => {
  const sorted = { from_task_id: "t1", results: { flight: { stays: [1], waits: [0], goes: [] } } };
  const begun = search({ status: "running", agents: { flight: { state: "working" } }, sorted });
  const going = state({ task: begun, shown: { search: begun, before: null } });
  assert.equal(missingIn(going), "t1");
  assert.deepEqual(heldIn(going).search.partials, {});
  const had = reduce(going, { type: "page_kept_offers", task_id: "t1", offers: found("a", "b") });
  assert.equal(missingIn(had), null);
  assert.deepEqual(heldIn(had).search.partials.flight.map(({ offer_id }) => offer_id), ["b", "a"]);
});

test("snapshot tells what its task made of earlier results", () => {
  const sorted = { from_task_id: "t1", results: { flight: { stays: [0], waits: [], goes: [] } } };
  const status = { task_id: "t2", status: "running", reason: null, message: "", agents: {}, created_at: "", updated_at: "", queued: [], input_requests: [] };
  const told = { type: "snapshot", seq: 3, epoch: "e", status, history: [], partial_results: { partial_results: {}, text: "", interrupted: [], results_sorted: sorted } };
  assert.deepEqual(reduce(initialState("ann"), told).task.sorted, sorted);
});
