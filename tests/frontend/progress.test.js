import assert from "node:assert/strict";
import { test } from "node:test";

import { agentName } from "../../frontend/lib/agents.js";
import { agentLine, headline } from "../../frontend/lib/progress.js";

const agent = (state, more = {}) => ({ state, detail: "", done: 2, total: 3, count: 41, ...more });
const task = (more) => ({ status: "running", agents: {}, calls: {}, transfer: null, ...more });

test("line tells how far an agent is, in results", () => {
  assert.equal(agentLine("flight", agent("working")), "Flights: 41 found so far");
  assert.equal(agentLine("hotel", agent("done")), "Hotels: done, 41 found");
  assert.equal(agentLine("hotel", agent("interrupted")), "Hotels: stopped, 41 found");
  assert.equal(agentLine("flight", agent("failed", { detail: "timed out" })), "Flights: failed, timed out");
});

test("agent states have their own words, even without counts", () => {
  const states = ["waiting", "working", "input_required", "done", "interrupted", "failed"];
  const lines = states.map((state) => agentLine("booking", agent(state, { done: 0, total: 0, count: 0 })));
  assert.equal(new Set(lines).size, states.length);
  for (const line of lines) assert.match(line, /^Booking: [a-z ]+$/);
});

test("agent that is not known is called by its own name", () => {
  assert.equal(agentName("rental_cars"), "Rental cars");
  assert.equal(agentName("constructor"), "Constructor");
});

test("headline tells stopping from working, and a change of mind from a beginning", () => {
  assert.equal(headline(task({}), false), "Working on it…");
  assert.equal(headline(task({ transfer: { relation: "refine" } }), false), "Adjusting…");
  assert.equal(headline(task({ transfer: { relation: "refine" }, agents: { flight: agent("working") } }), false), "Working on it…");
  assert.equal(headline(task({}), true), "Stopping…");
  assert.equal(headline(task({ status: "queued" }), false), "Waiting its turn");
  assert.equal(headline(task({ status: "cancelling" }), true), "Finishing work already started…");
});
