/** How times, days and amounts of money are written and counted. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { compare, spoken, written } from "../../frontend/lib/money.js";
import {
  clock,
  dayRange,
  daysBetween,
  dayShift,
  duration,
  elapsed,
  fullDay,
  minutesBetween,
  shortDay,
  spokenDayShift,
  spokenDuration,
} from "../../frontend/lib/times.js";

test("times are shown as written, whatever the zone of who reads them", () => {
  assert.equal(clock("2027-03-05T07:35:00+09:00"), "07:35");
  assert.equal(shortDay("2027-03-04T23:59:00-11:00"), "Thu 4 Mar");
  assert.equal(fullDay("2027-03-04"), "Thu 4 Mar 2027");
});

test("day that a flight lands on is counted from the written dates, over the date line too", () => {
  assert.equal(daysBetween("2027-03-04T13:30:00+01:00", "2027-03-05T07:35:00+09:00"), 1);
  assert.equal(daysBetween("2027-03-05T00:30:00+13:00", "2027-03-04T13:00:00-10:00"), -1);
  assert.equal(daysBetween("2027-03-27T23:00:00+01:00", "2027-03-28T23:00:00+02:00"), 1);
  assert.deepEqual([1, -1, 0, 2].map(dayShift), ["+1", "−1", "", "+2"]);
  assert.deepEqual([1, -1, 0, -2].map(spokenDayShift), ["the next day", "the day before", "", "2 days earlier"]);
});

test("time between two instants is right across clock changes", () => {
  assert.equal(minutesBetween("2027-03-28T01:30:00+01:00", "2027-03-28T03:30:00+02:00"), 60);
  assert.equal(minutesBetween("2027-10-31T02:30:00+02:00", "2027-10-31T02:30:00+01:00"), 60);
  assert.equal(minutesBetween("2027-03-04T11:55:00+01:00", "2027-03-04T13:30:00+01:00"), 95);
});

test("ranges of days name month and year once where one is enough", () => {
  assert.equal(dayRange("2027-03-04", "2027-03-12"), "4 – 12 Mar 2027");
  assert.equal(dayRange("2027-02-28", "2027-03-03"), "28 Feb – 3 Mar 2027");
  assert.equal(dayRange("2026-12-28", "2027-01-03"), "28 Dec 2026 – 3 Jan 2027");
  assert.equal(dayRange("2027-03-04"), "4 Mar 2027");
});

test("durations are written short and spoken in full", () => {
  assert.deepEqual([45, 60, 785].map(duration), ["45 min", "1 h 00", "13 h 05"]);
  assert.equal(spokenDuration(785), "13 hours 5 minutes");
  assert.equal(spokenDuration(61), "1 hour 1 minute");
  assert.equal(spokenDuration(0), "0 minutes");
  assert.deepEqual([-3, 7.9, 65].map(elapsed), ["0 s", "7 s", "1:05 min"]);
});

test("amounts carry their currency, and an unknown one stands as it came", () => {
  assert.equal(written({ amount: "1637.66", currency: "EUR" }), "€1,637.66");
  assert.equal(written({ amount: "98000", currency: "JPY" }), "¥98,000");
  assert.equal(spoken({ amount: "1637.66", currency: "EUR" }), "1,637.66 euros");
  assert.equal(written({ amount: "12", currency: "no currency" }), "12 no currency");
});

test("amounts are compared as numbers, and only within a currency", () => {
  assert.ok(compare({ amount: "99.00", currency: "EUR" }, { amount: "100.00", currency: "EUR" }) < 0);
  assert.ok(compare({ amount: "99999", currency: "JPY" }, { amount: "1", currency: "EUR" }) > 0);
});
