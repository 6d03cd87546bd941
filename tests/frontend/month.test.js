/** A month of prices: which days it has, what is asked for, and what each day says. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { monthDays, monthName, monthOf, monthQueries } from "../../frontend/lib/fares.js";

const euros = (amount) => ({ amount, currency: "EUR" });
const about = { chosen: "2027-02-10", today: "2027-02-05" };

test("months are told by name, over the end of a year", () => {
  assert.deepEqual([monthOf("2026-12-31"), monthOf("2026-12-31", 1), monthOf("2027-01", -1)], ["2026-12", "2027-01", "2026-12"]);
  assert.equal(monthName("2027-02"), "February 2027");
});

test("month is asked for in three parts that cover it, without those that have passed", () => {
  const query = { origins: "BER", departure_date: "2027-02-10", days: 3 };
  for (const month of ["2027-02", "2027-03", "2028-02"]) {
    const asked = monthQueries(query, month, "2026-12-01");
    const covered = new Set(asked.flatMap(({ departure_date: middle, days }) => {
      const at = Number(middle.slice(8));
      return Array.from({ length: 2 * days + 1 }, (_, index) => at - days + index);
    }));
    assert.ok(monthDays(month, [], about).every(({ date }) => covered.has(Number(date.slice(8)))), month);
    assert.ok(asked.every(({ origins, days }) => origins === "BER" && days <= 7));
  }
  assert.deepEqual(monthQueries(query, "2027-02", "2027-02-12").map((part) => part.departure_date), ["2027-02-17", "2027-02-28"]);
  assert.deepEqual(monthQueries(query, "2027-01", "2027-02-01"), []);
});

test("days say their price, whether cheapest, and whether the trip may start then", () => {
  const fares = [
    { date: "2027-02-04", price_total: euros("90.00") },
    { date: "2027-02-06", price_total: euros("120.00") },
    { date: "2027-02-07", price_total: null },
    { date: "2027-02-08", price_total: euros("100.00") },
    { date: "2027-02-10", price_total: euros("300.00") },
    { date: "2027-03-01", price_total: euros("1.00") },
  ];
  const days = monthDays("2027-02", fares.slice(1), about);
  const said = (number) => days[number - 1].words;
  assert.equal(days.length, 28);
  assert.deepEqual([days[0].column, days[6].column, days[7].column], [1, 7, 1]);
  assert.equal(said(4), "Thu 4 Feb");
  assert.equal(said(6), "Leave on Sat 6 Feb: 120.00 euros");
  assert.equal(said(7), "Sun 7 Feb: no flight found");
  assert.equal(said(8), "Leave on Mon 8 Feb: 100.00 euros, the cheapest of the month");
  assert.equal(said(10), "Wed 10 Feb, the day you leave: 300.00 euros");
  assert.equal(said(11), "Leave on Thu 11 Feb");
  assert.deepEqual(days.filter(({ isOpen }) => isOpen).length, 28 - 4 - 1 - 1);
  assert.deepEqual(days.filter(({ level }) => level === "low").map(({ date }) => date), ["2027-02-08"]);
});
