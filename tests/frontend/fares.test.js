/** Prices by day: what is asked for, and what the chart says of the answer. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { barsOf, baseOf, expectedDays, fareQuery, summaryOf, tellsAround } from "../../frontend/lib/fares.js";

const request = {
  origin: { label: "Berlin, DE", codes: ["BER"] },
  destination: { label: "Tokyo, JP", codes: ["HND", "NRT"] },
  departure_date: "2026-12-10",
  return_date: null,
  passengers: 2,
  cabin_class: "economy",
  max_stops: null,
  max_price: null,
  flexible_days: null,
};
const asking = (changes = {}) => fareQuery({ agents: { flight: { request: { ...request, ...changes } } } });
const euros = (amount) => ({ amount, currency: "EUR" });
const week = (...amounts) =>
  amounts.map((amount, at) => ({ date: `2026-12-${String(at + 7).padStart(2, "0")}`, price_total: amount ? euros(amount) : null }));

test("prices are asked for with all that the search is asked for, and nothing else", () => {
  assert.deepEqual(asking(), {
    origins: "BER",
    destinations: "HND,NRT",
    departure_date: "2026-12-10",
    passengers: 2,
    cabin_class: "economy",
    days: 3,
  });
  const limits = { return_date: "2026-12-20", max_stops: 0, max_price: { amount: "700", currency: "USD" }, flexible_days: 5 };
  const asked = asking(limits);
  assert.deepEqual(
    [asked.return_date, asked.max_stops, asked.max_price, asked.currency, asked.days],
    ["2026-12-20", 0, "700", "USD", 5],
  );
  assert.equal(asking({ flexible_days: 30 }).days, 7);
});

test("fares are not requested without a known flight", () => {
  for (const changes of [{ departure_date: null }, { destination: null }, { origin: { label: "x", codes: [] } }])
    assert.equal(asking(changes), null);
  for (const task of [null, { agents: {} }, { agents: { hotel: { request: { city: {} } } } }, { agents: { flight: {} } }])
    assert.equal(fareQuery(task), null);
});

test("days have a bar for their price, mark cheapest and chosen, and say so in words", () => {
  const bars = barsOf(week("450", "378.10", null, "422"), "2026-12-10");
  assert.deepEqual(bars.map(({ share }) => share), [1, 378.1 / 450, 0, 422 / 450]);
  assert.deepEqual(bars.map(({ isCheapest }) => isCheapest), [false, true, false, false]);
  assert.deepEqual(
    bars.map(({ words }) => words),
    [
      "Leave on Mon 7 Dec: 450.00 euros",
      "Leave on Tue 8 Dec: 378.10 euros, the cheapest",
      "Leave on Wed 9 Dec: no flight found",
      "Thu 10 Dec, the day you leave: 422.00 euros",
    ],
  );
});

test("sentence names the cheapest day and what it would save", () => {
  const say = (days, chosen) => summaryOf(barsOf(days, chosen));
  assert.equal(say(week("450", "378", "500"), "2026-12-09"), "Cheapest on Tue 8 Dec, €378: €122 less than on Wed 9 Dec.");
  assert.equal(say(week("450", "378", "500"), "2026-12-08"), "Tue 8 Dec is the cheapest of these days, €378.");
  assert.equal(say(week("378", "378", "500"), "2026-12-08"), "Tue 8 Dec is the cheapest of these days, €378.");
  assert.equal(say(week("450", null), "2026-12-08"), "Cheapest on Mon 7 Dec, €450.");
  assert.equal(say(week(null, null), "2026-12-08"), "");
  assert.equal(say([], "2026-12-08"), "");
});

test("days stay where they are while another one of them is chosen, unless it is the first or the last", () => {
  const shown = { base: baseOf(asking()), days: week("450", "378", "500"), isKnown: true };
  const around = (departure_date, more = {}) => tellsAround(shown, asking({ departure_date, ...more }));
  assert.deepEqual(["2026-12-07", "2026-12-08", "2026-12-09", "2026-12-10"].map((day) => around(day)), [false, true, false, false]);
  assert.equal(around("2026-12-08", { passengers: 3 }), false);
  assert.equal(tellsAround({ ...shown, isKnown: false }, asking({ departure_date: "2026-12-08" })), false);
  assert.equal(tellsAround(null, asking()), false);
});

test("days are shown before their prices, without a word of cost", () => {
  const days = expectedDays(asking({ departure_date: "2026-12-31" }));
  assert.deepEqual([days[0].date, days[3].date, days[6].date], ["2026-12-28", "2026-12-31", "2027-01-03"]);
  const bars = barsOf(days, "2026-12-31");
  assert.deepEqual([bars[0].words, bars[3].words], ["Leave on Mon 28 Dec", "Thu 31 Dec, the day you leave"]);
  assert.ok(bars.every(({ share, isCheapest }) => share === 0 && !isCheapest));
  assert.equal(summaryOf(bars), "");
});
