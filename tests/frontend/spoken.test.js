/** What a reply spoke of: kept until the next thing is said, and the orders beyond that. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { initialState, reduce } from "../../frontend/lib/reduce.js";

const run = (...events) =>
  events.map((event, at) => ({ task_id: "t1", ...event, seq: at + 1 })).reduce(reduce, initialState("ann"));
const pointedOut = (agent, ...offer_ids) => ({ type: "offers_pointed_out", agent, offer_ids });
const ordered = (agent, by, descending = false) => ({ type: "offers_ordered", agent, by, descending });
const said = (role) => ({ type: "message", message_id: `m-${role}`, role, text: "and?", interrupted: false, client_id: null });

test("offers that a reply speaks of are known by their agents", () => {
  const { spoken } = run(pointedOut("flight", "f1", "f2"), pointedOut("hotel", "h1"), said("assistant"));
  assert.deepEqual(spoken.offers, { flight: ["f1", "f2"], hotel: ["h1"] });
});

test("offers stay pointed out until the user's next message", () => {
  const { spoken } = run(pointedOut("flight", "f1"), ordered("flight", "duration"), said("user"));
  assert.deepEqual(spoken.offers, {});
  assert.deepEqual(spoken.orders, { flight: { by: "duration", descending: false } });
});

test("last order that was asked for counts", () => {
  const { spoken } = run(ordered("hotel", "score", true), ordered("hotel", "price"));
  assert.deepEqual(spoken.orders, { hotel: { by: "price", descending: false } });
});
