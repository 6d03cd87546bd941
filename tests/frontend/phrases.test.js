import assert from "node:assert/strict";
import { test } from "node:test";

import * as phrases from "../../frontend/lib/phrases.js";

const SEGMENT = { carrier_name: "Amberwing Demo", number: "253", departs_at: "2026-12-10T09:05:00+01:00" };
const BACK = { carrier_name: "Larch Demo", number: "12", departs_at: "2026-12-20T17:50:00+09:00" };

test("days carry their year", () => {
  assert.equal(phrases.leaveOn("2027-01-02"), "Leave on 2 January 2027.");
});

test("counts of one are singular", () => {
  assert.equal(phrases.people(1), "Make it 1 person.");
  assert.equal(phrases.stops(1), "Flights with at most 1 stop.");
});

test("emptied fact is withdrawn", () => {
  assert.equal(phrases.stops(null), "Flights with any number of stops.");
  assert.equal(phrases.flightBudget(null), "No budget for the flights.");
  assert.equal(phrases.district(""), "A hotel in any district.");
});

test("flight is named by its carriers, numbers and times, each carrier once in a row", () => {
  const slices = [{ segments: [SEGMENT, { ...SEGMENT, number: "1908" }] }, { segments: [BACK, SEGMENT] }];
  assert.equal(
    phrases.bookFlight({ slices }),
    "Book the flight Amberwing Demo 253 and 1908 on 10 December 2026 at 09:05, " +
      "back with Larch Demo 12 and Amberwing Demo 253 on 20 December 2026 at 17:50.",
  );
});

test("task that was interrupted is named by what it was asked for, or else by what it found", () => {
  const request = { origin: { label: "Berlin, DE" }, destination: { label: "Tokyo, JP" }, departure_date: "2026-12-10" };
  const asked = { ...request, return_date: null, passengers: 1, cabin_class: "business", max_stops: 0, max_price: null };
  assert.equal(
    phrases.takeUpAgain({ agents: { flight: { request: asked } } }),
    "Go back to the flights from Berlin, DE to Tokyo, JP on 10 December 2026 in business class with no stops.",
  );
  const found = { city: "Tokyo", country: "JP", check_in: "2026-12-10", check_out: "2026-12-13" };
  assert.equal(
    phrases.takeUpAgain({ partials: { hotel: [found] } }),
    "Go back to the hotels in Tokyo, JP from 10 December 2026 to 13 December 2026.",
  );
  assert.equal(phrases.takeUpAgain({}), "Go back to the previous search.");
});
