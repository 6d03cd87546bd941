import assert from "node:assert/strict";
import { test } from "node:test";

import { initialState } from "../../frontend/lib/reduce.js";
import { newTask } from "../../frontend/lib/tasks.js";
import { dearer, differences, lineOf } from "../../frontend/lib/trip-line.js";

const place = (label) => ({ label, latitude: 0, longitude: 0, codes: [] });
const flight = (to, more = {}) => ({
  origin: place("Berlin, DE"),
  destination: place(to),
  departure_date: "2027-03-04",
  return_date: null,
  passengers: 1,
  cabin_class: "economy",
  max_stops: null,
  max_price: null,
  ...more,
});
const request = (task_id, title, more = {}) => ({
  task_id,
  title,
  message: title,
  status: "completed",
  relation: "refine",
  from_task_id: null,
  found_at: "2026-11-20T09:00:00Z",
  partial_results: { flight: 22 },
  cheapest: { flight: { amount: "500.00", currency: "EUR" } },
  requests: { flight: flight("Tokyo, JP") },
  ...more,
});
const tokyo = request("t1", "Berlin to Tokyo, 4 March", { relation: "new" });
const osaka = request("t2", "Berlin to Osaka, 4 March", {
  from_task_id: "t1",
  requests: { flight: flight("Osaka, JP") },
  cheapest: { flight: { amount: "620.50", currency: "EUR" } },
});
const nonstop = request("t3", "Berlin to Osaka, 4 March, nonstop", {
  from_task_id: "t2",
  requests: { flight: flight("Osaka, JP", { max_stops: 0 }) },
});
const state = (kept, search = null) => ({ ...initialState("ann"), kept, shown: { search, before: null } });
const drawn = (line) => line.map(({ label, aside, now }) => [label, aside, now]);

test("single request has no line", () => {
  assert.deepEqual(lineOf(state(null)), []);
  assert.deepEqual(lineOf(state([tokyo])), []);
});

test("changes of mind branch the line, which ends at the last", () => {
  assert.deepEqual(drawn(lineOf(state([nonstop, osaka, tokyo]))), [
    ["Tokyo, 4 March", true, false],
    ["Osaka", true, false],
    ["nonstop", false, true],
  ]);
});

test("additions stay on the line", () => {
  const both = request("t2", "Berlin to Tokyo, 4 March, at least 4 stars", {
    from_task_id: "t1",
    relation: "add",
    requests: { ...tokyo.requests, hotel: { city: place("Tokyo, JP"), stars: 4 } },
  });
  assert.deepEqual(drawn(lineOf(state([both, tokyo]))), [
    ["Tokyo, 4 March", false, false],
    ["at least 4 stars", false, true],
  ]);
});

test("hotels that are looked for as well are told where the name stays the same", () => {
  const both = request("t2", tokyo.title, { from_task_id: "t1", relation: "add", requests: { ...tokyo.requests, hotel: { city: place("Tokyo, JP") } } });
  assert.deepEqual(lineOf(state([both, tokyo])).map(({ label }) => label), ["Tokyo, 4 March", "and hotels"]);
});

test("request that is searched again, as for a booking, is no stop of its own", () => {
  assert.deepEqual(lineOf(state([{ ...osaka, task_id: "t3" }, osaka, tokyo])).map(({ key }) => key), ["t1", "t3"]);
});

test("request that is shown is the one of now, also where a later one is kept", () => {
  const search = { ...newTask("t1"), agents: { flight: { request: tokyo.requests.flight } } };
  assert.deepEqual(drawn(lineOf(state([osaka, tokyo], search))).map(([, aside, now]) => [aside, now]), [[false, true], [true, false]]);
  const again = { ...search, task_id: "t9" };
  assert.equal(lineOf(state([osaka, tokyo], again)).find(({ now }) => now)?.key, "t1", "it asks for the same");
});

test("search that has found nothing yet is the end of the line at once", () => {
  const search = { ...newTask("t9"), agents: { flight: { request: flight("Nagoya, JP") } } };
  assert.deepEqual(drawn(lineOf(state([tokyo], search))), [
    ["Tokyo, 4 March", true, false],
    ["Nagoya", false, true],
  ]);
});

test("going back is a message that tells all of the request; a tour is asked for again", () => {
  const [first] = lineOf(state([nonstop, osaka, tokyo]));
  assert.equal(first.message, "Go back to the flights from Berlin, DE to Tokyo, JP on 4 March 2027.");
  const tour = request("t1", "Rome and Paris", { requests: { planner: {} }, message: "plan a tour of Rome and Paris" });
  assert.equal(lineOf(state([osaka, tour]))[0].message, "plan a tour of Rome and Paris");
});

test("two requests side by side differ in facts, counts and prices, and in nothing that is the same", () => {
  const [one, other] = lineOf(state([{ ...osaka, partial_results: { flight: 11, hotel: 3 } }, tokyo]));
  assert.deepEqual(differences(one, other), [
    { name: "To", one: "Tokyo, JP", other: "Osaka, JP" },
    { name: "Flights", one: "22", other: "11" },
    { name: "Hotels", one: "–", other: "3" },
    { name: "Cheapest flight", one: "€500.00", other: "€620.50" },
  ]);
  assert.equal(dearer(other, one), "flights €120.50 dearer");
  assert.equal(dearer(one, other), "flights €120.50 cheaper");
  assert.deepEqual(differences(one, one), []);
});
