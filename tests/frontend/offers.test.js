import assert from "node:assert/strict";
import { test } from "node:test";

import { cheapestFirst, route, sliceLine } from "../../frontend/offers.js";

test("a tour is told from its start through all of its cities, and back where it returns", () => {
  const order = ["Rome", "Athens"];
  assert.equal(route({ start: "Vienna", order, returns: true }), "Vienna → Rome → Athens → Vienna");
  assert.equal(route({ start: null, order, returns: true }), "Rome → Athens → Rome");
  assert.equal(route({ start: "Vienna", order, returns: false }), "Vienna → Rome → Athens");
  assert.equal(route({ start: null, order, returns: false }), "Rome → Athens");
});

test("the best plan comes first, in whatever order the plans were found", () => {
  const plans = ["1400.00", "275.50", "980.00"].map((amount) => ({ price_total: { amount, currency: "EUR" } }));
  const amounts = cheapestFirst(plans).map((plan) => plan.price_total.amount);
  assert.deepEqual(amounts, ["275.50", "980.00", "1400.00"]);
});

test("a flight of a tour is told in local times, with the stops it makes", () => {
  const segments = [
    { origin: "LIS", destination: "FRA", departs_at: "2027-05-19T10:05:00+01:00", arrives_at: "2027-05-19T14:00:00+02:00" },
    { origin: "FRA", destination: "ATH", departs_at: "2027-05-19T22:00:00+02:00", arrives_at: "2027-05-20T01:40:00+03:00" },
  ];
  const line = sliceLine({ segments, duration_minutes: 815 });
  assert.match(line, /LIS 10:05 → 01:40 \+1 ATH · 13 h 35 · 1 stop \(FRA\)$/);
});
