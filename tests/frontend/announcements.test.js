import assert from "node:assert/strict";
import { test } from "node:test";

import { newsOf } from "../../frontend/lib/announcements.js";
import { initialState } from "../../frontend/lib/reduce.js";

const before = { ...initialState("ada"), synced: true, connection: "live" };
const news = (change, from = before) => {
  const { said, urgent } = newsOf(from, { ...from, ...change });
  return { said: [...said.values()], urgent };
};
const price = (amount) => ({ price_total: { amount, currency: "EUR" } });

function task(more = {}) {
  return { task_id: "t1", status: "running", reason: null, agents: {}, partials: {}, calls: {}, transfer: null, ...more };
}

const working = (count, state = "working") => ({ state, detail: "", done: 1, total: 3, count });

test("results are told as whole sentences with the cheapest price as it is spoken", () => {
  const had = { ...before, tasks: { t1: task({ agents: { flight: working(0) } }) } };
  const found = task({ agents: { flight: working(2) }, partials: { flight: [price("700.00"), price("612.00")] } });
  assert.deepEqual(news({ tasks: { t1: found } }, had).said, ["Flights: 2 results so far, cheapest 612.00 euros."]);
});

test("newer news of an agent replace older ones", () => {
  const { said } = newsOf(before, { ...before, tasks: { t1: task({ agents: { flight: working(2), hotel: working(1) } }) } });
  assert.deepEqual([...said.keys()].filter((key) => key !== "task"), ["flight", "hotel"]);
});

test("permission is told at once, a question in its turn", () => {
  const request = { request_id: "r", task_id: "t1", kind: "permission", prompt: "Shall I book it?" };
  assert.match(news({ requests: [request] }).urgent[0], /permission: Shall I book it\?/);
  const { said, urgent } = news({ requests: [{ ...request, kind: "question", prompt: "Where from?" }] });
  assert.match(said[0], /question: Where from\?/);
  assert.deepEqual(urgent, []);
});

test("failures are told at once: of a task, an agent, a message and the page", () => {
  const failed = task({ status: "failed", agents: { flight: { ...working(0), state: "failed", detail: "Timed out." } } });
  assert.deepEqual(news({ tasks: { t1: failed } }).urgent, [
    "Flights: failed. Timed out.",
    "Detour could not finish this.",
  ]);
  const outbox = [{ client_id: "c", text: "hello", state: "unsent", error: "The server can’t be reached." }];
  assert.deepEqual(news({ outbox }).urgent, ["Your message was not sent. The server can’t be reached."]);
  assert.deepEqual(news({ notice: "That trip was deleted." }).urgent, ["That trip was deleted."]);
});

test("stop is told once the server has confirmed it", () => {
  const had = { ...before, tasks: { t1: task() } };
  assert.deepEqual(news({ stopping: "t1" }, had).said, []);
  const stopped = task({ status: "interrupted", reason: "stopped" });
  assert.deepEqual(news({ tasks: { t1: stopped } }, had).said, ["Stopped. What was found is kept."]);
});

test("state at page load is not news, nor is another trip", () => {
  const request = { request_id: "r", task_id: "t1", kind: "permission", prompt: "Shall I?" };
  const fresh = initialState("ada");
  assert.deepEqual(news({ synced: true, requests: [request] }, fresh), { said: [], urgent: [] });
  assert.deepEqual(news({ userId: "bob", requests: [request] }), { said: [], urgent: [] });
});

test("connection that is lost and found is told", () => {
  assert.match(news({ connection: "reconnecting" }).said[0], /^Reconnecting/);
  const lost = { ...before, connection: "reconnecting" };
  assert.deepEqual(news({ connection: "live" }, lost).said, ["Connected again."]);
});
